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
from arena.lab.env.perudo_policy import DUDO
from arena.lab.training.games import Games, bid_actions, some
from arena.lab.training.league import Frozen, league, respond, shipped_champion
from arena.lab.training.policy import Policy
from arena.lab.training.rivals import Rival, sample_bots
from arena.lab.training.view import FIRST_SLOT, KINDS, Numbers, Positions, view
from tests.cli.command import ROOT
from tests.lab.training.positions import played, request
from tests.support.sampling import sample

FOLDER = ROOT / "sample_bots" / "champion"
BOTS_AND_ITSELF = np.array([KINDS - 1, *range(KINDS - 1)])
"""The kinds of `champion` and of the sample bots after it."""


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


@pytest.mark.parametrize("name", ["view.py", "policy.py", "responses.py"])
def test_bot_has_the_files_of_the_lab(name: str) -> None:
    training = ROOT / "arena" / "lab" / "training"
    assert (FOLDER / name).read_bytes() == (training / name).read_bytes()


@pytest.mark.parametrize("book", VARIANTS)
def test_bot_sees_what_the_policy_saw_in_training(book: str, bot: ModuleType) -> None:
    with np.load(FOLDER / "weights.npz") as weights:
        policy = Policy(weights)
    for players in sample((2, 3, 6), 1, f"champion at {book}"):
        champion, trained = bot.Champion(policy, None), Frozen(policy)
        champion.hear(hello(Games(1, book, players, calza=True)))
        games = played(book, players, calza=True, steps=60, witness=trained, tell=champion.hear)
        seen = trained.sees(games.positions(games.rows), games, games.rows)
        rows = [champion.row(request(games, game)) for game in games.rows.tolist()]
        again = view(Positions(*(np.array(part) for part in zip(*rows, strict=True))))
        columns: Iterable[tuple[NDArray[Any], NDArray[Any]]] = zip(again, seen, strict=True)
        for found, wanted in columns:
            assert np.allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize("book", VARIANTS)
def test_bot_responds_as_in_arrays(book: str, bot: ModuleType) -> None:
    with np.load(FOLDER / "weights.npz") as weights:
        policy = Policy(weights)
    responses = bot.Responses(np.load(FOLDER / "responses.npz"))
    champion = bot.Champion(policy, responses)
    champion.hear(hello(Games(1, book, 2)))
    games = played(book, 2, calza=False, steps=7, witness=Frozen(policy), tell=champion.hear)
    at = games.positions(games.rows)
    known = dict(respond(responses, at, games, games.rows))
    assert known
    for game in games.rows.tolist():
        asked = request(games, game)
        said = champion.response(asked, champion.row(asked))
        assert (said is None) == (game not in known)
        if said:
            chosen, quantity, face = said
            action = int(bid_actions(quantity, face)) if chosen == FIRST_SLOT else DUDO
            assert action == known[game]


def test_guesses_who_it_plays_against() -> None:
    """After a few rounds the true kind of most rivals is the likeliest."""
    champion = shipped_champion()
    right, guessed = 0, 0
    field: dict[str, Rival] = {"champion": champion, **sample_bots(10)}

    def watch(games: Games, at: Positions, _actions: Numbers) -> None:
        nonlocal right, guessed
        rows = np.flatnonzero((games.env.round > 4) & (games.env.seat == 0))
        if len(rows):
            kinds = champion.sees(some(at, rows), games, rows).numbers[:, -KINDS:].argmax(1)
            right += int((BOTS_AND_ITSELF[games.players[rows, 1]] == kinds).sum())
            guessed += len(rows)

    league(field, Games(64, "bga", 2, seed=1), 128, watch=watch)
    assert guessed > 100
    assert right > guessed / 2


def hello(games: Games) -> dict[str, object]:
    rules = games.env.setting.rules
    switches = {name: getattr(rules, name) for name in rules.__struct_fields__}
    return {"type": "hello", "seats": games.env.table.players, "seed": 1, "rules": switches}
