"""Leagues with language models: asked from the sandbox, recorded with game, round and turn."""

import json
import re
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import pytest

from arena.bots.sandboxes.base import ENVIRONMENT
from arena.game.records import Faulted, PlayedFixture
from tests.cli.command import TRUSTED, run
from tests.publish import pages
from tests.support import model_bot, model_leagues, model_thief
from tests.support.depth import only_in_long
from tests.support.model_server import say, send, serving
from tests.support.sampling import sample

pytestmark = pytest.mark.slow

KEY = "sk-never-to-be-seen-0123456789"


def everything_written(folder: Path) -> bytes:
    """Return all files below a folder, and what is compressed in its stores."""
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    stores = [path for path in folder.glob("*.sqlite") if not path.stem.endswith(".logs")]
    unpacked = [msgspec.json.encode(model_leagues.stored(store)) for store in stores]
    return b"".join([*files, *unpacked, replays(folder / "site")])


def replays(site: Path) -> bytes:
    shards = (site / "replays").glob("*-*.js")
    return b"".join(pages.content(shard.read_text(encoding="utf-8")) for shard in shards)


@pytest.mark.parametrize(
    "sandbox", sample(["process", "bubblewrap", "docker"], 1, "requests to models")
)
def test_requests_are_recorded_and_the_key_is_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str
) -> None:
    monkeypatch.setenv("THE_KEY", KEY)
    # A server that repeats the key does not get it to the bot.
    with serving(say(f"[dudo] {KEY}")) as server:
        small = {"key": {"env": "THE_KEY"}, "public": True}
        model_leagues.write_league(tmp_path, server.url, small)
        ran = run("run", "league.yaml", "--sandbox", sandbox, "--trust-bots", cwd=tmp_path)
    assert ran.code == 0, ran.err
    played = model_leagues.stored(tmp_path / "league.sqlite")
    assert len(played) == 2
    for one in played:
        seat = one.fixture.seats.index("asker")
        told = one.stderr[seat].splitlines()
        assert set(told) == {"200 [dudo] [key]"}
        assert [exchange.seat for exchange in one.exchanges] == [seat] * len(told)
        for exchange in one.exchanges:
            words = f"game {exchange.game}, round {exchange.round}: your dice are"
            assert words in exchange.request
            assert (exchange.tokens_in, exchange.tokens_out, exchange.micros) == (100, 10, 200)
    rows = json.loads((tmp_path / "site/data/models.json").read_bytes())["rows"]
    used = {row["bot"]: row for row in rows}
    asked = sum(len(one.exchanges) for one in played)
    assert used["asker"]["requests"] == asked
    assert used["asker"]["money"] == pytest.approx(asked * 200e-6 / 4)
    assert used["honest"]["money"] == used["honest"]["tokens_in"] == 0
    assert b"Its model wrote: [dudo] [key]" in replays(tmp_path / "site")
    assert "money per game" in (tmp_path / "site/models.html").read_text(encoding="utf-8")
    board = (tmp_path / "site/tables/bga-2p.html").read_text(encoding="utf-8")
    costs = {"asker": f"{used['asker']['money']:.4g}", "honest": "0"}
    for bot, cost in costs.items():
        [line] = re.findall(f"<tr.*{bot}.html.*</tr>", board)
        assert f"<td>{cost}</td><td class=by>" in line
    assert {*server.keys} == {f"Bearer {KEY}"}
    assert {*server.paths} == {"/v1/chat/completions"}
    rows = run("export", "league.yaml", "--rows", "models", "--json", cwd=tmp_path).out.splitlines()
    assert {json.loads(row)["answer"] for row in rows} == {"[dudo] [key]"}
    assert len(rows) == asked
    assert run("verify", "league.yaml", cwd=tmp_path).code == 0
    hidden = ("--anonymous", "--site", "hidden")
    assert run("report", "league.yaml", *hidden, cwd=tmp_path).code == 0
    assert b"Its model wrote" not in replays(tmp_path / "hidden")
    assert KEY.encode() not in everything_written(tmp_path) + (ran.out + ran.err).encode()


