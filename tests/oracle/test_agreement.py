"""The engine and the oracle agree on every round and count the same sequences.

In a full run each rule book is tested in 100,000 random positions and in 4,000 whole games, which
have some 60,000 rounds more; a quarter of them have some rules overridden. `python -m
tests.oracle.deep` plays any number more.
"""

import ast
from pathlib import Path
from random import Random

import msgspec
import pytest

from arena.game.rules.books import variant as rules_of
from arena.game.rules.round import first_standing, perft
from tests.oracle import deep, oracle
from tests.oracle.agreement import (
    DisagreementError,
    compare_game,
    compare_position,
    compare_verdict,
)
from tests.oracle.bidding import BOOKS, VARIANTS
from tests.oracle.random_positions import random_position, random_value
from tests.support.depth import depth
from tests.support.sampling import sample

CHUNKS = range(depth(1, 8))
POSITIONS_PER_CHUNK = depth(500, 12_500)
GAMES_PER_CHUNK = depth(16, 500)
ROUNDS_TO_COUNT = [
    (variant, players, dice, kind)
    for variant in VARIANTS
    for players, dice in ((2, 1), (3, 1), (2, 2))
    for kind in ("normal", "palifico")
    # One by one, the 16 million sequences of this one take minutes.
    if (variant, players, dice, kind) != ("pressman", 2, 2, "normal")
]
WRONG = [
    (variant, switch)
    for variant in VARIANTS
    for switch in sorted(set(vars(BOOKS["bga"])) - {"first_opener"})
]


@pytest.mark.slow
@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("variant", BOOKS)
def test_same_verdict_on_a_position(variant: str, chunk: int) -> None:
    for number in range(POSITIONS_PER_CHUNK):
        compare_position(variant, f"{variant}/{chunk}/{number}")


@pytest.mark.slow
@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("variant", BOOKS)
def test_same_games(variant: str, chunk: int) -> None:
    for number in range(GAMES_PER_CHUNK):
        compare_game(variant, f"{variant}/game/{chunk}/{number}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "players", "dice", "kind"), sample(ROUNDS_TO_COUNT, 10, "sequences")
)
def test_as_many_bid_sequences(variant: str, players: int, dice: int, kind: str) -> None:
    standing = first_standing(rules_of(variant, {}, starting_dice=dice), players, 0)
    if kind == "palifico":
        standing = msgspec.structs.replace(standing, palifico_seat=0)
    assert perft(standing) == oracle.count_sequences(variant, players, dice, kind)


# ---------------------------------------------------------------- the comparison itself


@pytest.mark.parametrize("module", ["bidding", "oracle", "random_games", "random_positions"])
def test_the_oracle_stands_alone(module: str) -> None:
    """The oracle imports only itself and the standard library, never the arena."""
    tree = ast.parse(Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8"))
    named = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    named |= {
        one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names
    }
    ours = {name for name in named if name.split(".")[0] in ("arena", "tests", "")}
    assert all(name.startswith("tests.oracle") for name in ours)


@pytest.mark.parametrize(("variant", "switch"), sample(WRONG, 12, "wrong switches"))
def test_wrong_switch_is_noticed(variant: str, switch: str) -> None:
    """The random positions detect a rule book with one wrong switch."""
    rng = Random(f"{variant}/{switch}")
    with pytest.raises(DisagreementError):
        judge_wrongly(variant, switch, rng)


def judge_wrongly(variant: str, switch: str, rng: Random) -> None:
    """Compare 5,000 positions that the engine judges with a random value of one switch."""
    for _ in range(5000):
        position = random_position(variant, rng)
        wrong = position["overrides"] | {switch: random_value(switch, rng)}
        compare_verdict(position | {"overrides": wrong}, oracle.judge(position))


# ---------------------------------------------------------------- the command for longer runs


def test_deep_prints_a_line_for_each_rule_book(capsys: pytest.CaptureFixture[str]) -> None:
    assert deep.main(["--rounds", "30", "--games", "3", "--workers", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" games")[0] for line in lines] == [
        f"{variant}: 30 rounds, 3" for variant in BOOKS
    ]
    assert all(line.endswith(" 0 disagreements") for line in lines)


def test_deep_shows_where_they_disagree(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oracle gets another rule book in place of the first."""
    monkeypatch.setitem(BOOKS, "bga", BOOKS["pressman"])
    assert deep.main(["--rounds", "60", "--games", "5", "--workers", "1"]) == 1
    told, shown = capsys.readouterr()
    assert [" 0 disagreements" in line for line in told.splitlines()] == [False, *[True] * 9]
    assert '"variant": "bga"' in shown
    assert "oracle: " in shown
