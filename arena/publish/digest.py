"""All that pages need of a fixture's games: small, and independent of every other fixture."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from arena.perudo.rules import Rules
from arena.publish.text import tail
from arena.records import Cause, Event, Faulted, Fixture, GameRecord, PlayedFixture, RoundStarted

DIGEST_VERSION = 0
"""Goes up whenever the same games may give another digest."""

STDERR_SHOWN = 4000
"""Characters of standard error kept of a seat that faulted."""


class FaultEntry(Struct, frozen=True):
    """One fault and where to find it."""

    cause: Cause
    bot: str
    variant: str
    players: int
    fixture: str
    index: int
    """The fixture's place in the schedule, from 0."""
    game: int
    round: int | None
    """From 0; None where no dice had been rolled yet."""
    step: int
    """The fault's place among the events of its game, from 0."""
    seat: int
    opponents: tuple[str, ...]
    detail: str


class Game(Struct, frozen=True):
    """One game in short."""

    game: int
    places: tuple[int, ...]
    """The finishing place of each seat, 1 is the winner."""
    faulted: tuple[int, ...]
    """The seats that faulted."""


class SeatDigest(Struct, frozen=True):
    """What one seat did in a fixture."""

    stderr: str = ""
    """The end of its standard error, where it faulted; never blank but empty."""


class Digest(Struct, frozen=True):
    """One fixture."""

    fixture: Fixture
    sandbox: str
    clock: str
    decisions: int
    """Answers asked for, over all seats."""
    games: tuple[Game, ...]
    seats: tuple[SeatDigest, ...]
    faults: tuple[FaultEntry, ...] = ()
    """By game, then by step."""


def digest(played: PlayedFixture, rules: Rules) -> Digest:  # noqa: ARG001
    """Walk the games of a fixture, played by `rules`; the same games give the same digest."""
    faults = tuple(_faults(played))
    faulty = {fault.seat for fault in faults}
    seats = range(len(played.fixture.seats))
    return Digest(
        fixture=played.fixture,
        sandbox=played.sandbox,
        clock=played.clock,
        decisions=played.decisions,
        games=tuple(_game(record, faults) for record in played.games),
        seats=tuple(SeatDigest(_stderr(played, seat) if seat in faulty else "") for seat in seats),
        faults=faults,
    )


def _game(record: GameRecord, faults: Sequence[FaultEntry]) -> Game:
    seats = tuple(fault.seat for fault in faults if fault.game == record.game)
    return Game(record.game, record.places, seats)


def _stderr(played: PlayedFixture, seat: int) -> str:
    text = played.stderr[seat] if seat < len(played.stderr) else ""
    return tail(text, STDERR_SHOWN) if text.strip() else ""


def _faults(one: PlayedFixture) -> Iterator[FaultEntry]:
    for game in one.games:
        for step, number, event in _faulted(game.events):
            yield _entry(one, game, step, number, event)


def _faulted(events: Sequence[Event]) -> Iterator[tuple[int, int | None, Faulted]]:
    number = None
    for step, event in enumerate(events):
        if isinstance(event, RoundStarted):
            number = event.number
        elif isinstance(event, Faulted):
            yield step, number, event


def _entry(
    one: PlayedFixture, game: GameRecord, step: int, number: int | None, event: Faulted
) -> FaultEntry:
    seats = one.fixture.seats
    return FaultEntry(
        cause=event.cause,
        bot=seats[event.seat],
        variant=one.fixture.variant,
        players=len(seats),
        fixture=one.fixture.id,
        index=one.fixture.index,
        game=game.game,
        round=number,
        step=step,
        seat=event.seat,
        opponents=seats[: event.seat] + seats[event.seat + 1 :],
        detail=event.detail,
    )
