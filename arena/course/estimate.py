"""How much a grading plays: an estimate before it, and what is left while it runs."""

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.workshop import open_workshop, sandbox_for
from arena.course.baselines import (
    GAMES,
    PER_BLOCK,
    BaselineGames,
    BaselineRecord,
    Blocks,
    blocks_of,
    conditions,
    expected_blocks,
    name_of,
    target,
)
from arena.course.config import Course, CourseFile, Options, with_precision
from arena.course.field import field_games, hand_in_info, renamed
from arena.course.lock import GradingTerms
from arena.course.marks import baseline_parts
from arena.course.points import FAIR, Share, total_of
from arena.game.records import FixtureResult
from arena.league.play.dispatcher import OnResult, RunListener, play_due
from arena.league.play.process_pool import ProcessEngine
from arena.league.store.store import Store

_BLOCKS = 4
"""Blocks against each baseline that are played to see how fast games are."""
_CHECK = 500
"""The check of a hand-in takes as long as this many games."""
_COMPARISON = 1_000
"""To compare a hand-in and to write its page takes as long as this many games."""
_STEP = 1.1
"""The factor from one precision that is tried to the next."""
_GUESS = (FAIR + 1.0) / 2
"""The reference's share of games won against a baseline, until it is measured."""


class Speed(Struct, frozen=True):
    """How fast games are on this machine, and how strong the reference is."""

    games: float
    """Games per second, with all workers."""
    shares: Mapping[str, float]
    """The reference's share of games won against each baseline."""


class Effort(Struct, frozen=True):
    """The games and the time of a grading from the start."""

    games: int
    """Games of the reference, of the hand-ins and of the field."""
    seconds: float
    precision: float
    """Points that half the interval of a mark may have."""


def measure_speed(course: Course, terms: GradingTerms, options: Options) -> Speed:
    """Play some games of the reference; raises ArenaError if a bot of the course cannot play."""
    own = course.own_bots
    blocks = dict.fromkeys(course.file.marks.baselines, _BLOCKS)
    watch = _Watch()
    won = play_apart(
        terms,
        own,
        [terms.reference],
        blocks,
        sandbox_for(own, terms.sandbox, trusted=options.trusted),
        watch,
        workers=options.workers,
        packages=course.file.packages,
    )
    if won is None:
        raise KeyboardInterrupt
    each = won[terms.reference]
    shares = {name: sum(wins) / (PER_BLOCK * max(1, len(wins))) for name, wins in each.items()}
    return Speed(watch.games_per_second(options.workers), shares)


def play_apart(
    terms: GradingTerms,
    bots: Sequence[Bot],
    players: Sequence[str],
    blocks: Mapping[str, int],
    sandbox: Sandbox,
    listener: RunListener,
    *,
    workers: int,
    packages: bool,
) -> dict[str, dict[str, list[int]]] | None:
    """Play blocks against each baseline in a store of their own, which is not kept.

    `players` are digests of some of the bots, which include the baselines. Returns the wins in each
    block by player and baseline, or None if it was stopped.
    """
    with (
        open_workshop(sandbox, packages=packages) as workshop,
        TemporaryDirectory() as folder,
        Store(Path(folder) / "games.sqlite", create=True) as store,
    ):
        different = {bot.info.digest: bot for bot in bots}
        staged = {digest: workshop.stage(bot) for digest, bot in different.items()}
        infos = [hand_in_info(digest, bot.info) for digest, bot in staged.items()]
        infos += [renamed(staged[key].info, name) for name, key in terms.baselines.items()]
        seated = {name_of(digest): bot for digest, bot in staged.items()}
        seated |= {name: staged[key] for name, key in terms.baselines.items()}
        info = conditions(terms, infos, "apart")
        store.begin(info)
        played = BaselineRecord(store)
        games = BaselineGames(store, played, terms, players, lambda _: blocks)
        engine = ProcessEngine(sandbox, workers)
        with listener.progress(len(games.due())) as on_result:
            if not play_due(info, seated, engine, games, listener, on_result):
                return None
        return {bot: blocks_of(played, terms, bot, blocks) for bot in players}


