"""Whole random games as the oracle plays them, each round a position for `arena judge`.

The oracle deals, lets the seats speak, settles each round and carries the table over to the next
one by itself, so that whoever plays the same game with other code can be checked at every step.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.oracle import oracle
from tests.oracle.bidding import FACES, Json, Table
from tests.oracle.random_positions import (
    OVERRIDDEN_SHARE,
    bid_by,
    calza_by,
    exact_bid,
    random_overrides,
    tie_together,
)

CALZA_UNTIL = 60
"""The round from which nobody calls calza, so that every game ends: from there on each round takes
a die."""


@dataclass(frozen=True)
class Temper:
    """How a seat plays, as probabilities."""

    doubt: float
    leap: float  # a bid anywhere in its range rather than at the low end
    insight: float  # a bid or a calza with the knowledge of all dice
    guess: float  # a calza without any


@dataclass
class PlayedRound:
    """A settled round: its position, the options before each moment, and the result."""

    position: Json
    opens: list[Json]
    moments: list[list[Json]]
    result: Json


def random_game(variant: str, rng: Random) -> Iterator[PlayedRound]:
    """The rounds of a game of `variant`, from the full cups on until there is a winner."""
    position = first_round(variant, rng)
    tempers = [random_temper(rng) for _ in position["dice"]]
    number = 0
    while True:
        played = play_round(position, tempers, number < CALZA_UNTIL, rng)
        yield played
        if played.result["winner"] is not None:
            return
        position = next_round(position, played.result, rng)
        number += 1


def random_temper(rng: Random) -> Temper:
    return Temper(
        doubt=rng.choice((0.1, 0.2, 0.4, 0.7)),
        leap=rng.choice((0, 0.05, 0.3)),
        insight=rng.choice((0, 0.1, 0.6)),
        guess=rng.choice((0, 0.02, 0.1)),
    )


# ---------------------------------------------------------------- from round to round


def first_round(variant: str, rng: Random) -> Json:
    seats, start = rng.randint(2, 6), rng.randint(1, 6)
    return {
        "variant": variant,
        "overrides": random_overrides(rng) if rng.random() < OVERRIDDEN_SHARE else {},
        "calza": rng.random() < 0.6,
        "starting_dice": start,
        "dice": [deal(start, rng) for _ in range(seats)],
        "palifico_used": [False] * seats,
        "round": {"kind": "normal", "starter": rng.randrange(seats), "palifico_seat": None},
        "actions": [],
    }


def next_round(before: Json, result: Json, rng: Random) -> Json:
    """Return the table after `result`, with new dice and the record of palificos."""
    starter, kind = result["next_starter"], result["next_round"]
    used = list(before["palifico_used"])
    if before["round"]["kind"] == "palifico":
        used[before["round"]["palifico_seat"]] = True
    return before | {
        "dice": [deal(count, rng) for count in result["dice_counts"]],
        "palifico_used": used,
        "round": {
            "kind": kind,
            "starter": starter,
            "palifico_seat": starter if kind == "palifico" else None,
        },
        "actions": [],
    }


def deal(count: int, rng: Random) -> list[int]:
    return rng.choices(FACES, k=count)


# ---------------------------------------------------------------- a round


def play_round(position: Json, tempers: list[Temper], calza_yet: bool, rng: Random) -> PlayedRound:
    table = oracle.set_table(position)
    played = PlayedRound(position, [], [], {})
    while table.result is None:
        so_far = oracle.open_verdict(table)
        callers = so_far["calza"] if calza_yet else []
        together = moment(table, position, so_far, callers, tempers, rng)
        played.opens.append(so_far)
        played.moments.append(together)
        position["actions"] += tie_together(together, len(position["actions"]), rng)
        for action in together:
            oracle.check(table, action)
        oracle.play_moment(table, together)
    played.result = table.result
    return played


def moment(
    table: Table,
    position: Json,
    so_far: Json,
    callers: list[int],
    tempers: list[Temper],
    rng: Random,
) -> list[Json]:
    """Return the next actions: calls of calza, an action of the seat on turn, or both at once."""
    exact = table.bid is not None and oracle.count_dice(table) == table.bid[0]
    calling = [seat for seat in callers if calls(tempers[seat], exact, rng)]
    together = [calza_by(seat) for seat in calling]
    on_turn = so_far["to_act"]
    if not together or (on_turn not in calling and rng.random() < 0.3):
        together.append(turn_action(position, so_far, tempers[on_turn], rng))
    rng.shuffle(together)
    return together


def calls(temper: Temper, exact: bool, rng: Random) -> bool:
    return rng.random() < (max(temper.guess, temper.insight) if exact else temper.guess)


def turn_action(position: Json, so_far: Json, temper: Temper, rng: Random) -> Json:
    spans, seat = so_far["raises"], so_far["to_act"]
    if so_far["dudo"] and (not spans or rng.random() < temper.doubt):
        return {"seat": seat, "do": "dudo"}
    span = rng.choice(spans)
    if rng.random() < temper.insight:
        return bid_by(seat, exact_bid(position, span), span["face"])
    high = span["max"] if rng.random() < temper.leap else min(span["max"], span["min"] + 1)
    return bid_by(seat, rng.randint(span["min"], high), span["face"])
