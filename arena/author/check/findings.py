"""The findings of a check: faults with what was sent and what came back, measurements, advice."""

import re
from collections.abc import Generator

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import LimitsInfo

_NUMBER = re.compile(r"\d+")
LAST_OF_SUBMISSION = 3
"""Up to this step the files are checked; after it, the running bot."""


class Finding(Struct, frozen=True):
    """A fault of a bot: what is wrong, where, and how to mend it."""

    what: str
    where: str = ""
    """A table and a seat, or a file."""
    hint: str = ""
    """The way to mend it; "" if there is nothing to add."""
    sent: tuple[str, ...] = ()
    """The lines that were sent to the bot since its last answer."""
    came: str = ""
    """The line that came back, "" if none did."""
    told: tuple[str, ...] = ()
    """All lines that the process was sent, from `hello` on."""
    stderr: str = ""
    """The end of the standard error of the bot's process."""
    count: int = 1
    """The times it was found; numbers in `what` may have differed."""

    @property
    def kind(self) -> str:
        """The same text for faults that differ by numbers only."""
        return _NUMBER.sub("0", self.what)


Findings = Generator[Finding, None, None]
"""The faults that a step yields; closing it ends what it has started."""


class Grouped:
    """Each kind of fault once, the first of its kind, with how often it was found."""

    def __init__(self) -> None:
        self._by_kind: dict[str, Finding] = {}

    def add(self, finding: Finding) -> None:
        """Count a fault, and keep it if it is the first of its kind."""
        first = self._by_kind.get(finding.kind)
        counted = replace(first, count=first.count + 1) if first else finding
        self._by_kind[finding.kind] = counted

    def findings(self) -> list[Finding]:
        """Return those of all kinds so far."""
        return list(self._by_kind.values())


class StepResult(Struct, frozen=True):
    """The result of one step."""

    number: int
    """The number of the step, from 1."""
    name: str
    about: str
    """The purpose of the step, in a few words."""
    findings: list[Finding]
    note: str = ""
    """Why it was left out, or how much was tried; "" if there is nothing to add."""

    @property
    def ok(self) -> bool:
        """Whether the bot did nothing wrong."""
        return not self.findings


class Measured(Struct, frozen=True):
    """Measurements of a bot, in seconds and bytes; None if it is not known."""

    start: float | None
    """From launch to `ready`, by the wall clock: the longest of all starts."""
    starts: int
    """Processes that were started."""
    starting: float
    """Seconds of the check in which it waited for starts."""
    seconds: float
    """The seconds of the whole check."""
    decisions: int
    """Answers that were timed."""
    clock: str
    """`cpu` or `wall`: how they were timed."""
    median: float | None
    p99: float | None
    longest: float | None
    memory: int | None
    """The most that a process of the bot held at a time."""


class CheckReport(Struct, frozen=True):
    """The result of a check."""

    bot: str
    """Its name, or where it lies if it has none."""
    sandbox: str
    """"" if the check did not come that far."""
    ok: bool
    steps: list[StepResult]
    left: int
    """Steps that were not tried, because of a fault or an interruption."""
    interrupted: bool
    limits: LimitsInfo
    """The time limits of the bot."""
    measured: Measured | None
    advice: list[str]
    """Ways to make the bot faster or safer; no faults."""
    stderr: str
    """The end of the standard error of all its processes."""
    build: str
    """The output of its build, the end."""

    @property
    def refused(self) -> Finding | None:
        """The finding for which the bot cannot be started, in any league; None if it can."""
        if self.steps and self.steps[-1].number <= LAST_OF_SUBMISSION and self.steps[-1].findings:
            return self.steps[-1].findings[0]
        return None
