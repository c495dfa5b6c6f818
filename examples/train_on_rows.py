"""Trains a bot for two players on the decisions of a stored league, with numpy alone.

    arena export league.yaml --rows decisions --format jsonl -o decisions.jsonl
    python examples/train_on_rows.py decisions.jsonl my-bot

A value is how often those who did something in a position lost no die in that round. What few of
them tried counts as bad: nobody knows it to be good. Prints how often the bot wins against the
sample bot `honest`.
"""

import argparse
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from train_tabular import measure, new_bot

from arena.lab.env.perudo_policy import Table

AT_ONCE = 10_000
"""Decisions that are looked up together."""
DOUBT = 10
"""Rounds lost that are added to those of every value."""


def main() -> None:
    """Make the folder of a bot, and fill its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("decisions", type=Path, help="the exported rows")
    parser.add_argument("folder", type=Path, help="a new folder for the bot")
    parser.add_argument("--measured", type=int, default=4000, help="games against honest")
    chosen = parser.parse_args()
    bot = new_bot(chosen.folder)
    kept, tried = learned(bot, chosen.decisions)
    bot.VALUES[:] = kept / (tried + DOUBT)
    np.savez_compressed(chosen.folder / "weights.npz", values=bot.VALUES.astype(np.float32))
    wins = measure(bot, "bga", chosen.measured)
    error = 1.96 * (wins * (1 - wins) / chosen.measured) ** 0.5
    print(f"{tried.sum():.0f} decisions, wins against honest: {wins:.3f} ± {error:.3f}")
    print(f"try it: arena play {chosen.folder} sample:honest --games 1000")


def learned(bot: ModuleType, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return for each value how often no die was lost, and how often that was tried."""
    kept, tried = np.zeros(bot.SIZE), np.zeros(bot.SIZE)
    table = Table(2, bot.DICE)
    decisions = for_two(path, bot.DICE)
    while batch := list(islice(decisions, AT_ONCE)):
        seen = np.array([observed(table, row) for row in batch])
        actions = [
            table.action(row["action"], row["quantity"] or 0, row["face"] or 0) for row in batch
        ]
        places = bot.rows(seen, table)[np.arange(len(batch)), actions]
        tried += np.bincount(places, minlength=bot.SIZE)
        safe = [row["dice_lost"] <= 0 for row in batch]
        kept += np.bincount(places, safe, minlength=bot.SIZE)
    return kept, tried


def for_two(path: Path, dice: int) -> Iterator[dict[str, Any]]:
    """Yield the bids and doubts of two players with at most so many dice."""
    with path.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            small = row["players"] == 2 and max(row["dice_counts"]) <= dice
            if small and row["action"] in ("bid", "dudo"):
                yield row


def observed(table: Table, row: dict[str, Any]) -> np.ndarray:
    """Return what the seat of a row saw; palificos before that round are left out."""
    palifico = row["palifico_seat"], [False] * table.players
    return table.observation(
        row["seat"], row["dice"], row["dice_counts"], palifico, row["bids"], offer=False
    )


if __name__ == "__main__":
    main()
