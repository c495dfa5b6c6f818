"""Two tests for the operator: bots that let another win, and bots that change over time.

Both are corrected for the number of pairs or bots tested (Holm, 1979). Games in which a bot faulted
do not count: a fault is no result of play. Measured by `tests/bench/suspicion.py`.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec.structs import replace

from arena.ratings.collusion import collusion
from arena.ratings.drift import drift
from arena.ratings.leaderboard import RatedDivision
from arena.ratings.pairs import pairs
from arena.ratings.posterior import distinct, posterior
from arena.ratings.table import Suspicion


def suspicions(rated: Sequence[RatedDivision], alpha: float) -> list[Suspicion]:
    """Return what is suspicious, the clearest first.

    In a league of fair bots the probability of any case is at most alpha for either kind.
    """
    if alpha <= 0.0:
        return []
    clean = [_without_faults(one) for one in rated if not one.games.faulted.any(1).all()]
    colluding = holm([case for one in clean for case in collusion(one)])
    drifting = holm([case for one in clean for case in drift(one)])
    significant = [case for case in (*colluding, *drifting) if case.p <= alpha]
    return sorted(significant, key=lambda case: (case.p, case.kind, case.bot, case.rival or ""))


def holm(cases: Iterable[Suspicion]) -> list[Suspicion]:
    """Correct the p of each case for the number of cases, which are all that were tested."""
    ordered = sorted(cases, key=lambda case: case.p)
    corrected, p = [], 0.0
    for at, case in enumerate(ordered):
        p = max(p, min(1.0, case.p * (len(ordered) - at)))
        corrected.append(replace(case, p=p))
    return corrected


def _without_faults(rated: RatedDivision) -> RatedDivision:
    """Rate a division by the games in which no bot faulted, at least one."""
    clean = np.logical_not(rated.games.faulted.any(1))
    if clean.all():
        return rated
    games = rated.games.only(clean)
    skills = posterior(distinct(games))
    met = pairs(games, skills.mu)
    return rated._replace(games=games, skills=skills, pairs=met)
