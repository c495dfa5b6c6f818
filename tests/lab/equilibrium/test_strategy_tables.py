"""Tables hold what was solved, whoever stops the training in between; the bot reads them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import asdict

from arena.game.rules.books import BGA, PRESSMAN
from arena.lab.equilibrium.approximate_solver import Approximation, few_jumps
from arena.lab.equilibrium.endgames import EndgameState, round_game
from arena.lab.equilibrium.exact_solver import TreeGame, solve
from arena.lab.equilibrium.strategy_tables import block_of, packed, played
from arena.lab.equilibrium.train import Effort, Trainer
from tests.lab.equilibrium.bot_module import BOT, bot_module
from tests.lab.equilibrium.page import SECTION, markdown

QUICK = Effort(exact=20, rough=3, hands=8)
FEW = (EndgameState(1, 1, palifico=True), EndgameState(1, 2, palifico=True), EndgameState(2, 1))


def test_rounding_costs_little() -> None:
    game = TreeGame(round_game(EndgameState(1, 1), BGA, (0.0, 1.0)))
    strategy = solve(game, 100)
    exact, rounded = game.bounds(strategy), game.bounds(played(game, block_of(game, strategy)))
    assert exact.low - rounded.low < 1e-3
    assert rounded.high - exact.high < 1e-3


@pytest.mark.slow
def test_bot_reads_what_was_written() -> None:
    game = TreeGame(round_game(EndgameState(2, 1), BGA, (0.8, 1.0)))
    block = block_of(game, solve(game, 5))
    read = bot_module().read(packed(block), (2, 1))
    for one in block.positions:
        assert read[one.key] == (one.actions, one.weights.tobytes())


@pytest.mark.slow
def test_stopped_training_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    whole, begun = Trainer(BGA, tmp_path / "whole", QUICK), Trainer(BGA, tmp_path / "cut", QUICK)
    for state in FEW:
        whole.train(state)
    begun.train(FEW[0])
    resumed = Trainer(BGA, tmp_path / "cut", QUICK)
    for state in FEW:
        resumed.train(state)
    assert resumed.file() == whole.file()


def test_approximation_is_the_same_for_the_same_seed() -> None:
    blocks = []
    for seed in (1, 1, 2):
        game = round_game(EndgameState(2, 2), PRESSMAN, (0.3, 0.7), few_jumps(4))
        rough = Approximation(game, seed, hands=8)
        for _ in range(3):
            rough.iterate()
        blocks.append(packed(rough.block()))
    assert blocks[0] == blocks[1] != blocks[2]


@pytest.mark.slow
def test_approximation_comes_close_where_the_exact_value_is_known() -> None:
    worth = (5 / 6, 1.0)
    rough = Approximation(round_game(EndgameState(2, 1), BGA, worth, few_jumps(3)), 1, hands=64)
    for _ in range(200):
        rough.iterate()
    whole = TreeGame(round_game(EndgameState(2, 1), BGA, worth))
    bounds = whole.bounds(played(whole, rough.block()))
    assert rough.value == pytest.approx(0.9368, abs=2e-3)
    assert 0.93 < bounds.low <= bounds.high < 0.94


def turn(**changes: Any) -> dict[str, Any]:
    raises = [{"face": face, "min": 1, "max": 4} for face in range(2, 7)]
    asked = {"type": "turn", "id": 1, "game": 0, "round": 0, "seat": 0, "dice": [3], "bids": []}
    seen = {"alive": [0, 1], "dice_counts": [1, 1], "palifico_seat": None}
    return {**asked, **seen, "raises": raises, "dudo": False, **changes}


def test_mixes_by_its_tables_and_repeats_itself() -> None:
    bot = bot_module()
    tables = bot.Tables(asdict(PRESSMAN))
    mix = bot.mixed(turn(), 1, tables)
    assert len(mix) > 1
    answers = [bot.choose(turn(round=number), 1, tables, 7) for number in range(200)]
    assert answers == [bot.choose(turn(round=number), 1, tables, 7) for number in range(200)]
    assert len({answer["face"] for answer in answers}) > 1


def test_plays_by_the_odds_where_the_tables_say_nothing() -> None:
    bot = bot_module()
    eight = turn(dice=[3] * 8, dice_counts=[8, 8])
    assert bot.mixed(eight, 8, bot.Tables(asdict(BGA))) == [(bot.by_odds(eight, 8), 1)]
    assert bot.mixed(turn(), 1, None) == [(bot.by_odds(turn(), 1), 1)]


@pytest.mark.parametrize("damage", ["cut", "body", "index", "crc", "empty"])
def test_damaged_table_is_refused_in_one_line(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "equilibrium"
    shutil.copytree(BOT, folder)
    for table in folder.glob("tables/*.bin"):
        whole = table.read_bytes()
        if place := {"body": -9, "index": 40, "crc": 2}.get(damage):
            table.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        else:
            table.write_bytes({"cut": whole[:-9], "empty": b""}[damage])
    hello = {"type": "hello", "protocol": 1, "seat": 0, "seats": 2, "games": 1, "seed": 1}
    line = json.dumps({**hello, "rules": asdict(BGA)}) + "\n"
    ran = subprocess.run(
        [sys.executable, "bot.py"],
        cwd=folder,
        input=line,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.count("\n") == 1
    assert "the table is damaged" in ran.stderr


def test_tables_are_small() -> None:
    assert sum(path.stat().st_size for path in BOT.glob("tables/*")) <= 8_000_000


def test_page_says_what_the_tables_hold() -> None:
    assert SECTION.read() == markdown()


def test_drawn_hands_stand_for_all() -> None:
    """Rare hands are drawn more often than they fall, and count less for it."""
    game = round_game(EndgameState(4, 4), BGA, (0.4, 0.6), few_jumps(8))
    rough = Approximation(game, 1, hands=64)
    weights = np.zeros(len(game.hands[0]))
    for _ in range(400):
        drawn = rough._draw(0)
        weights[drawn.hands] += drawn.odds
    assert np.allclose(weights / 400, game.chances[0], atol=0.01)
    assert (weights > 0).all()
