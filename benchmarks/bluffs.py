"""Where the champion bluffs, and what it doubts: `python -m benchmarks.bluffs [WEIGHTS]`.

Plays `champion`, `memory`, `odds` and `honest` in arrays (`arena.lab.training.league`), at tables
of two and of four under each rule book. A bid is a bluff if it was less than 1/2 likely to be true
by the bidder's own dice. `--write` draws the pictures and fills the tables of
benchmarks/results/champion.md; WEIGHTS are those of another bot.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.game.rules.books import VARIANTS
from arena.lab.env.perudo_policy import DUDO, FACES, FIRST_BID
from arena.lab.training.games import Games
from arena.lab.training.league import bot_of, league
from arena.lab.training.rivals import Memory, Rival, honest, odds
from arena.lab.training.view import Dice, Numbers, Positions
from arena.publish.charts import SQUARE, Axis, Chart, Dot, across, numbers, picture, ticks, upwards
from arena.publish.text import percent
from arena.ratings.maths.intervals import wilson
from tests.support.generated_section import ROOT, GeneratedSection

SHIPPED = Path("sample_bots/champion/weights.npz")
BOTS = ("champion", "memory", "odds", "honest")
AT_A_TIME = 512
OWN, PLACES = 5, ("opens", "second", "third", "later")
BINS = 50
"""Of the chance of a bid, for what is doubted."""
SECTION = GeneratedSection("benchmarks/results/champion.md", "bluffs", "bluffs")


class Rate(Struct, frozen=True):
    """How often something was done."""

    name: str
    hits: int
    trials: int

    @property
    def share(self) -> float:
        return self.hits / max(self.trials, 1)

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.hits, self.trials)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.share:.1f} ({100 * low:.1f} to {100 * high:.1f})"


class Counts:
    """What bots did, by bot: their bids and bluffs, the bids they could doubt and doubted."""

    def __init__(self) -> None:
        self.bids = np.zeros((2, len(BOTS), OWN, len(PLACES)), np.int64)
        """By true or bluff, bot, own dice, place in the round."""
        self.answers = np.zeros((2, len(BOTS), BINS), np.int64)
        """By raise or doubt, bot, chance of the bid by the own dice."""

    def watch(self, table: Games, at: Positions, actions: Numbers) -> None:
        """Count actions; calls and passes of calza are left out."""
        kinds = table.players[table.rows, table.env.seat]
        dice, own = Dice(at), at.dice[:, 0] - 1
        bids = actions >= FIRST_BID
        quantity, face = np.divmod(actions - FIRST_BID, FACES)
        bluffs = dice.holds_one(quantity + 1, face, 0) < 0.5
        place = np.minimum(table.length[table.rows], len(PLACES) - 1)
        add(self.bids, bids, bluffs, kinds, own, place)
        on_turn = ~at.offer & (at.quantity > 0)
        bins = np.minimum(dice.holds_one(at.quantity, at.face, 0) * BINS, BINS - 1).astype(np.int64)
        add(self.answers, on_turn, actions == DUDO, kinds, bins)

    def bluffs(self, bot: str) -> NDArray[np.int64]:
        """Return a bot's bids, by true or bluff, own dice, place in the round."""
        return self.bids[:, BOTS.index(bot)]

    def doubts(self, bot: str) -> NDArray[np.int64]:
        """Return its answers to bids, by raise or doubt, and chance of the bid."""
        return self.answers[:, BOTS.index(bot)]


def add(counts: NDArray[np.int64], rows: NDArray[np.bool_], *key: NDArray[np.generic]) -> None:
    np.add.at(counts, tuple(part[rows].astype(np.int64) for part in key), 1)


def counted(weights: Path, book: str, players: int, games: int) -> Counts:
    """Play that many games, the champion in each of them."""
    counts = Counts()
    rivals: tuple[Rival, ...] = (bot_of(weights), Memory(len(BOTS)), odds, honest)
    table = Games(min(AT_A_TIME, games), book, players, seed=players)
    field = dict(zip(BOTS, rivals, strict=True))
    league(field, table, games, always=BOTS[0], watch=counts.watch)
    return counts


def threshold(answers: NDArray[np.int64]) -> tuple[float, float]:
    """Return the chance below which doubting explains most answers, and the share that it does."""
    raised, doubted = answers
    right = np.r_[0, doubted.cumsum()] + np.r_[raised[::-1].cumsum()[::-1], 0]
    best = int(right.argmax())
    return best / BINS, float(right[best] / answers.sum())


def rates(pair: NDArray[np.int64], names: list[str]) -> list[Rate]:
    """Return a rate for each column of counts without and with."""
    return [
        Rate(name, int(hits), int(hits + not_))
        for name, not_, hits in zip(names, *pair, strict=True)
    ]


def by_dice(counts: Counts, bot: str) -> list[Rate]:
    return rates(counts.bluffs(bot).sum(2), [str(own) for own in range(1, OWN + 1)])


def by_place(counts: Counts, bot: str) -> list[Rate]:
    return rates(counts.bluffs(bot).sum(1), [*PLACES])


