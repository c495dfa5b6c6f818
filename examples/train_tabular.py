"""Trains a bot for two players by self-play, with numpy alone.

    python examples/train_tabular.py my-bot

Thousands of games are played at a time. After each round the values of what both seats did in it
move towards how it ended. Prints how often the bot wins against the sample bot `honest`.
"""

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path
from shutil import copy
from types import ModuleType

import numpy as np

from arena.bots.kits import create
from arena.lab.env.perudo_policy import DUDO, FACES, FIRST_BID
from arena.lab.env.vector import VectorEnv

LONGEST = 64
"""Decisions of a round that are learned from."""


def main() -> None:
    """Make the folder of a bot, train it and store its weights there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="a new folder for the bot")
    parser.add_argument("--variant", default="bga")
    parser.add_argument("--games", type=int, default=2048, help="played at a time")
    parser.add_argument("--steps", type=int, default=4000, help="actions in each of them")
    parser.add_argument("--looks", type=int, default=6, help="how often the bot is measured")
    parser.add_argument("--measured", type=int, default=4000, help="games of a measurement")
    chosen = parser.parse_args()
    bot = new_bot(chosen.folder)
    trainer = Trainer(bot, chosen.variant, chosen.games)
    print("decisions  CPU s  wins against honest")
    for look in range(chosen.looks + 1):
        for _ in range(chosen.steps * look // chosen.looks - trainer.steps):
            trainer.step(explore=max(0.02, 0.3 * (1 - trainer.steps / chosen.steps)))
        wins = measure(bot, chosen.variant, chosen.measured)
        error = 1.96 * (wins * (1 - wins) / chosen.measured) ** 0.5
        decisions = trainer.steps * chosen.games
        print(f"{decisions:>9}  {trainer.seconds:>5.0f}  {wins:.3f} ± {error:.3f}", flush=True)
    np.savez_compressed(chosen.folder / "weights.npz", values=bot.VALUES.astype(np.float32))
    print(f"try it: arena play {chosen.folder} sample:honest --games 1000")


def new_bot(folder: Path) -> ModuleType:
    """Make a bot's folder by the kit, put the tabular bot into it, and return it as a module."""
    create(folder, "policy")
    (folder / "bot.py").rename(folder / "cautious.py")
    copy(Path(__file__).with_name("tabular_bot.py"), folder / "bot.py")
    sys.path.insert(0, str(folder))
    return import_module("bot")


class Trainer:
    """Self-play in many games; each seat plays by the same values, and sometimes at random."""

    def __init__(self, bot: ModuleType, variant: str, games: int) -> None:
        self.env = VectorEnv(games, variant, seed=1)
        self.steps, self.seconds = 0, 0.0
        self._bot = bot
        self._random = np.random.default_rng(1)
        self._counts = np.zeros(bot.SIZE)
        self._rows = np.zeros((games, LONGEST), np.int32)
        self._seats = np.zeros((games, LONGEST), np.int8)
        self._length = np.zeros(games, np.int32)

    def step(self, explore: float) -> None:
        """Take an action in each game, and learn from the rounds that it ends."""
        began, env = time.process_time(), self.env
        games = np.arange(env.games)
        rows = self._bot.rows(env.observations(), env.table)
        actions = best(self._bot.VALUES[rows], env.masks())
        anything = self._random.random(env.games) < explore
        actions[anything] = env.sample()[anything]
        at = np.minimum(self._length, LONGEST - 1)
        self._rows[games, at], self._seats[games, at] = rows[games, actions], env.seat
        self._length = at + 1
        before, called = env.dice.copy(), np.flatnonzero(actions == DUDO)
        rewards, over = env.step(actions)
        lost = np.where(over, rewards[:, 0] < 0, before[:, 0] > env.dice[:, 0])
        self._learn(called, np.where(lost, 0, 1)[called])
        self._length[called] = 0
        self.steps += 1
        self.seconds += time.process_time() - began

    def _learn(self, games: np.ndarray, losers: np.ndarray) -> None:
        """Move the values of what was done in rounds towards how they ended."""
        done = np.arange(LONGEST) < self._length[games, None]
        rows, kept = self._rows[games][done], (self._seats[games] != losers[:, None])[done]
        values, size = self._bot.VALUES, self._bot.SIZE
        counts = np.bincount(rows, minlength=size)
        # Old rounds, of worse play, count less and less.
        self._counts = np.minimum(self._counts, 20_000) + counts
        gained = np.bincount(rows, kept, minlength=size) - counts * values
        values += gained / np.maximum(self._counts, 1)


def best(values: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the legal action with the highest value in each game."""
    return np.where(masks, values, -1).argmax(1)


def measure(bot: ModuleType, variant: str, games: int) -> float:
    """Return the share of games that the bot wins against honest, in either seat as often."""
    env, first = VectorEnv(games, variant, seed=2), np.arange(games) % 2
    won, left = np.zeros(games, np.bool_), np.ones(games, np.bool_)
    while left.any():
        actions = best(bot.VALUES[bot.rows(env.observations(), env.table)], env.masks())
        theirs = env.seat != first
        actions[theirs] = honest(env)[theirs]
        rewards, over = env.step(actions)
        won[over & left] = (rewards[np.arange(games), first] > 0)[over & left]
        left &= ~over
    return float(won.mean())


def honest(env: VectorEnv) -> np.ndarray:
    """Return what the sample bot `honest` would do in every game."""
    games = np.arange(env.games)
    hand = env.hands[games, env.seat].astype(np.int64)
    held = hand + hand[:, :1] * (env.palifico < 0)[:, None]
    held[:, 0] = hand[:, 0]
    masks = env.masks()
    bids = masks[:, FIRST_BID:].reshape(env.games, -1, FACES)
    least, most = bids.argmax(1) + 1, env.table.cap - bids[:, ::-1].argmax(1)
    backing = np.where(bids.any(1), held - least, -99)
    face = backing.argmax(1)
    at = games, face
    quantity = np.minimum(np.maximum(held[at], least[at]), most[at])
    last, on = np.divmod(np.minimum(env.bid, FACES * env.table.cap - 1), FACES)
    doubts = masks[:, DUDO].astype(np.bool_) & (backing[at] < 0) & (held[games, on] < last + 1)
    doubts |= ~bids.any((1, 2))
    return np.where(doubts, DUDO, FIRST_BID + (quantity - 1) * FACES + face)


if __name__ == "__main__":
    main()
