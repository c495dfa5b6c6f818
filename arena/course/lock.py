"""course.lock: what a grading was made of, so that anyone can make it again."""

from pathlib import Path

import msgspec
from msgspec import Struct

from arena.course.by_hand import ByHand
from arena.course.points import GradeKey, Share
from arena.game.records import LimitsInfo
from arena.game.rules.books import Rules
from arena.io.errors import ArenaError
from arena.io.files import read_limited, write_file

LOCK = "course.lock"
_MAX_BYTES = 64 << 20


class GradingTerms(Struct, frozen=True, forbid_unknown_fields=True):
    """What decides the games, and what they are worth."""

    arena: str
    """The version of the arena."""
    seed: str
    sandbox: str
    rules: Rules
    limits: LimitsInfo
    precision: float
    budget: int
    reference_games: int
    scheme: str
    """`marks` and `late` of course.yaml, as JSON."""
    baselines: dict[str, str]
    """The digest of each baseline by its name."""
    reference: str = ""
    """The digest of the reference; "" without baselines."""
    quick: bool = False
    """Whether this was a first look, with another precision than that of course.yaml."""


class Given(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the source of a hand-in comes from that has next to nothing of its own."""

    name: str
    """`kit LANGUAGE`, `sample:NAME` or a folder of `starter`."""
    share: float
    """The share of the hand-in's source that is there, too; names and numbers may differ."""


class LockedHandIn(Struct, frozen=True, forbid_unknown_fields=True):
    """A hand-in of a student that counts, or may count."""

    file: str
    received: str
    """"" if no record says when."""
    days_late: int
    content: str
    """The SHA-256 over all that was handed in."""
    bot: str = ""
    """The digest of the bot that plays; "" if it cannot be started."""
    steps: int = 0
    """Steps of the check that it passed."""
    of: int = 1
    """Steps of the check."""
    program: str = ""
    """The SHA-256 over the program: equal for bots that differ only in their names."""
    deadline: str = ""
    """The student's, with the extension and without the grace, on the clock of `zone`."""
    zone: str = ""
    grace: float = 0.0
    """Minutes after the deadline that still count as on time."""
    extension: str = ""
    """As course.yaml says it; "" for none."""
    free_days: int = 0
    """How many of the days late cost nothing."""
    sign: str = ""
    """The sign by which its owner was found, in words."""
    time_source: str = ""
    """The record that says when it was received, or that it was on time, in words."""
    given: Given | None = None
    """Set if it is what was given out, or a bot that comes with the arena."""
    decides_as: str = ""
    """The bots that everybody has, or the reference, that it decides as, whatever its source is."""


class Lock(Struct, frozen=True, forbid_unknown_fields=True):
    """All that the marks of a grading follow from, besides its games."""

    terms: GradingTerms
    shares: dict[str, Share] = {}
    """The share of games that the reference won against each baseline."""
    hand_ins: dict[str, LockedHandIn] = {}
    """By the id of the student; those who handed in nothing are left out."""
    notes: dict[str, str] = {}
    """By the id of the student: why this hand-in counts, or why none does."""
    struck: list[str] = []
    field: list[str] = []
    """The programs that play in the field."""
    candidates: dict[str, list[LockedHandIn]] = {}
    """By the id of the student: all hand-ins of which the best one counts, if there are several."""
    by_hand: dict[str, list[ByHand]] = {}
    """By the id of the student: the points that the teacher gave."""
    grades: GradeKey | None = None
    """How points became grades."""
    week: str = ""
    """The name of the week; "" in a course of one exercise."""


def bots_of(lock: Lock) -> list[str]:
    """Return the digests of the hand-ins that meet the baselines."""
    each = {id_: lock.candidates.get(id_, [one]) for id_, one in lock.hand_ins.items()}
    bots = (one.bot for id_, more in each.items() if id_ not in lock.struck for one in more)
    return [*dict.fromkeys(filter(None, bots))]


def read_lock(folder: Path) -> Lock | None:
    """Return what is in course.lock; None if nothing was graded yet. Raises ArenaError."""
    path = folder / LOCK
    if not path.exists():
        return None
    try:
        return msgspec.json.decode(read_limited(path, _MAX_BYTES), type=Lock)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "put it back as arena course grade wrote it, or remove it to grade from the start"
        raise ArenaError(f"damaged: {error}", str(path), hint) from None


def write_lock(folder: Path, lock: Lock) -> None:
    """Write course.lock; raises ArenaError if that is not possible."""
    content = msgspec.json.format(msgspec.json.encode(lock, order="deterministic"), indent=1)
    write_file(folder / LOCK, content + b"\n")
