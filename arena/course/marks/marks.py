"""The marks of a course: a pure function of its scheme, its lock and the games."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.course.config import FIELD, LEGAL
from arena.course.games.baseline_games import Blocks, Decide
from arena.course.games.plan import FIRST, more_blocks, target
from arena.course.games.tables import PER_BLOCK, name_of
from arena.course.keys import CourseFile
from arena.course.lock import Lock, LockedHandIn
from arena.course.points import Part, Share, Total, against, certain, in_field, share_of, total_of
from arena.course.terms.by_hand import ByHand
from arena.course.terms.grades import Grade, GradeKey, grade_of

NOT_MARKED = "not marked yet"


class Mark(Struct, frozen=True):
    """The mark of a student."""

    parts: dict[str, Part]
    """`legal`, each baseline by its name, `field`, those that the teacher marks by their names."""
    total: Total
    """Without a deduction."""
    days_late: int = 0
    free_days: int = 0
    """Of these, those that cost nothing."""
    deduction: float = 0.0
    precise: bool = True
    """Whether half of its interval is within the precision; if not, the budget is spent."""
    added: list[ByHand] = []
    """What the teacher gave or took, each with a reason; it is added last."""
    grade: Grade | None = None
    """None if the course has no grades."""
    reasons: dict[str, str] = {}
    """The teacher's, by the part that was marked by hand."""

    @property
    def by_hand(self) -> float:
        """The points that were added last."""
        return sum(entry.points for entry in self.added)

    @property
    def final(self) -> float:
        """What is left after the deduction and with what was added, 0 at least."""
        return self._final(self.total.points)

    @property
    def high(self) -> float:
        """What the upper end of the interval comes to."""
        return self._final(self.total.high)

    def _final(self, points: float) -> float:
        return max(0.0, points - self.deduction + self.by_hand)

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
    by_hand: Sequence[ByHand] = (),
) -> Mark:
    """Return the mark of a hand-in; None stands for a student who handed nothing in."""
    marks = file.marks
    steps = hand_in.steps / hand_in.of if hand_in else 0.0
    parts = {LEGAL: certain(marks.legal * steps, marks.legal)} if marks.legal else {}
    parts |= {name: certain(0.0, baseline.points) for name, baseline in marks.baselines.items()}
    parts |= baseline_parts(file, lock.shares, blocks)
    if marks.field:
        tables = field.get(name_of(hand_in.program)) if hand_in and hand_in.bot else None
        parts[FIELD] = in_field(tables, marks.field) if tables else certain(0.0, marks.field)
    marked = {entry.part: entry for entry in by_hand if entry.part in marks.by_hand}
    parts |= {
        name: certain(marked[name].points if name in marked else 0.0, most)
        for name, most in marks.by_hand.items()
    }
    total = total_of(parts)
    days, free = (hand_in.days_late, hand_in.free_days) if hand_in else (0, 0)
    mark = Mark(
        parts,
        total,
        days,
        free,
        deduction=(days - free) * file.late.points_per_day,
        precise=total.half_width <= file.precision,
        added=[entry for entry in by_hand if entry.part not in marks.by_hand],
        reasons={
            name: marked[name].reason if name in marked else NOT_MARKED for name in marks.by_hand
        },
    )
    return _with_grade(mark, lock.grades)


def _with_grade(mark: Mark, key: GradeKey | None) -> Mark:
    return replace(mark, grade=grade_of(key, mark.final, mark.high)) if key else mark
