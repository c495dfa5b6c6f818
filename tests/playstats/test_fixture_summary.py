"""Summaries against a slow count by the definitions; adding them up in any order and parts."""

from collections import Counter
from contextlib import nullcontext
from fractions import Fraction
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import PlayedFixture, RoundStarted
from arena.game.rules.books import VARIANTS, Rules, variant
from arena.game.walk import ForbiddenEventError, walk
from arena.playstats.fixture_summary import (
    FixtureSummary,
    summarize_fixtures,
)
from arena.playstats.highlights import EACH, KINDS, OF_BOT, OF_DIVISION, best, order
from arena.playstats.mistakes import KEPT
from tests.league.table.driver import Driven, driven_games
from tests.league.table.test_replay import tampered
from tests.publish import slow
from tests.support import played_games as games
from tests.support import records
from tests.support.depth import depth
from tests.support.summaries import league_of, summarize_fixture

each_league = settings(max_examples=depth(10, 25), deadline=None, database=None)
SEATS = ("alpha", "beta", "gamma", "delta")


def played(label: str, players: int, index: int, count: int = 3) -> tuple[PlayedFixture, Rules]:
    rules = variant(label, {}, calza=True, starting_dice=3 + index % 3)
    return games.fixture(index, label, rules, SEATS[:players], count), rules


leagues = st.tuples(st.sampled_from(sorted(VARIANTS)), st.integers(2, 4), st.integers(0, 10**6))


@each_league
@given(leagues)
def test_styles_are_those_counted_by_their_definitions(what: tuple[str, int, int]) -> None:
    one, rules = played(*what)
    for seat, did in enumerate(summarize_fixture(one, rules).seats):
        style, expected = did.style, slow.counted(one, seat)
        names = ("bids", "bluffs", "openings", "dudos", "dudos_right", "calzas", "calzas_right")
        assert {name: getattr(style, name) for name in names} == {
            name: expected[name] for name in names
        }
        assert style.turns_on_a_bid == expected["turns_on_a_bid"]
        bold = [round(1000 * value) for value in slow.boldness(one, seat)]
        assert style.boldness == sum(bold)
        assert style.boldness_squared == sum(value * value for value in bold)


@each_league
@given(leagues)
def test_bids_fall_into_bins_by_how_likely_they_were(what: tuple[str, int, int]) -> None:
    one, rules = played(*what)
    for seat, did in enumerate(summarize_fixture(one, rules).seats):
        bids, held, said = [0] * 10, [0] * 10, [Fraction(0)] * 10
        for move in (move for game in one.games for move in slow.moves(game)):
            if move.seat == seat and move.made is not None:
                chance = slow.likely(move, move.made)
                at = min(9, int(10 * chance))
                dice = [die for hand in move.hands for die in hand]
                bids[at] += 1
                said[at] += chance
                held[at] += slow.matching(dice, move.made.face, move.palifico) >= move.made.quantity
        assert (did.calibration.bids, did.calibration.held) == (bids, held)
        assert did.calibration.said == [
            pytest.approx(float(1_000_000 * sum_), abs=1 + n)
            for sum_, n in zip(said, bids, strict=True)
        ]


@each_league
@given(st.sampled_from(sorted(VARIANTS)), st.integers(2, 4), st.integers(0, 10**6))
def test_many_fixtures_have_the_summaries_that_each_has_alone(
    label: str, players: int, index: int
) -> None:
    some, rules = played(label, players, index)
    more, _ = played(label, players, index + 3, count=2)
    fixtures = [some, replace(some, games=[]), more]
    alone = [summarize_fixture(one, rules) for one in fixtures]
    assert list(summarize_fixtures(fixtures, rules)) == alone


@each_league
@given(driven_games(), st.integers(0, 2**32))
def test_summaries_refuse_what_the_walk_refuses(game: Driven, seed: int) -> None:
    record = tampered(game.record, Random(seed))
    one = records.played(game.fixture, [record])
    refused = False
    try:
        list(walk(record, game.rules, game.fixture.max_rounds))
    except ForbiddenEventError:
        refused = True
    with pytest.raises(ForbiddenEventError) if refused else nullcontext():
        summarize_fixture(one, game.rules)


def check_mistakes(one: PlayedFixture, rules: Rules) -> None:
    every = [move for game in one.games for move in slow.moves(game)]
    for seat, did in enumerate(summarize_fixture(one, rules).seats):
        mine = [slow.weighed(move, rules) for move in every if move.seat == seat]
        worst = sorted(w for w in mine if w and w.edge < 0)[:KEPT]
        assert [(m.edge, m.dice, m.game, m.step) for m in did.mistakes] == [
            (float(edge), *place) for edge, *place in worst
        ]


@each_league
@given(leagues)
def test_mistakes_are_the_worst_of_all_moves(what: tuple[str, int, int]) -> None:
    check_mistakes(*played(*what))


@each_league
@given(leagues)
def test_highlights_are_the_most_surprising_of_all_that_came_off(
    what: tuple[str, int, int],
) -> None:
    one, rules = played(*what)
    every = list(slow.highlights(one, rules))
    for seat, did in enumerate(summarize_fixture(one, rules).seats):
        for kind in ("comeback", "bluff", "call", "calza"):
            mine = sorted(m for m in every if (m.kind, m.seat) == (kind, seat))
            first = {m.game: m for m in reversed(mine)}
            expected = sorted(first.values())[:OF_BOT]
            found = [m for m in did.highlights if m.kind == kind]
            assert [(m.game, m.step) for m in found] == [(m.game, m.step) for m in expected]
            assert [-m.score for m in found] == pytest.approx([m.rank for m in expected])


