"""Recorded games stepped through the environment."""

import numpy as np
import pytest
from hypothesis import given
from msgspec.structs import replace

from arena.game.records import BidMade, CallMade
from arena.lab.env import perudo_v0
from arena.league.table.recorded_game import ReplayError, seat_moments
from tests.league.table.driver import Driven, driven_games
from tests.support import records
from tests.support.sampling import random


@given(driven_games())
def test_recorded_game_is_stepped_through(driven: Driven) -> None:
    # Another game than the recorded one is an error.
    fixture, rules, record = driven.fixture, driven.rules, driven.record
    said = []
    for env, action in perudo_v0.recorded(fixture, rules, record):
        seat = env.game.seat
        assert env.observe(env.agent_selection)["action_mask"][action]
        answer = env.table.answer(action)
        if answer["action"] != "pass":
            said.append((seat, *answer.values()))
    bids = [(e.seat, "bid", e.quantity, e.face) for e in record.events if isinstance(e, BidMade)]
    assert [one for one in said if one[1] == "bid"] == bids


@given(driven_games(some_fault=False))
def test_requests_of_a_recorded_game_are_those_that_its_seats_got(driven: Driven) -> None:
    fixture, rules, record = driven.fixture, driven.rules, driven.record
    asked = [list(seat_moments(fixture, rules, record, seat)) for seat in range(len(record.places))]
    got = [[one.request for one in moments if one.request] for moments in asked]
    for env, _ in perudo_v0.recorded(fixture, rules, record):
        request = env.infos[env.agent_selection]["request"]
        expected = got[request.seat].pop(0)
        assert replace(request, id=0) == replace(expected, id=0)
    assert got == [[] for _ in record.places]


@given(driven_games(some_fault=False))
def test_changed_record_is_refused(driven: Driven) -> None:
    events = list(driven.record.events)
    rng = random("changed")
    at = rng.choice([n for n, one in enumerate(events) if isinstance(one, CallMade)])
    for changed in (events[:at], [*events, events[at]]):
        record = replace(driven.record, events=changed)
        with pytest.raises(ReplayError):
            list(perudo_v0.recorded(driven.fixture, driven.rules, record))


def test_arrays_of_a_recorded_game_are_those_of_the_game_itself() -> None:
    env = perudo_v0.raw_env("classic", 3, 2, calza=True, seed=3)
    env.reset()
    rng, seen = random("arrays"), []
    while env.game.seat is not None:
        agent = f"player_{env.game.seat}"
        action = int(rng.choice(np.flatnonzero(env.game.mask)))
        seen.append((env.observe(agent), action))
        env.game.act(action)
    fixture = records.fixture(
        "abc", variant="classic", seed=env.key, max_rounds=env.setting.max_rounds
    )
    again = [
        (env.observe(env.agent_selection), action)
        for env, action in perudo_v0.recorded(fixture, env.setting.rules, env.game.referee.record)
    ]
    np.testing.assert_equal(again, seen)
