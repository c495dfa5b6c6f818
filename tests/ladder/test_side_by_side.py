"""Several checks at a time, each within its budget: a bot that sleeps is refused for it."""

import json
import re
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.author.check.budget import Budget
from arena.author.check.steps import STEPS
from arena.bots.bot import Bot
from arena.ladder.book.book import Book
from arena.ladder.check import submission_check
from arena.ladder.check.submission_check import TrialFault, TrialTerms, trial
from arena.ladder.folder import Folder, make_private
from tests.cli.command import HANG, bot, run
from tests.ladder import club as clubs
from tests.ladder.club import running

pytestmark = pytest.mark.slow

LIMITS = {"answer": 20.0}
ANSWERS = clubs.REUSABLE
SLEEPS = ANSWERS.replace("answer = ", "import time; time.sleep(12); answer = ", 1)
"""A bot that sleeps before each answer, for less than its limit."""
SLY = ANSWERS.replace(
    "answer = ", "import time; time.sleep(2 * (greeted['games'] == 2)); answer = ", 1
).replace("print(", "greeted = asked; print(", 1)
"""It knows the games of the check, which are the same for everybody, and sleeps in others."""


def _begun(club: Path, version: str) -> int:
    """Return how often a check of a version was begun."""
    return clubs.log(club).count(f"{version}: checking: ")


def _are_begun(club: Path, times: int) -> bool:
    return (_begun(club, "one@1"), _begun(club, "two@1")) == (times, times)


def _are_checked(club: Path, *versions: str) -> bool:
    """Tell whether the checks of these versions go on at the same time, step by step."""
    found = json.loads(run("ladder", "status", club, "--json", cwd=club.parent).out)["checks"]
    return {one["version"] for one in found if one["trying"]} == {*versions}


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A ladder on which two bots that sleep wait for checks, of which it has two at a time."""
    club = clubs.make(tmp_path, checks={"at_a_time": 2}, limits=LIMITS)
    run("ladder", "invite", club, "ann", "bob", cwd=tmp_path)
    clubs.submitted(club, "one", SLEEPS, author="ann")
    clubs.submitted(club, "two", SLEEPS, author="bob")
    return club


def test_a_ladder_that_is_killed_begins_all_checks_again(club: Path) -> None:
    """The steps of each are noted."""
    for times in (1, 2):
        with running(club) as ladder:
            ladder.until(partial(_are_begun, club, times))
            ladder.until(partial(_are_checked, club, "one@1", "two@1"))
            found = json.loads(run("ladder", "status", club, "--json", cwd=club.parent).out)
            ladder.kill()
    # It is no try of theirs.
    with Book(Folder(club)) as book:
        tries = [[one.number for one in book.checks(version)] for version in book.versions()]
    assert tries == [[1], [1]]
    names = [step.name for step in STEPS]
    assert len(found["checks"]) == 2
    for one in found["checks"]:
        assert [*one["passed"], one["trying"]] == names[: len(one["passed"]) + 1]
        assert one["steps"] == len(names) + 1


def _too_long(club: Path, source: str, seconds: float) -> str:
    """Return for what a bot is refused for which a check may wait so long."""
    make_private(Folder(club).versions)
    order = clubs.check_order(club, bot(club.parent / "sleeps", source))
    found = clubs.checked(replace(order, seconds=seconds))
    assert not found.ok
    assert len(found.faults) == 1
    return found.reason


def test_a_bot_that_sleeps_too_long_is_refused(tmp_path: Path) -> None:
    club = clubs.make(tmp_path, limits=LIMITS)
    why = _too_long(club, SLEEPS.replace("sleep(12)", "sleep(2)"), 3)
    assert re.match(r"its check took longer than 0.05 min: it was in step \d+ of 19, ", why)


def test_a_bot_that_sleeps_in_its_trial_is_refused_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hurried(
        terms: TrialTerms, bot: Bot, seed: str, budget: Budget
    ) -> tuple[int, list[TrialFault]]:
        # However long the steps before it took.
        budget.seconds = budget.used + 3
        return trial(terms, bot, seed, budget)

    monkeypatch.setattr(submission_check, "trial", hurried)
    club = clubs.make(tmp_path, limits=LIMITS)
    assert "it was in step 19 of 19, games among sample bots" in _too_long(club, SLY, HANG)
