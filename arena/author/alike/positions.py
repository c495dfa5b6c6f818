"""The positions that bots are asked in: from games of sample bots, drawn by a seed."""

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

from msgspec import Struct

from arena.bots.manifest import SAMPLE, find_bots
from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Fixture, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.rules.round_limit import max_rounds
from arena.game.seeds import block_seed, fixture_seed
from arena.league.play.process_pool import map_ordered
from arena.league.table.play_fixture import play_fixture
from arena.league.table.preparation import prepared

_PLAYERS = ("bluffer", "honest", "memory", "odds")
"""Sample bots that run wherever the arena does, and play neither alike nor badly."""
_SIZES = (2, 4, 2, 4)
"""Players at the tables, whose first seats the players take in turn."""
_PER_GAME = 8
"""Positions that a game has for a seat, at least, on average: 10 to 34 were counted."""
SEAT = 0
"""The seat whose positions are taken."""


class Recorded(Struct, frozen=True):
    """A fixture of sample bots, and how many positions are taken from it, the first ones."""

    played: PlayedFixture
    most: int


def record(
    positions: int, seed: str, rules: Rules, sandbox: Sandbox, executor: Executor, workers: int
) -> list[Recorded]:
    """Play games with so many positions, at tables of two and four; the same ones of a seed."""
    bots = find_bots([(f"{SAMPLE}{name}", "positions") for name in _PLAYERS], Path.cwd())
    fixtures = _fixtures([bot.name for bot in bots], positions, seed, rules)
    with prepared(bots, rules, LimitsInfo(), sandbox) as staged:
        programs = {bot.name: bot.program for bot in staged}
        calls = [
            partial(_play, fixture, [programs[name] for name in fixture.seats], rules, sandbox)
            for fixture, _ in fixtures
        ]
        played = map_ordered(executor, calls, workers)
        return [Recorded(one, most) for one, (_, most) in zip(played, fixtures, strict=True)]


def _play(
    fixture: Fixture, at_table: Sequence[Program], rules: Rules, sandbox: Sandbox
) -> PlayedFixture:
    with Multiplexer(at_table, sandbox, LimitsInfo().complete(fixture.games)) as multiplexer:
        return play_fixture(fixture, rules, multiplexer)


def _fixtures(
    names: Sequence[str], positions: int, seed: str, rules: Rules
) -> list[tuple[Fixture, int]]:
    tables = [
        tuple(names[(first + seat) % len(names)] for seat in range(players))
        for first, players in enumerate(_SIZES)
    ]
    found = []
    for number, seats in enumerate(tables):
        most = positions // len(tables) + (number < positions % len(tables))
        place = f"{number}", number, rules.name, seats, fixture_seed(seed, f"{number}")
        dice, rounds = block_seed(seed, f"{number}"), max_rounds(rules, len(seats))
        games = -(-most // _PER_GAME)
        found.append((Fixture(*place, games, number, dice, rounds), most))
    return found
