"""What training makes: a bot that sees the same as in training, and plays."""

import sys
from collections.abc import Iterable
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.game.rules.books import VARIANTS
from arena.lab.training.games import Games
from arena.lab.training.view import Positions, view
from tests.cli.command import ROOT
from tests.lab.training.positions import played, request

FOLDER = ROOT / "sample_bots" / "champion"


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the bot's program as a module."""
    monkeypatch.syspath_prepend(str(FOLDER))
    with patch.dict(sys.modules):
        spec = spec_from_file_location("champion_bot", FOLDER / "bot.py")
        assert spec
        assert spec.loader
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


@pytest.mark.parametrize("name", ["view.py", "policy.py"])
def test_bot_has_the_files_of_the_lab(name: str) -> None:
    training = ROOT / "arena" / "lab" / "training"
    assert (FOLDER / name).read_bytes() == (training / name).read_bytes()


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
        columns: Iterable[tuple[NDArray[Any], NDArray[Any]]] = zip(again, seen, strict=True)
        for found, wanted in columns:
            assert np.array_equal(found, wanted)


def hello(games: Games) -> dict[str, object]:
    rules = games.env.setting.rules
    switches = {name: getattr(rules, name) for name in rules.__struct_fields__}
    return {"type": "hello", "seats": games.env.table.players, "seed": 1, "rules": switches}
