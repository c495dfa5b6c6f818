"""Play a recorded game again from its seed and its actions: the record must be the same."""

from collections.abc import Sequence

from arena.match.referee import Referee
from arena.perudo.rules import Rules
from arena.records import (
    BidMade,
    CallMade,
    Event,
    Fault,
    Faulted,
    Fixture,
    GameRecord,
    RoundStarted,
)
from arena.wire.messages import Answer


class ReplayError(Exception):
    """A record whose actions do not make a game; the message says where."""


def replay(fixture: Fixture, rules: Rules, record: GameRecord) -> GameRecord:
    """Return the record that the recorded actions make on the fixture's dice.

    It equals `record` unless the record, the seed or the rules were changed since. Raises
    ReplayError if an action is missing or left over.
    """
    players = len(fixture.seats)
    calza_seats = frozenset(range(players)) if rules.calza else frozenset[int]()
    referee = Referee(rules, players, fixture.dice_key, record.game, calza_seats)
    for moment in moments(record.events):
        if not referee.waiting:
            raise ReplayError(f"game {record.game} goes on after its end")
        feed(referee, moment)
    if referee.waiting:
        raise ReplayError(f"game {record.game} has no end")
    return referee.record


def moments(events: Sequence[Event]) -> list[list[Event]]:
    """Group actions by moment: only faults can share one, and a round starts after them."""
    groups: list[list[Event]] = []
    last: Event | None = None
    for event in events:
        if isinstance(event, Faulted) and isinstance(last, Faulted):
            groups[-1].append(event)
        elif not isinstance(event, RoundStarted):
            groups.append([event])
        last = event
    return groups


def feed(referee: Referee, moment: Sequence[Event]) -> None:
    """Take the actions of one moment."""
    action = moment[0]
    if isinstance(action, Faulted):
        _feed_faults(referee, moment)
        return
    callers: tuple[int, ...] = ()
    turn = Answer(id=0, action="dudo")
    if isinstance(action, BidMade):
        turn = Answer(id=0, action="bid", quantity=action.quantity, face=action.face)
    elif isinstance(action, CallMade) and action.call == "calza":
        callers = (action.seat, *action.rivals)
    for seat in referee.waiting if referee.offering else ():
        referee.take(seat, Answer(id=0, action="calza" if seat in callers else "pass"))
    for seat in referee.waiting if not callers else ():
        referee.take(seat, turn)


def _feed_faults(referee: Referee, moment: Sequence[Event]) -> None:
    faults = {e.seat: Fault(e.cause, e.detail) for e in moment if isinstance(e, Faulted)}
    gone = faults.keys() - referee.alive
    if gone:
        raise ReplayError(f"game {referee.game}: seat {min(gone)} is not there to fault")
    referee.forfeit(faults)
