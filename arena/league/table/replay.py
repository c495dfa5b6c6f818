"""Play recorded games again from their actions: the records must be the same."""

from collections.abc import Mapping, Sequence

from arena.game.records import (
    BidMade,
    CallMade,
    Event,
    Fault,
    Faulted,
    Fixture,
    GameRecord,
    RoundStarted,
)
from arena.game.referee import Referee
from arena.game.rules.books import Rules
from arena.game.wire.messages import Answer


class ReplayError(Exception):
    """The actions of a record do not make a game; the message says where."""


def replay(fixture: Fixture, rules: Rules, record: GameRecord) -> GameRecord:
    """Return the record that the recorded actions make on the fixture's dice.

    It equals `record` unless the record, the seed or the rules were changed since. Raises
    ReplayError if an action is missing or left over.
    """
    referee = referee_of(fixture, rules, record.game)
    for moment in moments(record.events):
        if not referee.waiting:
            raise ReplayError(f"game {record.game} goes on after its end")
        feed(referee, moment)
    if referee.waiting:
        raise ReplayError(f"game {record.game} has no end")
    return referee.record


def referee_of(fixture: Fixture, rules: Rules, game: int) -> Referee:
    """Return the referee of a recorded game, at its beginning.

    The record does not say which bots asked for calza: every seat that may call it is offered it.
    """
    players = len(fixture.seats)
    return Referee(
        rules,
        players,
        fixture.dice_key,
        game,
        calza_seats=frozenset(range(players)) if rules.calza else frozenset(),
        max_rounds=fixture.max_rounds,
    )


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
    if isinstance(moment[0], Faulted):
        faults = faults_of(moment)
        if gone := faults.keys() - referee.alive:
            raise ReplayError(f"game {referee.game}: seat {min(gone)} is not there to fault")
        referee.forfeit(faults)
        return
    if referee.offering:
        _take(referee, replies(referee, moment[0]))
    if not callers(moment[0]):
        _take(referee, replies(referee, moment[0]))


def replies(referee: Referee, action: Event) -> dict[int, Answer]:
    """Return the answers of the waiting seats that lead to a bid or a call, now or later."""
    if referee.offering:
        called = callers(action)
        return {
            seat: Answer(id=0, action="calza" if seat in called else "pass")
            for seat in referee.waiting
        }
    turn = Answer(id=0, action="dudo")
    if isinstance(action, BidMade):
        turn = Answer(id=0, action="bid", quantity=action.quantity, face=action.face)
    return dict.fromkeys(referee.waiting, turn)


def faults_of(moment: Sequence[Event]) -> dict[int, Fault]:
    """Return the faults of a moment by seat; none if it is a bid or a call."""
    return {
        event.seat: Fault(event.cause, event.detail)
        for event in moment
        if isinstance(event, Faulted)
    }


def callers(action: Event) -> tuple[int, ...]:
    """Return the seats that called calza in an action."""
    if isinstance(action, CallMade) and action.call == "calza":
        return action.seat, *action.rivals
    return ()


def _take(referee: Referee, answers: Mapping[int, Answer]) -> None:
    for seat, answer in answers.items():
        referee.take(seat, answer)