def test_fixtures_of_a_server_that_fails_are_put_off_and_played_later(tmp_path: Path) -> None:
    def fails(handler: Any, body: dict[str, Any]) -> None:
        (say("hi") if len(server.asked) <= 3 else send_status)(handler, body)

    def send_status(handler: Any, _: dict[str, Any]) -> None:
        refused.append(1)
        send(handler, 401, b"{}")

    refused: list[int] = []
    others = ["sample:honest", "sample:random"]
    with serving(fails) as server:
        model_leagues.write_league(tmp_path, server.url, bots=["asker", *others], blocks=2)
        ran = run("run", "league.yaml", *TRUSTED, cwd=tmp_path)
        before = model_leagues.stored(tmp_path / "league.sqlite")
        # As long as the server fails, each run begins with two that no run began with.
        assert run("run", "league.yaml", *TRUSTED, cwd=tmp_path).code == 130
        assert len([*(tmp_path / "league.models").iterdir()]) == 4
        server.reply = say("hi")
        again = run("run", "league.yaml", *TRUSTED, cwd=tmp_path)
    assert ran.code == 130
    assert "the server of the model 'small' fails: it does not accept the key (401)" in ran.err
    assert "put off until the server of the model 'small' answers: 4 fixtures" in ran.err
    # No bot was faulted for it, and those that ask nothing played on.
    assert [one.fixture.seats for one in before if "asker" in one.fixture.seats] == []
    assert len(before) == 2
    assert again.code == 0, again.err
    after = model_leagues.stored(tmp_path / "league.sqlite")
    assert len(after) == 6
    # What was answered before is not asked again.
    assert sum(len(one.exchanges) for one in after) == len(server.asked) - len(refused)
    assert not any(played.answered for played in after)
    rerun_from_record(tmp_path, next(one for one in after if "asker" in one.fixture.seats))


def test_a_bot_whose_requests_alone_fail_plays_on_and_holds_up_nobody(tmp_path: Path) -> None:
    def fails(handler: Any, body: dict[str, Any]) -> None:
        (fail if "please" in body["messages"][0]["content"] else say("hi"))(handler, body)

    def fail(handler: Any, _: dict[str, Any]) -> None:
        send(handler, 500, b"{}")

    source = Path(model_bot.__file__).read_text(encoding="utf-8")
    model_leagues.write_asker(tmp_path, "pleads", source.replace("your dice", "please, your dice"))
    with serving(fails) as server:
        bots = ["asker", "pleads", "sample:honest"]
        model_leagues.write_league(tmp_path, server.url, {"retries": 0}, bots=bots)
        ran = run("run", "league.yaml", *TRUSTED, cwd=tmp_path)
    assert ran.code == 0, ran.err
    played = model_leagues.stored(tmp_path / "league.sqlite")
    failed = [one for fixture in played for one in fixture.exchanges if one.refused]
    rows = json.loads((tmp_path / "site/data/models.json").read_bytes())["rows"]
    counted = {row["bot"]: (row["requests"] > 0, row["failed"], row["capped"]) for row in rows}
    assert counted == {
        "asker": (True, 0, ""),
        "pleads": (False, len(failed), ""),
        "honest": (False, 0, ""),
    }
    one = next(one for one in played if "pleads" in one.fixture.seats)
    again = run("rerun", "league.yaml", one.fixture.index, 0, *TRUSTED, cwd=tmp_path)
    assert again.code == 0, again.err
    assert f"{len(one.exchanges)} answered from the record, 0 are new" in again.err


def rerun_from_record(folder: Path, played: PlayedFixture) -> None:
    """Play a fixture again without a server, and put it to a build with other words."""
    index, asked = played.fixture.index, len(played.exchanges)
    again = run("rerun", "league.yaml", index, 0, *TRUSTED, cwd=folder)
    assert again.code == 0, again.err
    hellos = [line for line in again.out.splitlines() if '"type":"hello"' in line]
    assert ['"model":60.0}' in line for line in hellos] == [
        bot == "asker" for bot in played.fixture.seats
    ]
    assert f"requests to models: {asked} answered from the record, 0 are new" in again.err
    source = Path(model_bot.__file__).read_text(encoding="utf-8")
    model_leagues.write_asker(folder, "other", source.replace("round {turn", "round: {turn"))
    other = ("--as", "other", "--seat", played.fixture.seats.index("asker"))
    put = run("rerun", "league.yaml", index, *other, *TRUSTED, cwd=folder)
    assert put.code == 0, put.err
    assert f"0 answered from the record, {asked} are new" in put.err
    assert "--ask-models asks them" in put.err
    with serving(say("hi")) as server:
        entry = json.loads((folder / "league.yaml").read_text(encoding="utf-8"))
        entry["models"]["small"]["url"] = server.url
        (folder / "league.yaml").write_text(json.dumps(entry), encoding="utf-8")
        new = run("rerun", "league.yaml", index, *other, "--ask-models", *TRUSTED, cwd=folder)
    assert f"asking {asked} new requests: about" in new.err
    assert f"asked {asked}, which cost" in new.err
    assert len(server.asked) == asked


