"""Two tests for the operator: bots that let another win, and bots that change over time.

Both are corrected for the number of pairs or bots tested (Holm, 1979). Games in which a bot faulted
do not count: a fault is no result of play. Measured by `benchmarks/suspicion.py`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from arena.game.records import Division
from arena.ratings.board.leaderboard import Solution
from arena.ratings.leaderboard_rows import Cases, Suspicion
from arena.ratings.suspicion.collusion import collusion
from arena.ratings.suspicion.drift import drift


class Findings(NamedTuple):
    """The tested cases of a division: pairs that met, and bots."""

    pairs: Cases = Cases()
    bots: Cases = Cases()


def findings(division: Division, solution: Solution, alpha: float) -> Findings:
    """Test the pairs and the bots of a division, by its games without faults."""
    return Findings(collusion(division, solution, alpha), drift(division, solution, alpha))


def suspicions(all_findings: Sequence[Findings], alpha: float) -> list[Suspicion]:
    """Return what is suspicious, the clearest first.

    In a league of fair bots the probability of any case is at most alpha for either kind.
    """
    of_pairs = holm([division.pairs for division in all_findings])
    cases = of_pairs + holm([division.bots for division in all_findings])
    significant = [case for case in cases if case.p <= alpha]
    return sorted(significant, key=lambda case: (case.p, case.kind, case.bot, case.rival or ""))


def holm(tests: Sequence[Cases]) -> list[Suspicion]:
    """Correct the p of the clearest cases for the number of all that were tested."""
    ordered = sorted((case for test in tests for case in test.cases), key=lambda case: case.p)
    number = sum(test.number for test in tests)
    corrected, p = [], 0.0
    for at, case in enumerate(ordered):
        p = max(p, min(1.0, case.p * (number - at)))
        corrected.append(replace(case, p=p))
    return corrected
