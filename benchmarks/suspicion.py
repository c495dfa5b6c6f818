"""False alarms and power of the tests for suspicion: `python -m benchmarks.suspicion`.

Simulates leagues of known bots (TrueSkill's own model, skills drawn with a standard deviation of 2
mu, the arena's schedule) and prints the share in which a test raised an alarm at alpha = 0.05:

- leagues of fair bots;
- fair bots whose styles suit each other more or less: each pair's difference is changed by a normal
  amount of standard deviation STYLE mu;
- bots of which each suits some of the others, in a circle (rock, paper, scissors), by CIRCLE mu;
- bots that make it hard for whoever acts after them, by up to NEIGHBOUR mu;
- fair bots of which one faults in a fifth of its games, and is last then;
- bot 0 plays THROW mu worse at every table where bot 1 sits: whether that very pair is named;
- bot 0 improves by DRIFT mu from the first block to the last: whether that very bot is named.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from arena.game.records import Division, FixtureResult, RatingsInfo
from arena.ratings.leaderboard_rows import Suspicion
from arena.ratings.league_ratings import rate_results
from arena.ratings.maths.arrays import Floats, as_floats
from tests.support.simulated_leagues import Moment, Shape, Twist, name, play, tables
from tests.support.twists import DRIFT, THROW, circle, drifting, neighbours, thrown, with_faults

ALPHA = 0.05
SHAPES = [
    Shape(8, 2, 20, 2),
    Shape(8, 4, 10, 2),
    Shape(8, 6, 6, 2),
    Shape(8, 2, 20, 2, 0.3),
    Shape(8, 4, 10, 2, 0.3),
    Shape(8, 6, 6, 2, 0.3),
]
STYLE = 0.5


def main() -> None:
    """Print a line for each shape of league."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shapes", type=int, nargs="*", default=range(len(SHAPES)))
    options = parser.parse_args()
    print(f"alpha {ALPHA}, throw {THROW} mu, drift {DRIFT} mu; shares of leagues in per cent")
    print("bots players games blocks shared | " + "  ".join(KINDS))
    for shape in (SHAPES[at] for at in options.shapes):
        print(line(shape, options.leagues, options.seed), flush=True)


KINDS = {
    "fair: collusion": 15,
    "fair: drift": 11,
    "styles: collusion": 17,
    "styles: drift": 13,
    "circle: drift": 13,
    "neighbours: collusion": 21,
    "neighbours: drift": 17,
    "faulty: collusion": 17,
    "thrown: named": 13,
    "drifting: named": 15,
}
"""The columns and their widths."""


def line(shape: Shape, leagues: int, seed: int) -> str:
    """Simulate leagues of one shape and return their line of the table."""
    rng = np.random.default_rng(seed)
    schedule = tables(shape)
    alarms: Counter[str] = Counter()
    for _ in range(leagues):
        skills = rng.normal(size=shape.bots) * 2.0
        for scenario, twist in twists(shape, rng).items():
            results = play(shape, skills, rng, twist, schedule)
            alarms.update(set(alarms_of(scenario, cases(shape, results))))
            if scenario == "fair":
                faulty_cases = cases(shape, with_faults(results, rng))
                alarms.update(set(alarms_of("faulty", faulty_cases)))
    percentages = "  ".join(f"{100 * alarms[kind] / leagues:{KINDS[kind]}.1f}" for kind in KINDS)
    return (
        f"{shape.bots:4} {shape.players:7} {shape.games:5} {len(schedule):6} {shape.shared:6.1f}"
        f" | {percentages}"
    )


def cases(shape: Shape, results: Sequence[FixtureResult]) -> Sequence[Suspicion]:
    """Return what is suspicious in a league."""
    options = RatingsInfo(alpha=ALPHA)
    return rate_results({Division("bench", shape.players): list(results)}, options).suspicions


def twists(shape: Shape, rng: np.random.Generator) -> dict[str, Twist | None]:
    """Return the twist of each kind of league."""
    styles = rng.normal(size=(shape.bots, shape.bots)) * STYLE / 2
    styles -= styles.T

    def styled(moment: Moment, shown: Floats) -> Floats:
        seats = list(moment.table)
        return as_floats(shown + styles[np.ix_(seats, seats)].mean(1) * len(seats) / 2)

    return {
        "fair": None,
        "styles": styled,
        "circle": circle(shape.bots),
        "neighbours": neighbours(shape.bots),
        "thrown": thrown,
        "drifting": drifting,
    }


def alarms_of(scenario: str, cases: Iterable[Suspicion]) -> Iterator[str]:
    """Yield the columns in which a league counts."""
    for case in cases:
        yield f"{scenario}: {case.kind}"
        named = (case.bot, case.opponent) == (name(0), name(1) if case.opponent else None)
        if named and case.kind == ("collusion" if scenario == "thrown" else "drift"):
            yield f"{scenario}: named"


if __name__ == "__main__":
    main()
