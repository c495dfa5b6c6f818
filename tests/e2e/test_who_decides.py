"""A league says who made the decisions of bots with language models, and marks what is not theirs.

All of its bots are of the kit: one model answers with moves, one never does, one reaches its cap.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from arena.bots.kits import create
from arena.bots.models.scripted import Message, ScriptedServer
from arena.game.records import DecidedBy, PlayedFixture
from examples.model_league import answer
from tests.cli.command import TRUSTED, run
from tests.publish import pages
from tests.support.model_leagues import PATIENT, stored

pytestmark = pytest.mark.slow

MARK = "not the model\u2019s play"
CAPS = {"capped": {"game": {"tokens": 700}}}


def say(messages: list[Message]) -> str:
    """Answer as a model with random weights, to those whose prompt begins with a B."""
    return "lor dolo ip" if messages[0].content.startswith("B") else answer(messages)


def write_bot(folder: Path, name: str, prompt: str = "", fallback: str = "least bad") -> None:
    home = create(folder / name, "model").folder
    program = (home / "bot.py").read_text(encoding="utf-8")
    program = program.replace('MODEL = "small"', f'MODEL = "{name}"')
    program = program.replace('FALLBACK = "least bad"', f'FALLBACK = "{fallback}"')
    (home / "bot.py").write_text(program, encoding="utf-8")
    card = (home / "bot.yaml").read_text(encoding="utf-8").replace("[small]", f"[{name}]")
    (home / "bot.yaml").write_text(card, encoding="utf-8")
    if prompt:
        (home / "prompt.txt").write_text(f"{prompt} {{rules}}", encoding="utf-8")


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("who-decides")
    write_bot(folder, "able")
    write_bot(folder, "babbler", "Babble.")
    write_bot(folder, "capped")
    write_bot(folder, "quitter", "Be mute.", "forfeit")
    names = ["able", "babbler", "capped", "quitter"]
    with ScriptedServer(say) as server:
        models = {
            name: {"url": server.url, "model": "scripted", "caps": CAPS.get(name, {})}
            for name in names
        }
        entry = {
            "bots": [*names, "sample:honest"],
            "games": 2,
            "blocks": 2,
            "seed": "tests",
            "limits": PATIENT,
            "sandbox": "process",
            "pin": False,
            "models": models,
        }
        (folder / "league.yaml").write_text(json.dumps(entry), encoding="utf-8")
        ran = run("run", "league.yaml", *TRUSTED, "--replays", "all", cwd=folder)
    assert ran.code == 1, ran.err  # a bot faulted
    return folder


@pytest.fixture(scope="module")
def rows(league: Path) -> dict[str, dict[str, Any]]:
    table = json.loads((league / "site/data/models.json").read_bytes())
    return {row["bot"]: row for row in table["rows"]}


def decided(played: list[PlayedFixture], bot: str) -> Counter[DecidedBy]:
    return Counter(
        one.by
        for fixture in played
        for one in fixture.decisions_by
        if fixture.fixture.seats[one.seat] == bot
    )


def test_each_decision_is_stored_with_who_made_it(league: Path) -> None:
    played = stored(league / "league.sqlite")
    able, babbler = decided(played, "able"), decided(played, "babbler")
    assert able[DecidedBy.MODEL] > 0.8 * able.total()
    assert able[DecidedBy.CAPPED] == babbler[DecidedBy.MODEL] == 0
    assert {*babbler} == {DecidedBy.FALLBACK}
    capped = decided(played, "capped")
    assert capped[DecidedBy.CAPPED] > capped[DecidedBy.MODEL] > 0
    assert not decided(played, "honest")
    assert run("verify", "league.yaml", cwd=league).code == 0


def test_bot_that_forfeits_makes_no_move_of_its_own(
    league: Path, rows: dict[str, dict[str, Any]]
) -> None:
    assert not decided(stored(league / "league.sqlite"), "quitter")
    board = json.loads((league / "site/data/leaderboard-bga-2p.json").read_bytes())["rows"]
    [row] = [row for row in board if row["bot"] == "quitter"]
    assert row["faults"] == row["games"]
    assert not rows["quitter"]["not_the_models"]


def test_rows_say_the_shares_and_mark_what_is_not_the_models(
    rows: dict[str, dict[str, Any]],
) -> None:
    assert rows["able"]["model_share"] > 0.8
    assert rows["babbler"]["model_share"] == 0
    assert rows["babbler"]["by_fallback"] == rows["babbler"]["decisions"] > 0
    assert rows["capped"]["by_capped"] > 0
    assert rows["honest"]["model_share"] is None
    marked = {bot for bot, row in rows.items() if row["not_the_models"]}
    assert marked == {"babbler", "capped"}


def test_pages_mark_them_and_leave_them_out_of_strength_and_cost(league: Path) -> None:
    board = (league / "site/tables/bga-2p.html").read_text(encoding="utf-8")
    lines = {bot: re.findall(f"<tr.*{bot}.html.*</tr>", board)[0] for bot in ("able", "babbler")}
    assert MARK in lines["babbler"]
    assert MARK not in lines["able"]
    tokens = r"<td>[\d.]+</td><td class=by>"
    assert re.search(tokens, lines["able"])
    assert not re.search(tokens, lines["babbler"])
    models = (league / "site/models.html").read_text(encoding="utf-8")
    assert "able: " in models
    assert "babbler: " not in models
    assert "babbler (not the model" in models
    assert f"{MARK}</abbr>" in (league / "site/bots.html").read_text(encoding="utf-8")
    assert MARK in (league / "site/bots/babbler.html").read_text(encoding="utf-8")
    assert "language models made" in (league / "site/bots/able.html").read_text(encoding="utf-8")
    front = (league / "site/index.html").read_text(encoding="utf-8")
    verdict = re.findall(r'<h1 id="verdict">.*', front)[0]
    assert "babbler" not in verdict


def test_replays_say_who_decided(league: Path) -> None:
    shards = (league / "site/replays").glob("*-*.js")
    told = b"".join(pages.content(shard.read_text(encoding="utf-8")) for shard in shards).decode()
    assert re.search(r"able bids [^.]*\. Its model decided\.", told)
    assert re.search(r"babbler bids [^.]*\. Its own program decided, not its model\.", told)
    assert "a cap of its model was reached" in told
    assert not re.search(r"honest bids [^.]*\. Its", told)


def test_decision_rows_say_who_decided(league: Path) -> None:
    exported = run("export", "league.yaml", "--rows", "decisions", "--json", cwd=league)
    by = {
        bot: {
            row["decided_by"]
            for row in map(json.loads, exported.out.splitlines())
            if row["bot"] == bot
        }
        for bot in ("able", "babbler", "honest")
    }
    assert "model" in by["able"]
    assert by["babbler"] == {"fallback"}
    assert by["honest"] == {""}


def test_league_sets_the_share(league: Path) -> None:
    terms = league / "league.yaml"
    before = terms.read_text(encoding="utf-8")
    terms.write_text(
        json.dumps({**json.loads(before), "ratings": {"model_share": 0}}), encoding="utf-8"
    )
    ran = run("report", "league.yaml", "--site", "lax", cwd=league)
    terms.write_text(before, encoding="utf-8")
    assert ran.code == 0, ran.err
    assert f"{MARK}</abbr>" not in (league / "lax/bots.html").read_text(encoding="utf-8")


def exported(league: Path, rows: str) -> list[dict[str, Any]]:
    ran = run("export", "league.yaml", "--rows", rows, "--json", cwd=league)
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


def test_rows_of_models_say_what_became_of_answers(league: Path) -> None:
    decisions = {row["key"]: row for row in exported(league, "decisions")}
    rows = exported(league, "models")
    same = ("bot", "action", "quantity", "face", "true", "dice_lost", "place", "decided_by")
    for row in rows:
        if row["action"]:
            assert {name: row[name] for name in same} == {
                name: decisions[row["key"]][name] for name in same
            }
    legal = {
        bot: Counter(r["legal"] for r in rows if r["bot"] == bot) for bot in ("able", "capped")
    }
    assert legal["able"][True] > legal["able"][False] > 0
    assert None in legal["capped"]  # a request that the cap refused
    assert {row["legal"] for row in rows if row["bot"] == "babbler"} == {False}
    # Each system prompt is in one row, and in no request.
    told = {row["prompt"]: row["system"] for row in rows if row["system"]}
    assert len(told) == sum(bool(row["system"]) for row in rows) == 3
    assert {row["prompt"] for row in rows if not row["refused"]} == {*told}
    assert not [row for row in rows if '"role": "system"' in row["request"]]


def test_conversations_are_in_the_form_for_fine_tuning(league: Path) -> None:
    chats = exported(league, "chats")
    answers = [row for row in exported(league, "models") if not row["refused"]]
    assert [row["key"] for row in chats] == [row["key"] for row in answers]
    for chat, row in zip(chats, answers, strict=True):
        first, *_, last = chat["messages"]
        assert first["role"] == "system"
        assert "The rules in force" in first["content"] or first["content"].startswith("B")
        assert last == {"role": "assistant", "content": row["answer"]}
        assert (chat["legal"], chat["place"]) == (row["legal"], row["place"])
    retried = next(chat for chat in chats if chat["decided_by"] == "retry" and chat["legal"])
    assert [one["role"] for one in retried["messages"]] == [
        *("system", "user", "assistant", "user", "assistant")
    ]


@pytest.mark.parametrize("options", [("--format", "csv"), ("--json", "--anonymous")])
def test_conversations_in_another_form_are_refused(league: Path, options: tuple[str, ...]) -> None:
    ran = run("export", "league.yaml", "--rows", "chats", *options, cwd=league)
    assert ran.code == 2
    assert ran.err.startswith("error: conversations are JSON lines")
    assert ran.err.count("\n") == 1
