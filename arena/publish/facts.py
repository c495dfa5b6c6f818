"""What a site takes from the games themselves: faults, counts, and what the bots ran in."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from arena.publish.text import tail
from arena.records import Cause, Event, Faulted, GameRecord, PlayedFixture, RoundStarted

STDERR_SHOWN = 4000
"""Characters of standard error kept of a seat that faulted."""
STDERR_PIECES = 20
"""Fixtures of one bot whose standard error is kept: a bot that always crashes fills no memory."""


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


class Played(Struct):
    """How much was played at the tables of one kind."""

    fixtures: int = 0
    games: int = 0
    decisions: int = 0


class Facts(Struct):
    """Everything that the pages say about the games beyond the leaderboards."""

    faults: list[FaultEntry] = field(default_factory=list)
    """In schedule order."""
    stderr: dict[str, dict[int, str]] = field(default_factory=dict)
    """The end of a faulty bot's standard error, by bot and fixture index; never blank."""
    played: dict[tuple[str, int], Played] = field(default_factory=dict)
    """By variant label and table size."""
    sandboxes: Counter[str] = field(default_factory=Counter)
    """Fixtures played in each sandbox."""
    clocks: Counter[str] = field(default_factory=Counter)
    """Fixtures timed by each clock."""

    def total(self) -> Played:
        """Return the sum over all tables."""
        kinds = self.played.values()
        return Played(
            sum(kind.fixtures for kind in kinds),
            sum(kind.games for kind in kinds),
            sum(kind.decisions for kind in kinds),
        )

    def by_cause(self) -> dict[Cause, list[FaultEntry]]:
        """Return the faults of each cause that occurred, in the vocabulary's order."""
        groups = {
            cause: [fault for fault in self.faults if fault.cause == cause] for cause in Cause
        }
        return {cause: faults for cause, faults in groups.items() if faults}


def gather(played: Iterable[PlayedFixture]) -> Facts:
    """Walk the games once; nothing of them is kept but faults and counts."""
    facts = Facts()
    for one in played:
        _count(facts, one)
        for entry in _faults(one):
            facts.faults.append(entry)
            _keep_stderr(facts, one, entry)
    facts.faults.sort(key=lambda fault: (fault.index, fault.game, fault.seat))
    return facts


def _count(facts: Facts, one: PlayedFixture) -> None:
    kind = facts.played.setdefault((one.fixture.variant, len(one.fixture.seats)), Played())
    kind.fixtures += 1
    kind.games += len(one.games)
    kind.decisions += one.decisions
    facts.sandboxes[one.sandbox] += 1
    facts.clocks[one.clock] += 1


def _keep_stderr(facts: Facts, one: PlayedFixture, entry: FaultEntry) -> None:
    text = one.stderr[entry.seat] if entry.seat < len(one.stderr) else ""
    pieces = facts.stderr.setdefault(entry.bot, {})
    if text.strip() and len(pieces) < STDERR_PIECES:
        pieces[entry.index] = tail(text, STDERR_SHOWN)


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
