"""The marks of a course: a pure function of its scheme, its lock and the games."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from arena.course.config import CourseFile
from arena.course.games.baseline_games import Blocks, Decide
from arena.course.games.plan import FIRST, more_blocks, target
from arena.course.games.tables import PER_BLOCK, name_of
from arena.course.lock import Lock, LockedHandIn
from arena.course.points import Part, Share, Total, against, certain, in_field, share_of, total_of

LEGAL, FIELD = "legal", "field"


class Mark(Struct, frozen=True):
    """The mark of a student."""

    parts: dict[str, Part]
    """`legal`, each baseline by its name, `field`."""
    total: Total
    """Without a deduction."""
    days_late: int = 0
    deduction: float = 0.0
    precise: bool = True
    """Whether half of its interval is within the precision; if not, the budget is spent."""

    @property
    def final(self) -> float:
        """What is left after the deduction, 0 at least."""
        return max(0.0, self.total.points - self.deduction)

    @property
    def games(self) -> int:
        """All that were played for it."""
        return sum(part.share.games for part in self.parts.values() if part.share)


def decider(file: CourseFile, shares: Mapping[str, Share]) -> Decide:
    """Return how many blocks of each baseline a hand-in plays, given those that are complete."""
    most = file.budget // PER_BLOCK
    wanted = target(file.precision, file.marks.field)

    def decide(blocks: Blocks) -> Mapping[str, int]:
        if not blocks:
            return dict.fromkeys(file.marks.baselines, min(FIRST, most))
        counts = {name: len(won) for name, won in blocks.items()}
        return more_blocks(counts, baseline_parts(file, shares, blocks), wanted, most)

    return decide


def measure(file: CourseFile) -> Decide:
    """Return how many blocks of each baseline the reference plays."""
    count = -(-file.reference_games // PER_BLOCK)
    return lambda _: dict.fromkeys(file.marks.baselines, count)


def baseline_parts(
    file: CourseFile, shares: Mapping[str, Share], blocks: Blocks
) -> dict[str, Part]:
    """Return what was won against each baseline is worth."""
    return {
        name: against(
            share_of(won, PER_BLOCK), shares[name].share, file.marks.baselines[name].points
        )
        for name, won in blocks.items()
        if won
    }


def mark_of(
    file: CourseFile,
    lock: Lock,
    hand_in: LockedHandIn | None,
    blocks: Blocks,
    field: Mapping[str, Sequence[tuple[int, int]]],
) -> Mark:
    """Return the mark of a hand-in; None stands for a student who handed nothing in."""
    steps = hand_in.steps / hand_in.of if hand_in else 0.0
    parts = {LEGAL: certain(file.marks.legal * steps, file.marks.legal)} if file.marks.legal else {}
    parts |= {
        name: certain(0.0, baseline.points) for name, baseline in file.marks.baselines.items()
    }
    parts |= baseline_parts(file, lock.shares, blocks)
    if file.marks.field:
        tables = field.get(name_of(hand_in.bot)) if hand_in and hand_in.bot else None
        parts[FIELD] = (
            in_field(tables, file.marks.field) if tables else certain(0.0, file.marks.field)
        )
    total = total_of(parts)
    days = hand_in.days_late if hand_in else 0
    precise = total.half_width <= file.precision
    return Mark(parts, total, days, days * file.late.points_per_day, precise)
