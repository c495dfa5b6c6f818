"""Page model of a bot: how it rates, whom it beats, what it did wrong."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from arena.publish.boards import Cell, cell
from arena.publish.digest import FaultEntry
from arena.publish.facts import Facts
from arena.ratings.table import Leaderboard, Row
from arena.records import BotInfo, LeagueInfo

FAULTS_SHOWN = 200
"""Faults listed on a bot's page; the data files have all."""


class Standing(Struct, frozen=True):
    """A bot's line on one leaderboard, and its results by opponent."""

    board: Leaderboard
    rank: int
    row: Row
    results: tuple[Cell, ...]


class Stderr(Struct, frozen=True):
    """The end of what a bot wrote to standard error in a fixture; `fault` is its first there."""

    fault: FaultEntry
    text: str


class Bot(Struct, frozen=True):
    """Everything on a bot's page."""

    info: BotInfo
    standings: list[Standing]
    faults: list[FaultEntry]
    shown: list[FaultEntry]
    """The first so many of the faults."""
    stderr: list[Stderr]


def models(league: LeagueInfo, boards: Sequence[Leaderboard], facts: Facts) -> Iterator[Bot]:
    """Yield a page model for each bot of the league, in its order."""
    faults: dict[str, list[FaultEntry]] = defaultdict(list)
    for fault in facts.faults:
        faults[fault.bot].append(fault)
    for info in league.bots:
        mine = faults[info.name]
        standings = list(_standings(boards, info.name))
        yield Bot(info, standings, mine, mine[:FAULTS_SHOWN], _stderr(facts, mine))


def _standings(boards: Sequence[Leaderboard], bot: str) -> Iterator[Standing]:
    for board in boards:
        for rank, row in enumerate(board.rows, 1):
            if row.bot == bot:
                yield Standing(board, rank, row, _results(board, bot))


def _results(board: Leaderboard, bot: str) -> tuple[Cell, ...]:
    found = (cell(board, bot, row.bot) for row in board.rows if row.bot != bot)
    return tuple(result for result in found if result is not None)


def _stderr(facts: Facts, faults: Sequence[FaultEntry]) -> list[Stderr]:
    first = {fault.index: fault for fault in reversed(faults)}
    pieces = facts.stderr.get(faults[0].bot, {}) if faults else {}
    return [Stderr(first[index], text) for index, text in sorted(pieces.items())]
