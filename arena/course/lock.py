"""course.lock: what a grading was made of, so that anyone can make it again."""

from pathlib import Path

import msgspec
from msgspec import Struct

from arena.course.points import Share
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


class LockedHandIn(Struct, frozen=True, forbid_unknown_fields=True):
    """The hand-in of a student that counts."""

    file: str
    received: str
    days_late: int
    content: str
    """SHA-256 over what was handed in."""
    bot: str = ""
    """The digest of the bot that plays; "" if it cannot be started."""
    steps: int = 0
    """Steps of the check that it passed."""
    of: int = 1


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
    """Digests of the hand-ins that play in the field."""


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
