"""What a program that trains needs: processes that play, and a folder.

The processes play while it learns from what they played before. The folder has the bot, its weights
at each look, and the curve.
"""

import multiprocessing
import signal
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import numpy as np

from arena.io import shipped
from arena.lab.training.league import Frozen, duel
from arena.lab.training.policy import Policy
from arena.lab.training.view import Floats

Play = Callable[[Any], Any]
"""Plays by the networks that it is given; returns what it decided and what came of it."""


class Actors:
    """Each plays by the networks that it was sent last, and waits for the next ones.

    What they return depends on what they were sent alone, not on how fast each of them is.
    """

    def __init__(self, count: int, make: Callable[[int], Play], networks: Any) -> None:
        """Start processes that play; `make` is called in each with its number, from 0."""
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Connection] = []
        for number in range(count):
            ours, theirs = context.Pipe()
            context.Process(target=_act, args=(theirs, make, number), daemon=True).start()
            theirs.close()
            self._pipes.append(ours)
        for pipe in self._pipes:
            pipe.send(networks)

    def exchange(self, networks: Any) -> list[Any]:
        """Return what each has made, and let them play on by other networks meanwhile."""
        made = []
        for pipe in self._pipes:
            made.append(pipe.recv())
            pipe.send(networks)
        return made


def _act(pipe: Connection, make: Callable[[int], Play], number: int) -> None:
    """Play until the process that learns is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    play = make(number)
    try:
        while True:
            pipe.send(play(pipe.recv()))
    except (EOFError, OSError):
        return


RIVALS = ("honest", "odds", "equilibrium")
"""Whom a look plays against, in the order of the columns of the curve."""


def lay_out(folder: Path) -> None:
    """Write the champion's program into `bot/`, without weights."""
    bot = shipped.folder("sample_bots") / "champion"
    copytree(bot, folder / "bot", ignore=ignore_patterns("weights.npz", "__*"), dirs_exist_ok=True)


def write_weights(folder: Path, steps: int, weights: Mapping[str, Floats]) -> Policy:
    """Write weights for the bot, and under the steps so far."""
    halves: dict[str, Any] = {name: part.astype(np.float16) for name, part in weights.items()}
    for path in (folder / f"weights-{steps:06}.npz", folder / "bot" / "weights.npz"):
        np.savez_compressed(folder / "new.npz", **halves)
        (folder / "new.npz").replace(path)
    return Policy(halves)


def write_line(folder: Path, policy: Policy, games: int, steps: int, *told: object) -> None:
    """Add a line to the curve, and print it: steps, what is told, and how a policy plays.

    `games` are played against each rival.
    """
    scores = [duel(Frozen(policy), rival, games, steps) for rival in RIVALS]
    shares = [f"{score.share:.3f} ± {score.error:.3f}" for score in scores]
    with (folder / "curve.tsv").open("a", encoding="utf-8") as curve:
        for file in (curve, None):
            print(steps, *told, *shares, sep="\t", file=file, flush=True)
