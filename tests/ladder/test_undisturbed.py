"""A ladder that is killed, or whose clock jumps, plays the games of one that nothing happens to.

A change of the field ends a block wherever it comes. So here each comes while the ladder sleeps:
then what is played follows from the seed and the submissions alone.
"""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league.store.store import Store
from tests.cli.command import run
from tests.e2e import kills
from tests.e2e.live import let_others_in
from tests.e2e.test_jumping_clock import jumping
from tests.ladder import club as clubs
from tests.ladder.club import Running, inside, running
from tests.support import sampling
from tests.support.depth import depth, only_in_long

pytestmark = pytest.mark.slow

__all__ = ["jumping"]
KILLS = depth(1, 60)
BLOCKS = depth(4, 40)
_CHECKS_KILLED = 2
"""Of each version: after three its check is given up."""
STORY = depth((("two", 2),), (("three", 1), ("two", 2)))
"""The versions that are submitted, one after another."""
Field = tuple[str, ...]


@pytest.fixture(scope="module")
def asleep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder of two bots that sleeps in its first season."""
    folder = tmp_path_factory.mktemp("asleep")
    club = clubs.make(folder, blocks=BLOCKS, quotas={"uploads": 1000})
    for name in ("one", "two"):
        clubs.admitted(club, name, clubs.REUSABLE)
    with inside(club) as ladder:
        ladder.until(lambda: clubs.is_asleep(club, "one@1", "two@1"))
    return club


def fields() -> list[Field]:
    """Return who plays after each submission of the story."""
    newest = {"one": 1, "two": 1}
    found = []
    for name, number in STORY:
        newest[name] = number
        found.append(tuple(f"{bot}@{version}" for bot, version in sorted(newest.items())))
    return found


def told(asleep: Path, folder: Path, go_on: Callable[[Path, Field], None]) -> str:
    """Tell the story to a copy of a ladder; returns its root."""
    let_others_in(folder)
    club = folder / "club"
    shutil.copytree(asleep, club, symlinks=True)
    for (name, number), field in zip(STORY, fields(), strict=True):
        assert clubs.submitted(club, name, clubs.REUSABLE, number=number).code == 0
        go_on(club, field)
    assert run("verify", "seasons/1/league.yaml", cwd=club).code == 0
    with Store(clubs.store_of(club)) as store:
        played = [one.row.id for one in store.stored()]
        assert len(set(played)) == len(played)
        return store.root()


def until_asleep(club: Path, field: Field, **variables: str) -> None:
    with running(club, **variables) as ladder:
        ladder.until(lambda: clubs.is_asleep(club, *field))
        assert ladder.stop() == 0


def until_asleep_inside(club: Path, field: Field) -> None:
    with inside(club) as ladder:
        ladder.until(lambda: clubs.is_asleep(club, *field))


@pytest.fixture(scope="module")
def expected(asleep: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The root that the story has if nothing happens."""
    return told(asleep, tmp_path_factory.mktemp("undisturbed"), until_asleep_inside)


class Killer:
    """Kills a ladder, its workers, checks and publications, at random moments."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._spare_checks = 0
        self.killed = 0

    def go_on(self, club: Path, field: Field) -> None:
        """Kill again and again, and let it come to its end then."""
        newest = next(one for one in field if not clubs.is_taken_in(club, one))
        self._spare_checks = _CHECKS_KILLED
        last = self.killed + KILLS // len(STORY)
        while self.killed < last:
            with running(club) as ladder:
                ladder.until(lambda: clubs.is_taken_in(club, newest))
                while self.killed < last and ladder.process.poll() is None:
                    ladder.wait(self._rng.uniform(0.0, 0.5))
                    state = clubs.states(club)[newest]
                    self._kill(ladder, checking=state in {"queued", "checking"})
        until_asleep(club, field)

    def _kill(self, ladder: Running, *, checking: bool) -> None:
        """Kill one of the ladder's processes, or the ladder."""
        children = ladder.children()
        spared = checking and not self._spare_checks
        if not children or spared or self._rng.random() < 0.3:
            ladder.kill()
        else:
            self._spare_checks -= checking
            kills.kill([self._rng.choice(children)])
        self.killed += 1


def test_a_killed_ladder_has_the_root_of_an_undisturbed_one(
    asleep: Path, expected: str, tmp_path: Path
) -> None:
    killer = Killer(sampling.random("kills and roots"))
    assert told(asleep, tmp_path, killer.go_on) == expected
    assert killer.killed == KILLS


@only_in_long
def test_a_clock_that_jumps_back_and_forth_changes_nothing(
    asleep: Path, expected: str, tmp_path: Path, jumping: dict[str, str]
) -> None:
    def go_on(club: Path, field: Field) -> None:
        until_asleep(club, field, **jumping)

    assert told(asleep, tmp_path, go_on) == expected