def effort(course: Course, hand_ins: int, programs: int, speed: Speed) -> Effort:
    """Return what it takes to grade a number of hand-ins, and of different programs among them."""
    file = course.file
    baselines = file.marks.baselines
    points = {name: entry.points for name, entry in baselines.items()}
    wanted = target(file.precision, file.marks.field)
    most = file.budget // PER_BLOCK
    games = 0
    if baselines:
        scales = {name: entry.scale(speed.shares[name]) for name, entry in baselines.items()}
        each = expected_blocks(points, scales, wanted, most) * PER_BLOCK
        measured = sum(entry.all is None for entry in baselines.values())
        games = len(baselines) * programs * each + measured * file.reference_games
    games += field_games(file.marks.field, programs + len(baselines), file.precision)
    work = games + hand_ins * (_CHECK + (_COMPARISON if file.alike else 0))
    return Effort(games, work / speed.games, file.precision)


def within(course: Course, hand_ins: int, programs: int, speed: Speed, seconds: float) -> Effort:
    """Return the most precise grading that fits into a time, or the shortest one if none does."""
    tried = effort(course, hand_ins, programs, speed)
    while tried.seconds > seconds and tried.precision < course.file.marks.total:
        wider = ceil(10 * tried.precision * _STEP) / 10
        tried = effort(with_precision(course, wider), hand_ins, programs, speed)
    return tried


class _Watch(RunListener):
    """Times tables from the end of the first one on: until then, processes are started."""

    def __init__(self) -> None:
        self._ends: list[float] = []

    def progress(self, fixtures: int) -> AbstractContextManager[OnResult]:
        """Note when each table ends."""
        del fixtures
        return nullcontext(self._see)

    def _see(self, result: FixtureResult | None) -> None:
        if result is not None:
            self._ends.append(time.monotonic())

    def games_per_second(self, workers: int) -> float:
        """Return how many games were played per second, with all workers."""
        counted = self._ends[min(workers, len(self._ends) - 1) :]
        if len(counted) < 2:
            return float(GAMES)
        return GAMES * (len(counted) - 1) / max(counted[-1] - counted[0], 1e-3)


class GamesLeft:
    """Counts the games that are left, about: how many a hand-in needs shows only at its end."""

    def __init__(self, file: CourseFile, bots: int) -> None:
        """Take the number of bots that meet the baselines."""
        self.bots = bots
        self.shares: Mapping[str, Share] = {}
        """The reference's shares; empty until they are measured and the hand-ins play."""
        self.against: BaselineGames | None = None
        """The games against baselines that are played now; None before and after them."""
        self._file = file
        self._field = field_games(
            file.marks.field, bots + len(file.marks.baselines), file.precision
        )
        self._in_field = False

    def add(self, result: FixtureResult | None) -> None:
        """Take a table into account that was played."""
        if self._in_field and result is not None:
            self._field -= len(result.games)

    def field_begins(self, players: int) -> None:
        """Take note that the games against the baselines ended; `players` now play the field."""
        self.against = None
        self._in_field = True
        self._field = field_games(self._file.marks.field, players, self._file.precision)

    @property
    def games(self) -> int:
        """About how many games are left."""
        students = 0
        if not self.shares and not self._in_field:
            students = self.bots * self._expected({}) * PER_BLOCK
        now = self.against.expected_tables(self._expected) * GAMES if self.against else 0
        return max(0, now + students + self._field)

    @property
    def students(self) -> int:
        """How many hand-ins still have games against the baselines to play."""
        if self._in_field or not self._file.marks.baselines:
            return 0
        return len(self.against.playing) if self.shares and self.against else self.bots

    def _expected(self, blocks: Blocks) -> int:
        """Return about how many blocks a bot plays in all, given those that are complete."""
        file = self._file
        baselines = file.marks.baselines
        wanted = target(file.precision, file.marks.field)
        most = file.budget // PER_BLOCK
        played = sum(map(len, blocks.values()))
        if self.shares and played:
            half = total_of(baseline_parts(file, self.shares, blocks)).half_width
            return min(len(baselines) * most, ceil(played * max(1.0, (half / wanted) ** 2)))
        scales = {
            name: entry.scale(self.shares[name].share if name in self.shares else _GUESS)
            for name, entry in baselines.items()
        }
        points = {name: entry.points for name, entry in baselines.items()}
        return len(baselines) * expected_blocks(points, scales, wanted, most)
