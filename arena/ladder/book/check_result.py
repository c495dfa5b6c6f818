"""The result of a check, as the book keeps it and its author reads it."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

_IN_LOG = 5
"""Faults that the log has."""
_MOST_IN_REASON = 160
"""Characters of each part of a reason: the result has all."""


class ReportedFault(Struct, frozen=True):
    """A fault of a bot, as its author is told of it."""

    what: str
    where: str = ""
    hint: str = ""
    asked: str = ""
    """The last line that was sent to it."""
    came: str = ""
    """The line that it answered with."""
    stderr: str = ""


class TimedStep(Struct, frozen=True):
    """A step of a check, and how long it took."""

    name: str
    seconds: float


class CheckResult(Struct, frozen=True):
    """The result of a check; times in seconds."""

    ok: bool
    digest: str = ""
    """SHA-256 of the canonical bytes; "" if they could not be read."""
    faults: Sequence[ReportedFault] = ()
    steps: int = 0
    """Steps of `arena check` that it passed."""
    timed: Sequence[TimedStep] = ()
    """The steps that were begun, in order: those that passed, and the one that failed."""
    games: int = 0
    """Games that it played among sample bots."""
    seed: str = ""
    """From which these were drawn; "" if there were none."""
    build: str = ""
    stderr: str = ""
    clock: str = ""
    median: float | None = None
    p99: float | None = None
    limit: float = 0.0
    """For a decision."""
    awaited: float | None = None
    """For how long it was awaited in all, as far as that is charged."""

    @property
    def story(self) -> Iterator[str]:
        """The first faults for the log, with the lines that were asked and answered."""
        for fault in self.faults[:_IN_LOG]:
            yield f"fault: {' / '.join(filter(None, (fault.what, fault.where)))}"
            if fault.asked:
                yield f"asked: {fault.asked}"
            if fault.came:
                yield f"answered: {fault.came}"

    @property
    def reason(self) -> str:
        """The first fault in one line; "" if there is none."""
        if not self.faults:
            return ""
        first = self.faults[0]
        parts = filter(None, (first.what, first.where, first.hint))
        return " / ".join(map(_clipped, parts))


def _clipped(text: str) -> str:
    return text if len(text) <= _MOST_IN_REASON else f"{text[: _MOST_IN_REASON - 1]}…"


decoded = msgspec.json.Decoder(CheckResult).decode
"""Returns a stored result."""
