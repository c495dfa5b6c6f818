"""What a door answers over HTTP: the types that it writes and `arena submit` reads.

Times are RFC 3339 texts in UTC, ages seconds.
"""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from arena.io.times import stamp
from arena.ladder.book.tables import Action, Kind, Progress, State, Upload
from arena.ladder.quota import MOST, Allowance

MIME = "application/problem+json"
"""The media type of a `Problem`."""


class Problem(Struct, frozen=True, kw_only=True):
    """Why a request was refused (RFC 9457): what is wrong, where, and how to mend it."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    what: str
    where: str
    hint: str


class Health(Struct, frozen=True, kw_only=True):
    """Whether the door and the ladder are up."""

    door: str
    ladder: str
    """`running` or `down`: submissions are taken all the same."""
    queue: int
    oldest: float | None
    """The age of the submission that has waited longest."""


class RatingInfo(Struct, frozen=True, kw_only=True):
    """How a version stands at the tables of a variant and a size, as it was published."""

    variant: str
    players: int
    games: int
    rank: int
    best: int
    worst: int
    of: int
    """Bots at these tables."""
    page: str


class VersionInfo(Struct, frozen=True, kw_only=True):
    """How a version is."""

    version: str
    """`name@number`."""
    bot: str
    number: int
    author: str
    state: State
    why: str
    since: str
    received_at: str
    sha256: str
    """Of the bytes as they came."""
    place: int | None
    """How many checks come before its own; None if it waits for none."""
    oldest: float | None
    """The age of the submission that has waited longest."""
    running: bool
    """Whether a ladder runs: without it, nothing is checked."""
    check: Progress | None
    """How far its check is; None if none goes on."""
    ratings: Sequence[RatingInfo]


class LogLine(Struct, frozen=True, kw_only=True):
    """A line of the log of a version."""

    n: int
    at: str
    text: str


class Left(Struct, frozen=True, kw_only=True):
    """What an author may still submit."""

    left: int
    of: int
    """In any 24 hours."""
    frees_at: str | None
    """When the next submission is free again."""
    blocked_until: str | None
    """Until when nothing may be submitted."""


class Receipt(Struct, frozen=True, kw_only=True):
    """A submission that is on the disk to stay."""

    version: str
    sha256: str
    bytes: int
    received_at: str
    new: bool
    """False if the same bytes had been received before."""
    quota: Left


class MyVersion(Struct, frozen=True, kw_only=True):
    """One of the versions of whoever asks."""

    version: str
    state: State
    why: str


class Me(Struct, frozen=True, kw_only=True):
    """Who asks, and what they may do."""

    author: str
    administrates: bool
    quota: Left
    versions: Sequence[MyVersion]


class Playing(Struct, frozen=True, kw_only=True):
    """A version that plays."""

    version: str
    author: str
    state: State


class LadderInfo(Struct, frozen=True, kw_only=True):
    """How the ladder is, for everybody."""

    name: str
    running: bool
    season: int | None
    tables: Sequence[Kind]
    """How far each kind of table is."""
    states: dict[State, int]
    """How many versions are in each state."""
    queue: int
    oldest: float | None
    playing: Sequence[Playing]


class OrderRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What an administrator asks the ladder to do."""

    what: Action
    version: str = ""
    """`name@number`; "" for what is about no version."""
    why: str = ""
    author: str = ""
    """Whose quota is changed."""
    uploads: Annotated[int, Meta(ge=1, le=MOST)] | None = None
    """The new quota: submissions in 24 hours."""


class OrderReceipt(Struct, frozen=True, kw_only=True):
    """An order that the ladder will carry out and answer in its log."""

    order: int


def left_of(found: Allowance) -> Left:
    """Return what an author may still submit."""
    return Left(
        left=found.left,
        of=found.of,
        frees_at=_stamp(found.frees_at),
        blocked_until=_stamp(found.blocked_until),
    )


def receipt_of(upload: Upload, new: bool, left: Allowance) -> Receipt:
    """Return what is said of a submission that is on the disk."""
    return Receipt(
        version=upload.version,
        sha256=upload.sha256,
        bytes=upload.bytes,
        received_at=stamp(upload.received_at),
        new=new,
        quota=left_of(left),
    )


def _stamp(at: float | None) -> str | None:
    return None if at is None else stamp(at)
