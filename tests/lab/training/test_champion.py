"""What training makes: a bot that sees the same as in training, and plays."""

import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import numpy as np
import pytest

from arena.game.rules.books import VARIANTS
from arena.lab.training.games import Games
from arena.lab.training.view import Positions, view
from tests.cli.command import ROOT
from tests.lab.training.positions import played, request


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the bot's program; what lies beside it in play is in a room of the lab."""
    monkeypatch.syspath_prepend(str(ROOT / "arena" / "lab" / "training"))
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    with patch.dict(sys.modules):
        import champion_bot

        assert isinstance(champion_bot, ModuleType)
        return champion_bot


@pytest.mark.parametrize("book", VARIANTS)
def test_bot_sees_what_the_policy_saw_in_training(book: str, bot: ModuleType) -> None:
    for players in (2, 3, 6):
        games = played(book, players, calza=True, steps=60)
        seen = view(games.positions(games.rows))
        champion = bot.Champion(None)
        champion.hear(hello(games))
        rows = []
        for game in games.rows.tolist():
            asked = request(games, game)
            known = champion.game(asked)
            known.used = games.env.palifico_used[game].tolist()
            rows.append(champion.row(asked))
        again = view(Positions(*(np.array(part) for part in zip(*rows, strict=True))))
        for found, wanted in zip(again, seen, strict=True):
            assert np.array_equal(found, wanted)


def hello(games: Games) -> dict[str, object]:
    rules = games.env.setting.rules
    switches = {name: getattr(rules, name) for name in rules.__struct_fields__}
    return {"type": "hello", "seats": games.env.table.players, "seed": 1, "rules": switches}
