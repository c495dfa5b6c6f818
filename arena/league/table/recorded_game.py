"""Recorded games: played again from their actions, and as the requests that each seat got."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count, zip_longest
from textwrap import shorten

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import (
    BidMade,
    CallMade,
    Event,
    Fault,
    Faulted,
    Fixture,
    GameRecord,
    LimitsInfo,
    RoundStarted,
)
from arena.game.referee import Notice, Referee
from arena.game.rules.books import Rules
from arena.game.wire.messages import Answer, Hello
from arena.league.table.live_seat import Request, hello_to


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


_SHOWN = 120
"""Letters of an event that are shown: a fault may say much."""


def difference(fixture: Fixture, rules: Rules, record: GameRecord) -> str:
    """Return, in words, the first event of a record that is another one when it is replayed."""
    referee = referee_of(fixture, rules, record.game)
    with suppress(ReplayError, LookupError, ValueError, TypeError):
        for moment in moments(record.events):
            feed(referee, moment)
    for number, (now, then) in enumerate(zip_longest(referee.events, record.events)):
        if now != then:
            return f"event {number} is {_shown(now)}, not {_shown(then)}"
    return "its places are other ones"


def _shown(event: Event | None) -> str:
    return shorten(repr(event), _SHOWN) if event else "missing"


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


Reply = Answer | Fault


class SeatMoment(Struct, frozen=True):
    """A moment of a game: the notices that a seat gets, then its request."""

    news: tuple[Notice, ...]
    request: Request | None
    """None at the end of the game."""
    answer: Reply | None
    """The seat's own; None if it is unknown, because another seat faulted in that moment."""
    illegal: Callable[[Answer], Fault | None]
    """Returns the fault that an answer to the request would be; holds until the next moment."""
    step: int
    """The place of the next event in the game, from 0."""


class StoredSeat(Struct, frozen=True):
    """A seat in some games of a stored fixture."""

    fixture: Fixture
    rules: Rules
    limits: LimitsInfo
    """The limits that `hello` tells."""
    games: Sequence[GameRecord]
    seat: int
    models: bool = False
    """Whether the bot that is asked may ask language models."""

    @property
    def hello(self) -> Hello:
        """The `hello` of the seat's bot."""
        return hello_to(self.seat, self.fixture, self.rules, self.limits, models=self.models)

    def moments(self) -> Iterator[SeatMoment]:
        """Yield its moments in all games; raises ReplayError."""
        for record in self.games:
            yield from seat_moments(self.fixture, self.rules, record, self.seat)


def seat_moments(
    fixture: Fixture, rules: Rules, record: GameRecord, seat: int
) -> Iterator[SeatMoment]:
    """Yield a seat's notices and requests in a recorded game, last the notices of its end.

    The requests are those that the seat got. Only where calza is played do their ids differ, and
    the seat may not have got all offers: the record does not say which bots asked for calza, so
    every seat that may call it is offered it, and passes. A fault of the seat on turn counts for
    its turn, not for an offer of calza, unless the fault's detail names calza. A seat that opens
    the game and has no bot faults at its first turn. Raises ReplayError if the actions make no
    game.
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
            yield from _requested(referee, seat, _to_offers(referee, events), ids, step)
            if _is_of_turn(referee, events):
                _pass(referee)
        if not referee.offering:
            yield from _requested(referee, seat, _to_turn(referee, events), ids, step)
        feed(referee, events)
        step += len(events)
    if referee.waiting:
        raise ReplayError(f"game {record.game} has no end")
    yield SeatMoment(tuple(referee.notices), None, None, lambda _: None, len(record.events))


def _requested(
    referee: Referee,
    seat: int,
    answers: Mapping[int, Reply | None],
    ids: Iterator[int],
    step: int,
) -> Iterator[SeatMoment]:
    """Yield a seat's request, if it has one in this moment; `answers` has all seats that do."""
    for requested, answer in answers.items():
        id_ = next(ids)
        if requested == seat:
            request = referee.request(seat, id_)
            # The referee goes on to write to its list of bids.
            request = replace(request, bids=tuple(request.bids))
            news = tuple(referee.notices)
            referee.notices.clear()
            yield SeatMoment(
                news, request, answer, lambda given: referee.illegal(seat, given), step
            )


def _is_of_turn(referee: Referee, events: Sequence[Event]) -> bool:
    """Return whether the seat on turn acts or faults, so that no seat called calza before."""
    faults = faults_of(events)
    if not faults:
        return not callers(events[0])
    named = any("calza" in fault.detail for fault in faults.values())
    return faults.keys() == {referee.to_act} and not named


def _to_offers(referee: Referee, events: Sequence[Event]) -> dict[int, Reply | None]:
    """Return the answers to the offers of calza, by seat."""
    faults = faults_of(events)
    if faults and not _is_of_turn(referee, events):
        return {seat: faults.get(seat) for seat in referee.waiting}
    return {**replies(referee, events[0])}


def _to_turn(referee: Referee, events: Sequence[Event]) -> dict[int, Reply | None]:
    """Return the answer of the seat on turn, by seat; empty if it got no request."""
    faults = faults_of(events)
    if not faults:
        return {**replies(referee, events[0])}
    # Other faults are those of seats without a bot, before anything was asked.
    return {**faults} if faults.keys() == {referee.to_act} else {}


def _pass(referee: Referee) -> None:
    for seat in referee.waiting:
        referee.take(seat, Answer(id=0, action="pass"))