def by_chance(counts: Counts, bot: str) -> list[Rate]:
    """Return how often a bot doubts, in ten steps of the chance of the bid."""
    tens = counts.doubts(bot).reshape(2, 10, BINS // 10).sum(2)
    found = rates(tens, [f"{10 * step} to {10 * step + 10} %" for step in range(10)])
    return [rate for rate in found if rate.trials]


def bluff_chart(found: list[Rate]) -> Chart:
    """Draw bluffs by the dice that the bidder has left."""
    x = across(Axis(0.5, OWN + 0.5, tuple(range(1, OWN + 1))))
    y = upwards(Axis(0, 0.4, (0, 0.1, 0.2, 0.3, 0.4), 2), SQUARE)
    at = [x.at(int(rate.name)) for rate in found]
    return chart(
        found, at, (x, lambda dice: f"{dice:.0f}"), y, ("own dice left", "bids that bluff")
    )


def doubt_chart(found: list[Rate]) -> Chart:
    """Draw doubts by how likely the bid is."""
    axis = Axis(0, 1, (0, 0.25, 0.5, 0.75, 1), 2)
    x = across(axis)
    at = [x.at((int(rate.name.split()[0]) + 5) / 100) for rate in found]
    names = ("odds of the bid by the own dice", "bids doubted")
    return chart(found, at, (x, share), upwards(axis, SQUARE), names)


def share(value: float) -> str:
    return percent(value, 0)


def chart(
    found: list[Rate],
    at: list[float],
    x: tuple[Axis, Callable[[float], str]],
    y: Axis,
    names: tuple[str, str],
) -> Chart:
    """Draw rates with their intervals at places on the x axis, which comes with its labels."""
    return Chart(
        words=f"{names[1]} by {names[0]}",
        across=names[0],
        up=names[1],
        height=SQUARE,
        x=ticks(*x),
        y=ticks(y, share),
        path=" ".join(f"{spot},{y.at(rate.share)}" for spot, rate in zip(at, found, strict=True)),
        dots=tuple(
            Dot(spot, y.at(rate.share), f"{rate.name}: {rate}", *map(y.at, rate.interval))
            for spot, rate in zip(at, found, strict=True)
        ),
        numbers=numbers(found, {names[0]: lambda rate: rate.name, names[1]: str}),
    )


def tables(counts: dict[tuple[int, str], Counts]) -> Iterator[str]:
    """Yield the lines of the tables of the page."""
    yield from ("", "Bids of `champion` that bluff, in per cent:", "")
    dice = [f"{own} dice" for own in range(2, OWN + 1)]
    yield from heading("players", "rule book", "1 die", *dice, *PLACES)
    for (players, book), found in counts.items():
        cells = [*by_dice(found, BOTS[0]), *by_place(found, BOTS[0])]
        yield row(players, f"`{book}`", *(f"{100 * rate.share:.1f}" for rate in cells))
    yield from ("", "Bids that bluff, all together, in per cent:", "")
    yield from heading("players", "rule book", *BOTS)
    for (players, book), found in counts.items():
        rate = (rates(found.bluffs(bot).sum(2).sum(1, keepdims=True), [""])[0] for bot in BOTS)
        yield row(players, f"`{book}`", *rate)
    yield from (
        "",
        "The odds below which it doubts, and the share of answers which that explains:",
        "",
    )
    yield from heading("players", "rule book", *BOTS)
    for (players, book), found in counts.items():
        best = (threshold(found.doubts(bot)) for bot in BOTS)
        cut = (f"{100 * edge:.0f} % ({100 * explained:.0f} %)" for edge, explained in best)
        yield row(players, f"`{book}`", *cut)
    yield ""


def heading(*names: str) -> tuple[str, str]:
    return row(*names), f"|{'---|' * len(names)}"


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("weights", nargs="?", type=Path, default=SHIPPED)
    parser.add_argument("--games", type=int, default=1024, help="at each kind of table")
    parser.add_argument("--write", action="store_true", help="the page and its pictures")
    chosen = parser.parse_args()
    counts = {
        (players, book): counted(chosen.weights, book, players, chosen.games)
        for players, book in product((2, 4), VARIANTS)
    }
    text = "\n".join(tables(counts))
    print(text)
    if chosen.write:
        write(counts, text)


def write(counts: dict[tuple[int, str], Counts], text: str) -> None:
    """Draw the pictures for four players, and fill the page."""
    bluffs = {book: bluff_chart(by_dice(counts[4, book], BOTS[0])) for book in VARIANTS}
    doubts = {bot: doubt_chart(by_chance(counts[4, "bga"], bot)) for bot in BOTS}
    for name, title, charts in (
        ("bluffs", "How often champion bluffs, by its dice left, under each rule book", bluffs),
        ("doubts", "How often bots doubt a bid, by its odds", doubts),
    ):
        (ROOT / "benchmarks/results" / f"{name}.svg").write_text(
            picture(title, charts), encoding="utf-8"
        )
    SECTION.write(f"{text}\n")


if __name__ == "__main__":
    main()
