"""A playoff: who plays on follows from the results, whoever asks and when."""

from typing import Any

import pytest

from arena.game.records import Conditions, Fixture, PlayoffInfo
from arena.game.rules.books import BGA, CLASSIC
from arena.league.changes import History
from arena.league.schedule.playoff import PlayoffVerdict
from arena.league.schedule.progress import LeagueProgress
from arena.league.schedule.schedule import Schedule
from tests.league.test_progress import Skill, by_name, equal, play, resumed
from tests.support import factory

TERMS = PlayoffInfo(0.95, 3000)


def league(names: str = "abcd", **changes: Any) -> Conditions:
    fields = {"variants": {"bga": BGA}, "players": (2,), "games": 10, "playoff": TERMS, **changes}
    return factory.league(tuple(names), **fields)


def close(bot: str, variant: str) -> float:
    """Strengths of which the first two are close to each other, and clear of the others."""
    return {"a": 8.0, "b": 6.0}.get(bot, 1.0)


def verdict(progress: LeagueProgress) -> PlayoffVerdict:
    playoff = progress.playoff()
    assert playoff
    return playoff.verdict()


def played(conditions: Conditions, skill: Skill) -> tuple[list[Fixture], LeagueProgress]:
    progress = LeagueProgress(Schedule(conditions))
    return play(progress, skill), progress


def test_playoff_begins_after_the_last_round() -> None:
    progress = LeagueProgress(Schedule(league()))
    fixtures = progress.due()
    assert len(fixtures) == 12
    assert progress.playoff() is None
    play(progress, close, 12)
    assert verdict(progress).games == 0
    [*left] = {bot for fixture in progress.due() for bot in fixture.seats}
    assert sorted(left) == sorted(verdict(progress).left)
    assert [fixture.index for fixture in progress.due()][:1] == [12]


def test_bots_that_can_no_longer_be_first_stop_playing() -> None:
    fixtures, progress = played(league(), close)
    assert verdict(progress).winner == "a"
    assert {bot for fixture in fixtures[-2:] for bot in fixture.seats} == {"a", "b"}
    assert verdict(progress).games == 10 * (len(fixtures) - 12)


def test_clear_winner_of_the_blocks_plays_no_playoff() -> None:
    fixtures, progress = played(league(games=40, blocks=9), by_name)
    assert len(fixtures) == 36
    assert verdict(progress) == PlayoffVerdict(("a",), TERMS, 0, finished=True)


def test_equal_bots_spend_the_games() -> None:
    info = league("ab", games=20)
    fixtures, progress = played(info, equal)
    assert set(verdict(progress).left) == {"a", "b"}
    assert (verdict(progress).winner, verdict(progress).finished) == (None, True)
    assert 3000 - 40 < verdict(progress).games == 20 * (len(fixtures) - 2) <= 3000


@pytest.mark.parametrize("after", [3, 12, 15, 23, 24, 31])
def test_interrupted_playoff_is_the_same(after: int) -> None:
    info = league()
    whole, end = played(info, close)
    begun = LeagueProgress(Schedule(info))
    first = play(begun, close, after)
    again = resumed(History(info), first[::-1], close)
    assert [*first, *play(again, close)] == whole
    assert verdict(again) == verdict(end)


def test_fixtures_of_a_playoff_do_not_count_but_are_in_the_schedule() -> None:
    schedule = Schedule(league())
    progress = LeagueProgress(schedule)
    fixtures = play(progress, close)
    assert {fixture.id for fixture in fixtures} == schedule.drawn.keys()
    assert [schedule.counts(fixture.id) for fixture in fixtures] == [
        fixture.index < 12 for fixture in fixtures
    ]
    assert schedule.fixtures == fixtures[:12]
    assert progress.wanted() == fixtures
    assert len(progress) == len(fixtures)
    assert len({(fixture.dice, fixture.block) for fixture in fixtures}) == fixtures[-1].block + 1


def test_playoff_is_over_all_tables() -> None:
    """A bot that is out sits at tables that would not be full without it."""
    info = league(variants={"bga": BGA, "classic": CLASSIC}, players=(2, 4), games=5)
    fixtures, progress = played(info, close)
    tables = {(fixture.variant, len(fixture.seats)) for fixture in fixtures[48:]}
    assert tables == {("bga", 2), ("bga", 4), ("classic", 2), ("classic", 4)}
    assert set(verdict(progress).left) <= {"a", "b"}
    assert {bot for fixture in fixtures[-4:] for bot in fixture.seats} == set("abcd")


@pytest.mark.parametrize("number", [7, 8, 9, 10])
def test_blocks_that_are_no_whole_pass_decide_nothing(number: int) -> None:
    progress = LeagueProgress(Schedule(league(blocks=number, games=40)))
    play(progress, by_name, 4 * number)
    assert (verdict(progress).winner == "a") == (number >= 9)
