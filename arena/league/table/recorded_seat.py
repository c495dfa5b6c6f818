"""A recorded game as one of its seats lived it: what it was told and asked, and what it answered.

Another build of a bot can be asked the same, whatever it answers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import Event, Fault, Fixture, GameRecord, RoundStarted
from arena.game.referee import Notice, Referee
from arena.game.rules.books import Rules
from arena.game.wire.messages import Answer, CalzaOffer, Turn
from arena.league.table.replay import (
    ReplayError,
    callers,
    faults_of,
    feed,
    moments,
    referee_of,
    replies,
)

Request = Turn | CalzaOffer
Reply = Answer | Fault


class SeatMoment(Struct, frozen=True):
    """A moment of a game: what the seat hears, then what it is asked."""

    news: tuple[Notice, ...]
    request: Request | None
    """None at the end of the game."""
    answer: Reply | None
    """What it answered; None if nobody knows, because another seat faulted in that moment."""
    illegal: Callable[[Answer], Fault | None]
    """Returns the fault that an answer to the request would be; holds until the next moment."""
    step: int
    """The place of what came of it among the events of the game, from 0."""


def seat_moments(
    fixture: Fixture, rules: Rules, record: GameRecord, seat: int
) -> Iterator[SeatMoment]:
    """Yield what a seat was told and asked in a recorded game, and last what it heard of its end.

    The requests are those that the seat got. Only where calza is played their ids differ, and there
    are offers that it may not have got: the record does not say who asked for calza, so everyone
    who might call it is offered it, and passes. A fault of the seat on turn counts for its turn,
    not for an offer of calza, unless the fault's detail names calza. A seat that opens the game and
    has no bot faults at its first turn. Raises ReplayError if the actions make no game.
    """
    referee = referee_of(fixture, rules, record.game)
    ids = count(1 + record.game, fixture.games)
    step = 0
    for events in moments(record.events):
        while isinstance(record.events[step], RoundStarted):
            step += 1
        if not referee.waiting:
            raise ReplayError(f"game {record.game} goes on after its end")
        if referee.offering:
            yield from _asked(referee, seat, _to_offers(referee, events), ids, step)
            if _is_of_turn(referee, events):
                _pass(referee)
        if not referee.offering:
            yield from _asked(referee, seat, _to_turn(referee, events), ids, step)
        feed(referee, events)
        step += len(events)
    if referee.waiting:
        raise ReplayError(f"game {record.game} has no end")
    yield SeatMoment(tuple(referee.notices), None, None, lambda _: None, len(record.events))


def _asked(
    referee: Referee,
    seat: int,
    answers: Mapping[int, Reply | None],
    ids: Iterator[int],
    step: int,
) -> Iterator[SeatMoment]:
    """Yield what a seat was asked, if it is among those asked at this moment."""
    for asked, answer in answers.items():
        id_ = next(ids)
        if asked == seat:
            request = referee.request(seat, id_)
            # The referee goes on to write to its list of bids.
            request = replace(request, bids=tuple(request.bids))
            news = tuple(referee.notices)
            referee.notices.clear()
            yield SeatMoment(
                news, request, answer, lambda given: referee.illegal(seat, given), step
            )


def _is_of_turn(referee: Referee, events: Sequence[Event]) -> bool:
    """Return whether a moment is of the seat on turn, so that nobody called calza before."""
    faults = faults_of(events)
    if not faults:
        return not callers(events[0])
    named = any("calza" in fault.detail for fault in faults.values())
    return faults.keys() == {referee.to_act} and not named


def _to_offers(referee: Referee, events: Sequence[Event]) -> dict[int, Reply | None]:
    """Return what the seats answered that are offered calza."""
    faults = faults_of(events)
    if faults and not _is_of_turn(referee, events):
        return {seat: faults.get(seat) for seat in referee.waiting}
    return {**replies(referee, events[0])}


def _to_turn(referee: Referee, events: Sequence[Event]) -> dict[int, Reply | None]:
    """Return what the seat on turn answered; empty if it was not asked."""
    faults = faults_of(events)
    if not faults:
        return {**replies(referee, events[0])}
    # Other faults are those of seats without a bot, before anything was asked.
    return {**faults} if faults.keys() == {referee.to_act} else {}


def _pass(referee: Referee) -> None:
    for seat in referee.waiting:
        referee.take(seat, Answer(id=0, action="pass"))
