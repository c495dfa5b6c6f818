"""Talks to the arena, so that bot.py only has to choose. There is no need to change this file."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from math import comb
from typing import Any, NamedTuple

Message = dict[str, Any]
Move = dict[str, Any]


class Bid(NamedTuple):
    """`quantity` dice or more, of all on the table, show `face`."""

    seat: int
    quantity: int
    face: int


class Raise(NamedTuple):
    """The legal bids on one face: any quantity from min to max."""

    face: int
    min: int
    max: int


class Round(NamedTuple):
    """An earlier round of the game, with the dice that were shown."""

    number: int
    bids: list[Bid]
    palifico: bool
    caller: int
    """The seat that made the call."""
    call: str
    """dudo or calza."""
    dice: list[list[int]]
    """The dice of each seat."""
    count: int
    """How many dice matched the last bid."""
    loser: int | None
    """The seat that lost a die, if any."""
    gainer: int | None
    """The seat that regained one, if any."""


class View:
    """All that you know when it is your turn."""

    def __init__(
        self, turn: Message, hello: Message, game: Game, results: dict[int, list[int]]
    ) -> None:
        self.dice: list[int] = turn["dice"]
        """Your own dice, 1 to 6; 1 is a paco, which is wild."""
        self.bids = [Bid(**one) for one in turn["bids"]]
        """The bids of this round, oldest first."""
        self.last = self.bids[-1] if self.bids else None
        """The bid to raise or to doubt; None if you open the round."""
        self.raises = [Raise(**one) for one in turn["raises"]]
        """Every legal bid, by face; empty if you can only doubt."""
        self.palifico: bool = turn["palifico_seat"] is not None
        """Whether this is a palifico round: pacos are not wild."""
        self.seat: int = turn["seat"]
        self.left = turn["dice_counts"] or list(game.left)
        """How many dice each seat has left."""
        self.hidden = sum(self.left) - len(self.dice)
        """How many dice you do not see."""
        self.game: int = turn["game"]
        self.round: int = turn["round"]
        self.rounds = list(game.rounds)
        """The earlier rounds of this game, oldest first."""
        self.results = dict(results)
        """The places of the seats in earlier games at this table, by the games' numbers; 1 is the
        winner. Games played at a time end in any order: `play(choose, concurrent_games=1)`."""
        self.rules: Message = hello["rules"]
        # Drawn from the turn, not from the order of questions: your games can be repeated.
        self.random = random.Random(f"{hello['seed']} {self.game} {self.round} {len(self.bids)}")
        self.turn = turn
        """The request as the arena sent it."""

    def wild(self, face: int) -> bool:
        """Return whether pacos count for a bid on this face."""
        return face != 1 and not self.palifico

    def own(self, face: int) -> int:
        """Return how many of your dice count for a bid on this face."""
        return self.dice.count(face) + (self.dice.count(1) if self.wild(face) else 0)

    def chance(self, quantity: int, face: int) -> float:
        """Return the chance that a bid holds, if nothing is known of the dice you do not see."""
        sides = 2 if self.wild(face) else 1
        return _at_least(quantity - self.own(face), self.hidden, sides)


@cache
def _at_least(needed: int, dice: int, sides: int) -> float:
    hits = range(max(needed, 0), dice + 1)
    return sum(comb(dice, k) * sides**k * (6 - sides) ** (dice - k) for k in hits) / 6**dice


def bid(quantity: int, face: int) -> Move:
    """Return the move that bids `quantity` dice of `face`."""
    return {"action": "bid", "quantity": quantity, "face": face}


def dudo() -> Move:
    """Return the move that doubts the last bid."""
    return {"action": "dudo"}


def play(choose: Callable[[View], Move], concurrent_games: int = 64) -> None:
    """Answer the arena until it says goodbye, in up to so many games at a time."""

    def ready(_: Message) -> None:
        # What is known is kept by game, so many games can share the pipe.
        _say({"type": "ready", "concurrent_games": concurrent_games, "reusable": True})

    for view in _views(sys.stdin, ready):
        _say({"id": view.turn["id"], **_checked(choose(view), choose)})


def positions(path: str) -> list[View]:
    """Return the turns of a recorded conversation, such as positions.jsonl."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        if not _is_message(line):
            sys.exit(f"{path}, line {number} is damaged")
    return list(_views(lines, ready=lambda _: None))


def _is_message(line: str) -> bool:
    try:
        return "type" in json.loads(line)
    except (ValueError, TypeError):
        return False


def legal(view: View, move: Move) -> bool:
    """Return whether the rules allow a move."""
    if not _is_move(move):
        return False
    if move["action"] == "dudo":
        return view.last is not None
    return any(
        one.face == move["face"] and one.min <= move["quantity"] <= one.max for one in view.raises
    )


def _is_move(move: object) -> bool:
    return isinstance(move, dict) and "action" in move


def _checked(move: Move, choose: Callable[[View], Move]) -> Move:
    if _is_move(move):
        return move
    code = getattr(choose, "__code__", None)
    where = f"{os.path.basename(code.co_filename)}, line {code.co_firstlineno}: " if code else ""
    must = "it must return bid(quantity, face) or dudo()"
    sys.exit(f"{where}choose() returned {move!r}; {must}")


class Game:
    """What the notices of a game tell."""

    def __init__(self, hello: Message) -> None:
        self.left = [hello["rules"]["starting_dice"]] * hello["seats"]
        self.rounds: list[Round] = []

    def round_end(self, notice: Message) -> None:
        """Take note of the end of a round."""
        for seat, change in ((notice["loser"], -1), (notice["gainer"], 1)):
            if seat is not None:
                self.left[seat] += change
        ended = {name: notice[name] for name in Round._fields if name in notice}
        ended["bids"] = [Bid(**one) for one in notice["bids"]]
        palifico = notice["palifico_seat"] is not None
        self.rounds.append(Round(**ended, number=notice["round"], palifico=palifico))


def _views(lines: Iterable[str], ready: Callable[[Message], None]) -> Iterator[View]:
    hello: Message = {}
    games: dict[int, Game] = {}
    results: dict[int, list[int]] = {}
    for line in lines:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            hello, games, results = message, {}, {}
            ready(hello)
            continue
        if "game" not in message:
            continue
        game = games.setdefault(message["game"], Game(hello))
        if kind == "turn":
            yield View(message, hello, game, results)
        elif kind == "round_end":
            game.round_end(message)
        elif kind == "fault":
            game.left[message["seat"]] = 0
        elif kind == "game_end":
            del games[message["game"]]
            results[message["game"]] = message["places"]


def _say(message: Message) -> None:
    print(json.dumps(message), flush=True)
