"""Generated leagues and their stores: many bots and games, without a wait for the disk.

The referee really plays a pool of games among players without processes: a seat calls dudo one time
in five, else it bids near the smallest quantity. Fixtures draw from it so that stronger bots win
more often, and in some games a bot faults.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from math import exp
from pathlib import Path
from random import Random
from shutil import copytree
from sqlite3 import connect
from tempfile import TemporaryDirectory

import msgspec
from msgspec.structs import replace

from arena.game.records import (
    BotInfo,
    Cause,
    Conditions,
    Fault,
    Fixture,
    GameRecord,
    LimitsInfo,
    PlayedFixture,
)
from arena.game.referee import Referee
from arena.game.rules.books import Rules, variant
from arena.game.seeds import commitment
from arena.league.schedule.schedule import Schedule
from arena.league.store.files import logs_path
from arena.league.store.rows import pack
from arena.league.store.schema import SCHEMA_VERSION
from arena.league.store.store import Store
from tests.support import records
from tests.support.played_games import Choose, faulting, legal_answer, play_out

BUILD = Path("build/bench")
STORE, LAST = "league.sqlite", "last.msgpack"
POOL = 1000
"""Games that fixtures are made of."""
FAULTS = 0.01
"""The share of games in which a bot faults, unless it is given."""
STDERR = "Traceback (most recent call last):\n" + '  File "bot.py", line 7, in choose\n' * 20

Games = dict[int, list[GameRecord]]
"""By the seat that wins."""


def league(bots: int, games: int, players: int, blocks: int) -> Conditions:
    """Return a league of so many games per fixture, and blocks."""
    return Conditions(
        name="bench",
        variants={"bga": variant("bga", {})},
        bots=tuple(
            BotInfo(f"bot-{n:03}", f"Author {n % 50}", "1", "python", f"{n:064x}")
            for n in range(bots)
        ),
        players=(players,),
        games=games,
        blocks=blocks,
        limits=LimitsInfo(),
        sandbox="process",
        seed="bench",
        commitment=commitment("bench"),
        arena_version="bench",
    )


def of_games(games: int, players: int) -> Conditions:
    """Return a league of ten bots with at least so many games, 50 in each fixture."""
    bots, each = 10, 50
    return league(bots, each, players, max(1, -(-games // (bots * each))))


def stored(conditions: Conditions, folder: Path) -> tuple[Path, PlayedFixture]:
    """Return a store in `folder` of all of the league but its last fixture, and that fixture.

    It is copied from a cache.
    """
    size = f"{len(conditions.bots)}x{conditions.games}x{conditions.blocks}"
    shape = f"{size}-{conditions.players[0]}p-v{SCHEMA_VERSION}"
    cached = BUILD / shape
    if not cached.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=BUILD) as making:
            _fill(conditions, Path(making))
            copytree(making, cached)
    copytree(cached, folder, dirs_exist_ok=True)
    last = msgspec.msgpack.decode((folder / LAST).read_bytes(), type=PlayedFixture)
    return folder / STORE, last


def _fill(conditions: Conditions, folder: Path) -> None:
    *fixtures, last = Schedule(conditions).fixtures
    fill(folder / STORE, conditions, playing(conditions, fixtures))
    [more] = playing(conditions, [last])
    (folder / LAST).write_bytes(msgspec.msgpack.encode(more))


def fill(path: Path, conditions: Conditions, fixtures: Iterable[PlayedFixture]) -> None:
    """Make a store of fixtures, all in one transaction: none is durable before the last."""
    with Store(path, create=True) as store:
        store.begin(conditions)
    with closing(connect(path)) as rows, closing(connect(logs_path(path))) as logs, rows, logs:
        count = 0
        for count, played in enumerate(fixtures, 1):
            one = pack(played).stored(1.7e9 + count)
            row = (*one.row, one.hash, one.rows_hash)
            rows.execute("INSERT INTO fixtures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            rows.executemany("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)", one.games)
            logs.executemany("INSERT INTO logs VALUES (?, ?, ?)", one.logs)
            logs.execute("INSERT INTO stderr VALUES (?, ?)", (one.position, one.stderr))
        logs.execute("UPDATE stored SET fixtures = ?", (count,))


def playing(
    conditions: Conditions, fixtures: Sequence[Fixture], faults: float = FAULTS
) -> Iterator[PlayedFixture]:
    """Yield fixtures of a league as if they had been played; `faults` is a share of the games."""
    random = Random("fixtures")
    rules = conditions.variants["bga"]
    pools = [_pool(rules, conditions.players[0], faulty=faulty) for faulty in (False, True)]
    strength = {bot.name: n / len(conditions.bots) for n, bot in enumerate(conditions.bots)}
    for fixture in fixtures:
        yield _played(fixture, strength, pools, random, faults)


def really_played(conditions: Conditions) -> Iterator[PlayedFixture]:
    """Yield all fixtures of a league, played on their own dice; it takes longer."""
    for fixture in Schedule(conditions).fixtures:
        rules, seats = conditions.variants[fixture.variant], len(fixture.seats)
        games = [
            play_out(
                Referee(rules, seats, fixture.dice_key, game),
                _players(Random(f"{fixture.id}/{game}")),
            )
            for game in range(fixture.games)
        ]
        yield records.played(fixture, games, seconds=1.0, stderr=("",) * seats)


def _pool(rules: Rules, players: int, *, faulty: bool) -> Games:
    found: Games = defaultdict(list)
    random = Random(f"pool {players} {faulty}")
    for game in range(POOL // 10 if faulty else POOL):
        record = _game(rules, players, game, random, fault_at=7 if faulty else -1)
        found[record.places.index(1)].append(record)
    return found


def _game(rules: Rules, players: int, game: int, random: Random, *, fault_at: int) -> GameRecord:
    faults = {fault_at: Fault(Cause.CRASH, "exit status 1")}
    return play_out(Referee(rules, players, "pool", game), faulting(_players(random), faults))


def _players(random: Random) -> Choose:
    """Return players whose games are as long as those of good bots."""
    return lambda _, asked: legal_answer(asked, random, doubts=0.2)


def _played(
    fixture: Fixture,
    strength: dict[str, float],
    pools: list[Games],
    random: Random,
    faults: float,
) -> PlayedFixture:
    weights = [exp(2 * strength[bot]) for bot in fixture.seats]
    seats = range(len(weights))
    games = []
    for number in range(fixture.games):
        [winner] = random.choices(seats, weights)
        games.append(replace(random.choice(pools[random.random() < faults][winner]), game=number))
    stderr = (STDERR,) * len(weights)
    return records.played(fixture, games, decisions=60 * fixture.games, seconds=1.0, stderr=stderr)
