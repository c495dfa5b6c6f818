"""What must be so after an attack."""

import json
from collections.abc import Sequence

from arena.match.replay import replay
from arena.records import Event, Faulted, GameRecord
from tests.hostile.attack import RULES, SEAT, Attack
from tests.hostile.leftovers import end_all, marked_processes, wait_until_gone
from tests.hostile.misbehaviours import WAYS, Outcome

_ENDING = 2.0
"""Seconds that the arena gives a bot to go."""


def check(attack: Attack) -> None:
    """Check all that is known to follow; whatever stayed is ended."""
    outcome = WAYS[attack.way].outcome(attack.sandbox)
    try:
        check_games(attack, outcome)
        check_attempt(attack, outcome)
        check_time(attack)
        check_leftovers(attack, outcome)
    finally:
        end_all(attack.mark)


def check_games(attack: Attack, outcome: Outcome) -> None:
    """The hostile bot lost as it must, and only that; the honest ones played valid games."""
    played = attack.played
    assert len(played.games) == played.fixture.games
    for record in played.games:
        assert replay(played.fixture, RULES, record) == record
        assert sorted(record.places) == [1, 2, 3]
        _check_faults(record, outcome)


def check_attempt(attack: Attack, outcome: Outcome) -> None:
    """The bot tried and, where that was not its end, what it managed is what is not promised."""
    if WAYS[attack.way].attempt and outcome.cause is None:
        managed = json.loads(attack.played.stderr[SEAT])["managed"]
        assert bool(managed) == outcome.works, managed


def check_time(attack: Attack) -> None:
    """Nobody kept the table waiting for longer than the limits allow."""
    limits, played = WAYS[attack.way].limits, attack.played
    in_play = played.decisions * limits.answer + len(played.games) * _ENDING
    assert played.seconds <= in_play
    starts_and_end = len(played.games) * limits.start + len(played.fixture.seats) * _ENDING
    assert attack.seconds <= in_play + starts_and_end


def check_leftovers(attack: Attack, outcome: Outcome) -> None:
    """No process, file, descriptor or dead child is left, but for what is known to stay."""
    assert attack.left == []
    if outcome.stays:
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
