"""Play a recorded game again from its seed and its actions: it must come out the same."""

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
    ReplayError where an action is missing or left over.
    """
    players = len(fixture.seats)
    takers = frozenset(range(players)) if rules.calza else frozenset[int]()
    referee = Referee(rules, players, fixture.seed, record.game, takers)
    events = record.events
    at = 0
    while referee.waiting:
        if at == len(events):
            raise ReplayError(f"game {record.game} has no end")
        # Rounds are the referee's own doing; but what stands on either side of one was done apart.
        skip = isinstance(events[at], RoundStarted)
        at += 1 if skip else _feed(referee, events[at:])
    if at < len(events):
        raise ReplayError(f"game {record.game} goes on after its end")
    return referee.record


def _feed(referee: Referee, actions: Sequence[Event]) -> int:
    """Do what was done next; returns how many recorded actions that was."""
    action = actions[0]
    if isinstance(action, Faulted):
        return _feed_faults(referee, actions)
    callers = _calza_callers(action)
    for seat in referee.waiting if referee.offering else ():
        referee.take(seat, Answer(id=0, action="calza" if seat in callers else "pass"))
    if callers:
        return 1
    return _feed_turn(referee, action)


def _calza_callers(action: Event) -> tuple[int, ...]:
    if isinstance(action, CallMade) and action.call == "calza":
        return action.seat, *action.rivals
    return ()


def _feed_turn(referee: Referee, action: Event) -> int:
    for seat in referee.waiting:
        if isinstance(action, BidMade):
            bid = Answer(id=0, action="bid", quantity=action.quantity, face=action.face)
            referee.take(seat, bid)
        else:
            referee.take(seat, Answer(id=0, action="dudo"))
    return 1


def _feed_faults(referee: Referee, actions: Sequence[Event]) -> int:
    """Take out all seats that faulted in the same moment."""
    faults: dict[int, Fault] = {}
    for action in actions:
        if not isinstance(action, Faulted):
            break
        faults[action.seat] = Fault(action.cause, action.detail)
    referee.forfeit(faults)
    return len(faults)
