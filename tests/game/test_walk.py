"""The walk over a game's events: the referee's table at every event, and no forbidden event."""

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import BidMade, CallMade, Cause, Event, Faulted, GameRecord, RoundStarted
from arena.game.referee import Referee
from arena.game.rules.books import BGA, PRESSMAN, VARIANTS, Rules, variant
from arena.game.rules.round import Round
from arena.game.walk import ForbiddenEventError, PlayedRound, walk
from arena.league.table.recorded_game import feed, moments
from arena.publish.replay_steps import replay
from tests.league.table.driver import Driven, driven_games
from tests.league.table.test_replay import tampered
from tests.support import played_games as games
from tests.support.summaries import summarize_fixture

each_game = settings(max_examples=60, deadline=None, database=None)
SEATS = ("a", "b", "c", "d")


def referee_tables(game: Driven) -> Iterator[tuple[int, Round, object]]:
    """How many events the referee has recorded before each moment, its round and the hands."""
    rules, players = game.rules, len(game.fixture.seats)
    calza_seats = frozenset(range(players)) if rules.calza else frozenset[int]()
    number, limit = game.record.game, game.fixture.max_rounds
    referee = Referee(rules, players, game.fixture.dice_key, number, calza_seats, max_rounds=limit)
    for moment in moments(game.record.events):
        yield len(referee.events), referee._now, referee._hands
        feed(referee, moment)


@each_game
@given(driven_games())
def test_the_table_is_the_referees_at_every_event(game: Driven) -> None:
    for count, now, hands in referee_tables(game):
        *_, last = walk(replace(game.record, events=game.record.events[:count]), game.rules)
        assert (last.now, last.hands) == (now, hands)
        assert (last.dice, last.wild) == (sum(now.standing.dice), now.standing.wild)


@each_game
@given(driven_games())
def test_rounds_hold_every_event_at_its_place(game: Driven) -> None:
    rounds = list(walk(game.record, game.rules, game.fixture.max_rounds))
    assert [event for one in rounds for event in events_of(one)] == list(game.record.events)
    for one in rounds:
        assert isinstance(game.record.events[one.step], RoundStarted)
        actions: list[BidMade | CallMade] = [*one.bids]
        for event in [*actions, one.call] if one.call else actions:
            assert game.record.events[one.step_of(event)] is event
    after = rounds[-1].after
    assert after.winner is not None or len(rounds) == game.fixture.max_rounds
    assert after.dice[game.record.places.index(1)] == max(after.dice)


def events_of(one: PlayedRound) -> list[Event]:
    standing = one.now.standing
    start = RoundStarted(one.number, standing.opener, standing.palifico_seat, one.hands)
    return [start, *one.bids, *([one.call] if one.call else []), *one.faults]


# ---------------------------------------------------------------- rule switches

CHANGED: dict[str, tuple[Rules, Rules]] = {
    name: (book, replace(book, **{name: value}))
    for name, book, value in [
        ("palifico_with_two_left", BGA, False),
        ("palifico_once", BGA, False),
        ("veteran_may_raise_face", PRESSMAN, False),
        ("raise_to_lower_face", PRESSMAN, False),
        ("raise_quantity_and_face", PRESSMAN, False),
        ("starting_dice", BGA, 4),
    ]
}


def played(rules: Rules) -> list[GameRecord]:
    calza = replace(rules, calza=True)
    return [games.play(calza, 4, f"seed {number}", number) for number in range(40)]


@pytest.mark.parametrize("switch", CHANGED)
def test_statistics_and_replays_follow_a_changed_switch(switch: str) -> None:
    book, changed = (replace(rules, calza=True) for rules in CHANGED[switch])
    one = games.fixture(0, "house", changed, SEATS, 20)
    summary = summarize_fixture(one, changed)
    for record, result in zip(one.games, summary.games, strict=True):
        told = replay(record, SEATS, changed)
        assert len(told.steps) == len(record.events) + 1
        assert len(told.rounds) == result.rounds
    assert any(is_forbidden(record, book) for record in played(changed)) or any(
        is_forbidden(record, changed) for record in played(book)
    )


def is_forbidden(record: GameRecord, rules: Rules) -> bool:
    try:
        list(walk(record, replace(rules, calza=True)))
    except ForbiddenEventError:
        return True
    return False


# ---------------------------------------------------------------- forbidden events


@each_game
@given(driven_games(), st.integers(0, 2**32))
def test_a_changed_event_is_forbidden_or_could_have_been(game: Driven, seed: int) -> None:
    record = tampered(game.record, Random(seed))
    with suppress(ForbiddenEventError):
        rounds = list(walk(record, game.rules))
        assert [event for one in rounds for event in events_of(one)] == list(record.events)


DICE = ((1, 2, 3, 4, 5), (2, 2, 3, 4, 6))
START = RoundStarted(0, 0, None, DICE)
BID = BidMade(0, 3, 2)
DUDO = CallMade(1, "dudo", 4, 1, None)
CRASH = Faulted(0, Cause.CRASH, "")


@pytest.mark.parametrize(
    ("at", "events"),
    [
        (0, [BID]),
        (0, [CRASH]),
        (0, [replace(START, number=1)]),
        (0, [replace(START, opener=2)]),
        (0, [replace(START, palifico_seat=0)]),
        (0, [replace(START, dice=DICE[:1])]),
        (1, [START, START]),
        (1, [START, DUDO]),
        (1, [START, replace(BID, seat=1)]),
        (1, [START, replace(BID, face=1)]),
        (1, [START, replace(BID, quantity=11)]),
        (2, [START, BID, replace(BID, seat=1)]),
        (2, [START, BID, replace(DUDO, seat=0)]),
        (2, [START, BID, replace(DUDO, count=3)]),
        (2, [START, BID, replace(DUDO, loser=0)]),
        (2, [START, BID, replace(DUDO, call="calza")]),
        (2, [START, BID, replace(DUDO, rivals=(0,))]),
        (3, [START, BID, DUDO, CRASH]),
        (3, [START, BID, DUDO, replace(START, number=1)]),
        (1, [START, replace(CRASH, seat=2)]),
        (2, [START, CRASH, CRASH]),
        (2, [START, CRASH, replace(START, number=1)]),
    ],
)
def test_an_event_that_the_rules_forbid_ends_the_walk(at: int, events: list[Any]) -> None:
    with pytest.raises(ForbiddenEventError, match="the rules forbid") as caught:
        list(walk(GameRecord(7, (1, 2), events), BGA))
    assert caught.value.where == f"game 7, event {at}"


@pytest.mark.parametrize("book", VARIANTS)
def test_an_unfinished_game_is_walked_as_far_as_it_goes(book: str) -> None:
    record = games.play(variant(book, {}), 3, "seed", 0)
    for count in range(len(record.events)):
        rounds = list(walk(replace(record, events=record.events[:count]), VARIANTS[book]))
        assert sum(len(events_of(one)) for one in rounds) == count
