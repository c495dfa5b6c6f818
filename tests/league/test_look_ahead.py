"""What an endless league plays until its bots are told apart, whatever is finished first."""

import random
from collections.abc import Collection, Iterable

import pytest
from msgspec.structs import replace

from arena.game.records import Conditions, Division, Fixture, FixtureResult
from arena.game.rules.books import BGA
from arena.league.changes import Change
from arena.league.schedule.progress import AHEAD, LeagueProgress
from arena.league.schedule.schedule import Schedule
from tests.support import factory, records
from tests.support.sampling import sample

START = replace(
    factory.league(tuple("abcd"), variants={"bga": BGA}, players=(2, 3)), endless=True, blocks=0
)
BLOCKS, CONFIDENCE = 60, 0.8
SEEDS = range(40)


def played(fixture: Fixture) -> FixtureResult:
    """Return a result that follows from the fixture: by the alphabet, with some noise."""
    rng = random.Random(fixture.id)
    marks = {bot: ord(bot) + rng.gauss(0.0, 0.8) for bot in fixture.seats}
    order = sorted(fixture.seats, key=lambda bot: marks[bot])
    places = tuple(order.index(bot) + 1 for bot in fixture.seats)
    return records.result(fixture, [places])


class Season:
    """Fixtures that end in any order, in a program that dies now and then."""

    def __init__(self, conditions: Conditions, rng: random.Random) -> None:
        self.info, self.rng = conditions, rng
        self.changes: list[Change] = []
        self.results: dict[str, FixtureResult] = {}
        self.restart()

    def restart(self) -> None:
        """Forget all but what is stored."""
        self.schedule = Schedule(self.info, self.changes)
        if self.results:
            self.schedule.reach(max(one.fixture.index for one in self.results.values()))
        self.progress = LeagueProgress(self.schedule)
        for one in self.results.values():
            self.progress.add(one)

    def more(self, division: Division) -> bool:
        begun = self.progress.begun(division) - self.schedule.earlier_blocks[division]
        return begun < BLOCKS and self.progress.undecided(division, CONFIDENCE)

    def play(self, dies: float) -> None:
        """Play until nothing is due and no block is wanted."""
        while True:
            while self.rng.random() < 0.7 and self.progress.look_ahead(self.more):
                pass
            due = self.progress.due()
            if not due and not self.progress.look_ahead(self.more):
                return
            self.finish(self.rng.sample(due, min(len(due), self.rng.randrange(1, 6))))
            if self.rng.random() < dies:
                self.restart()

    def finish(self, fixtures: Iterable[Fixture]) -> None:
        for fixture in fixtures:
            self.results[fixture.id] = played(fixture)
            self.progress.add(self.results[fixture.id])

    def change(self, **what: object) -> None:
        begun, unplayed = self.schedule.cut(self.progress.played, ())
        change = Change(begun=begun, unplayed=unplayed, **what)  # type: ignore[arg-type]
        self.changes.append(change)
        self.schedule.change(change)
        self.progress = LeagueProgress(self.schedule, self.progress)


def season(seed: int, dies: float) -> tuple[list[Change], Collection[str]]:
    """Play a league that a bot joins once all are told apart, and another leaves."""
    one = Season(START, random.Random(seed))
    one.play(dies)
    one.change(joined=(factory.bot("e"),))
    one.play(dies)
    one.change(rested=("b",))
    one.play(dies)
    return one.changes, one.results.keys()


@pytest.mark.slow
def test_the_same_blocks_are_played_in_whatever_order_fixtures_end() -> None:
    expected = season(0, dies=0.0)
    begun = expected[0][0].begun
    assert min(begun) > AHEAD, begun
    assert min(begun) < BLOCKS, begun
    for seed in sample(SEEDS, 8, "orders of fixtures"):
        assert season(seed, dies=0.1) == expected


@pytest.mark.parametrize("kind", [0, 1])
def test_a_block_waits_for_those_that_decide_whether_it_is_played(kind: int) -> None:
    one = Season(START, random.Random(0))
    division = list(one.schedule.blocks)[kind]

    def more(asked: Division) -> bool:
        return asked == division and one.more(asked)

    while one.progress.look_ahead(more):
        pass
    assert one.progress.begun(division) == AHEAD + 1
    one.finish(one.schedule.blocks[division][1])
    assert not one.progress.look_ahead(more)
    first = one.schedule.blocks[division][0]
    one.finish(first[1:])
    assert not one.progress.look_ahead(more)
    one.progress.give_up(first[0].id)
    assert one.progress.look_ahead(more)
