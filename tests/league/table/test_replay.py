"""Random games with and without faults: they end, are ranked strictly, and replay to the byte."""

from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import BidMade, CallMade, Cause, Faulted, GameRecord, RoundStarted
from arena.game.rules.books import VARIANTS
from arena.league.table.recorded_game import ReplayError, replay
from tests.league.table.driver import GONE, SEED, Driven, driven_games, faults, table
from tests.support import records
from tests.support.depth import depth

MANY_DICE = 12

each_game = settings(max_examples=depth(70, 200), deadline=None, database=None)


def again(game: Driven, record: GameRecord | None = None) -> GameRecord:
    return replay(game.fixture, game.rules, record or game.record)


@each_game
@given(driven_games())
def test_every_game_ends_in_a_strict_order(game: Driven) -> None:
    assert sorted(game.record.places) == list(range(1, len(game.fixture.seats) + 1))


@each_game
@given(driven_games())
def test_faulted_seats_are_behind_those_still_in(game: Driven) -> None:
    places = game.record.places
    recorded = {event.seat for event in faults(game.record)}
    for faulted, still_in in game.fault_moments:
        behind = max((places[seat] for seat in still_in), default=0)
        assert all(places[seat] > behind for seat in faulted & recorded)
        assert len(faulted - recorded) <= (not still_in), "only the winner's own fault is left out"


@each_game
@given(driven_games())
def test_a_record_replays_to_itself(game: Driven) -> None:
    assert again(game) == game.record


def test_faults_of_two_moments_are_not_merged() -> None:
    """Two seats that fault one after the other, with nothing but a fresh round in between."""
    for first in range(4):
        for second in set(range(4)) - {first}:
            referee = table(4)
            referee.forfeit({first: GONE})
            referee.forfeit({second: GONE})
            rest = {seat: GONE for seat in range(4) if seat not in (first, second)}
            referee.forfeit(rest)
            fixture = records.fixture("abcd", seed=SEED)
            assert replay(fixture, VARIANTS["bga"], referee.record) == referee.record


# ---------------------------------------------------------------- tampering


def tampered(record: GameRecord, rng: Random) -> GameRecord:
    """Change one thing so that no game can have gone like that.

    To leave out a bid of a void round, say, makes another possible game: nothing can tell them
    apart but what the arena saw.
    """
    events: list[Any] = list(record.events)
    at = rng.randrange(len(events) + 1)
    if at == len(events):
        places = list(record.places)
        one, other = rng.sample(range(len(places)), 2)
        places[one], places[other] = places[other], places[one]
        return replace(record, places=tuple(places))
    kind, chance = type(events[at]), rng.random()
    if kind is CallMade and chance < 0.3:
        del events[at]
    elif kind in (BidMade, CallMade) and chance < 0.5:
        events.insert(at, events[at])
    else:
        events[at] = changed(events[at], rng)
    return replace(record, events=events)


def changed(event: Any, rng: Random) -> Any:
    """Change what the dice or the rules fix; a bid changed to another legal one is another game."""
    if isinstance(event, RoundStarted):
        return _other_die(event, rng)
    fields: dict[str, list[Any]]
    if isinstance(event, BidMade):
        fields = {"seat": [event.seat - 1, event.seat + 1], "quantity": [0, 61], "face": [0, 7]}
    elif isinstance(event, Faulted):
        fields = {"seat": [-1, 99]}
    else:
        fields = {"seat": [event.seat - 1, event.seat + 1], "rivals": [(9, 9)]}
        fields |= {"count": [event.count + 1], "loser": [None, 0, 1], "gainer": [None, 0, 1]}
    field = rng.choice(sorted(fields))
    return replace(event, **{field: rng.choice(fields[field])})


def _other_die(event: RoundStarted, rng: Random) -> RoundStarted:
    seat = rng.choice([seat for seat, hand in enumerate(event.dice) if hand])
    hand = event.dice[seat]
    other = (hand[0] % 6 + 1, *hand[1:])
    return replace(event, dice=(*event.dice[:seat], other, *event.dice[seat + 1 :]))


@each_game
@given(driven_games(), st.integers(0, 2**32))
def test_a_tampered_record_is_detected(game: Driven, seed: int) -> None:
    record = tampered(game.record, Random(seed))
    assume(record != game.record)
    with suppress(ReplayError):
        assert again(game, record) != record


@settings(each_game, max_examples=depth(25, 200))
@given(driven_games(some_fault=False), st.text(max_size=10))
def test_another_seed_is_detected(game: Driven, seed: str) -> None:
    fixture = replace(game.fixture, seed=f"{seed}!")
    # Of a few dice another seed may well roll the same.
    assume(game.rules.starting_dice * len(fixture.seats) >= MANY_DICE)
    with suppress(ReplayError):
        assert replay(fixture, game.rules, game.record) != game.record


# ---------------------------------------------------------------- broken records

FIXTURE = records.fixture("ab", seed=SEED)


def broken(*events: Any) -> GameRecord:
    return GameRecord(0, (1, 2), events)


@pytest.mark.parametrize(
    "record",
    [
        broken(),
        broken(BidMade(0, 1, 2)),
        broken(Faulted(0, Cause.CRASH, ""), Faulted(1, Cause.CRASH, "")),
        broken(Faulted(0, Cause.CRASH, ""), BidMade(1, 1, 2)),
        broken(Faulted(2, Cause.CRASH, "")),
        broken(Faulted(-1, Cause.CRASH, "")),
        broken(CallMade(0, "calza", 1, 0, None)),
    ],
)
def test_a_record_that_makes_no_game_is_refused(record: GameRecord) -> None:
    with suppress(ReplayError):
        assert replay(FIXTURE, VARIANTS["bga"], record) != record
