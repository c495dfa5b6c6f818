"""Tables that the champion was not trained at: it plays legally there, too."""

import pytest
from msgspec.structs import asdict, replace

from arena.game.rules.books import BGA, Rules
from arena.lab.training.games import Games
from arena.lab.training.league import shipped_champion
from arena.lab.training.view import SWITCHES
from tests.support.depth import depth

TWISTS = [
    replace(BGA, **{switch: not asdict(BGA)[switch]}) for switch in SWITCHES if switch != "calza"
]
"""Rules with one switch that no book has together with the others."""


@pytest.mark.parametrize("rules", TWISTS)
def test_a_rule_book_with_another_switch(rules: Rules) -> None:
    plays_legally(Games(16, replace(rules, calza=True), 3, seed=1), steps=40)


@pytest.mark.parametrize(("players", "dice"), [(2, 6), (6, 6), (2, 10), (6, 1)])
def test_other_numbers_of_dice(players: int, dice: int) -> None:
    rules = replace(BGA, calza=True, starting_dice=dice)
    plays_legally(Games(16, rules, players, seed=1), steps=depth(15, 40))


def test_five_dice_against_three() -> None:
    table = Games(16, BGA, 2, seed=1)
    table.env.dice[:] = 5, 3
    table.env.deal(table.rows)
    plays_legally(table, steps=40)


def plays_legally(table: Games, steps: int) -> None:
    champion = shipped_champion()
    for _ in range(steps):
        actions = champion(table.positions(table.rows), table, table.rows)
        assert table.env.masks()[table.rows, actions].all()
        table.step(actions)
