"""Each command by its front door: help, versions, what it prints for people and for programs."""

import csv
import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from itertools import chain
from pathlib import Path

import click
import pytest

from arena import __version__
from arena.cli.main import COMMANDS
from tests.cli.command import FIELD, ROOT, Ran, error_line, league, records, run, told
from tests.cli.every_command import every_command
from tests.league.store import edit
from tests.publish.pages import tree

ODDS = ROOT / "sample_bots/odds"


def _options() -> list[tuple[str, str]]:
    return [
        (name, option)
        for name, command in every_command().items()
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    ]


def test_help_says_what_the_commands_are(tmp_path: Path) -> None:
    ran = run("--help", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    for name, about in chain.from_iterable(room.items() for room in COMMANDS.values()):
        assert f"  {name} " in ran.out
        assert about in ran.out
    meanings = ("success", "findings", "bad input", "internal error", "interrupted", "nobody")
    for code, meaning in zip((0, 1, 2, 3, 130, 141), meanings, strict=True):
        assert f"{code} {meaning}" in " ".join(ran.out.split())
    assert run("-h", cwd=tmp_path) == ran


@pytest.mark.parametrize("command", every_command())
def test_the_help_of_a_command_describes_every_option(tmp_path: Path, command: str) -> None:
    ran = run(*command.split(), "--help", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: arena {command} ")
    lines = [line.strip() for line in ran.out.splitlines()]
    options = [option for name, option in _options() if name == command]
    assert "--json" in options
    for option in [*options, "-h, --help"]:
        described = next(line for line in lines if f", {option}" in f", {line.split('  ')[0]}")
        assert len(described.split("  ")) > 1 or lines[lines.index(described) + 1], described


def test_arena_alone_shows_its_help(tmp_path: Path) -> None:
    ran = run(cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == run("--help", cwd=tmp_path).out


def test_version(tmp_path: Path) -> None:
    assert run("--version", cwd=tmp_path) == Ran(0, f"arena, version {__version__}\n", "")


PERFT = {
    ("bga", 2, 1, "normal"): 568,
    ("pressman", 2, 1, "normal"): 4092,
    ("bga", 2, 2, "palifico"): 90,
    ("bga", 2, 2, "normal"): 174_640,
}


@pytest.mark.parametrize(("shape", "count"), PERFT.items())
def test_perft(tmp_path: Path, shape: tuple[str, int, int, str], count: int) -> None:
    variant, players, dice, kind = shape
    arguments = [variant, "--players", players, "--starting-dice", dice, "--round", kind]
    assert run("perft", *arguments, cwd=tmp_path) == Ran(0, f"{count}\n", "")
    ran = run("perft", *arguments, "--json", cwd=tmp_path)
    assert json.loads(ran.out) == {
        "variant": variant,
        "players": players,
        "starting_dice": dice,
        "round": kind,
        "sequences": count,
    }


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ran]:
    """The folder of a league that was played, and what `arena run --json` said."""
    folder = tmp_path_factory.mktemp("played")
    league(folder, variants=["bga", "italian"], players=[2, 3], name="Played")
    return folder, run("run", "league.yaml", "--sandbox", "process", "--json", cwd=folder)


@pytest.mark.slow
def test_run_json(played: tuple[Path, Ran]) -> None:
    folder, ran = played
    assert ran.code == 0, ran.err
    said = json.loads(ran.out)
    assert (folder / said["site"]).is_file()
    conditions = said["league"]
    assert (conditions["name"], conditions["sandbox"]) == ("Played", "process")
    assert list(conditions["variants"]) == ["bga", "italian"]
    assert conditions["limits"]["answer"] == 2.0
    boards = said["leaderboards"]
    assert all({row["bot"] for row in board["rows"]} == set(NAMES) for board in boards)
    assert [(board["variant"], board["players"]) for board in boards] == [
        (variant, players) for variant in ("bga", "italian") for players in (2, 3)
    ]


NAMES = [name.removeprefix("sample:") for name in FIELD]


def test_the_seed_is_committed_to_before_the_first_game(played: tuple[Path, Ran]) -> None:
    folder, ran = played
    conditions = json.loads(ran.out)["league"]
    commitment = sha256(conditions["seed"].encode()).hexdigest()
    assert conditions["commitment"] == commitment
    lines = ran.err.splitlines()
    assert lines.index(f"SHA-256 of the master seed: {commitment}") < lines.index(
        next(line for line in lines if "/12 fixtures" in line or " fixtures, " in line)
    )
    page = (folder / "site/conditions.html").read_text()
    assert commitment in page
    assert conditions["seed"] in page


def test_report_writes_the_same_site(played: tuple[Path, Ran]) -> None:
    folder, _ = played
    ran = run("report", "league.yaml", "--site", "again", cwd=folder)
    assert (ran.code, ran.out, told(ran.err)) == (0, "", ["report: again/index.html"])
    assert tree(folder / "again") == tree(folder / "site")
    ran = run("report", "league.yaml", "--site", "again", "--json", cwd=folder)
    said = json.loads(ran.out)
    assert said["site"] == "again/index.html"
    with (folder / "site/data/leaderboard-bga-2p.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["mu"]) for row in rows] == [
        row["mu"] for row in said["leaderboards"][0]["rows"]
    ]


def test_rating_options_may_change_after_the_games(played: tuple[Path, Ran]) -> None:
    folder, ran = played
    before = json.loads(ran.out)
    assert {row["bot"] for row in before["overall"]["rows"]} == set(NAMES)
    assert before["suspicions"] == []
    assert {board["intervals_by"] for board in before["leaderboards"]} == {"games"}
    asked = {"anchor": "odds", "overall": False, "provisional": 1000}
    keys = {"variants": ["bga", "italian"], "players": [2, 3], "name": "Played"}
    other = folder / "asked"
    other.mkdir()
    league(other, ratings=asked, **keys)
    store = ("--store", folder / "league.sqlite", "--json")
    said = json.loads(run("report", "league.yaml", *store, cwd=other).out)
    for board, old in zip(said["leaderboards"], before["leaderboards"], strict=True):
        mu = {row["bot"]: row["mu"] for row in board["rows"]}
        was = {row["bot"]: row["mu"] for row in old["rows"]}
        assert mu["odds"] == 0.0
        assert mu == pytest.approx({bot: value - was["odds"] for bot, value in was.items()})
        assert all(row["provisional"] for row in board["rows"])
    assert said["overall"] is None
    again = json.loads(run("run", "league.yaml", "--sandbox", "process", *store, cwd=other).out)
    assert again["leaderboards"] == said["leaderboards"]
    league(other, ratings={"anchor": "nobody"}, **keys)
    error_line(run("report", "league.yaml", *store, cwd=other), "'nobody' does not play", ":")


def test_a_league_that_is_over_only_writes_its_report(played: tuple[Path, Ran]) -> None:
    folder, first = played
    before = records(folder / "league.sqlite")
    ran = run("run", "league.yaml", "--sandbox", "process", "--json", cwd=folder)
    assert (ran.code, ran.out) == (0, first.out)
    count = len(before)
    assert f"stored already: {count} of {count} fixtures" in ran.err
    assert records(folder / "league.sqlite") == before


def test_verify(played: tuple[Path, Ran]) -> None:
    folder, first = played
    count = len(records(folder / "league.sqlite"))
    root = json.loads(first.out)["root"]
    ran = run("verify", "league.yaml", "--root", root, cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        f"{2 * count} games in {count} of {count} fixtures: all replay byte for byte\n"
        f"ratings: {2 * count} of {2 * count} games in 4 of 4 leaderboards rated again with the"
        " trueskill package: mu and sigma agree within 0.0001\n"
        f"root: {root}\n"
    )
    said = {"fixtures": count, "games": 2 * count, "pruned": 0, "scheduled": count, "findings": []}
    ran = run("verify", "league.yaml", "--workers", 2, "--json", cwd=folder)
    found = json.loads(ran.out)
    assert (ran.code, found) == (0, {**said, "root": root, "ratings": found["ratings"]})
    assert sum(one["rated"] for one in found["ratings"]) == 2 * count
    ran = run("verify", "league.yaml", "--site", "site", cwd=folder)
    assert (ran.code, "\nsite: the leaderboards in site match\n" in ran.out) == (0, True)
    page = (folder / "site/conditions.html").read_text()
    assert f"arena verify league.yaml --root {root}" in page
    ran = run("verify", "league.yaml", "--root", "0" * 64, cwd=folder)
    assert ran.code == 1
    assert f"root: it is {root}, not the one that was published\n" in ran.out


def test_verify_names_a_changed_bit(played: tuple[Path, Ran], tmp_path: Path) -> None:
    store = edit.copied(played[0] / "league.sqlite", tmp_path / "league.sqlite")
    with closing(sqlite3.connect(store)) as db, db:
        [(id_,)] = db.execute("SELECT id FROM fixtures WHERE position = 3").fetchall()
        db.execute("UPDATE fixtures SET decisions = decisions + 1 WHERE position = 3")
    ran = run("verify", "league.yaml", cwd=tmp_path)
    assert ran.code == 1
    assert ran.out.startswith(
        f"fixture {id_}: what is stored at position 3 is not what was written there\n"
    )
