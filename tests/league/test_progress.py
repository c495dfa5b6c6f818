"""How far a league has come: what is due, where it stops, the same whoever asks and when."""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest

from arena.game.records import Conditions, Division, Fixture, GameRecord, PlayedFixture
from arena.game.rules.books import BGA, CLASSIC
from arena.league.changes import Change, History
from arena.league.schedule.progress import LeagueProgress
from arena.league.schedule.schedule import Schedule
from tests.league.histories import changed, then
from tests.support import factory, records

Skill = Callable[[str, str], float]


def league(names: str = "abc", **changes: object) -> Conditions:
    fields: dict[str, object] = {
        "variants": {"bga": BGA},
        "players": (2,),
        "games": 10,
        "blocks": 40,
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
    return records.played(fixture, games)


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


def resumed(history: History, fixtures: Iterable[Fixture], skill: Skill) -> LeagueProgress:
    progress = LeagueProgress(Schedule(*history))
    for fixture in fixtures:
        progress.add(outcome(fixture, skill))
    return progress


def test_without_until_all_is_due_at_once() -> None:
    info = league(until=None, blocks=3)
    progress = LeagueProgress(Schedule(info))
    assert progress.due() == progress.wanted() == Schedule(info).fixtures
    assert len(progress) == len(Schedule(info).fixtures) == 9
    some = Schedule(info).fixtures[::2]
    assert resumed(History(info), some, equal).due() == Schedule(info).fixtures[1::2]
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
    assert 8 <= verdict.blocks < 40
    assert played == Schedule(info).fixtures[: 3 * verdict.blocks] == progress.wanted()
    assert progress.due() == []


def test_equal_bots_spend_the_budget_and_are_named() -> None:
    info = league("ab", blocks=12)
    progress = LeagueProgress(Schedule(info))
    assert play(progress, equal) == Schedule(info).fixtures
    [verdict] = progress.verdicts()
    assert verdict.blocks == 12
    assert [set(pair) for pair in verdict.tied] == [{"a", "b"}]


def test_each_variant_stops_on_its_own() -> None:
    info = league(variants={"classic": CLASSIC, "bga": BGA}, blocks=20)
    progress = LeagueProgress(Schedule(info))
    played = play(progress, clear_in_bga)
    slow, quick = progress.verdicts()
    assert (slow.division.variant, slow.blocks) == ("classic", 20)
    assert quick.division.variant == "bga"
    assert quick.blocks < 20
    assert not quick.tied
    assert sum(one.variant == "bga" for one in played) == 3 * quick.blocks


@pytest.mark.parametrize("after", [1, 5, 24, 25, 30])
def test_interrupted_league_decides_the_same(after: int) -> None:
    info = league()
    whole = play(LeagueProgress(Schedule(info)), by_name)
    some = play(LeagueProgress(Schedule(info)), by_name, most=after)
    again = resumed(History(info), reversed(some), by_name)
    assert play(again, by_name) == whole[len(some) :]


def test_raised_budget_is_played_on() -> None:
    before = league("ab", blocks=10)
    played = play(LeagueProgress(Schedule(before)), equal)
    progress = resumed(changed(History(before), blocks=14), played, equal)
    assert [one.block for one in progress.due()] == [10, 10]
    play(progress, equal)
    assert progress.verdicts()[0].blocks == 14


def test_newcomer_is_brought_level_before_the_league_stops_again() -> None:
    before = league()
    played = play(LeagueProgress(Schedule(before)), by_name)
    blocks = len(played) // 3
    progress = resumed(then(History(before), "abcd", blocks), played, by_name)
    more = play(progress, by_name)
    catching_up = [one for one in more if "d" in one.seats]
    assert more[:6] == catching_up[:6]
    met = {bot for one in catching_up for bot in one.seats}
    assert met == set("abcd")
    [verdict] = progress.verdicts()
    assert verdict.tied == ()
    assert verdict.blocks >= blocks + 8


@pytest.mark.parametrize("how", ["rested", "struck"])
def test_games_of_a_bot_that_rests_count_and_those_of_a_struck_one_do_not(how: str) -> None:
    before = league("abcd", until=None, blocks=3)
    fixtures = Schedule(before).fixtures
    what: dict[str, Any] = {"blocks": 2, how: ("d",)}
    after = changed(History(before), **what)
    progress = resumed(after, fixtures, equal)
    assert progress.due() == []
    assert len(progress.played) == len(fixtures)
    for one in fixtures:
        assert progress.schedule.counts(one.id) == (how == "rested" or "d" not in one.seats)


def test_bot_that_rests_is_nobodys_neighbour() -> None:
    before = History(league("abc", blocks=60))
    [division] = Schedule(*before).blocks
    played = Schedule(*before).fixtures[:30]
    twins: Skill = lambda bot, _: 4.0 if bot == "a" else 1.0  # noqa: E731
    assert resumed(before, played, twins).verdict(division, 0.95).tied
    after = resumed(changed(before, [10], rested=("b",)), played, twins)
    assert after.verdict(division, 0.95).tied == ()
    assert after.due() == []


def test_block_of_an_endless_league_is_begun_when_it_is_asked_for() -> None:
    info = league("abc", until=None, endless=True, variants={"bga": BGA, "classic": CLASSIC})
    progress = LeagueProgress(Schedule(info))
    assert progress.due() == progress.wanted() == []
    one, other = Division("bga", 2), Division("classic", 2)
    assert progress.look_ahead(lambda _: True)
    assert progress.look_ahead(lambda _: True)
    first = progress.due()
    assert [fixture.division for fixture in first] == [one] * 3 + [other] * 3
    assert progress.look_ahead(lambda division: division == other)
    assert not progress.look_ahead(lambda _: False)
    due = progress.due()
    assert due[:6] == first
    assert {(fixture.division, fixture.block) for fixture in due[6:]} == {(other, 1)}
    assert len(progress) == 9


def test_endless_league_goes_on_with_what_was_begun() -> None:
    info = league("abc", until=None, endless=True)
    schedule = Schedule(info)
    schedule.reach(6)
    stored = [schedule.fixtures[0], schedule.fixtures[4]]
    progress = LeagueProgress(schedule)
    assert progress.due() == []
    for fixture in stored:
        progress.add(outcome(fixture, equal))
    left = [one for one in schedule.fixtures[:6] if one not in stored]
    assert progress.due() == left
    play(progress, equal)
    assert progress.look_ahead(lambda _: True)
    assert progress.due() == schedule.fixtures[6:9]


def test_results_are_kept_over_a_change() -> None:
    schedule = Schedule(league("abcd", until=None, endless=True))
    [division] = schedule.blocks
    progress = LeagueProgress(schedule)
    for _ in range(3):
        progress.look_ahead(lambda _: True)
    played = play(progress, by_name, most=6)
    begun, unplayed = schedule.cut(progress.played, ["d"])
    assert begun == (2,)
    schedule.change(Change(begun, unplayed, struck=("d",)))
    progress = LeagueProgress(schedule, progress)
    assert progress.due() == [one for one in schedule.blocks[division][1] if one not in played]
    play(progress, by_name)
    schedule.change(Change((2,), resumed=("d",)))
    progress = LeagueProgress(schedule, progress)
    assert progress.due() == []
    assert progress.schedule.counts(played[0].id)
    assert progress.verdict(division, 0.95).blocks == 2
