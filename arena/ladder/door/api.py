"""What a door answers over HTTP: the types that it writes and `arena submit` reads.

Times are RFC 3339 texts in UTC, ages seconds.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.io.text import stamp
from arena.ladder.book.quota import MOST, Allowance
from arena.ladder.book.shown import LiveRow, Winner
from arena.ladder.book.tables import ALLOWED, Action, DivisionProgress, Progress, State, Upload

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
    why: str
    """Why it is down: how it came to its end, or for how long it has hung; "" while it runs."""
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
    beats_average: float = 0.0
    """The probability of finishing ahead of an average bot of the field."""
    page: str
    """Its table, below the address of the door."""


class VersionInfo(Struct, frozen=True, kw_only=True):
    """How a version is."""

    version: str
    """Its name at the table, `name@number`."""
    bot: str
    number: int
    author: str
    state: State
    why: str
    since: str
    received_at: str
    sha256: str
    """The hash of the bytes as they came, hexadecimal."""
    place: int | None
    """How many checks come before its own; None if it waits for none."""
    oldest: float | None
    """The age of the submission that has waited longest."""
    running: bool
    """Whether a ladder runs: without it, nothing is checked."""
    note: str = ""
    """Its author's own words on it."""
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
    """Submissions in any 24 hours."""
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
    note: str = ""


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
    divisions: Sequence[DivisionProgress]
    """How far each division is."""
    states: dict[State, int]
    """How many versions are in each state."""
    queue: int
    oldest: float | None
    playing: Sequence[Playing]


class GameStep(Struct, frozen=True, kw_only=True):
    """A step of the game that is shown; its dice are shown once its block is played."""

    game: str
    """The id of its fixture."""
    step: int
    """The number of the step, from 1."""
    text: str
    """The step in words."""
    html: str
    """The table, as pages show it."""


class PlayedTable(Struct, frozen=True, kw_only=True):
    """A table that was played to its end."""

    at: str
    variant: str
    players: int
    games: int
    seats: Sequence[Winner]
    """The one with the most wins first."""


class StandingsNews(Struct, frozen=True, kw_only=True):
    """What was played, and of how many games the standings are."""

    season: int
    at: str
    """When the standings were computed."""
    games: int
    """Games in the standings."""
    games_per_minute: int
    """Games of the last minute."""
    recent: Sequence[PlayedTable]
    """What was played last, the newest first."""


class StandingsInfo(StandingsNews, frozen=True, kw_only=True):
    """The standings of the season as it is played, for everybody."""

    rows: Sequence[LiveRow]


class OrderRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What an administrator asks the ladder to do."""

    what: Action
    version: str = ""
    """`name@number`; "" for what is about no version."""
    why: Annotated[str, Meta(max_length=500)] = ""
    author: str = ""
    """Whose quota is changed."""
    uploads: Annotated[int, Meta(ge=1, le=MOST)] | None = None
    """The new quota: submissions in 24 hours."""


ORDER_NEEDS: dict[Action, frozenset[str]] = {
    **dict.fromkeys(ALLOWED, frozenset({"version"})),
    Action.QUOTA: frozenset({"author", "uploads"}),
    Action.CLOSE_SEASON: frozenset(),
}
"""What an order says beside its reason, and nothing else."""


class OrderReceipt(Struct, frozen=True, kw_only=True):
    """An order that the ladder will carry out and answer in its log."""

    order: int


def left_of(allowance: Allowance) -> Left:
    """Return what an author may still submit."""
    return Left(
        left=allowance.left,
        of=allowance.of,
        frees_at=_stamp(allowance.frees_at),
        blocked_until=_stamp(allowance.blocked_until),
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


class Audience(StrEnum):
    """Who may listen to an event of the live feed."""

    EVERYBODY = "everybody"
    AUTHOR = "author"
    """The author of the version, and administrators."""


class LiveEvent(NamedTuple):
    """A kind of event of the live feed."""

    name: str
    """The `event:` line of the server-sent event."""
    payload: type[Struct]
    """What its `data:` line holds, as JSON."""
    audience: Audience
    sent: str
    """When it is sent, for the description of the API."""
    ages: tuple[str, ...] = ()
    """Fields that change with the clock: such a change alone is not sent."""


FEED = (
    LiveEvent("ladder", LadderInfo, Audience.EVERYBODY, "whenever the ladder changes", ("oldest",)),
    LiveEvent("game", GameStep, Audience.EVERYBODY, "at each step of the game that is shown"),
    LiveEvent(
        "standings",
        StandingsNews,
        Audience.EVERYBODY,
        "whenever the standings are computed anew, or a table was played",
    ),
    LiveEvent("log", LogLine, Audience.AUTHOR, "for each line of the log of the version"),
    LiveEvent("version", VersionInfo, Audience.AUTHOR, "whenever the version changes", ("oldest",)),
)
"""Every event that a door sends. `everybody_events` and `author_events` in
`arena/ladder/web/snapshot.py` yield the payloads; what they read belongs in `Snapshot` and in the
key of its `look`, or no reader is woken. Lines of the log are sent as they come."""
EVENTS = {event.name: event for event in FEED}
_EVENT_OF = {event.payload: event for event in FEED}


def events_for(audience: Audience) -> list[LiveEvent]:
    """Return the events that an audience is sent."""
    return [event for event in FEED if event.audience is audience]


def is_news(payload: Struct, before: Struct | None) -> bool:
    """Tell whether an event must be sent, after another of its kind or none."""
    ages = dict.fromkeys(_EVENT_OF[type(payload)].ages)
    return before is None or replace(payload, **ages) != replace(before, **ages)


def sent_event(payload: Struct, number: int | None = None) -> bytes:
    """Return an event as it is sent; a reader that comes again asks for those after `number`."""
    head = f"id: {number}\n" if number else ""
    name = _EVENT_OF[type(payload)].name
    return f"{head}event: {name}\ndata: ".encode() + msgspec.json.encode(payload) + b"\n\n"