def is_a_veterans_dudo(move: slow.Move) -> bool:
    """Tell whether a seat that had its palifico doubted in another's: it might raise the face."""
    alone = len(move.hands[move.seat]) == 1 and move.seat in move.veterans
    return alone and move.action == "dudo" and move.palifico not in {None, move.seat}


@pytest.mark.slow
def test_a_palifico_veteran_is_weighed_against_all_its_raises() -> None:
    fixtures = [played("pressman", 4, index) for index in range(0, 60, 3)]
    moves = [move for one, _ in fixtures for game in one.games for move in slow.moves(game)]
    assert sum(map(is_a_veterans_dudo, moves)) > 3
    for one, rules in fixtures:
        check_mistakes(one, rules)


def test_games_and_faults_are_listed() -> None:
    one, rules = played("bga", 3, 7, count=6)
    found = summarize_fixture(one, rules)
    assert [(fault.game, fault.step, fault.seat) for fault in found.faults] == slow.faults(one)
    assert [fault.seat for fault in found.faults] == [
        seat for game in found.games for seat in game.faulted
    ]
    for short, game in zip(found.games, one.games, strict=True):
        rounds = sum(isinstance(event, RoundStarted) for event in game.events)
        assert (short.game, short.places, short.rounds) == (game.game, game.places, rounds)
        assert short.actions == len(list(slow.moves(game)))


def test_a_summary_survives_being_stored() -> None:
    one, rules = played("classic", 4, 3)
    found = summarize_fixture(one, rules)
    assert summarize_fixture(one, rules) == found
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=FixtureSummary)
    assert again == found
    assert league_of([again]) == league_of([found])


@pytest.fixture(scope="module")
def summaries() -> list[FixtureSummary]:
    kinds = [("bga", 2), ("classic", 3), ("bga", 2), ("italian", 4)]
    return [summarize_fixture(*played(*kinds[at % 4], at, count=2)) for at in range(24)]


def test_the_order_of_summaries_does_not_matter(summaries: list[FixtureSummary]) -> None:
    whole = league_of(summaries)
    mixed = list(summaries)
    for seed in range(5):
        Random(seed).shuffle(mixed)
        assert league_of(mixed) == whole


def test_a_league_is_the_sum_of_its_parts(summaries: list[FixtureSummary]) -> None:
    whole = league_of(summaries)
    for bot, tables in whole.bots.items():
        seats = [
            did
            for one in summaries
            for name, did in zip(one.fixture.seats, one.seats, strict=True)
            if name == bot
        ]
        for name in ("bids", "bluffs", "dudos", "boldness"):
            total = sum(getattr(at.style, name) for at in tables.values())
            assert total == sum(getattr(did.style, name) for did in seats)
        lowest = sorted(mistake.edge for did in seats for mistake in did.mistakes)[:KEPT]
        assert [mistake.edge for mistake in whole.mistakes[bot]] == lowest
        games_ = sum(one.games for at in tables.values() for one in at.seats.values())
        assert games_ == sum(len(one.games) for one in summaries if bot in one.fixture.seats)
    halves = [league_of(summaries[:9]), league_of(summaries[9:])]
    bids = [sum(pair) for pair in zip(*(half.calibration().bids for half in halves), strict=True)]
    assert whole.calibration().bids == bids
    assert whole.total().games == sum(half.total().games for half in halves)
    assert sum(map(sum, (c.values() for c in whole.rounds().values()))) == whole.total().games
    assert sum(r.hits for rates in whole.seat_wins().values() for r in rates) == 48


def test_highlights_of_a_league_are_the_best_of_all_its_fixtures(
    summaries: list[FixtureSummary],
) -> None:
    league = league_of(summaries)
    every = [highlight for one in summaries for did in one.seats for highlight in did.highlights]
    assert {one.kind for one in every} == set(KINDS) - {"upset", "fault"}
    for bot, found in league.bot_highlights.items():
        mine = [one for one in every if one.bot == bot]
        assert [one for one in found if one.kind != "fault"] == list(best(mine, OF_BOT, OF_BOT))
    for division, found in league.highlights.items():
        there = [one for one in every if one.division == division]
        assert [one for one in found if one.kind != "fault"] == list(best(there, OF_DIVISION, EACH))


def test_a_rare_fault_is_more_of_a_highlight_than_a_common_one(
    summaries: list[FixtureSummary],
) -> None:
    league = league_of(summaries)
    faults = [one for found in league.highlights.values() for one in found if one.kind == "fault"]
    assert faults
    for one in faults:
        count = league.faults.bots[one.bot].count
        assert one.chance == count / league.games_of(one.bot)


def test_lists_hold_few_of_a_bot_and_one_of_a_game(summaries: list[FixtureSummary]) -> None:
    every = [highlight for one in summaries for did in one.seats for highlight in did.highlights]
    found = best(every, OF_DIVISION, EACH)
    for kind in KINDS:
        of = [one for one in found if one.kind == kind]
        assert of == sorted(of, key=order)
        assert len(of) <= OF_DIVISION
        assert all(count <= EACH for count in Counter(one.bot for one in of).values())
        assert len({(one.bot, one.index, one.game) for one in of}) == len(of)


def test_a_forbidden_event_is_found_with_its_fixture() -> None:
    one, rules = played("bga", 2, 3)
    with pytest.raises(ForbiddenEventError) as caught:
        summarize_fixture(one, replace(rules, starting_dice=9))
    assert caught.value.where == "fixture 3, game 0, event 0"
