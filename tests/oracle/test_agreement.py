"""The engine and the oracle say the same of every position and count the same sequences.

ARENA_ORACLE_ROUNDS sets how many positions a variant gets (3,000 when it is not set).
"""

import json
import os
from random import Random
from typing import Any

import msgspec
import pytest

from arena.perudo.judge import Position, RefusedError, judge
from arena.perudo.perft import perft
from arena.perudo.round import first_standing
from arena.perudo.rules import variant as rules_of
from tests.oracle import oracle
from tests.oracle.positions import random_position
from tests.oracle.table import VARIANTS

Json = dict[str, Any]
ROUNDS = int(os.environ.get("ARENA_ORACLE_ROUNDS", "3000"))
ROUNDS_TO_COUNT = [
    (variant, players, dice, kind)
    for variant in VARIANTS
    for players, dice in ((2, 1), (3, 1), (2, 2))
    for kind in ("normal", "palifico")
    # One by one, the 16 million sequences of this one take minutes.
    if (variant, players, dice, kind) != ("pressman", 2, 2, "normal")
]


def engine_verdict(position: Json) -> Json:
    """The engine's verdict; both ways in which it turns a position away are one here."""
    try:
        verdict = judge(msgspec.convert(position, Position))
    except (RefusedError, msgspec.ValidationError):
        return {"verdict": "refused"}
    plain: Json = json.loads(msgspec.json.encode(verdict))
    return plain


def without_texts(verdict: Json) -> Json:
    return {key: verdict[key] for key in verdict if key not in ("id", "reason", "clauses")}


@pytest.mark.parametrize("variant", VARIANTS)
def test_engine_and_oracle_agree(variant: str) -> None:
    for number in range(ROUNDS):
        seed = f"{variant}/{number}"
        position = random_position(variant, Random(seed)) | {"id": seed}
        engine = engine_verdict(position)
        expected = oracle.judge(position)
        story = f"\n{json.dumps(position)}\noracle: {expected}\nengine: {engine}"
        assert without_texts(engine) == without_texts(expected), story
        if engine["verdict"] == "illegal":
            assert engine["clauses"], story


@pytest.mark.parametrize(("variant", "players", "dice", "kind"), ROUNDS_TO_COUNT)
def test_as_many_bid_sequences(variant: str, players: int, dice: int, kind: str) -> None:
    standing = first_standing(rules_of(variant, {}, starting_dice=dice), players, 0)
    if kind == "palifico":
        standing = msgspec.structs.replace(standing, palifico_seat=0)
    assert perft(standing) == oracle.count_sequences(variant, players, dice, kind)
