"""How often the interval of a mark holds the true one: simulated students, without bots.

`python -m benchmarks.marks [--students 2000]`.

Students are as strong as the rows say: 0 is the baselines' strength, 1 the reference's; the others
of the class are spread evenly from 0 to 1. Every student has a chance to win a game against each
baseline and against each other student. The games are drawn; what is played, shares, intervals and
marks come from the functions that grade. The true mark is what the same chances are worth.
"""

import argparse
from typing import NamedTuple

import numpy as np

from arena.course.baselines import PER_BLOCK, SEATS, Blocks
from arena.course.config import BaselineEntry, CourseFile, MarksEntry
from arena.course.field import GAMES as FIELD_GAMES
from arena.course.field import passes
from arena.course.marks import baseline_parts, decider, measure
from arena.course.points import FAIR, Share, against, in_field, share_of, total_of

STUDENTS = 30
BASELINES = {"first": (30.0, 0.95), "second": (30.0, 0.8)}
"""Points, and the reference's chance to win."""
FIELD = 10.0


STRENGTHS = (-0.25, 0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0, 1.04)


class Tally(NamedTuple):
    """What was counted of the marks of some students."""

    marks: int
    held: int
    error: float
    """The sum of mark less true mark."""
    precise: int
    games: int


def course_file(precision: float, budget: int) -> CourseFile:
    """Return the course that is simulated."""
    entries = {name: BaselineEntry("", points) for name, (points, _) in BASELINES.items()}
    marks = MarksEntry(100.0, 30.0, entries, FIELD)
    return CourseFile(
        roster="", submissions="", deadline="", marks=marks, precision=precision, budget=budget
    )


def simulate(file: CourseFile, strength: float, draw: np.random.Generator, spread: float) -> Tally:
    """Grade one student; `spread` is how much a chance differs from block to block."""
    shares = {name: _share(chance, draw, spread, file) for name, (_, chance) in BASELINES.items()}
    chances = {name: FAIR + strength * (best - FAIR) for name, (_, best) in BASELINES.items()}
    parts = baseline_parts(file, shares, _played(file, shares, chances, draw, spread))
    true = sum(
        against(_exactly(chances[name]), shares[name].share, points).points
        for name, (points, _) in BASELINES.items()
    )
    rivals = [FAIR + 0.3 * (strength - other) for other in np.linspace(0.0, 1.0, STUDENTS - 1)]
    blocks = passes(STUDENTS, FIELD, file.precision)
    won = draw.binomial(FIELD_GAMES, rivals * SEATS * blocks).tolist()
    parts["field"] = in_field([(wins, FIELD_GAMES) for wins in won], FIELD)
    true += FIELD * sum(rivals) / len(rivals)
    total = total_of(parts)
    return Tally(
        marks=1,
        held=total.low <= true <= total.high,
        error=total.points - true,
        precise=total.half_width <= file.precision,
        games=sum(part.share.games for part in parts.values() if part.share),
    )


def _exactly(chance: float) -> Share:
    """Return the share that a bot of this chance would win in the long run."""
    return Share(chance, 0, chance, chance)


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


def main() -> None:
    """Print how often intervals hold, by strength, precision and how much blocks vary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=2000)
    students = parser.parse_args().students
    settings = [(spread, precision) for spread in (0.0, 0.03) for precision in (2.0, 4.0)]
    heads = "".join(f" {100 * spread:g} %, ±{precision:g} |" for spread, precision in settings)
    print(f"| strength |{heads} bias | precise | games |\n|{'---|' * (len(settings) + 4)}")
    for row, strength in enumerate(STRENGTHS):
        held = []
        for spread, precision in settings:
            file, draw = course_file(precision, 6_000), np.random.default_rng(row)
            each = [simulate(file, strength, draw, spread) for _ in range(students)]
            tally = Tally(*map(sum, zip(*each, strict=True)))
            held.append(tally)
        shown = " | ".join(f"{tally.held / tally.marks:.1%}" for tally in held)
        first = held[0]
        more = (
            f"{first.error / first.marks:+.2f} | {first.precise / first.marks:.0%}"
            f" | {first.games / first.marks:,.0f}"
        )
        print(f"| {strength:g} | {shown} | {more} |", flush=True)


if __name__ == "__main__":
    main()
