"""What must hold after an attack."""

import json
from collections.abc import Sequence

from arena.game.records import Event, Faulted, GameRecord
from arena.league.table.recorded_game import replay
from tests.hostile.attack import RULES, SEAT, Attack
from tests.hostile.leftovers import end_all, marked_processes, wait_until_gone
from tests.hostile.misbehaviours import MISBEHAVIOURS
from tests.hostile.outcomes import Outcome

_EXIT_SECONDS = 2.0
"""How long the arena lets a bot take to exit."""


def check(attack: Attack) -> None:
    """Check the expected outcome; kill whatever survived."""
    outcome = MISBEHAVIOURS[attack.misbehaviour].outcome(attack.sandbox)
    try:
        check_games(attack, outcome)
        check_attempt(attack, outcome)
        check_time(attack)
        check_leftovers(attack, outcome)
    finally:
        end_all(attack.mark)


def check_games(attack: Attack, outcome: Outcome) -> None:
    """Check that the hostile bot lost as expected, and that all games are valid."""
    played = attack.played
    assert len(played.games) == played.fixture.games
    for record in played.games:
        assert replay(played.fixture, RULES, record) == record
        assert sorted(record.places) == [1, 2, 3]
        _check_faults(record, outcome)


def check_attempt(attack: Attack, outcome: Outcome) -> None:
    """Check that a bot that survived its attempt managed only what is not guaranteed."""
    if MISBEHAVIOURS[attack.misbehaviour].attempt and outcome.cause is None:
        managed = json.loads(attack.played.stderr[SEAT])["managed"]
        assert bool(managed) == outcome.works, managed


def check_time(attack: Attack) -> None:
    """Check that no bot made the table wait longer than the limits allow."""
    limits, played = MISBEHAVIOURS[attack.misbehaviour].limits, attack.played
    in_play = played.decisions * limits.answer + len(played.games) * _EXIT_SECONDS
    assert played.seconds <= in_play
    starts_and_end = len(played.games) * limits.start + len(played.fixture.seats) * _EXIT_SECONDS
    assert attack.seconds <= in_play + starts_and_end


def check_leftovers(attack: Attack, outcome: Outcome) -> None:
    """Check that no process, file, descriptor or zombie is left, unless expected."""
    assert attack.leftovers == []
    if outcome.survives:
        assert marked_processes(attack.mark)
    else:
        wait_until_gone(attack.mark)


def _check_faults(record: GameRecord, outcome: Outcome) -> None:
    found = faults(record.events)
    if outcome.cause is None:
        assert found == [], found
        return
    (fault,) = found
    assert (fault.seat, fault.cause) == (SEAT, outcome.cause), fault
    assert outcome.detail in fault.detail, fault
    assert fault.detail.isprintable()
    assert record.places[SEAT] > 1


def faults(events: Sequence[Event]) -> list[Faulted]:
    """Return the faults among a game's events."""
    return [event for event in events if isinstance(event, Faulted)]
