"""The field: a league of all hand-ins and baselines, in a store of its own.

Another field, as after a new hand-in or a struck student, is another league. It is played from the
start, in a file whose name follows from who plays.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import ceil
from pathlib import Path

import msgspec
from msgspec.structs import replace

from arena.bots.bot import StagedBot
from arena.course.baselines import SEATS, conditions, name_of
from arena.course.lock import GradingTerms, Lock
from arena.game.records import BotInfo, Conditions
from arena.game.seeds import commitment
from arena.io.errors import ArenaError
from arena.league.play.dispatcher import OnResult, RunListener
from arena.league.play.stored_league import StoredLeague
from arena.league.play.workers import Engine
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of

GAMES = 10
"""Games at a table of the field."""
_QUANTILE = 1.96
"""Standard deviations on either side in a 95 % interval."""
_WORST = 0.5
"""The standard deviation of a game between equal bots."""
_REST = 0.19
"""The part of the squared precision that the baselines leave: 1 - FOR_BASELINES ** 2."""


def passes(players: int, points: float, precision: float) -> int:
    """Return how often all meet each other in both seats to make the marks precise enough."""
    games = (_QUANTILE * _WORST * points) ** 2 / (_REST * precision**2)
    return max(1, ceil(games / (SEATS * GAMES * max(1, players - 1))))


def field_games(points: float, players: int, precision: float) -> int:
    """Return how many games a field has; 0 if it is worth no points."""
    if not points:
        return 0
    meetings = players * (players - 1) // 2
    return passes(players, points, precision) * meetings * SEATS * GAMES


def store_of(folder: Path, lock: Lock, points: float) -> Path:
    """Return the store of a field, in the folder of a grading."""
    terms = lock.terms
    decisive = [terms.seed, terms.rules, terms.limits, terms.sandbox, terms.baselines, points]
    decisive += [terms.precision, sorted(lock.field)]
    key = sha256(msgspec.json.encode(decisive, order="deterministic")).hexdigest()
    return folder / f"field-{key[:12]}.sqlite"


def start_of(terms: GradingTerms, bots: Sequence[BotInfo], points: float, name: str) -> Conditions:
    """Return the conditions of the league: `points` are what the field is worth."""
    seed = f"{terms.seed}/field"
    blocks = passes(len(bots), points, terms.precision) * (len(bots) - 1)
    return replace(
        conditions(terms, bots, name),
        games=GAMES,
        blocks=blocks,
        limits=terms.limits.complete(GAMES),
        seed=seed,
        commitment=commitment(seed),
        shared_dice=True,
    )


def play_field(
    path: Path,
    conditions: Conditions,
    bots: Mapping[str, StagedBot],
    engine: Engine,
    listener: RunListener,
    on_result: OnResult,
) -> bool:
    """Play the games of a field that are not stored yet; returns False if it was stopped."""
    with Store(path, create=True) as store:
        if store.league is None:
            store.begin(conditions)
        league = StoredLeague(store)
        return not league.progress.due() or league.play(bots, engine, listener, on_result)


def field_results(path: Path) -> dict[str, list[tuple[int, int]]]:
    """Return (won, games) at each table by the name of the bot; raises ArenaError without games."""
    if not path.exists():
        raise ArenaError("the games of the field are missing", str(path), "arena course grade")
    tables: dict[str, list[tuple[int, int]]] = {}
    with Store(path) as store:
        schedule = schedule_of(store)
        for result in store.results():
            if schedule.counts(result.fixture.id):
                for seat, name in enumerate(result.fixture.seats):
                    won = sum(game.places[seat] == 1 for game in result.games)
                    tables.setdefault(name, []).append((won, len(result.games)))
    return tables


def is_complete(path: Path) -> bool:
    """Return whether all games of a field are stored."""
    if not path.exists():
        return False
    with Store(path) as store:
        return not StoredLeague(store).progress.due()


def renamed(bot: BotInfo, name: str) -> BotInfo:
    """Return a bot under another name, without its author and version, which tell whose it is."""
    return BotInfo(name, author="", version="", runtime=bot.runtime, digest=bot.digest)


def hand_in_info(digest: str, bot: BotInfo) -> BotInfo:
    """Return a hand-in under its name at the tables with baselines, given its digest."""
    return renamed(bot, name_of(digest))


def player_info(program: str, bot: BotInfo) -> BotInfo:
    """Return a program under its name in the field; copies of it are one player."""
    return replace(renamed(bot, name_of(program)), digest=program)
