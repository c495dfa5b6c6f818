"""How the champion does where it was not trained: `python -m benchmarks.generality [WEIGHTS]`.

Games for two in arrays, under `bga` with one switch changed at a time, with other numbers of dice,
and with five dice against three. Prints the share of games that it wins, with 95 % intervals,
against `odds` and `memory`; beside those that `odds` wins against `memory` there.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import asdict, replace

from arena.game.rules.books import BGA, Rules
from arena.lab.training.games import Games
from arena.lab.training.league import bot_of, finished
from arena.lab.training.rivals import Memory, Rival, odds
from arena.lab.training.view import SWITCHES

SHIPPED = Path("sample_bots/champion/weights.npz")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("weights", nargs="?", type=Path, default=SHIPPED)
    parser.add_argument("--games", type=int, default=1024)
    chosen = parser.parse_args()
    champion = bot_of(chosen.weights)
    print("| table | against `odds` | against `memory` | `odds` against `memory` |")
    print("|---|---|---|---|")
    for name, rules, dice in tables():
        pairs = ((champion, odds), (champion, Memory(2)), (odds, Memory(2)))
        cells = (won(pair, rules, dice, chosen.games) for pair in pairs)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def tables() -> Iterator[tuple[str, Rules, tuple[int, int]]]:
    """Yield rules, and the dice of both."""
    yield "`bga`", BGA, (5, 5)
    yield "5 dice against 3", BGA, (5, 3)
    yield "3 dice against 5", BGA, (3, 5)
    yield "6 dice each", replace(BGA, starting_dice=6), (6, 6)
    yield "10 dice each", replace(BGA, starting_dice=10), (10, 10)
    for switch in SWITCHES:
        value = not asdict(BGA)[switch]
        yield f"`{switch}: {str(value).lower()}`", replace(BGA, **{switch: value}), (5, 5)


def won(pair: tuple[Rival, Rival], rules: Rules, dice: tuple[int, int], games: int) -> str:
    """Return in per cent how many games the first wins with the first number of dice."""
    table = Games(2 * games, rules, 2, seed=1)
    table.env.dice[:] = dice
    table.env.deal(table.rows)
    played = finished({"first": pair[0], "second": pair[1]}, table, 2 * games)
    first = played.places[played.players[:, 0] == 0, 0] == 1
    error = 1.96 * first.std() / len(first) ** 0.5
    return f"{100 * first.mean():.1f} ± {100 * error:.1f}"


if __name__ == "__main__":
    main()
