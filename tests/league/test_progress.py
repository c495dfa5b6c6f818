"""How far a league has come: what is due, where it stops, the same whoever asks and when."""

from collections.abc import Callable, Iterable
from random import Random

import pytest
from msgspec.structs import replace

from arena.league.progress import LeagueProgress
from arena.league.schedule import schedule
from arena.perudo.rules import BGA, CLASSIC
from arena.records import Epoch, Fixture, GameRecord, LeagueInfo, PlayedFixture
from tests.publish import factory

Skill = Callable[[str, str], float]


def league(names: str = "abc", **changes: object) -> LeagueInfo:
    fields: dict[str, object] = {
        "variants": {"bga": BGA},
        "players": (2,),
        "games": 10,
        "rounds": 40,
        "until": 0.95,
        **changes,
    }
    return factory.league(tuple(names), **fields)


def by_name(bot: str, variant: str) -> float:
    """Strengths that differ clearly: a is the best."""
    return 4.0 ** -"abcdefgh".index(bot)


def equal(bot: str, variant: str) -> float:
    return 1.0


def clear_in_bga(bot: str, variant: str) -> float:
    return by_name(bot, variant) if variant == "bga" else 1.0


def outcome(fixture: Fixture, skill: Skill) -> PlayedFixture:
    """Play a fixture by strengths alone; the same fixture always comes out the same."""
    draw = Random(fixture.id)
    games = []
    for game in range(fixture.games):
        times = [draw.expovariate(skill(bot, fixture.variant)) for bot in fixture.seats]
        places = tuple(sorted(times).index(time) + 1 for time in times)
        games.append(GameRecord(game, places, []))
    return PlayedFixture(fixture, games, "process", "wall", 1, 1.0)


def play(course: LeagueProgress, skill: Skill, most: int | None = None) -> list[Fixture]:
    """Play what is due, at most so many fixtures, one by one; returns them."""
    played: list[Fixture] = []
    while due := course.due():
        for fixture in due:
            if len(played) == most:
                return played
            course.add(outcome(fixture, skill))
            played.append(fixture)
    return played


def resumed(info: LeagueInfo, fixtures: Iterable[Fixture], skill: Skill) -> LeagueProgress:
    course = LeagueProgress(info)
    for fixture in fixtures:
        course.add(outcome(fixture, skill))
    return course


def test_without_until_all_is_due_at_once() -> None:
    info = league(until=None, rounds=3)
    course = LeagueProgress(info)
    assert course.due() == course.wanted() == schedule(info)
    assert len(course) == len(schedule(info)) == 9
    some = schedule(info)[::2]
    assert resumed(info, some, equal).due() == schedule(info)[1::2]
    assert course.verdicts() == []


def test_one_block_after_the_other_is_due() -> None:
    course = LeagueProgress(league())
    first = course.due()
    assert [one.block for one in first] == [0, 0, 0]
    course.add(outcome(first[1], equal))
    assert course.due() == [first[0], first[2]]
    course.add(outcome(first[0], equal))
    course.add(outcome(first[2], equal))
    assert [one.block for one in course.due()] == [1, 1, 1]


def test_it_stops_when_neighbours_are_separated() -> None:
    info = league()
    course = LeagueProgress(info)
    played = play(course, by_name)
    [verdict] = course.verdicts()
    assert (verdict.variant, verdict.players, verdict.tied) == ("bga", 2, ())
    assert 8 <= verdict.rounds < 40
    assert played == schedule(info)[: 3 * verdict.rounds] == course.wanted()
    assert course.due() == []


def test_equal_bots_spend_the_budget_and_are_named() -> None:
    info = league("ab", rounds=12)
    course = LeagueProgress(info)
    assert play(course, equal) == schedule(info)
    [verdict] = course.verdicts()
    assert verdict.rounds == 12
    assert [set(pair) for pair in verdict.tied] == [{"a", "b"}]


def test_each_variant_stops_on_its_own() -> None:
    course = LeagueProgress(league(variants={"classic": CLASSIC, "bga": BGA}, rounds=20))
    played = play(course, clear_in_bga)
    slow, quick = course.verdicts()
    assert (slow.variant, slow.rounds) == ("classic", 20)
    assert quick.variant == "bga"
    assert quick.rounds < 20
    assert not quick.tied
    assert sum(one.variant == "bga" for one in played) == 3 * quick.rounds


@pytest.mark.parametrize("after", [1, 5, 24, 25, 30])
def test_wherever_it_was_interrupted_it_decides_the_same(after: int) -> None:
    info = league()
    whole = play(LeagueProgress(info), by_name)
    some = play(LeagueProgress(info), by_name, most=after)
    again = resumed(info, reversed(some), by_name)
    assert play(again, by_name) == whole[len(some) :]


def test_raising_the_budget_goes_on() -> None:
    before = league("ab", rounds=10)
    played = play(LeagueProgress(before), equal)
    after = replace(before, rounds=14, earlier=(Epoch(before.bots, before.rounds, (10,)),))
    course = resumed(after, played, equal)
    assert [one.block for one in course.due()] == [10, 10]
    play(course, equal)
    assert course.verdicts()[0].rounds == 14


def test_a_newcomer_is_brought_level_before_it_stops_again() -> None:
    before = league()
    played = play(LeagueProgress(before), by_name)
    rounds = len(played) // 3
    after = league("abcd", earlier=(Epoch(before.bots, before.rounds, (rounds,)),))
    course = resumed(after, played, by_name)
    more = play(course, by_name)
    catching_up = [one for one in more if "d" in one.seats]
    assert more[0] in catching_up
    met = {bot for one in catching_up for bot in one.seats}
    assert met == set("abcd")
    [verdict] = course.verdicts()
    assert verdict.tied == ()
    assert verdict.rounds >= rounds + 8


def test_games_of_who_left_are_passed_over() -> None:
    before = league("abcd", until=None, rounds=3)
    fixtures = schedule(before)
    after = league("abc", until=None, rounds=2, earlier=(Epoch(before.bots, 3, (3,)),))
    course = resumed(after, fixtures, equal)
    assert course.due() == []
    assert [course.counts(one.id) for one in fixtures] == ["d" not in one.seats for one in fixtures]
