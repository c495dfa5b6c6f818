"""How long `arena verify` takes: `python -m benchmarks.verify [--games 100000] [--workers 2]`.

The store holds a league that was really played, by players without processes: a seat calls dudo one
time in five, else it bids near the smallest quantity, so that games are as long as among good bots.
Making the store takes longer than verifying it.
"""

import argparse
import tempfile
import time
from pathlib import Path
from random import Random

from arena.game.records import BotInfo, Fixture, GameRecord, LeagueInfo, LimitsInfo, PlayedFixture
from arena.game.referee import Referee
from arena.game.rules.books import Rules, variant
from arena.game.seeds import commitment
from arena.game.wire.messages import Answer, Turn
from arena.league.keeping.rerating import LIMIT, check_division
from arena.league.keeping.verify import verify
from arena.league.schedule.schedule import Schedule
from arena.league.store.logs import logs_path
from arena.league.store.rows import pack
from arena.league.store.store import Store
from arena.ratings.standings import by_division

BUDGET = 300.0
"""Seconds that 100,000 games may take with two workers."""
BOTS = 10
GAMES = 50
"""Games per fixture."""


def league(games: int, players: int) -> LeagueInfo:
    """Return a league of at least so many games."""
    bots = tuple(BotInfo(f"bot{n}", "", "1", "python", f"{n:064x}") for n in range(BOTS))
    return LeagueInfo(
        name="bench",
        variants={"bga": variant("bga", {})},
        bots=bots,
        players=(players,),
        games=GAMES,
        rounds=max(1, -(-games // (BOTS * GAMES))),
        limits=LimitsInfo(),
        sandbox="process",
        seed="bench",
        commitment=commitment("bench"),
        arena_version="bench",
    )


def answer(asked: Turn, random: Random) -> Answer:
    """Choose what a player does."""
    if asked.dudo and (not asked.raises or random.random() < 0.2):
        return Answer(id=asked.id, action="dudo")
    one = random.choice(asked.raises)
    quantity = min(one.max, one.min + random.randrange(2))
    return Answer(id=asked.id, action="bid", quantity=quantity, face=one.face)


def play(fixture: Fixture, rules: Rules, game: int) -> GameRecord:
    """Play one game to its end."""
    random = Random(f"{fixture.id}/{game}")
    referee = Referee(rules, len(fixture.seats), fixture.dice_key, game)
    while referee.waiting:
        [seat] = referee.waiting
        asked = referee.request(seat, 0)
        assert isinstance(asked, Turn)
        referee.take(seat, answer(asked, random))
    return referee.record


def fill(path: Path, info: LeagueInfo) -> None:
    """Play a league into a store."""
    with Store(path, create=True) as store:
        store.begin(info)
        for fixture in Schedule(info).fixtures:
            rules = info.variants[fixture.variant]
            games = [play(fixture, rules, game) for game in range(fixture.games)]
            quiet = ("",) * len(fixture.seats)
            store.add(pack(PlayedFixture(fixture, games, "process", "cpu", 0, 1.0, quiet)))


def measure(games: int, players: int, workers: int) -> None:
    """Print how long it takes to verify a league."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "league.sqlite"
        fill(path, league(games, players))
        began = time.perf_counter()
        with Store(path) as store:
            verified = verify(store, workers=workers)
            seconds = time.perf_counter() - began
            [(division, results)] = by_division(store.results()).items()
            began = time.perf_counter()
            check_division(division, results, verified.ratings[0].rated)
            rating = time.perf_counter() - began
        size = path.stat().st_size + logs_path(path).stat().st_size
    assert not verified.findings
    replays = (seconds - rating) * 100_000 / verified.games
    ratings = rating * LIMIT / verified.ratings[0].rated
    verdict = "within" if replays + ratings <= BUDGET else "OVER"
    print(
        f"{players} players, {workers} workers: {verified.games:,} games ({size / 1e6:.0f} MB) in "
        f"{seconds:.1f} s, {rating:.1f} s of it to rate them again: 100,000 in {replays:.0f} s, "
        f"and {ratings:.0f} s to rate {LIMIT:,} again, {verdict} the {BUDGET:.0f} s allowed"
    )


def main() -> None:
    """Print a line for each table size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 6])
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    for players in options.players:
        measure(options.games, players, options.workers)


if __name__ == "__main__":
    main()
