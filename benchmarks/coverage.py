"""Coverage of the 95 % intervals: `python -m benchmarks.coverage`.

Simulates leagues of bots of known strength (TrueSkill's own model, the arena's schedule) and prints
how often the intervals contain the truth: of mu relative to the field, of the mean finishing place
over the schedule, and of the rank; `worst` is that of the place of the bot for which it holds least
often. `shared` is the part of a performance's variance that is the
seat's dice, the same in all fixtures of a block. Where bots do not keep to the model, the truth is
what so many more games on the same schedule say. For comparison it prints the coverage of a plain
percentile bootstrap of whole blocks (`plain`), which fits the skills again for each resample.

With `--turnover 20` so many bots are replaced, one after another, each after the blocks of the
shape: as in a ladder newcomers join in blocks of their own, who is replaced rests, and the games of
all count.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from msgspec import structs

from arena.game.records import FixtureResult
from arena.league.changes import Change
from arena.league.schedule import schedule as arena_schedule
from arena.league.schedule.block_design import blocks
from arena.ratings.maths.arrays import Floats, as_floats
from arena.ratings.model.games import as_arrays
from arena.ratings.model.posterior import distinct, posterior
from benchmarks.shared import stored
from tests.support.interval_truth import Truth, by_formula, covering
from tests.support.ratings import rated_board
from tests.support.simulated_leagues import Schedule, Shape, Twist, name, play
from tests.support.twists import circle, neighbours


class League(NamedTuple):
    """A league to be simulated."""

    shape: Shape
    blocks: int
    """How many are played: a part of a pass, one or several."""


def _leagues(shared: float, *shapes: tuple[int, int, int, int]) -> list[League]:
    return [
        League(Shape(bots, players, games, shared=shared), played)
        for bots, players, games, played in shapes
    ]


WHOLE = ((8, 2, 10, 7), (8, 4, 5, 7), (8, 6, 4, 7))
"""Bots, players, games and blocks."""
MORE = ((5, 2, 20, 4), (5, 2, 10, 16), (12, 4, 3, 11), (7, 6, 4, 12))
SHORT = ((6, 2, 1, 5), (8, 2, 1, 7), (20, 2, 1, 8), (8, 4, 1, 5), (8, 6, 1, 5), (40, 2, 1, 15))
"""10 to 30 games a bot."""
LEAGUES = [
    *_leagues(0.0, *WHOLE, *MORE),
    *_leagues(0.3, *WHOLE, *MORE),
    *_leagues(0.0, *SHORT),
    *_leagues(0.0, (2, 2, 10, 1)),
]
REPEATS = 400
"""How many times as many games say what the truth is where there is no formula."""


class Field(NamedTuple):
    """Who plays, and how."""

    skills: Callable[[int, np.random.Generator], Floats]
    twist: Callable[[int], Twist] | None = None
    """If bots do not keep to the model; the skills are then the same in all leagues."""
    changes: bool = False
    """Whether two bots leave half-way and two join."""


def mixed(bots: int, rng: np.random.Generator) -> Floats:
    """Draw skills with a standard deviation of 2 mu."""
    return as_floats(rng.normal(size=bots) * 2.0)


FIELDS = {
    "mixed": Field(mixed),
    "equal": Field(lambda bots, _: np.zeros(bots)),
    "classes": Field(lambda bots, _: np.where(np.arange(bots) < bots // 2, 15.0, -15.0)),
    "champion": Field(lambda bots, rng: np.append(mixed(bots - 1, rng), 20.0)),
    "loser": Field(lambda bots, rng: np.append(mixed(bots - 1, rng), -20.0)),
    "skewed": Field(lambda bots, rng: np.append(mixed(bots - 1, rng), -16.0)),
    "hopeless": Field(lambda bots, _: np.append(np.zeros(bots - 2), [-20.0, -20.0])),
    "circle": Field(lambda bots, _: np.zeros(bots), circle),
    "neighbours": Field(lambda bots, _: np.linspace(-3.0, 3.0, bots), neighbours),
    "changing": Field(mixed, changes=True),
}
"""Mixed and equal bots; two classes far apart; one bot that wins or loses all, or nearly; equal
bots and two that lose all; rock, paper, scissors; bots that make it hard for whoever acts after
them; a field that changes."""


def main() -> None:
    """Print a line for each shape of league and field."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=0, help="of the plain bootstrap; 0: none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shapes", type=int, nargs="*", default=range(len(LEAGUES)))
    parser.add_argument("--fields", nargs="*", default=["mixed"], choices=FIELDS)
    parser.add_argument("--turnover", type=int, default=0, help="how many bots are replaced")
    options = parser.parse_args()
    kinds = "   mu  place   rank  plain  worst"
    print(f"field      bots players games blocks shared | {kinds} | gain error")
    for league in (LEAGUES[at] for at in options.shapes):
        for field in options.fields:
            print(line(league, field, options), flush=True)


