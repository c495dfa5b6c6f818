"""How certain a leaderboard is, and whether it may be: `python -m benchmarks.certainty`.

Plays leagues of many populations whose true order is known, and prints for each

- what the intervals take to vary independently, if leagues differ the most frequent;
- in how many leagues some pair of bots is told apart wrongly;
- in how many some best bot is not among those that may be first, and in how many either is wrong;
- how many pairs are told apart, and how many bots may be first.

Each but the first is given three times: as ratings were before (every block a unit, the field's
ratio of variances a plain mean, first is whoever no other bot is clearly better than), as they are,
and by an oracle, which knows how mu varies from league to league. Where bots do not keep to the
model, the truth is what very many games on the same schedule say.

`--full` plays more leagues of each population. `--winner` prints instead in how many leagues of 9
bots one alone may be first, by games of each, where the first wins 60 % of its games against the
second.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import comb, inf, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from arena.game.records import FixtureResult, fixture_result
from arena.game.rules.books import VARIANTS
from arena.league.schedule.block_design import blocks
from arena.ratings.board import leaderboard
from arena.ratings.board.ranks import better_probabilities, joint_statement
from arena.ratings.maths.arrays import Floats, as_floats
from arena.ratings.maths.intervals import CONFIDENCE, TAIL
from arena.ratings.model.games import Games, as_arrays
from arena.ratings.model.trueskill import BETA
from arena.ratings.variance import block_variance
from arena.ratings.variance.block_variance import Sandwich, Units
from benchmarks.coverage import long_run
from benchmarks.shared.players import play as play_bots
from tests.support import records
from tests.support.simulated_leagues import Moment, Schedule, Shape, Twist, name, play, tables
from tests.support.twists import circle, neighbours

QUICK, FULL = 60, 400
"""Leagues of each population."""
LARGE = 4
"""Of a population of more than 20 bots so many times fewer leagues are played."""
STYLE = 2.0
"""The standard deviation, in mu, of how much better a bot plays against one other."""


class Population(NamedTuple):
    """A league whose true order is known."""

    shape: Shape
    skills: Floats
    twist: Callable[[int], Twist] | None = None
    """If bots do not keep to the model."""
    equal: bool = False
    """Whether all are equal although they do not keep to the model."""


def styles(bots: int) -> Twist:
    """Let each bot suit each other more or less, by chance that is the same in all leagues."""
    suits = np.random.default_rng(1).normal(size=(bots, bots)) * STYLE / sqrt(2.0)

    def twist(moment: Moment, shown: Floats) -> Floats:
        seats = list(moment.table)
        own = suits - suits.T
        return as_floats(shown + own[np.ix_(seats, seats)].sum(1) / (len(seats) - 1) / 2)

    return twist


def learners(form: float) -> Callable[[int], Twist]:
    """Let each bot be better or worse in all games of a fixture: by chance, it learnt more.

    `form` is the standard deviation of that, in mu.
    """

    def twist(_: Moment, shown: Floats) -> Floats:
        rng = np.random.default_rng(np.frombuffer(shown.tobytes(), np.uint32))
        return as_floats(shown + rng.normal(size=shown.shape[1]) * form)

    return lambda _: twist


def _equal(bots: int, players: int = 2, games: int = 10, **more: float) -> Population:
    return Population(Shape(bots, players, games, **more), np.zeros(bots))  # type: ignore[arg-type]


def _ordinary(skills: Sequence[float], players: int = 2, games: int = 10) -> Population:
    return Population(Shape(len(skills), players, games), as_floats(skills))


POPULATIONS = {
    "6 equal bots": _equal(6),
    "8 equal bots": _equal(8),
    "20 equal bots": _equal(20, games=4),
    "60 equal bots": _equal(60, games=2),
    "20 games a bot": _equal(6, games=2),
    "2 equal bots, one block": _equal(2),
    "tables of six": _equal(8, players=6, games=4),
    "shared dice 0.3": _equal(8, shared=0.3),
    "shared dice 0.8": _equal(8, shared=0.8),
    "two tied": _ordinary([2, 2, *np.linspace(1, -4, 6)]),
    "four clones": _ordinary([2, 2, 2, 2, 0, -2, -4]),
    "linear": _ordinary(np.linspace(-6, 6, 8).tolist()),
    "champion": _ordinary([20, *np.linspace(-3, 3, 7)]),
    "hopeless bots": _ordinary([*np.linspace(-3, 3, 6), -20, -20]),
    "two classes": _ordinary([15] * 4 + [-15] * 4),
    "styles": Population(Shape(8, 2, 10), np.linspace(-3, 3, 8), styles),
    "rock, paper, scissors": Population(Shape(7, 2, 10), np.zeros(7), circle, equal=True),
    "neighbours": Population(Shape(8, 4, 5), np.linspace(-3, 3, 8), neighbours),
    "two passes": Population(Shape(8, 2, 5, 2), np.zeros(8)),
    "learners": Population(Shape(8, 2, 10), np.zeros(8), learners(2.0), equal=True),
    "learners, two passes": Population(Shape(8, 2, 5, 2), np.zeros(8), learners(2.0), equal=True),
    "slow learners": Population(Shape(8, 2, 10), np.zeros(8), learners(1.0), equal=True),
    "slow, two passes": Population(Shape(8, 2, 5, 2), np.zeros(8), learners(1.0), equal=True),
}
LEAD, STEP = (sqrt(2.0) * BETA * NormalDist().inv_cdf(won) for won in (0.6, 0.54))
"""In mu, between the first and the second, and between each two after them."""
WINNERS = {
    f"{16 * games} games a bot": _ordinary([LEAD, *(-STEP * bot for bot in range(8))], games=games)
    for games in (20, 25, 30, 40, 50, 60, 70)
}
REAL = ("honest 1", "honest 2", "odds 1", "odds 2", "memory", "bluffer", "random")
REAL_GAMES = 6
"""Per fixture of real bots."""


class Verdict(NamedTuple):
    """What a leaderboard says of its bots."""

    better: Floats
    """Who is better, for each ordered pair: 1, 0, or 0.5 if they are not told apart."""
    first: Floats
    """1 for each bot that may be first."""


class Outcome(NamedTuple):
    """A league, rated in two ways."""

    mu: Floats
    unit: str
    before: Verdict
    after: Verdict


def main() -> None:
    """Print a line for each population."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--leagues", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    names = [*POPULATIONS, "real bots"]
    parser.add_argument("--populations", nargs="*", default=names, choices=names)
    parser.add_argument("--winner", action="store_true")
    options = parser.parse_args()
    leagues = options.leagues or (FULL if options.full else QUICK)
    if options.winner:
        name_winners(leagues, options.processes)
        return
    counts = "wrong pairs | wrong first | any wrong | pairs told apart | may be first"
    print(f"| population | unit | {counts} |")
    print("|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(options.processes) as pool:
        for population in options.populations:
            shape = POPULATIONS[population].shape if population in POPULATIONS else None
            count = leagues // (LARGE if shape and shape.bots > 20 else 1)
            played = list(pool.map(partial(rated, population), range(count), chunksize=4))
            print(line(population, played), flush=True)


def name_winners(leagues: int, processes: int) -> None:
    """Print in how many leagues one bot alone may be first."""
    print("| games | before | now |\n|---|---|---|")
    with ProcessPoolExecutor(processes) as pool:
        for population in WINNERS:
            played = list(pool.map(partial(rated, population), range(leagues), chunksize=4))
            ways = [league.before for league in played], [league.after for league in played]
            cells = [share([one.first.sum() == 1 for one in way]) for way in ways]
            print(f"| {population} | {' | '.join(cells)} |", flush=True)


def rated(population: str, seed: int) -> Outcome:
    """Play and rate a league."""
    games = as_arrays(real(seed) if population == "real bots" else simulated(population, seed))
    estimates = leaderboard.estimate(leaderboard.solve(games))
    after, n = estimates.covariance, games.size
    df, covariance = before(games, estimates)
    pairs = told_by_pairs(better_probabilities(estimates.mu, df, covariance))
    return Outcome(
        estimates.mu,
        after.method,
        Verdict(pairs, as_floats((pairs.min(1) > 0.0) * 1.0)),
        verdict(estimates.mu, after.degrees_of_freedom, after.mu, np.zeros((n, n), np.bool_)),
    )


def simulated(population: str, seed: int) -> list[FixtureResult]:
    """Simulate a league."""
    shape, skills, twist, _ = {**POPULATIONS, **WINNERS}[population]
    rng = np.random.default_rng(seed)
    return play(shape, skills, rng, twist(shape.bots) if twist else None, schedule(shape, seed))


def schedule(shape: Shape, seed: int) -> Schedule:
    """Return the blocks of a league: each has a schedule of its own."""
    count = shape.blocks * max(1, shape.bots - 1)
    design = blocks(shape.bots, shape.players, count, f"bench/{seed}")
    return [[tuple(table) for table in block] for block in design]


def real(seed: int) -> list[FixtureResult]:
    """Let sample bots play one pass; the fixtures of a block share their dice."""
    found: list[FixtureResult] = []
    for number, block in enumerate(blocks(len(REAL), 2, len(REAL) - 1, f"bench/{seed}")):
        for table in block:
            fixture = records.fixture(
                tuple(name(bot) for bot in table),
                REAL_GAMES,
                id=f"{len(found):016x}",
                index=len(found),
                seed=f"{seed}/{number}",
                block=number,
            )
            programs = [REAL[bot].split()[0] for bot in table]
            played = play_bots(VARIANTS["bga"], programs, fixture.seed, REAL_GAMES)
            found.append(fixture_result(records.played(fixture, list(played))))
    return found


def before(games: Games, estimates: leaderboard.Estimates) -> tuple[Floats, Floats]:
    """Return the degrees of freedom and the covariance of mu by blocks, as they were before."""
    _, skills, met = estimates.solution
    own = as_floats((games.by_block() > 0).sum(0) - 1.0)
    field = float(own.sum()) * (games.size - 1) / games.size
    units = Units("blocks", games.block, own, 1.0)
    skill, _ = block_variance.sandwiches(games, skills, met, None, units)
    if field < 6.0:
        return np.full(games.size, inf), raised(skill.by_game(), estimates.covariance.sigma)
    share = own / (own + max(0.0, min(6.0, field - float(own.mean()))))
    df = 1.0 / (share**2 / own + (1.0 - share**2) / field)
    return as_floats(df), raised(unweighted(skill, share), estimates.covariance.sigma / 2)


def unweighted(skill: Sandwich, own: Floats) -> Floats:
    """Mix the variances, with a plain mean over bots of the ratio of block to game variance."""
    pooled, mixed = skill.by_game(), skill.by_unit()
    pooled = pooled * (np.diag(mixed) / np.diag(pooled)).mean()
    return as_floats(
        mixed * np.sqrt(np.outer(own, own)) + pooled * np.sqrt(np.outer(1 - own, 1 - own))
    )


def raised(covariance: Floats, error: Floats) -> Floats:
    """Raise variances to those of these standard errors."""
    return as_floats(covariance + np.diag(np.maximum(error**2 - covariance.diagonal(), 0.0)))


def verdict(mu: Floats, df: Floats, covariance: Floats, separate: np.ndarray) -> Verdict:
    """Return what estimates that vary like that say."""
    better = better_probabilities(mu, df, covariance)
    statement = joint_statement(better, mu, df, covariance, separate)
    told = np.where(statement.sure >= CONFIDENCE, np.round(better), 0.5)
    return Verdict(told, as_floats(statement.columns["may_be_first"] * 1.0))


def told_by_pairs(better: Floats) -> Floats:
    """Return who is better, as far as pairs are told apart with the same error for each."""
    tail = TAIL / comb(len(better), 2)
    return np.where(better > 1.0 - tail, 1.0, np.where(better < tail, 0.0, 0.5))


def line(population: str, played: Sequence[Outcome]) -> str:
    """Return a population's line of the table."""
    true = truth(population, played)
    mus = np.array([league.mu for league in played])
    n, covariance = mus.shape[1], np.cov(mus.T)
    known = np.full(n, inf)
    nothing = np.zeros((n, n), np.bool_)
    oracle = [verdict(league.mu, known, covariance, nothing) for league in played]
    ways = [league.before for league in played], [league.after for league in played], oracle
    unit, _ = Counter(league.unit for league in played).most_common(1)[0]
    cells = [
        population,
        unit,
        " / ".join(share([wrong_pair(one, true) for one in way]) for way in ways),
        " / ".join(share([wrong_first(one, true) for one in way]) for way in ways),
        " / ".join(
            share([wrong_pair(one, true) or wrong_first(one, true) for one in way]) for way in ways
        ),
        " / ".join(f"{np.mean([(one.better == 1.0).sum() for one in way]):.1f}" for way in ways),
        " / ".join(f"{np.mean([one.first.sum() for one in way]):.1f}" for way in ways),
    ]
    return f"| {' | '.join(cells)} |"


def truth(population: str, played: Sequence[Outcome]) -> Floats:
    """Return true skills, or what orders bots as they do."""
    if population == "real bots":
        mean = np.mean([league.mu for league in played], 0)
        programs = [bot.split()[0] for bot in REAL]
        same = np.array([[one == other for other in programs] for one in programs])
        return as_floats(same @ mean / same.sum(1))
    shape, skills, twist, equal = POPULATIONS[population]
    if twist is None or equal:
        return skills
    rng = np.random.default_rng(0)
    return long_run(shape, skills, rng, twist(shape.bots), tables(shape)).mu


def share(wrong: Sequence[bool]) -> str:
    """Return a share in per cent, with its standard error."""
    part = float(np.mean(wrong))
    return f"{100 * part:.1f} ± {100 * sqrt(part * (1 - part) / len(wrong)):.1f}"


def wrong_pair(told_apart: Verdict, true: Floats) -> bool:
    """Tell whether a bot is called better than one that is as good, or better."""
    return bool(((told_apart.better == 1.0) & (true[:, None] <= true[None, :])).any())


def wrong_first(left: Verdict, true: Floats) -> bool:
    """Tell whether one of the best bots is left out."""
    return bool((left.first[true == true.max()] == 0.0).any())


if __name__ == "__main__":
    main()
