"""A league.yaml, or a bot, that changed since the league began.

Every kind of change is tried in tests/league/test_accepted_changes.py, without playing.
"""

import json
import shutil
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena.publish.site_folder import MANIFEST
from tests.cli.command import FIELD, bot, error_line, league, opened, records, run
from tests.league.store.edit import dump
from tests.publish.pages import broken_links, tree
from tests.support.depth import depth
from tests.support.made_once import made_once
from tests.support.sampling import sample

PLAY = ("run", "league.yaml", "--trust-bots")
KEYS: dict[str, Any] = {
    "bots": [*FIELD, "mine"],
    "games": 1,
    "blocks": 2,
    "variants": ["bga", "classic"],
    "players": 2,
    "sandbox": "process",
}
"""Four bots, and two blocks of four fixtures of each variant."""


class Row(NamedTuple):
    """A change that is to be accepted: what is said of it, and how many fixtures count after."""

    change: Mapping[str, object]
    what: str
    effect: str
    fixtures: int


NONE = "16 of 16 stored fixtures would no longer count"
ALL = "all 16 stored fixtures would still count"
ACCEPTED = {
    "bot joins": Row({"bots": [*FIELD, "mine", "sample:memory"]}, "'memory' joined", ALL, 16 + 8),
    "bot leaves": Row(
        {"bots": FIELD}, "'mine' rests", "all 16 stored fixtures would still count", 16
    ),
    "until": Row(
        {"blocks": 8, "until": "separated"}, "blocks is 8, not 2, until is 0.95, not none", ALL, 64
    ),
    "variant joins": Row(
        {"variants": ["bga", "italian", "classic"]}, "variant 'italian' joined", ALL, 24
    ),
    "variants swap": Row(
        {"variants": ["classic", "bga"]}, "variants is [classic, bga], not [bga, classic]", ALL, 16
    ),
    "switch": Row(
        {"variants": ["bga", {"variant": "classic", "label": "classic", "calza": True}]},
        "variant 'classic': calza is true, not false",
        "8 of 16 stored fixtures would no longer count",
        16,
    ),
    "size goes": Row({"players": 3}, "players is [3], not [2]", NONE, 16),
}


