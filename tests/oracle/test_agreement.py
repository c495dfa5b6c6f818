"""The engine and the oracle say the same of every round and count the same sequences.

Each rule book is put to the test in at least 100,000 rounds: 50,000 positions as they come, and
50,000 rounds of whole games. A quarter of the positions and games have some rules overridden.
"""

import json
from collections.abc import Iterator
from itertools import chain
from random import Random

import msgspec
import pytest

from arena.perudo.judge import Position, RefusedError, judge
from arena.perudo.perft import perft
from arena.perudo.round import (
    Bid,
    Outcome,
    Round,
    Standing,
    calza,
    calza_seats,
    dudo,
    first_standing,
    open_round,
    place,
    raises,
)
from arena.perudo.rules import Rules
from arena.perudo.rules import variant as rules_of
from tests.oracle import oracle
from tests.oracle.games import PlayedRound, random_game
from tests.oracle.positions import random_position
from tests.oracle.table import VARIANTS, Json

CHUNKS = range(8)
ROUNDS_A_CHUNK = 6250  # 8 chunks of positions and 8 of games: 100,000 a variant
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
    plain: Json = msgspec.to_builtins(verdict)
    if "dice_counts" in plain:
        plain["dice_counts"] = list(plain["dice_counts"])
    return plain


def without_texts(verdict: Json) -> Json:
    return {key: verdict[key] for key in verdict if key not in ("id", "reason", "clauses")}


def check_verdict(position: Json, expected: Json) -> None:
    engine = engine_verdict(position)
    same = without_texts(engine) == without_texts(expected)
    assert same, f"\n{json.dumps(position)}\noracle: {expected}\nengine: {engine}"
    if engine["verdict"] == "illegal":
        assert engine["clauses"], json.dumps(position)


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_same_verdict_on_a_position(variant: str, chunk: int) -> None:
    for number in range(ROUNDS_A_CHUNK):
        seed = f"{variant}/{chunk}/{number}"
        position = random_position(variant, Random(seed)) | {"id": seed}
        check_verdict(position, oracle.judge(position))


# ---------------------------------------------------------------- whole games


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_same_games(variant: str, chunk: int) -> None:
    number, rounds = 0, 0
    while rounds < ROUNDS_A_CHUNK:
        rounds += play_along(random_game(variant, Random(f"{variant}/game/{chunk}/{number}")))
        number += 1


def play_along(game: Iterator[PlayedRound]) -> int:
    """Play the oracle's game with the engine, which carries its own standing; count the rounds."""
    first = next(game)
    rules = rules_in(first.position)
    seats, starter = len(first.position["dice"]), first.position["round"]["starter"]
    standing = first_standing(rules, seats, starter)
    rounds = 0
    for played in chain([first], game):
        assert standing == standing_in(played.position, rules), json.dumps(played.position)
        assert standing.winner is None
        check_verdict(played.position, played.result)
        standing = play_along_round(standing, played)
        rounds += 1
    assert standing.winner == played.result["winner"]
    return rounds


def rules_in(position: Json) -> Rules:
    options = {key: position[key] for key in ("calza", "starting_dice")}
    return rules_of(position["variant"], position["overrides"], **options)


def standing_in(position: Json, rules: Rules) -> Standing:
    kind = position["round"]
    return Standing(
        rules,
        tuple(len(hand) for hand in position["dice"]),
        tuple(position["palifico_used"]),
        kind["starter"],
        kind["palifico_seat"],
    )


def play_along_round(standing: Standing, played: PlayedRound) -> Standing:
    """Say what was said, compare what may be said before each moment, return what follows."""
    hands = tuple(tuple(hand) for hand in played.position["dice"])
    now: Round | Outcome = open_round(standing)
    for so_far, together in zip(played.opens, played.moments, strict=True):
        assert isinstance(now, Round), "the engine thinks that the round is over"
        assert open_in(now) == so_far, json.dumps(played.position)
        now = play_moment(now, hands, together)
    assert isinstance(now, Outcome), "the engine thinks that the round goes on"
    settled = (now.count, now.loser, now.gainer, list(now.after.dice), now.after.winner)
    expected = [played.result[key] for key in ("count", "loser", "gainer", "dice_counts", "winner")]
    assert list(settled) == expected, json.dumps(played.position)
    return now.after


def open_in(now: Round) -> Json:
    return {
        "verdict": "open",
        "to_act": now.to_act,
        "dudo": now.bid is not None,
        "calza": sorted(calza_seats(now)),
        "raises": [{"face": r.face, "min": r.min, "max": r.max} for r in raises(now)],
    }


def play_moment(
    now: Round, hands: tuple[tuple[int, ...], ...], together: list[Json]
) -> Round | Outcome:
    """Let the engine say whose call counts: the first in its order, before or after the turn."""
    callers = {action["seat"] for action in together if action["do"] == "calza"}
    on_turn = next((action for action in together if action["do"] != "calza"), None)
    if callers and (on_turn is None or now.standing.rules.calza_beats_turn):
        return calza(now, hands, next(seat for seat in calza_seats(now) if seat in callers))
    assert on_turn is not None
    if on_turn["do"] == "dudo":
        return dudo(now, hands)
    return place(now, Bid(on_turn["quantity"], on_turn["face"]))


# ---------------------------------------------------------------- counting


@pytest.mark.parametrize(("variant", "players", "dice", "kind"), ROUNDS_TO_COUNT)
def test_as_many_bid_sequences(variant: str, players: int, dice: int, kind: str) -> None:
    standing = first_standing(rules_of(variant, {}, starting_dice=dice), players, 0)
    if kind == "palifico":
        standing = msgspec.structs.replace(standing, palifico_seat=0)
    assert perft(standing) == oracle.count_sequences(variant, players, dice, kind)
