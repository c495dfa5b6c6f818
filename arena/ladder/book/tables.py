"""The rows of a ladder's two databases, and what their columns hold."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec
from msgspec import Struct

_IN_LOG = 5
"""Faults that the log has."""
_MOST_IN_REASON = 160
"""Characters of each part of a reason: the result has all."""


class State(StrEnum):
    """Where a version stands."""

    QUEUED = "queued"
    CHECKING = "checking"
    REFUSED = "refused"
    AWAITING = "awaiting approval"
    """It passed its check; an administrator must let it play."""
    PROVISIONAL = "provisional"
    """It plays, but has few games yet."""
    RATED = "rated"
    RESTING = "resting"
    """It plays no more; its games count on."""
    STRUCK = "struck"
    """Its games count no more."""


WAITING = frozenset({State.QUEUED, State.CHECKING})
PLAYING = frozenset({State.PROVISIONAL, State.RATED})


class Action(StrEnum):
    """What an administrator may order, and an author of their own versions."""

    APPROVE = "approve"
    REST = "rest"
    RESUME = "resume"
    STRIKE = "strike"
    RECHECK = "recheck"
    WITHDRAW = "withdraw"
    PLAY = "play"
    FORGET = "forget"
    """An author left; `author` is their pseudonym."""
    QUOTA = "quota"
    CLOSE_SEASON = "season close"


ALLOWED = {
    Action.APPROVE: frozenset({State.AWAITING}),
    Action.REST: WAITING | PLAYING | {State.AWAITING},
    Action.RESUME: frozenset({State.RESTING}),
    Action.STRIKE: WAITING | PLAYING | {State.AWAITING, State.RESTING},
    Action.RECHECK: PLAYING | {State.REFUSED, State.AWAITING, State.RESTING},
    Action.WITHDRAW: PLAYING,
    Action.PLAY: frozenset({State.RESTING}),
}
"""From which states an order takes a version elsewhere."""
OF_AUTHORS = frozenset({Action.WITHDRAW, Action.PLAY})
"""What authors may order, of versions that no administrator holds."""


class Author(NamedTuple):
    """Somebody who may submit."""

    name: str
    role: str
    """`author` or `administrator`."""
    since: float


class Upload(NamedTuple):
    """A submission as it was received; a time is in seconds since 1970."""

    id: int
    sha256: str
    """The hash of the bytes as they came, hexadecimal."""
    ending: str
    """`.tar`, `.zip` and so on."""
    author: str
    bot: str
    number: int
    """From 1, within the bot."""
    bytes: int
    received_at: float
    note: str = ""
    """The author's own words on it."""

    @property
    def version(self) -> str:
        """The name of the version."""
        return f"{self.bot}@{self.number}"


class Order(NamedTuple):
    """What an administrator asked for."""

    id: int
    at: float
    who: str
    what: Action
    version: str
    """`name@number`; "" if it is about no version."""
    why: str
    author: str = ""
    """Whose quota it changes; "" if it changes none."""
    uploads: int | None = None
    """The new quota: submissions in 24 hours."""


class Version(NamedTuple):
    """An immutable version of a bot."""

    id: int
    """The id of its upload."""
    bot: str
    number: int
    author: str
    sha256: str
    ending: str
    digest: str
    """SHA-256 of its canonical bytes, which name its file; "" before its first check."""
    received_at: float
    state: State
    since: float
    """When it came to this state."""
    why: str
    note: str = ""
    """The author's own words on it."""
    held: bool = False
    """Whether only an administrator lets it play again."""

    @property
    def name(self) -> str:
        """What it is called at the table."""
        return f"{self.bot}@{self.number}"


def allowed(version: Version, what: Action) -> bool:
    """Tell whether an order is for a version as it is."""
    return version.state in ALLOWED[what] and not (what is Action.PLAY and version.held)


def entered(upload: Upload, state: State, since: float, why: str) -> Version:
    """Return the version that a submission becomes."""
    same = {name: value for name, value in upload._asdict().items() if name in Version._fields}
    return Version(**same, digest="", state=state, since=since, why=why)


class Check(NamedTuple):
    """One try to check a version."""

    version: int
    number: int
    """From 1; the column is `try`."""
    began: float
    lease_until: float
    ended: float | None
    result: bytes | None
    """A `CheckResult` as JSON; None if it did not come to its end."""


class Comparison(NamedTuple):
    """How a version did beside the one before it, on the same dice."""

    version: int
    predecessor: str
    result: bytes
    """A `TwinResult` as JSON."""


class Deed(NamedTuple):
    """What somebody did to an author, by the door or at the terminal: invited, revoked, joined."""

    id: int
    at: float
    who: str
    author: str
    what: str


class Event(NamedTuple):
    """A line of the log."""

    n: int
    at: float
    author: str
    version: str
    text: str
    who: str = ""
    """Who did it; "" for the ladder itself."""
    hash: str = ""
    """Hexadecimal: it follows from the line and from the hash of the one before."""

    @property
    def about(self) -> str:
        """The version or the author that it is about; "" if it is about neither."""
        return self.version or (self.author if self.who else "")

    @property
    def by(self) -> str:
        """Who did it, if they did it to somebody else; "" otherwise."""
        return "" if self.who == self.author else self.who


class DivisionProgress(Struct, frozen=True):
    """How far the games of a division are."""

    variant: str
    players: int
    block: int
    """The last block that was begun, from 1; 0 if none was."""
    asleep: bool
    """Whether nothing is to be played until the field changes."""


class Progress(Struct, frozen=True):
    """How far a check is."""

    version: str
    steps: int
    passed: tuple[str, ...]
    """The names of the steps that are over, in order."""
    trying: str
    """The name of the step that goes on; "" before the first."""


CHECKS = "checks"
"""The fact that has the progress of each check that goes on, as JSON."""


class Health(Struct, frozen=True, kw_only=True):
    """What a ladder notes of itself for its operator."""

    workers: int
    """Workers of this machine; 0 if those of a cluster play."""
    checks: int
    """Checks that may go on at a time."""
    logs: int
    """Bytes that the logs take."""
    logs_cap: int
    """Bytes that they may take."""
    next_publication: float | None
    """When it begins, in seconds since 1970; None if nothing is new."""
    backup_interval: float
    """The age in seconds from which on a backup is overdue."""
    memory: int = 0
    """Bytes of memory of the ladder and of all processes that it began, bots included."""
    errors: int = 0
    """What went wrong since the ladder was started: publications, lacks of the machine."""


ENDED = "ended"
"""The fact that says how the ladder that ran last came to its end, in words for everybody."""
HEALTH = "health"
"""The fact that has the `Health` of a ladder, as JSON."""


class SeasonRow(NamedTuple):
    """A season; `seed` and `root` are known when it is closed."""

    number: int
    opened_at: float
    terms: bytes
    """What decides its games, as JSON."""
    commitment: str
    closed_at: float | None
    seed: str
    root: str


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
    """The seed of these games; "" if there were none."""
    build: str = ""
    stderr: str = ""
    clock: str = ""
    median: float | None = None
    p99: float | None = None
    limit: float = 0.0
    """Seconds that a decision may take."""
    awaited: float | None = None
    """Seconds for which the bot was awaited in all, as far as they are charged."""

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
        return " / ".join(
            part if len(part) <= _MOST_IN_REASON else f"{part[: _MOST_IN_REASON - 1]}…"
            for part in (first.what, first.where, first.hint)
            if part
        )


decoded_check = msgspec.json.Decoder(CheckResult).decode
"""Return a result that is stored as JSON."""
