"""Positions in few words, so that the tests of the clauses read like a rule book.

Dice are one word a seat, seat 0 first: "23456 11445 -" are two full hands and a seat that is out.
Play is one word a move, from the opener on: "4x5 2x1 dudo" is four fives, two pacos, a doubt. A bid
or a doubt is made by the seat whose turn it is, unless a seat is named: "2:dudo". A calza names its
caller: "calza2". A plus joins what is said in one moment: "dudo+calza2+calza3".
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from arena.game.rules.judge import Position, RefusedError, judge
from tests.oracle import oracle

Json = dict[str, Any]
MOVE = re.compile(r"(?:(?P<seat>\d):)?(?:(?P<bid>\d+x\d)|(?P<dudo>dudo)|calza(?P<caller>\d))")


def table(
    book: str, dice: str, play: str = "", *, opener: int = 0, palifico: bool = False, **more: object
) -> Json:
    """Return a position of `arena judge`; `palifico` makes the round that of its opener.

    `more` are further keys of a position: calza, starting_dice, palifico_used, overrides.
    """
    hands = [[int(die) for die in word.replace("-", "")] for word in dice.split()]
    kind = "palifico" if palifico else "normal"
    info = {"kind": kind, "starter": opener, "palifico_seat": opener if palifico else None}
    actions = list(_actions(play, hands, opener))
    return {"variant": book, "dice": hands, "round": info, "actions": actions, **more}


def ask(book: str, dice: str, play: str = "", **how: Any) -> Json:
    """Return the verdict on a position as plain data."""
    verdict = judge(msgspec.convert(table(book, dice, play, **how), Position))
    plain: Json = msgspec.json.decode(msgspec.json.encode(verdict))
    return plain


def breaks(book: str, dice: str, play: str, **how: Any) -> list[str]:
    """Return the clauses that the last move breaks; none if it is legal.

    A move before it that is illegal is a mistake of the test.
    """
    verdict = ask(book, dice, play, **how)
    if verdict["verdict"] != "illegal":
        return []
    assert verdict["at"] == len(re.split(r"[ +]", play)) - 1, verdict
    return list(verdict["clauses"])


def raises(book: str, dice: str, play: str = "", **how: Any) -> dict[int, tuple[int, int]]:
    """Return what may be bid next: the least and the highest quantity of each face."""
    ranges = ask(book, dice, play, **how)["raises"]
    return {one["face"]: (one["min"], one["max"]) for one in ranges}


def because(verdict: Json) -> list[str]:
    """Return the clauses that settled a round, but for REVEAL, which settles nothing."""
    return [clause for clause in verdict["clauses"] if clause != "REVEAL"]


def cannot_be(book: str, dice: str, **how: Any) -> str:
    """Return why a position is refused; one that is not refused fails the test."""
    with pytest.raises(RefusedError) as refused:
        ask(book, dice, **how)
    return str(refused.value)


def by_oracle(position: Json) -> Json:
    """Return the verdict, without its words, of the oracle, which shares no code with the engine.

    It wants a position with all its keys.
    """
    seats = len(position["dice"])
    defaults = {"calza": False, "starting_dice": 5, "palifico_used": [False] * seats, "actions": []}
    info = {"palifico_seat": None, **position["round"]}
    return facts(oracle.judge({**defaults, **position, "round": info}))


def facts(verdict: Json) -> Json:
    """Return a verdict without its words."""
    return {key: verdict[key] for key in verdict if key not in ("id", "reason", "clauses")}


def _actions(play: str, hands: list[list[int]], on_turn: int) -> Iterator[Json]:
    said = 0
    for moment in play.split():
        first, bid = said, False
        for move in moment.split("+"):
            action = _action(move, on_turn)
            bid = bid or action["do"] == "bid"
            yield action if said == first else {**action, "with": first}
            said += 1
        if bid:
            on_turn = _next(hands, on_turn)


def _action(move: str, on_turn: int) -> Json:
    word = MOVE.fullmatch(move)
    assert word, move
    if word["caller"]:
        return {"seat": int(word["caller"]), "do": "calza"}
    seat = on_turn if word["seat"] is None else int(word["seat"])
    if word["dudo"]:
        return {"seat": seat, "do": "dudo"}
    quantity, face = map(int, word["bid"].split("x"))
    return {"seat": seat, "do": "bid", "quantity": quantity, "face": face}


def _next(hands: list[list[int]], seat: int) -> int:
    around = [(seat + step) % len(hands) for step in range(1, len(hands) + 1)]
    return next(other for other in around if hands[other])
