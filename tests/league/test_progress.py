"""How far a league has come: what is due, where it stops, the same whoever asks and when."""

from collections.abc import Callable, Iterable
from random import Random

import pytest
from msgspec.structs import replace

from arena.league.progress import LeagueProgress
from arena.league.schedule import Schedule
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


def play(progress: LeagueProgress, skill: Skill, most: int | None = None) -> list[Fixture]:
    """Play what is due, at most so many fixtures, one by one; returns them."""
    played: list[Fixture] = []
    while due := progress.due():
        for fixture in due:
            if len(played) == most:
                return played
            progress.add(outcome(fixture, skill))
            played.append(fixture)
    return played


def resumed(info: LeagueInfo, fixtures: Iterable[Fixture], skill: Skill) -> LeagueProgress:
    progress = LeagueProgress(Schedule(info))
    for fixture in fixtures:
        progress.add(outcome(fixture, skill))
    return progress


def test_without_until_all_is_due_at_once() -> None:
    info = league(until=None, rounds=3)
    progress = LeagueProgress(Schedule(info))
    assert progress.due() == progress.wanted() == Schedule(info).fixtures
    assert len(progress) == len(Schedule(info).fixtures) == 9
    some = Schedule(info).fixtures[::2]
    assert resumed(info, some, equal).due() == Schedule(info).fixtures[1::2]
    assert progress.verdicts() == []


def test_one_block_after_the_other_is_due() -> None:
    progress = LeagueProgress(Schedule(league()))
    first = progress.due()
    assert [one.block for one in first] == [0, 0, 0]
    progress.add(outcome(first[1], equal))
    assert progress.due() == [first[0], first[2]]
    progress.add(outcome(first[0], equal))
    progress.add(outcome(first[2], equal))
    assert [one.block for one in progress.due()] == [1, 1, 1]


def test_league_stops_when_neighbours_are_separated() -> None:
    info = league()
    progress = LeagueProgress(Schedule(info))
    played = play(progress, by_name)
    [verdict] = progress.verdicts()
    assert (verdict.division, verdict.tied) == (("bga", 2), ())
    assert 8 <= verdict.rounds < 40
    assert played == Schedule(info).fixtures[: 3 * verdict.rounds] == progress.wanted()
    assert progress.due() == []


def test_equal_bots_spend_the_budget_and_are_named() -> None:
    info = league("ab", rounds=12)
    progress = LeagueProgress(Schedule(info))
    assert play(progress, equal) == Schedule(info).fixtures
    [verdict] = progress.verdicts()
    assert verdict.rounds == 12
    assert [set(pair) for pair in verdict.tied] == [{"a", "b"}]


def test_each_variant_stops_on_its_own() -> None:
    info = league(variants={"classic": CLASSIC, "bga": BGA}, rounds=20)
    progress = LeagueProgress(Schedule(info))
    played = play(progress, clear_in_bga)
    slow, quick = progress.verdicts()
    assert (slow.division.variant, slow.rounds) == ("classic", 20)
    assert quick.division.variant == "bga"
    assert quick.rounds < 20
    assert not quick.tied
    assert sum(one.variant == "bga" for one in played) == 3 * quick.rounds


@pytest.mark.parametrize("after", [1, 5, 24, 25, 30])
def test_interrupted_league_decides_the_same(after: int) -> None:
    info = league()
    whole = play(LeagueProgress(Schedule(info)), by_name)
    some = play(LeagueProgress(Schedule(info)), by_name, most=after)
    again = resumed(info, reversed(some), by_name)
    assert play(again, by_name) == whole[len(some) :]


def test_raised_budget_is_played_on() -> None:
    before = league("ab", rounds=10)
    played = play(LeagueProgress(Schedule(before)), equal)
    after = replace(before, rounds=14, earlier=(Epoch(before.bots, before.rounds, (10,)),))
    progress = resumed(after, played, equal)
    assert [one.block for one in progress.due()] == [10, 10]
    play(progress, equal)
    assert progress.verdicts()[0].rounds == 14


def test_newcomer_is_brought_level_before_the_league_stops_again() -> None:
    before = league()
    played = play(LeagueProgress(Schedule(before)), by_name)
    rounds = len(played) // 3
    after = league("abcd", earlier=(Epoch(before.bots, before.rounds, (rounds,)),))
    progress = resumed(after, played, by_name)
    more = play(progress, by_name)
    catching_up = [one for one in more if "d" in one.seats]
    assert more[0] in catching_up
    met = {bot for one in catching_up for bot in one.seats}
    assert met == set("abcd")
    [verdict] = progress.verdicts()
    assert verdict.tied == ()
    assert verdict.rounds >= rounds + 8


def test_games_of_a_bot_that_left_are_ignored() -> None:
    before = league("abcd", until=None, rounds=3)
    fixtures = Schedule(before).fixtures
    after = league("abc", until=None, rounds=2, earlier=(Epoch(before.bots, 3, (3,)),))
    progress = resumed(after, fixtures, equal)
    assert progress.due() == []
    assert all(progress.counts(one.id) == ("d" not in one.seats) for one in fixtures)
