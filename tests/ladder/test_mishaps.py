"""Mishaps of a ladder: a full disk, a lost sandbox, faults after the check."""

import csv
import os
import shutil
import signal
from itertools import chain
from pathlib import Path

import pytest

from arena.bots.sandboxes.base import PATH
from arena.ladder.folder import Folder, make_private
from arena.ladder.pages.site import publish_all
from arena.league.store.store import Store
from tests.cli.command import HANG, LOWEST, READY, bot, confined, error_line, records, run
from tests.ladder import club as clubs
from tests.ladder.club import Inside, Running, inside, running
from tests.support.depth import only_in_long

LEAGUE = "league.yaml"
STARTS = 6
FALLS_ILL = (
    clubs.REUSABLE.replace("import json, sys", "import json, pathlib, sys").replace(
        'asked["type"] == "turn":', 'asked["type"] == "turn" and not pathlib.Path(%r).exists():'
    )
    + """
        elif asked["type"] == "turn":
            raise SystemExit("I feel ill")
"""
)
"""A bot that crashes at every turn once a file is there."""
assert READY in LOWEST


def next_season(club: Path, **keys: object) -> Path:
    """Let a ladder that does not run begin a season under other terms; returns its store."""
    clubs.change(club, **keys)
    assert run("ladder", "season", "close", club, cwd=club.parent).code == 0
    return clubs.store_of(club, 2)


def until_played(ladder: Running | Inside, store: Path, fixtures: int) -> None:
    ladder.until(lambda: clubs.played(store) >= fixtures)


def verified(club: Path, season: int) -> str:
    ran = run("verify", LEAGUE, cwd=club / "seasons" / str(season))
    assert ran.code == 0, ran.out + ran.err
    return ran.out


@pytest.mark.slow
def test_a_strike_in_mid_block(copy: Path) -> None:
    clubs.admitted(copy, "three", clubs.REUSABLE, author="ann")
    store = next_season(copy, blocks=5000)
    with inside(copy) as ladder:
        until_played(ladder, store, 2)
        assert run("ladder", "strike", copy, "two@1", cwd=copy.parent).code == 0
        ladder.until(lambda: clubs.is_in_state(copy, "two@1", "struck"))
        until_played(ladder, store, len(records(store)) + 6)
    last = records(store)[-5:]
    assert all(b"three@1" in one and b"two@1" not in one for one in last)
    verified(copy, 2)
    rows = list(csv.DictReader(run("export", LEAGUE, cwd=store.parent).out.splitlines()))
    assert {row["counts"] for row in rows} == {"True", "False"}
    for row in rows:
        assert (row["counts"] == "False") == ("two@1" in {row["seat_0"], row["seat_1"]})


@pytest.mark.slow
def test_a_version_that_faults_after_its_check_rests_with_the_reason(copy: Path) -> None:
    flag = copy.parent / "ill"
    source = FALLS_ILL % str(flag)
    clubs.admitted(copy, "three", source, author="ann")
    next_season(copy, blocks=5000)
    with inside(copy) as ladder:
        flag.touch()
        ladder.until(lambda: clubs.is_in_state(copy, "three@1", "resting"))
        assert {clubs.states(copy)[one] for one in ("one@1", "two@1")} <= {"provisional", "rated"}
    publish_all(Folder(copy), 100)
    assert "I feel ill" in clubs.page(copy, "ann")
    assert "<dt>asked</dt>" in clubs.page(copy, "ann")
    why = clubs.versions(copy)["three@1"]["why"]
    assert why.startswith("it faulted in ")
    assert "three@1: resting: it faulted in " in clubs.log(copy, "three@1")
    verified(copy, 2)


FREE, PAGE = 300_000, 4096
"""Bytes."""
SHOW = 'cp -a club disk; "$@"; code=$?; cp -a disk/club after; exit $code'


