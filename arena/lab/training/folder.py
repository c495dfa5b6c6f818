"""The folder of a training: the bot, its weights at each look, and the curve."""

from collections.abc import Mapping
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import numpy as np

from arena.io import shipped
from arena.lab.training.league import Frozen, duel
from arena.lab.training.policy import Policy
from arena.lab.training.view import Floats

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


def write_line(folder: Path, policy: Policy, steps: int, *told: object) -> None:
    """Add a line to the curve, and print it: steps, what is told, and how a policy plays."""
    scores = [duel(Frozen(policy), rival, 1024, steps) for rival in RIVALS]
    shares = [f"{score.share:.3f} ± {score.error:.3f}" for score in scores]
    with (folder / "curve.tsv").open("a", encoding="utf-8") as curve:
        for file in (curve, None):
            print(steps, *told, *shares, sep="\t", file=file, flush=True)
