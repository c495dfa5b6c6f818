"""Play recorded games again, from their actions or with live bots: the records must be the same."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

import msgspec
from msgspec import Struct

from arena.bots.bot import StagedBot
from arena.bots.sandboxes.base import Sandbox
from arena.game.records import (
    BidMade,
    CallMade,
    Event,
    Fault,
    Faulted,
    Fixture,
    GameRecord,
    LimitsInfo,
    PlayedFixture,
    RoundStarted,
)
from arena.game.referee import Referee
from arena.game.rules.books import Rules
from arena.game.wire.messages import Answer
from arena.league.table.transcript import OfGame, conversation


class ReplayError(Exception):
    """A record whose actions do not make a game; the message says where."""


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

    The record does not say who asked for calza: whoever might call it is offered it, and passes.
    """
    players = len(fixture.seats)
    calza_seats = frozenset(range(players)) if rules.calza else frozenset[int]()
    return Referee(
        *(rules, players, fixture.dice_key, game, calza_seats), max_rounds=fixture.max_rounds
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
    """Return what the waiting seats answered for a bid or a call to happen; it may be later."""
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
    return {e.seat: Fault(e.cause, e.detail) for e in moment if isinstance(e, Faulted)}


def callers(action: Event) -> tuple[int, ...]:
    """Return the seats that called calza in an action."""
    if isinstance(action, CallMade) and action.call == "calza":
        return action.seat, *action.rivals
    return ()


def _take(referee: Referee, answers: Mapping[int, Answer]) -> None:
    for seat, answer in answers.items():
        referee.take(seat, answer)


class Difference(Struct, frozen=True):
    """The first difference of a game; events are in their stored form, "" for a missing one."""

    game: int
    step: int
    """The first event that differs, from 0."""
    stored: str
    now: str


class Rerun(Struct, frozen=True):
    """The result of playing a fixture again."""

    fixture: int
    """Its place in the schedule, from 0."""
    seats: tuple[str, ...]
    games: int
    """Games that were compared."""
    differences: list[Difference]
    transcript: list[str]
    """The conversation of the one game asked for, with the starts of its bots."""


def rerun(
    stored: PlayedFixture,
    rules: Rules,
    bots: Sequence[StagedBot],
    sandbox: Sandbox,
    limits: LimitsInfo,
    game: int | None = None,
) -> Rerun:
    """Play all games of a fixture again on the same dice; `bots` are in the order of its seats.

    With `game`, which must be among those stored, only that game is compared, and its conversation
    is returned.
    """
    wanted = (lambda _: False) if game is None else OfGame(game)
    played, lines, _ = conversation(stored.fixture, rules, bots, sandbox, limits, wanted)
    records = {record.game: record for record in played.games}
    compared = [record for record in stored.games if game in (None, record.game)]
    differences = (difference(record, records[record.game]) for record in compared)
    return Rerun(
        fixture=stored.fixture.index,
        seats=stored.fixture.seats,
        games=len(compared),
        differences=[found for found in differences if found],
        transcript=[str(line) for line in lines],
    )


def difference(stored: GameRecord, now: GameRecord) -> Difference | None:
    """Return the first difference of two records of a game, None if they are the same."""
    for step, (old, new) in enumerate(zip_longest(stored.events, now.events)):
        if old != new:
            return Difference(stored.game, step, _json(old), _json(new))
    return None


def _json(event: Event | None) -> str:
    return "" if event is None else msgspec.json.encode(event).decode()
