"""How much a grading plays: an estimate before it, and what is left while it runs."""

import time
from collections.abc import Mapping
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

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
from arena.league.play.dispatcher import RunListener, play_due
from arena.league.play.process_pool import ProcessEngine
from arena.league.store.store import Store

_BLOCKS = 4
"""Against each baseline that are played to see how fast games are."""
_CHECK = 500
"""Games that take as long as the check of a hand-in does."""
_COMPARISON = 1_000
"""Games that take as long as one hand-in does to be compared and shown."""
_STEP = 1.1
"""How many times as wide the next interval is that is tried."""


class Speed(Struct, frozen=True):
    """What some games of the reference showed."""

    games: float
    """Per second, with all workers."""
    shares: Mapping[str, float]
    """Of the games against each baseline that it won."""


class Effort(Struct, frozen=True):
    """What a grading from the start comes to."""

    games: int
    """Of the reference, the hand-ins and the field."""
    seconds: float
    precision: float


def measure_speed(course: Course, terms: GradingTerms, options: Options) -> Speed:
    """Play some games of the reference; raises ArenaError if the bots of the course cannot play."""
    own = course.own_bots
    sandbox = sandbox_for(own, terms.sandbox, trusted=options.trusted)
    watch, blocks = _Watch(), dict.fromkeys(course.file.marks.baselines, _BLOCKS)
    with (
        open_workshop(sandbox, packages=course.file.packages) as workshop,
        TemporaryDirectory() as folder,
        Store(Path(folder) / "games.sqlite", create=True) as store,
    ):
        staged = {bot.info.digest: workshop.stage(bot) for bot in own}
        infos = [hand_in_info(terms.reference, staged[terms.reference].info)]
        infos += [renamed(staged[key].info, name) for name, key in terms.baselines.items()]
        info = conditions(terms, infos, course.file.name)
        store.begin(info)
        played = BaselineRecord(store)
        games = BaselineGames(store, played, terms, [terms.reference], lambda _: blocks)
        seated = {name_of(digest): bot for digest, bot in staged.items()}
        seated |= {name: staged[key] for name, key in terms.baselines.items()}
        engine = ProcessEngine(sandbox, options.workers)
        play_due(info, seated, engine, games, RunListener(), watch.see)
        won = blocks_of(played, terms, terms.reference, blocks)
    shares = {name: sum(each) / (PER_BLOCK * max(1, len(each))) for name, each in won.items()}
    return Speed(watch.games_per_second(options.workers), shares)


def effort(course: Course, hand_ins: int, programs: int, speed: Speed) -> Effort:
    """Return what it takes to grade so many hand-ins, of which so many are different programs."""
    file, baselines = course.file, course.file.marks.baselines
    points = {name: entry.points for name, entry in baselines.items()}
    wanted, most = target(file.precision, file.marks.field), file.budget // PER_BLOCK
    games = 0
    if baselines:
        each = expected_blocks(points, speed.shares, wanted, most) * PER_BLOCK
        games = len(baselines) * (programs * each + file.reference_games)
    games += field_games(file.marks.field, programs + len(baselines), file.precision)
    work = games + hand_ins * (_CHECK + (_COMPARISON if file.alike else 0))
    return Effort(games, work / speed.games, file.precision)


def within(course: Course, hand_ins: int, programs: int, speed: Speed, seconds: float) -> Effort:
    """Return the most precise grading that takes no longer than this, or else the shortest."""
    tried = effort(course, hand_ins, programs, speed)
    while tried.seconds > seconds and tried.precision < course.file.marks.total:
        wider = ceil(10 * tried.precision * _STEP) / 10
        tried = effort(with_precision(course, wider), hand_ins, programs, speed)
    return tried


class _Watch:
    """Times tables from the end of the first one: until then processes are started."""

    def __init__(self) -> None:
        self._ends: list[float] = []

    def see(self, result: FixtureResult | None) -> None:
        if result is not None:
            self._ends.append(time.monotonic())

    def games_per_second(self, workers: int) -> float:
        counted = self._ends[min(workers, len(self._ends) - 1) :]
        if len(counted) < 2:
            return float(GAMES)
        return GAMES * (len(counted) - 1) / max(counted[-1] - counted[0], 1e-3)


_GUESS = (FAIR + 1.0) / 2
"""What the reference may win against a baseline, before it is measured."""


class GamesLeft:
    """Counts what is left of all games; how many a student needs is known only at the end."""

    def __init__(self, file: CourseFile, bots: int) -> None:
        """Take how many bots meet the baselines."""
        self.bots = bots
        self.shares: Mapping[str, Share] = {}
        """The reference's, once they are measured: then the students play."""
        self.against: BaselineGames | None = None
        """What is played now."""
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
        """Say that all games against the baselines are played."""
        self.against, self._in_field = None, True
        self._field = field_games(self._file.marks.field, players, self._file.precision)

    @property
    def games(self) -> int:
        """How many games are left, about."""
        students = 0
        if not self.shares and not self._in_field:
            students = self.bots * self._expected({}) * PER_BLOCK
        now = self.against.expected_tables(self._expected) * GAMES if self.against else 0
        return max(0, now + students + self._field)

    @property
    def students(self) -> int:
        """How many hand-ins wait for games against the baselines."""
        if self._in_field or not self._file.marks.baselines:
            return 0
        return len(self.against.playing) if self.shares and self.against else self.bots

    def _expected(self, blocks: Blocks) -> int:
        """Return how many blocks a bot plays in all, given the first of them."""
        file, baselines = self._file, self._file.marks.baselines
        wanted, most = target(file.precision, file.marks.field), file.budget // PER_BLOCK
        played = sum(map(len, blocks.values()))
        if self.shares and played:
            half = total_of(baseline_parts(file, self.shares, blocks)).half_width
            return min(len(baselines) * most, ceil(played * max(1.0, (half / wanted) ** 2)))
        shares = {
            name: self.shares[name].share if name in self.shares else _GUESS for name in baselines
        }
        points = {name: entry.points for name, entry in baselines.items()}
        return len(baselines) * expected_blocks(points, shares, wanted, most)
