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
    """What decides games, and what they are worth."""

    arena: str
    """Its version."""
    seed: str
    sandbox: str
    rules: Rules
    limits: LimitsInfo
    precision: float
    budget: int
    reference_games: int
    scheme: str
    """`marks` and `late` of course.yaml."""
    baselines: dict[str, str]
    """Digests by name."""
    reference: str = ""
    """Its digest."""
    quick: bool = False
    """Whether the precision is that of a first look, and not that of course.yaml."""


class Given(Struct, frozen=True, forbid_unknown_fields=True):
    """What a hand-in has of its source from, that has next to nothing of its own."""

    name: str
    """`kit LANGUAGE`, `sample:NAME` or a folder in `starter`."""
    share: float
    """Of the source of the hand-in that stands there, too, whatever its names and numbers."""


class LockedHandIn(Struct, frozen=True, forbid_unknown_fields=True):
    """The hand-in of a student that counts."""

    file: str
    received: str
    """"" if no record says when."""
    days_late: int
    content: str
    """SHA-256 over what was handed in."""
    bot: str = ""
    """The digest of the bot that plays; "" if it cannot be started."""
    steps: int = 0
    """Steps of the check that it passed."""
    of: int = 1
    program: str = ""
    """SHA-256 over what plays: bots that differ in what they are called have the same."""
    deadline: str = ""
    """Of the student, with the extension and without the grace, on the clock of its zone."""
    zone: str = ""
    grace: float = 0.0
    """Minutes."""
    extension: str = ""
    """As course.yaml has it; "" for none."""
    free_days: int = 0
    """Of the days late, those that cost nothing."""
    sign: str = ""
    """What in its name says whose it is."""
    time_source: str = ""
    """What says when it was received, or that it was on time."""
    given: Given | None = None
    """Set if it is what was given out, or a bot that came with the arena."""


class Lock(Struct, frozen=True, forbid_unknown_fields=True):
    """All that a grading depends on beside the games."""

    terms: GradingTerms
    shares: dict[str, Share] = {}
    """What the reference reached against each baseline."""
    hand_ins: dict[str, LockedHandIn] = {}
    """By the id of the student, without those who handed nothing in."""
    notes: dict[str, str] = {}
    """By the id of the student: why that hand-in counts, or none."""
    struck: list[str] = []
    field: list[str] = []
    """The programs that play in the field."""
    candidates: dict[str, list[LockedHandIn]] = {}
    """By the id of the student: all hand-ins of which the best one counts, where there are more."""
    by_hand: dict[str, list[ByHand]] = {}
    """By the id of the student: points that the teacher gave."""
    grades: GradeKey | None = None
    """How points became grades."""


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
