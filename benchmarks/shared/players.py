"""Sample bots that play in this process, at tables of two, without the arena's tables.

Two more are skewed: one doubts whenever it may, one crashes on dice that it does not like.
"""

import io
import runpy
import sys
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from msgspec import convert, to_builtins

from arena.game.records import Cause, Fault, GameRecord
from arena.game.referee import Notice, Referee
from arena.game.rules.books import Rules
from arena.game.wire.messages import Answer
from arena.io import shipped
from tests.support.played_games import Request, play_out

Message = dict[str, Any]


class Player(NamedTuple):
    """A bot in this process: what it is told, and what it answers."""

    hear: Callable[[Message], object]
    choose: Callable[[Message], Message]


def sample_bot(name: str) -> dict[str, Any]:
    """Return what a sample bot's program defines, without running it on any input."""
    stdin, sys.stdin = sys.stdin, io.StringIO()
    try:
        return dict(runpy.run_path(str(shipped.folder("sample_bots") / name / "bot.py")))
    finally:
        sys.stdin = stdin


PROGRAMS = {name: sample_bot(name) for name in ("honest", "bluffer", "odds", "memory")}
_AT_RANDOM = sample_bot("random")["choose"]
NAMES = (*PROGRAMS, "doubter", "crasher")


def player(name: str, rules: Rules, seed: str) -> Player:
    """Seat a bot."""
    hello = {"rules": {"starting_dice": rules.starting_dice}, "seats": 2}
    program = PROGRAMS.get(name, PROGRAMS["honest"])
    choose = program["choose"]
    if name == "odds":
        count = program["Count"](hello)
        return Player(count.hear, lambda turn: choose(turn, count.hidden(turn)))
    if name == "memory":
        memory = program["Memory"](hello)
        return Player(memory.hear, lambda turn: choose(turn, memory))
    if name == "bluffer":
        return Player(_ignore, lambda turn: choose(turn, program["Mood"](_draw(seed, turn))))
    if name == "random":
        return Player(
            _ignore, lambda turn: _AT_RANDOM(turn, _draw(f"{seed}/{len(turn['bids'])}", turn))
        )
    return Player(_ignore, {"doubter": _doubt, "crasher": _crash}.get(name, choose))


def play(rules: Rules, names: Sequence[str], seed: str, games: int) -> Iterator[GameRecord]:
    """Play games on dice of each game's own."""
    players = [player(name, rules, f"{seed}/{seat}") for seat, name in enumerate(names)]

    def choose(seat: int, asked: Request) -> Answer | Fault:
        answer = players[seat].choose(to_builtins(asked))
        return convert(answer, Answer) if answer else Fault(Cause.CRASH, "")

    def hear(notice: Notice) -> None:
        for each in players:
            each.hear(to_builtins(notice))

    for game in range(games):
        yield play_out(Referee(rules, 2, seed, game), choose, hear)


def _draw(seed: str, turn: Message) -> Random:
    return Random(f"{seed}/{turn['game']}/{turn['round']}")


def _ignore(_: object) -> None:
    pass


def _doubt(turn: Message) -> Message:
    return {"id": 0, "action": "dudo"} if turn["dudo"] else _honest(turn)


def _crash(turn: Message) -> Message:
    """Answer nothing, which counts as a crash, to three or more dice of different faces."""
    return {} if 2 < len(turn["dice"]) == len(set(turn["dice"])) else _honest(turn)


def _honest(turn: Message) -> Message:
    return dict(PROGRAMS["honest"]["choose"](turn))
