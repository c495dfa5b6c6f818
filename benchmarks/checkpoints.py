"""Rates the checkpoints of training runs: `python -m benchmarks.checkpoints FOLDER... [--games N]`.

The folders are those of `examples/train_champion.py`. Each of their checkpoints plays games for two
against all others, `odds` and `honest`, in arrays. Prints mu with its 95 % interval, relative to
the mean of the field, and which checkpoint it came from: the one before in its folder; and the
chance to beat that one, with its interval.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from arena.game.rules.books import VARIANTS
from arena.lab.training.games import Games
from arena.lab.training.league import Finished, bot_of, finished
from arena.lab.training.rivals import Rival, honest, odds
from arena.ratings.maths.intervals import Z95
from arena.ratings.model import games as rated
from arena.ratings.model.head_to_head import beats
from arena.ratings.model.posterior import Posterior, distinct, posterior, relative_errors

AT_A_TIME = 512
BOTS: dict[str, Rival] = {"odds": odds, "honest": honest}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--games", type=int, default=512, help="of each checkpoint")
    parser.add_argument("--most", type=int, default=12, help="checkpoints of a folder")
    parser.add_argument("--book", default="bga", choices=[*VARIANTS])
    chosen = parser.parse_args()
    runs = [checkpoints(folder, chosen.most) for folder in chosen.folders]
    field = {str(path): bot_of(path) for run in runs for path in run} | BOTS
    games = -(-chosen.games * len(field) // 2)
    played = finished(field, Games(min(AT_A_TIME, games), chosen.book, 2, seed=1), games)
    for line in table(rate(played), [*field], parents(runs)):
        print(line)


def checkpoints(folder: Path, most: int) -> list[Path]:
    """Return checkpoints of a folder, oldest first, the last one among them."""
    found = sorted(folder.glob("weights-*.npz"))
    return [found[at] for at in np.unique(np.linspace(0, len(found) - 1, most).astype(int))]


def parents(runs: Sequence[Sequence[Path]]) -> dict[str, str]:
    """Return from which checkpoint each came."""
    return {str(late): str(early) for run in runs for early, late in pairwise(run)}


def rate(played: Finished) -> Posterior:
    """Return the joint ratings of the players by their numbers."""
    order = np.take_along_axis(played.players, played.places.argsort(1), 1).astype(np.int32)
    numbers = np.arange(len(order))
    count = int(order.max()) + 1
    return posterior(
        distinct(
            rated.Games(
                bots=tuple(map(str, range(count))),
                order=order,
                block=numbers,
                fixture=numbers,
                game=np.zeros_like(numbers),
                seats=played.players.astype(np.int32),
                faulted=np.zeros(order.shape, bool),
            )
        )
    )


def table(found: Posterior, names: Sequence[str], parents: dict[str, str]) -> Iterator[str]:
    """Yield a line for each player, the best first."""
    yield "| checkpoint | mu | came from | wins against that one |\n|---|---|---|---|"
    covariance = np.asarray(found.covariance)
    mu, errors = found.mu - found.mu.mean(), relative_errors(covariance)
    for at in np.argsort(-mu):
        before = parents.get(names[at], "-")
        wins = "-"
        if before in names:
            other = names.index(before)
            variance = covariance[at, at] + covariance[other, other] - 2 * covariance[at, other]
            wins = chance(mu[at] - mu[other], Z95 * variance**0.5)
        yield f"| {names[at]} | {mu[at]:+.2f} ± {Z95 * errors[at]:.2f} | {before} | {wins} |"


def chance(apart: float, error: float) -> str:
    """Return the chance to beat a rival who is `apart` worse, with its interval."""
    low, middle, high = (100 * float(beats(np.array(apart + side * error))) for side in (-1, 0, 1))
    return f"{middle:.0f} % ({low:.0f} to {high:.0f})"


if __name__ == "__main__":
    main()
