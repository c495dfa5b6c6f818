"""How often the interval of a mark holds the true one: simulated courses, without bots.

`python -m benchmarks.marks [--courses 200]`.

Every student has a chance to win a game against each baseline and against each other student. The
games are drawn; what is played, shares, intervals and marks come from the functions that grade.
The true mark is what the same chances are worth. A mark at the end of its scale (no points or all
of them against a baseline) has an interval that ends there, and holds the truth more often: marks
are counted with and without those.
"""

import argparse
from typing import NamedTuple

import numpy as np

from arena.course.config import BaselineEntry, CourseFile, MarksEntry
from arena.course.games.baseline_games import Blocks
from arena.course.games.field import GAMES as FIELD_GAMES
from arena.course.games.field import passes
from arena.course.games.tables import PER_BLOCK, SEATS
from arena.course.marks.marks import baseline_parts, decider, measure
from arena.course.shares import FAIR, Share, in_field, share_of, total_of

STUDENTS = 30
BASELINES = {"first": (30.0, 0.95), "second": (30.0, 0.8)}
"""Points, and the reference's chance to win."""
FIELD = 10.0


class Tally(NamedTuple):
    """What was counted of the marks of some courses."""

    held: int
    marks: int
    held_inside: int
    inside: int
    games: int
    precise: int
    twins_held: int
    twins: int


def course_file(precision: float, budget: int) -> CourseFile:
    """Return the course that is simulated."""
    entries = {name: BaselineEntry("", points) for name, (points, _) in BASELINES.items()}
    marks = MarksEntry(100.0, 30.0, entries, FIELD)
    return CourseFile(
        roster="", submissions="", deadline="", marks=marks, precision=precision, budget=budget
    )


def simulate(file: CourseFile, draw: np.random.Generator, spread: float) -> Tally:
    """Play one course; `spread` is how much a chance differs from block to block."""
    shares = {name: _share(chance, draw, spread, file) for name, (_, chance) in BASELINES.items()}
    strengths = sorted(draw.random() for _ in range(STUDENTS))
    strengths[1] = strengths[0]  # twins
    counts = [0] * 8
    marks = []
    for number, strength in enumerate(strengths):
        chances = {
            name: 0.3 + (chance + 0.05 - 0.3) * strength for name, (_, chance) in BASELINES.items()
        }
        blocks = _played(file, shares, chances, draw, spread)
        parts = baseline_parts(file, shares, blocks)
        true = sum(
            points * min(1.0, max(0.0, (chances[name] - FAIR) / (shares[name].share - FAIR)))
            for name, (points, _) in BASELINES.items()
        )
        rivals = [_against(strength, one) for at, one in enumerate(strengths) if at != number]
        rounds = passes(STUDENTS, FIELD, file.precision)
        won = draw.binomial(FIELD_GAMES, rivals * SEATS * rounds).tolist()
        parts["field"] = in_field([(wins, FIELD_GAMES) for wins in won], FIELD)
        true += FIELD * sum(rivals) / len(rivals)
        total = total_of(parts)
        holds = total.low <= true <= total.high
        inside = all(FAIR < chances[name] < shares[name].share for name in BASELINES)
        marks.append(total)
        counts[0] += holds
        counts[1] += 1
        counts[2] += holds and inside
        counts[3] += inside
        counts[4] += sum(part.share.games for part in parts.values() if part.share)
        counts[5] += total.half_width <= file.precision
    a, b = marks[:2]
    counts[6] = (a.low <= b.points <= a.high) + (b.low <= a.points <= b.high)
    counts[7] = 2
    return Tally(*counts)


def _share(chance: float, draw: np.random.Generator, spread: float, file: CourseFile) -> Share:
    [count, *_] = measure(file)({}).values()
    return share_of([_block(chance, draw, spread) for _ in range(count)], PER_BLOCK)


def _played(
    file: CourseFile,
    shares: dict[str, Share],
    chances: dict[str, float],
    draw: np.random.Generator,
    spread: float,
) -> Blocks:
    decide = decider(file, shares)
    blocks: dict[str, list[int]] = {}
    while True:
        plan = decide(blocks)
        if plan == {name: len(won) for name, won in blocks.items()}:
            return blocks
        for name, count in plan.items():
            won = blocks.setdefault(name, [])
            won += [_block(chances[name], draw, spread) for _ in range(count - len(won))]


def _block(chance: float, draw: np.random.Generator, spread: float) -> int:
    moved = min(1.0, max(0.0, chance + float(draw.normal(0.0, spread))))
    return int(draw.binomial(PER_BLOCK, moved))


def _against(strength: float, other: float) -> float:
    return 0.5 + 0.6 * (strength - other) / 2


def main() -> None:
    """Print how often intervals hold, by how much blocks vary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--courses", type=int, default=200)
    courses = parser.parse_args().courses
    print(
        "| blocks vary by | precision | marks held | inside the scale | precise | games | twins |"
    )
    print("|---|---|---|---|---|---|---|")
    for spread in (0.0, 0.03):
        for precision, budget in ((2.0, 6_000), (4.0, 6_000)):
            file, draw = course_file(precision, budget), np.random.default_rng(courses)
            each = [simulate(file, draw, spread) for _ in range(courses)]
            tally = Tally(*map(sum, zip(*each, strict=True)))
            cells = [
                f"{100 * spread:g} %",
                f"{precision:g}",
                f"{tally.held / tally.marks:.1%}",
                f"{tally.held_inside / tally.inside:.1%}",
                f"{tally.precise / tally.marks:.0%}",
                f"{tally.games / tally.marks:,.0f}",
                f"{tally.twins_held / tally.twins:.0%}",
            ]
            print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
