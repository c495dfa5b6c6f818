"""How many rounds games with calza have, per die at the start: `python -m benchmarks.rounds`.

The limit (`arena/game/rules/round.py`) must be far above that. Two kinds of players: the
sample bots that call calza, and players who see all dice and call calza in three of five cases in
which it is right, which no honest player can.
"""

import argparse
from collections.abc import Iterator
from random import Random

from arena.bots.manifest import load_bot
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.workshop import open_workshop
from arena.game.records import LimitsInfo, RoundStarted
from arena.game.rules.books import VARIANTS, Rules, variant
from arena.game.rules.round import ROUNDS_PER_DIE, first_standing
from arena.io import shipped
from tests.support import records
from tests.support.live import play_bots
from tests.support.random_games import play

BOTS = ("odds", "memory") * 3
"""The sample bots that call calza."""


def seeing(rules: Rules, players: int, games: int) -> Iterator[int]:
    """Yield the rounds of games of players who see all dice."""
    for game in range(games):
        rng = Random(f"{rules.name}/{players}/{rules.starting_dice}/{game}")
        standing = first_standing(rules, players, rng.randrange(players))
        yield sum(1 for _ in play(standing, rng))


def sample_bots(rules: Rules, players: int, games: int) -> Iterator[int]:
    """Yield the rounds of games of sample bots."""
    sandbox = ProcessSandbox()
    with open_workshop(sandbox) as workshop:
        folders = [shipped.folder("sample_bots") / name for name in BOTS[:players]]
        bots = [workshop.stage(load_bot(folder)) for folder in folders]
        seats = (bot.name for bot in bots)
        fixture = records.fixture(seats, games, variant=rules.name, seed="bench")
        for record in play_bots(fixture, rules, bots, sandbox, LimitsInfo()).games:
            yield sum(isinstance(event, RoundStarted) for event in record.events)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=500, help="per kind, rule book and table")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 6])
    options = parser.parse_args()
    games: int = options.games
    print(f"rounds per die; the limit is {ROUNDS_PER_DIE}")
    for players_of in (seeing, sample_bots):
        for book in VARIANTS:
            for players in options.players:
                rules = variant(book, {}, calza=True)
                counts = list(players_of(rules, players, games))
                dice = players * rules.starting_dice
                mean, most = sum(counts) / games / dice, max(counts) / dice
                what = f"{players_of.__name__} {book} {players}"
                print(f"{what}: mean {mean:.2f}, most {most:.2f}", flush=True)


if __name__ == "__main__":
    main()
