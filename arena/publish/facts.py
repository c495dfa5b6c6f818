"""What a site takes from the games themselves: digests of fixtures, added up."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from arena.publish.digest import Digest, FaultEntry
from arena.records import Cause

STDERR_PIECES = 20
"""Fixtures of one bot whose standard error is kept: a bot that always crashes fills no memory."""


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


def gather(digests: Iterable[Digest]) -> Facts:
    """Add digests up."""
    facts = Facts()
    for one in digests:
        _count(facts, one)
        _keep_stderr(facts, one)
        facts.faults.extend(one.faults)
    facts.faults.sort(key=lambda fault: (fault.index, fault.game, fault.seat))
    return facts


def _count(facts: Facts, one: Digest) -> None:
    kind = facts.played.setdefault((one.fixture.variant, len(one.fixture.seats)), Played())
    kind.fixtures += 1
    kind.games += len(one.games)
    kind.decisions += one.decisions
    facts.sandboxes[one.sandbox] += 1
    facts.clocks[one.clock] += 1


def _keep_stderr(facts: Facts, one: Digest) -> None:
    for bot, seat in zip(one.fixture.seats, one.seats, strict=True):
        pieces = facts.stderr.setdefault(bot, {})
        if seat.stderr and len(pieces) < STDERR_PIECES:
            pieces[one.fixture.index] = seat.stderr
