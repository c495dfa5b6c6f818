"""What is left of a grading: games, and students who wait for theirs."""

from collections.abc import Mapping
from math import ceil

from arena.course.games.baseline_games import BaselineGames, Blocks
from arena.course.games.field import field_games
from arena.course.games.plan import expected_blocks, target
from arena.course.games.tables import GAMES, PER_BLOCK
from arena.course.keys import CourseFile
from arena.course.marks.marks import baseline_parts
from arena.course.points import FAIR, Share, total_of
from arena.game.records import FixtureResult

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
