"""How the sample bot `champion` does: `python -m benchmarks.champion [WEIGHTS] [--games N]`.

Plays leagues of all sample bots in arrays (`arena.lab.training.league`), under each rule book at
tables of two to six, and prints the share of its rivals that each of the best four finishes ahead
of, and where others may be first; then each head to head for two; then decisions per second of CPU
time. WEIGHTS are those of another bot, to which `responses.npz` beside them belongs. `--curve
curve.tsv` draws what its training wrote into curve.svg beside it.
"""

import argparse
import csv
import multiprocessing
import time
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from arena.game.rules.books import VARIANTS
from arena.lab.training.games import Games, some
from arena.lab.training.league import Score, bot_of, duel, finished, lead, league, scores
from arena.lab.training.rivals import Rival, play, sample_bots
from arena.lab.training.run import RIVALS
from arena.lab.training.view import KINDS, Numbers, Positions
from arena.publish.charts import (
    SQUARE,
    Axis,
    Chart,
    Dot,
    across,
    numbers,
    picture,
    round_axis,
    ticks,
    upwards,
)
from arena.publish.text import percent as whole

SHIPPED = Path("sample_bots/champion/weights.npz")
AT_A_TIME = 512


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("weights", nargs="?", type=Path, default=SHIPPED)
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--calza", action="store_true")
    parser.add_argument("--curve", type=Path)
    chosen = parser.parse_args()
    if chosen.curve:
        chosen.curve.with_suffix(".svg").write_text(drawn(chosen.curve), "utf-8")
    # Those with the most players take longest, and begin first.
    tables = product(range(6, 1, -1), VARIANTS)
    settings = [Setting(book, players, chosen.games, chosen.calza) for players, book in tables]
    rivals = list(product([one for one in settings if one.players == 2], sample_bots(1)))
    with multiprocessing.Pool() as pool:
        boards = pool.imap(partial(board, chosen.weights), settings)
        duels = pool.imap(partial(head_to_head, chosen.weights), rivals)
        print_boards(settings, boards)
        for (setting, rival), score in zip(rivals, duels, strict=True):
            print(f"{setting.book} against {rival}: {percent(score)}", flush=True)
    print(f"guesses the rival for two under bga: {recognised(chosen.weights)}")
    print(speed(chosen.weights))


class Setting(NamedTuple):
    """A leaderboard."""

    book: str
    players: int
    games: int
    calza: bool


def print_boards(
    settings: Sequence[Setting], boards: Iterable[tuple[dict[str, Score], float]]
) -> None:
    """Print the first of each leaderboard; then those on which others may be first, too."""
    # Of all pairs with the champion, on all leaderboards, none may be wrong in 95 % of runs.
    enough = NormalDist().inv_cdf(1 - 0.05 / (len(settings) * len(sample_bots(1))))
    shared = []
    for setting, (found, ahead) in zip(settings, boards, strict=True):
        best = sorted(found.items(), key=lambda item: -item[1].share)[:4]
        told = ", ".join(f"{name} {percent(score)}" for name, score in best)
        print(f"{setting.book} {setting.players}: {told}", flush=True)
        if ahead < enough:
            shared.append(f"{setting.book} {setting.players}")
    print(f"others may be first on: {', '.join(shared) or 'none'} (95 % for all at once)")


def board(weights: Path, setting: Setting) -> tuple[dict[str, Score], float]:
    """Return the share of rivals that each beats, and the champion's smallest lead."""
    field: dict[str, Rival] = {"champion": bot_of(weights), **sample_bots(10)}
    book, players, games, calza = setting
    table = Games(AT_A_TIME, book, players, calza=calza, seed=players)
    played = finished(field, table, games)
    return scores(field, played), min(lead(played, 0, other) for other in range(1, len(field)))


def head_to_head(weights: Path, setting_and_rival: tuple[Setting, str]) -> Score:
    """Return how many games for two it wins against a sample bot."""
    (book, _, games, calza), rival = setting_and_rival
    return duel(bot_of(weights), rival, games, 1, book, calza=calza)


def percent(score: Score) -> str:
    return f"{100 * score.share:.1f} ± {100 * score.error:.1f}"


def drawn(curve: Path) -> str:
    """Return a picture of the games for two that were won in training, by decisions."""
    with curve.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    charts = {f"against {name}": won(rows, 4 + n) for n, name in enumerate(RIVALS)}
    return picture("Games for two that the champion wins, in training", charts)


def won(rows: Sequence[Sequence[str]], column: int) -> Chart:
    """Draw a column of shares with their intervals."""
    made = [int(row[1]) / 1e6 for row in rows]
    pairs = [[float(part) for part in row[column].split(" ± ")] for row in rows]
    x = across(round_axis([0, *made]))
    y = upwards(Axis(0.4, 1, (0.4, 0.6, 0.8, 1), 1), SQUARE)
    at = [x.at(millions) for millions in made]
    return Chart(
        words="games won by decisions",
        across="million decisions",
        up="games won",
        height=SQUARE,
        x=ticks(x, lambda millions: f"{millions:.0f}"),
        y=ticks(y, lambda share: whole(share, 0)),
        path=" ".join(f"{spot},{y.at(share)}" for spot, (share, _) in zip(at, pairs, strict=True)),
        dots=tuple(
            Dot(spot, y.at(share), row[column], y.at(share - error), y.at(share + error))
            for spot, (share, error), row in zip(at, pairs, rows, strict=True)
        ),
        numbers=numbers(
            rows, {"decisions": lambda row: row[1], "games won": lambda row: row[column]}
        ),
    )


def recognised(weights: Path, games: int = 4096) -> str:
    """Return the mean chance that the true kind of a rival has after four rounds."""
    champion = bot_of(weights)
    found: dict[int, list[float]] = {kind: [] for kind in range(KINDS)}

    def watch(table: Games, at: Positions, _actions: Numbers) -> None:
        mine = table.players[table.rows, table.env.seat] == 0
        rows = np.flatnonzero(mine & (table.env.round == 4) & (table.length < 2))
        if len(rows):
            chances = champion.sees(some(at, rows), table, rows).numbers[:, -KINDS:]
            for row, kinds in zip(rows, chances, strict=True):
                kind = int(table.players[row].max()) - 1
                found[kind].append(float(kinds[kind]))

    field: dict[str, Rival] = {"champion": champion, **sample_bots(10)}
    league(field, Games(AT_A_TIME, "bga", 2, seed=2), games, always="champion", watch=watch)
    names = list(field)[1:]
    return ", ".join(f"{name} {np.mean(found[n]):.2f}" for n, name in enumerate(names))


def speed(weights: Path) -> str:
    """Return decisions per second of CPU time of a league of four copies of the bot."""
    table = Games(4096, "bga", 4, seed=1)
    copies = bot_of(weights)
    began, steps = time.process_time(), 40
    for _ in range(steps):
        at = table.positions(table.rows)
        play(table, at, copies(at, table, table.rows), [copies])
    return f"{steps * 4096 / (time.process_time() - began):,.0f} decisions/s of CPU time"


if __name__ == "__main__":
    main()