def line(league: League, field: str, options: argparse.Namespace) -> str:
    """Simulate leagues of one shape and field and return their line of the table."""
    rng, kind = np.random.default_rng(options.seed), FIELDS[field]
    leagues, resamples = options.leagues, options.resamples
    shape = league.shape._replace(bots=league.shape.bots + options.turnover)
    if options.turnover:
        schedule = turning_over(league, options.turnover)
    else:
        schedule = changing(league) if kind.changes else schedule_of(shape.bots, league)
    twist = kind.twist(shape.bots) if kind.twist else None
    skills = kind.skills(shape.bots, rng)
    truth = long_run(shape, skills, rng, twist, schedule) if twist else None
    hits: Counter[str] = Counter()
    of_bots: Counter[str] = Counter()
    gains = []
    for _ in range(leagues):
        skills = kind.skills(shape.bots, rng)
        played = play(shape, skills, rng, twist, schedule)
        board = rated_board("bench", shape.players, played)
        right = list(covering(board, truth or by_formula(skills, schedule)))
        hits.update(kind for kind, _ in right)
        of_bots.update(bot for kind, bot in right if kind == "place")
        if resamples:
            hits.update(plain(played, skills, rng, resamples))
        gains += [board.dice_gain.ratio] if board.dice_gain else []
    shares = [hits[kind] / (leagues * shape.bots) for kind in ("mu", "place", "rank", "plain")]
    error = np.sqrt(0.95 * 0.05 / (leagues * shape.bots))
    percentages = "  ".join(f"{100 * share:5.1f}" for share in shares)
    worst = 100 * min(of_bots[name(bot)] for bot in range(shape.bots)) / leagues
    gain = f"{np.mean(gains):4.2f}" if gains else "   -"
    return (
        f"{field:10} {shape.bots:4} {shape.players:7} {shape.games:5} {len(schedule):6}"
        f" {shape.shared:6.1f} | {percentages}  {worst:5.1f} | {gain} {100 * error:5.1f}"
    )


def schedule_of(bots: int, league: League, first: int = 0, seed: str = "0") -> Schedule:
    """Return the blocks of so many bots, numbered from `first` on."""
    design = blocks(bots, league.shape.players, league.blocks, f"bench/{seed}")
    return [[tuple([first + bot for bot in table]) for table in block] for block in design]


def changing(league: League) -> Schedule:
    """Return the blocks of a field that the first two bots leave and the last two join half-way."""
    before = league._replace(blocks=league.blocks // 2)
    after = league._replace(blocks=league.blocks - before.blocks)
    bots = league.shape.bots - 2
    return [*schedule_of(bots, before), *schedule_of(bots, after, first=2, seed="1")]


def turning_over(league: League, replaced: int) -> Schedule:
    """Return the blocks of a field in which so many bots are replaced, one after another."""
    field, players, *_ = league.shape
    bots = stored.league(field + replaced, 1, players, 0).bots
    number = {bot.name: at for at, bot in enumerate(bots)}
    start = stored.league(field, 1, players, 0)
    schedule = arena_schedule.Schedule(structs.replace(start, endless=True))
    [division] = schedule.blocks
    for at in range(field, field + replaced + 1):
        for _ in range(league.blocks):
            schedule.draw(division)
        if at < len(bots):
            begun = (len(schedule.blocks[division]),)
            rested = (bots[at - field].name,)
            schedule.change(Change(begun, joined=(bots[at],), rested=rested))
    return [
        [tuple([number[bot] for bot in one.seats]) for one in block]
        for block in schedule.blocks[division]
    ]


def long_run(
    shape: Shape, skills: Floats, rng: np.random.Generator, twist: Twist, schedule: Schedule
) -> Truth:
    """Return what very many games on the same schedule say."""
    games = shape.games * REPEATS
    played = as_arrays(play(shape._replace(games=games), skills, rng, twist, schedule))
    mu = posterior(distinct(played)).mu
    places = [np.bincount(row, minlength=shape.bots) for row in played.order.T]
    mean = np.arange(1, shape.players + 1) @ np.array(places) / np.sum(places, 0)
    return Truth(as_floats(mu - mu.mean()), as_floats(mean))


def plain(
    played: Sequence[FixtureResult], skills: Floats, rng: np.random.Generator, resamples: int
) -> Iterator[str]:
    """Yield `plain` for each bot whose percentile interval contains the truth."""
    games = as_arrays(played)
    results = distinct(games)
    count, solved = int(games.block.max()) + 1, posterior(results)
    cells = np.bincount(games.block * results.size + results.of_game)
    by_block = np.pad(cells, (0, count * results.size - len(cells))).reshape(count, -1)
    resampled = (by_block[rng.integers(count, size=count)].sum(0) for _ in range(resamples))
    redone = [replace(results, count=count.astype(float)) for count in resampled]
    mu = np.array([posterior(one, solved.factors, 1e-3).mu for one in redone])
    low, high = np.quantile(mu - mu.mean(1)[:, None], [0.025, 0.975], axis=0)
    true = skills - skills.mean()
    yield from ["plain"] * int(((low <= true) & (true <= high)).sum())


if __name__ == "__main__":
    main()