@pytest.mark.slow
def test_a_full_disk(copy: Path) -> None:
    folder, after = copy.parent, copy.parent / "after"
    store = next_season(copy, blocks=5000, disk={"free": "0"})
    with inside(copy) as ladder:
        until_played(ladder, store, 1)
    (folder / "disk").mkdir()
    pages = sum(1 + path.stat().st_size // PAGE for path in copy.rglob("*"))
    size = FREE + PAGE * pages
    disk = confined("--size", size, "--tmpfs", folder / "disk")
    ran = run("ladder", "run", "disk/club", cwd=folder, under=[*disk, "sh", "-c", SHOW, "sh"])
    error_line(ran, "free some space")
    store = clubs.store_of(after, 2)
    before = set(records(store))
    verified(after, 2)
    with inside(after) as ladder:
        until_played(ladder, store, len(before) + 1)
    assert before < set(records(store))
    verified(after, 2)


@pytest.mark.slow
def test_a_sandbox_that_is_gone_in_mid_season(copy: Path) -> None:
    """Nobody is blamed for it, and nothing is played in another one."""
    clubs.admitted(copy, "three", author="ann")  # started for each table anew
    store = next_season(copy, blocks=5000)
    programs = copy.parent / "bin"
    programs.mkdir()
    shutil.copy(str(shutil.which("setpriv", path=PATH)), programs)
    there = [path for path in PATH.split(":") if Path(path, "setpriv").exists()]
    hidden = [("--ro-bind", "/dev/null", f"{path}/setpriv") for path in there[:1]]
    mounts = confined("--bind", programs, PATH.split(":")[0], *chain(*hidden))
    with running(copy, *mounts) as ladder:
        until_played(ladder, store, 6)
        (programs / "setpriv").unlink()
        assert ladder.process.wait(HANG) == 2
    said = ladder.said.read_text().splitlines()[-1]
    assert said.startswith("error: the sandbox 'process' does not work any more: "), said
    with Store(store) as stored:
        assert not any(game.faulted for one in stored.results() for game in one.games)
    before = len(records(store))
    with inside(copy) as again:
        until_played(again, store, before + 1)
    verified(copy, 2)


@only_in_long
@pytest.mark.slow
def test_submissions_while_it_starts_and_stops(copy: Path) -> None:
    clubs.change(copy, quotas={"uploads": 1000, "refused": 1000})
    acknowledged: list[str] = []

    def submit() -> None:
        number = len(acknowledged) + 1
        ran = clubs.submitted(copy, "no", number=number, author="ann", command="./missing")
        assert ran.code == 0, ran.err
        acknowledged.append(f"no@{number}")

    for _ in range(STARTS):
        with running(copy) as ladder:
            submit()
            ladder.until(lambda: clubs.is_taken_in(copy, acknowledged[-1]))
            submit()
            os.kill(ladder.process.pid, signal.SIGTERM)
            submit()
            assert ladder.process.wait(HANG) == 0
    with running(copy) as ladder:
        ladder.until(lambda: clubs.is_taken_in(copy, acknowledged[-1]))
        ladder.until(lambda: not {"queued", "checking"} & {*clubs.states(copy).values()})
        assert ladder.stop() == 0
    found = clubs.states(copy)
    assert {name for name in found if name.startswith("no@")} == {*acknowledged}
    assert {found[name] for name in acknowledged} == {"refused"}


@pytest.mark.slow
def test_an_author_cannot_make_a_reason_long(tmp_path: Path) -> None:
    """The command of a build that failed would be on every page that lists the version."""
    club = clubs.make(tmp_path)
    make_private(Folder(club).versions)
    mine = bot(tmp_path / "mine", build="false " + "x" * 40_000)
    found = clubs.checked(clubs.check_order(club, mine))
    assert found.reason.startswith("the build of 'mine' failed (exit code 1) / false xxx")
    assert len(found.reason) < 2_000
    assert sum(map(len, found.story)) < 4_000
