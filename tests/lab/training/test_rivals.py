"""The sample bots as arrays answer as the programs do."""

import json
from pathlib import Path

import pytest

from arena.game.rules.books import VARIANTS, variant
from arena.lab.env.perudo_policy import Table
from arena.lab.training.games import Games
from arena.lab.training.rivals import sample_bots
from tests.lab.training.positions import played, request
from tests.sample_bots.harness import Table as LiveTable
from tests.sample_bots.players import BOTS, BotProcess, Scripted, prepare, running


def ask(bot: BotProcess, games: Games, game: int, *, counts: bool) -> int:
    """Return the action that a live bot answers."""
    message = request(games, game)
    if not counts:
        message["dice_counts"] = None
    bot.tell_line(json.dumps(message).encode() + b"\n")
    said = json.loads(bot.exchange())
    table = Table(games.env.table.players, games.env.table.starting_dice)
    return table.action(said["action"], said.get("quantity", 0), said.get("face", 0))


@pytest.mark.parametrize("name", ["honest", "odds", "js-cautious", "sh-minimal", "c-counter"])
def test_answers_as_the_program_does(name: str, tmp_path: Path) -> None:
    counts, calza = name == "odds", name == "odds"
    # c-counter counts dice by itself: it is asked in first rounds only.
    steps = 4 if name == "c-counter" else 40
    with running(prepare(BOTS / name, tmp_path), tmp_path) as bot:
        for players, book in enumerate(VARIANTS, 2):
            rules = variant(book, {}, calza=calza, lost_dice_visible=counts)
            LiveTable(rules, "", [bot, *(Scripted(seat) for seat in range(1, players))]).begin(1)
            games = played(book, players, calza=calza, steps=steps)
            rows = games.rows[games.env.dice.sum(1) == 5 * players] if steps == 4 else games.rows
            at = games.positions(games.rows)
            actions = sample_bots(1)[name](at, games, games.rows)
            assert len(rows) > 8
            for game in rows:
                assert actions[game] == ask(bot, games, int(game), counts=counts), (book, game)
