"""Several checks at a time, each within its budget: nobody waits for a bot that sleeps."""

import json
import os
import re
from functools import partial
from pathlib import Path

import pytest

from arena.author.check.steps import STEPS
from arena.io.job import LATER
from arena.ladder.book.book import Book
from arena.ladder.folder import Folder
from tests.cli.command import run
from tests.ladder import club as clubs
from tests.ladder.club import running

pytestmark = pytest.mark.slow

LIMITS = {"answer": 20.0}
ANSWERS = clubs.REUSABLE
SLEEPS = ANSWERS.replace("answer = ", "import time; time.sleep(12); answer = ", 1)
"""A bot that sleeps before each answer, for less than its limit."""
MINUTES = 0.4
"""On a busy machine, too, many times what a bot takes that answers at once and starts seldom."""
TOO_LONG = "its check took longer than 0.4 min"


def _begun(club: Path, version: str) -> int:
    """Return how often a check of a version was begun."""
    return clubs.log(club).count(f"{version}: checking: ")


def _are_begun(club: Path, times: int) -> bool:
    return (_begun(club, "one@1"), _begun(club, "two@1")) == (times, times)


def _are_checked(club: Path, *versions: str) -> bool:
    """Tell whether the checks of these versions go on at the same time, step by step."""
    found = json.loads(run("ladder", "status", club, "--json", cwd=club.parent).out)["checks"]
    return {one["version"] for one in found if one["trying"]} == {*versions}


def test_a_bot_that_sleeps_too_long_is_refused_while_others_are_admitted(tmp_path: Path) -> None:
    club = clubs.make(tmp_path, checks={"minutes": MINUTES, "at_a_time": 2}, limits=LIMITS)
    run("ladder", "invite", club, "ann", "bob", cwd=tmp_path)
    clubs.submitted(club, "sleeps", SLEEPS, author="ann")
    clubs.submitted(club, "answers", ANSWERS, author="bob")
    with running(club) as ladder:
        ladder.until(partial(_are_checked, club, "sleeps@1", "answers@1"))
        ladder.until(partial(clubs.is_in_state, club, "answers@1", "provisional"))
        ladder.until(partial(clubs.is_in_state, club, "sleeps@1", "refused"))
        ladder.until(lambda: TOO_LONG in clubs.page(club, "ann"))
        assert ladder.stop() == 0
    why = clubs.versions(club)["sleeps@1"]["why"]
    assert re.match(rf"{TOO_LONG}: it was in step [56] of 19, first (turn|game), and had", why)
    assert _begun(club, "sleeps@1") == 1
    again = run("submit", tmp_path / "sleeps-1", "--to", club, "--author", "ann", cwd=tmp_path)
    assert (again.code, why in again.out) == (1, True)


def test_a_bot_that_sleeps_in_its_trial_is_refused_for_it(tmp_path: Path) -> None:
    """It knows the games of the check, which are the same for everybody, and sleeps in others."""
    sly = "import time; time.sleep(12 * (greeted['games'] == 2)); answer = "
    source = ANSWERS.replace("answer = ", sly, 1).replace("print(", "greeted = asked; print(", 1)
    club = clubs.make(tmp_path, checks={"minutes": MINUTES}, limits=LIMITS)
    clubs.submitted(club, "sly", source)
    with running(club) as ladder:
        ladder.until(partial(clubs.is_in_state, club, "sly@1", "refused"))
        assert ladder.stop() == 0
    assert "it was in step 19 of 19, games among sample bots" in clubs.log(club, "sly@1")


def test_a_ladder_that_is_killed_begins_all_checks_again(tmp_path: Path) -> None:
    club = clubs.make(tmp_path, checks={"at_a_time": 2}, limits=LIMITS)
    run("ladder", "invite", club, "ann", "bob", cwd=tmp_path)
    clubs.submitted(club, "one", SLEEPS, author="ann")
    clubs.submitted(club, "two", SLEEPS, author="bob")
    for times in (1, 2):
        with running(club) as ladder:
            ladder.until(partial(_are_begun, club, times))
            ladder.until(partial(_are_checked, club, "one@1", "two@1"))
            ladder.kill()
    # It is no try of theirs.
    with Book(Folder(club)) as book:
        tries = [[one.number for one in book.checks(version)] for version in book.versions()]
    assert tries == [[1], [1]]


def test_the_steps_of_each_check_are_noted(tmp_path: Path) -> None:
    club = clubs.make(tmp_path, checks={"at_a_time": 2}, limits=LIMITS)
    run("ladder", "invite", club, "ann", "bob", cwd=tmp_path)
    clubs.submitted(club, "one", SLEEPS, author="ann")
    clubs.submitted(club, "two", SLEEPS, author="bob")
    with running(club) as ladder:
        ladder.until(partial(_are_checked, club, "one@1", "two@1"))
        found = json.loads(run("ladder", "status", club, "--json", cwd=tmp_path).out)["checks"]
    names = [step.name for step in STEPS]
    for one in found:
        assert [*one["passed"], one["trying"]] == names[: len(one["passed"]) + 1]
        assert one["steps"] == len(names) + 1


def test_checks_leave_the_processor_to_the_games(tmp_path: Path) -> None:
    club = clubs.make(tmp_path)
    clubs.submitted(club, "nice", "import os; print('niceness', os.nice(0), flush=True)")
    with running(club) as ladder:
        ladder.until(partial(clubs.is_in_state, club, "nice@1", "refused"))
        assert ladder.stop() == 0
    assert f"niceness {min(19, os.nice(0) + LATER)}" in clubs.log(club, "nice@1")