def test_caps_reached_in_earlier_runs_hold_in_later_ones(tmp_path: Path) -> None:
    capped = {"caps": {"league": {"tokens": 330}}}
    with serving(say("hi")) as server:
        path = model_leagues.write_league(tmp_path, server.url, capped, blocks=1)
        assert run("run", "league.yaml", *TRUSTED, cwd=tmp_path).code == 0
        asked = len(server.asked)
        entry = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**entry, "blocks": 2}), encoding="utf-8")
        again = run("run", "league.yaml", *TRUSTED, "--accept-changes", cwd=tmp_path)
    assert again.code == 0, again.err
    assert (asked, len(server.asked)) == (3, 3)
    rows = json.loads((tmp_path / "site/data/models.json").read_bytes())["rows"]
    assert {row["bot"]: row["capped"] for row in rows} == {"asker": "0/0", "honest": ""}
    last = model_leagues.stored(tmp_path / "league.sqlite")[-1]
    assert "429 {'message': 'the 330 tokens in all are used up'" in "".join(last.stderr)


@only_in_long
def test_bots_on_a_cluster_ask_models_within_caps_of_the_league(tmp_path: Path) -> None:
    capped = {"caps": {"league": {"tokens": 5 * 110}}, "at_a_time": 1}
    with serving(say("hi")) as server:
        path = model_leagues.write_league(tmp_path, server.url, capped)
        entry = json.loads(path.read_text(encoding="utf-8"))
        del entry["workers"]
        path.write_text(json.dumps(entry), encoding="utf-8")
        ran = run("run", "league.yaml", *TRUSTED, "--cluster", "local:2", cwd=tmp_path)
    assert ran.code == 0, ran.err
    played = model_leagues.stored(tmp_path / "league.sqlite")
    noted = [exchange for one in played for exchange in one.exchanges if not exchange.refused]
    # Beyond the cap is at most what was under way at the other worker.
    assert len(noted) == len(server.asked) in (5, 6)
    assert not (tmp_path / "league.models").exists()


@pytest.mark.parametrize(("most", "faults"), [(60, 0), (0.5, 1)])
def test_waiting_for_a_model_counts_for_its_own_limit_alone(
    tmp_path: Path, most: float, faults: int
) -> None:
    def first_slowly(handler: Any, body: dict[str, Any]) -> None:
        if len(server.asked) == 1:
            over.wait(1.5)
        say("hi")(handler, body)

    over = Event()
    limits = {"start": 60, "answer": 1, "game": 60, "wall": 1, "model": most}
    with serving(first_slowly) as server:
        model_leagues.write_league(tmp_path, server.url, limits=limits, games=1)
        ran = run("run", "league.yaml", *TRUSTED, cwd=tmp_path)
    assert ran.code == (1 if faults else 0), ran.err
    games = [game for one in model_leagues.stored(tmp_path / "league.sqlite") for game in one.games]
    found = [event for game in games for event in game.events if isinstance(event, Faulted)]
    assert len(found) == faults
    assert all("no answer within 0.5 s of its language models" in one.detail for one in found)


def test_thief_finds_no_key_no_network_and_no_socket_but_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", KEY)
    source = Path(model_thief.__file__).read_text(encoding="utf-8")
    with serving(say("hi")) as server:
        for name in ("thief", "other"):
            folder = Path(model_leagues.write_asker(tmp_path, name, source))
            (folder / "server").write_text(f"127.0.0.1 {server.server_port}", encoding="utf-8")
        small, bots = {"key": {"env": "THE_KEY"}}, ["thief", "other"]
        model_leagues.write_league(tmp_path, server.url, small, bots=bots, games=1)
        ran = run("run", "league.yaml", "--sandbox", "bubblewrap", cwd=tmp_path)
    assert ran.code == 0, ran.err
    found = model_leagues.stored(tmp_path / "league.sqlite")[0].stderr[0].splitlines()
    assert dict(line.split(": ", 1) for line in found) == {
        "environment": str(sorted([*ENVIRONMENT, "ARENA_MODELS", "PWD", "PYTHONPATH"])),
        "environments": "False",
        "sockets": "['/run/models/socket']",
        "server": "ConnectionRefusedError",
        "remove": "OSError",
        "replace": "OSError",
    }
    assert server.keys == []