def play(folder: Path) -> None:
    bot(folder / "mine")
    league(folder, **KEYS)
    ran = run(*PLAY, cwd=folder)
    assert ran.code == 0, ran.err


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league that was played to its end."""
    return made_once(tmp_path_factory, "changed", play)


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "copy"))


def contents(folder: Path) -> dict[str, object]:
    """What is in every file, and in every table of a store."""
    files: dict[str, object] = {**tree(folder)}
    return files | {path.name: dump(path) for path in folder.glob("*.sqlite")}


def said(lines: str, start: str) -> list[str]:
    return [line for line in lines.splitlines() if line.startswith(start)]


def status(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("status", "league.yaml", "--json", cwd=folder).out)
    return found


def ids(found: Iterable[Any]) -> list[str]:
    return [record["fixture"]["id"] for record in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=name) for name, row in sample(ACCEPTED.items(), 1, "accepted changes")],
)
def test_change_that_decides_games_must_be_accepted(copy: Path, row: Row) -> None:
    before = contents(copy)
    league(copy, **{**KEYS, **row.change})
    line = f"error: the league changed: {row.what}: {row.effect} / league.yaml / continue with "
    refused = run(*PLAY, cwd=copy)
    error_line(refused, line, "or start over with another --store than league.sqlite")
    assert refused.err.count("\n") == 1
    assert {**contents(copy), "league.yaml": ""} == {**before, "league.yaml": ""}
    ran = run(*PLAY, "--accept-changes", cwd=copy)
    assert ran.code == 0, ran.err
    done = f"the league changed: {row.what}: {row.effect.replace('would ', '')}"
    assert said(ran.err, "the league changed") == [done]
    found = status(copy)
    assert (found["finished"], found["fixtures"]) == (True, row.fixtures)
    assert len(set(ids(opened(copy / "league.sqlite")))) == found["not_counting"] + row.fixtures
    assert run("verify", "league.yaml", cwd=copy).code == 0
    assert broken_links(copy / "site") == []


@pytest.mark.slow
def test_accepted_change_is_not_asked_about_again(copy: Path) -> None:
    league(copy, **{**KEYS, "bots": FIELD})
    assert run(*PLAY, "--accept-changes", cwd=copy).code == 0
    again = run(*PLAY, cwd=copy)
    assert (again.code, said(again.err, "the league changed")) == (0, [])


@pytest.mark.slow
def test_larger_tables_that_no_longer_count_are_exported(copy: Path) -> None:
    for players in (3, 2):
        league(copy, **{**KEYS, "players": players})
        assert run(*PLAY, "--accept-changes", cwd=copy).code == 0
    head, *rows = run("export", "league.yaml", cwd=copy).out.splitlines()
    assert len(rows) == 2 * 16
    assert "seat_2" in head.split(",")


@pytest.mark.slow
@pytest.mark.parametrize("change", sample([{"games": 2}, {"variants": ["classic"]}], 1, "undone"))
def test_undone_change_lets_games_count_again(copy: Path, change: dict[str, object]) -> None:
    """Undone after it was accepted: the games of before count, and nothing is played again."""
    before = tree(copy / "site")
    league(copy, **{**KEYS, **change})
    assert run(*PLAY, "--accept-changes", cwd=copy).code == 0
    there = records(copy / "league.sqlite")
    league(copy, **KEYS)
    ran = run(*PLAY, "--accept-changes", cwd=copy)
    assert ran.code == 0
    assert "count again" in said(ran.err, "the league changed")[0]
    assert records(copy / "league.sqlite") == there
    after = tree(copy / "site")
    # They pin the store, in which there is more now.
    pinned = {"conditions.html": b"", MANIFEST: b""}
    assert {**after, **pinned} == {**before, **pinned}


@pytest.mark.slow
@pytest.mark.parametrize("file", sample(["bot.py", "bot.yaml", "book.txt"], 1, "changed files"))
def test_bot_with_changed_files_is_a_new_version(copy: Path, file: str) -> None:
    with (copy / "mine" / file).open("a") as written:
        written.write("\n# mended\n")
    line = error_line(run(*PLAY, cwd=copy), "'mine' has other files (", "--accept-changes")
    assert ") and plays as 'mine@2': all 16 stored fixtures would still count / " in line
    ran = run(*PLAY, "--accept-changes", "--json", "--replays", "none", cwd=copy)
    assert ran.code == 0
    digests = {one["name"]: one["digest"] for one in json.loads(ran.out)["league"]["bots"]}
    new, old = digests["mine@2"][:8], digests["mine"][:8]
    assert f"'mine' has other files ({new}, not {old}) " in line
    assert status(copy)["not_counting"] == 0


def test_all_changes_are_in_one_line(copy: Path) -> None:
    league(copy, **{**KEYS, "bots": FIELD, "games": 3, "name": "Other"})
    refused = run(*PLAY, cwd=copy)
    error_line(refused, f"error: the league changed: 'mine' rests, games is 3, not 1: {NONE} / ")


@pytest.mark.parametrize("accept", [(), ("--accept-changes",)])
def test_another_seed_is_refused_for_good(copy: Path, accept: tuple[str, ...]) -> None:
    before = dump(copy / "league.sqlite")
    league(copy, **KEYS, seed="luckier")
    digests = [sha256(seed).hexdigest()[:8] for seed in (b"luckier", b"s")]
    what = f"the master seed cannot change: its SHA-256 is {digests[0]}, not {digests[1]} as"
    hint = "omit `seed` to continue with the one in the store, or start over with another --store"
    ran = run(*PLAY, *accept, cwd=copy)
    error_line(ran, what, "/ league.yaml / ", hint)
    assert ran.err.count("\n") == 1
    assert dump(copy / "league.sqlite") == before


HARMLESS: dict[str, tuple[dict[str, object], tuple[str, ...], str]] = {
    "name": ({"name": "B"}, (), "name is B, not league"),
    "ratings": ({"ratings": {"anchor": "odds"}}, (), "ratings.anchor is odds, not none"),
    "workers": ({"workers": 3}, (), ""),
    "pin": ({"pin": False}, (), ""),
    "images": ({"images": {"python": "python:3.12"}}, (), ""),
    "no seed": ({"seed": None}, (), ""),
    "--workers": ({}, ("--workers", "3"), ""),
    "--site": ({}, ("--site", "elsewhere"), ""),
}
ALL_HARMLESS = {
    "all": (
        {name: value for change, _, _ in HARMLESS.values() for name, value in change.items()},
        tuple(option for _, options, _ in HARMLESS.values() for option in options),
        ", ".join(told for _, _, told in HARMLESS.values() if told),
    )
}
ROWS = depth(ALL_HARMLESS, HARMLESS)


@pytest.mark.parametrize(("change", "options", "told"), ROWS.values(), ids=ROWS)
def test_change_that_decides_no_game_needs_no_consent(
    copy: Path, change: dict[str, object], options: tuple[str, ...], told: str
) -> None:
    before = records(copy / "league.sqlite")
    league(copy, **{**KEYS, **change})
    ran = run(*PLAY, *options, cwd=copy)
    assert ran.code == 0, ran.err
    start = "changed since the league began, and decides no game: "
    assert said(ran.err, start) == ([start + told] if told else [])
    assert records(copy / "league.sqlite") == before


def test_before_the_first_game_everything_may_change(tmp_path: Path) -> None:
    """A site that cannot be written: the conditions are stored, and nothing is played."""
    (tmp_path / "file").touch()
    league(tmp_path, **{**KEYS, "bots": FIELD})
    assert run(*PLAY, "--site", "file", cwd=tmp_path).code == 2
    league(tmp_path, **{**KEYS, "bots": FIELD[:2], "seed": "t"})
    ran = run(*PLAY, cwd=tmp_path)
    assert ran.code == 0
    what = "'random' left, another seed: nothing was played before"
    assert said(ran.err, "the league changed") == [f"the league changed: {what}"]
    assert f"SHA-256 of the master seed: {sha256(b't').hexdigest()}\n" in ran.err


def test_changed_league_is_refused_before_bots_are_tried(copy: Path) -> None:
    """Whoever changed two things is told of the league first, and nothing is written."""
    (copy / "mine/bot.py").write_text("raise SystemExit(3)")
    before = dump(copy / "league.sqlite")
    error_line(run(*PLAY, cwd=copy), "'mine' has other files")
    error_line(run(*PLAY, "--accept-changes", cwd=copy), "'mine' does not start")
    assert dump(copy / "league.sqlite") == before
