"""The Atom feed: changes of rank during a league.

Earlier ranks are computed, not looked up in earlier reports: a leaderboard is rated as it was after
1, 2, 4, 8, ... blocks, and each of these checkpoints is compared with the next. So the same games
give the same feed, whenever reports were written. Intervals shrink with the root of the number of
games, so more checkpoints would show little more.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import pairwise
from uuid import UUID

from msgspec import Struct

from arena.game.records import Conditions, Fixture, FixtureResult
from arena.publish.game_source import GameSource
from arena.publish.text import one_line, timestamp
from arena.ratings.leaderboard_rows import Leaderboard

TEMPLATE = "feed.xml"
NEWEST = 200
"""Entries at most."""


class Checkpoint(Struct, frozen=True):
    """A leaderboard after so many blocks: the ranges of ranks in words, by bot."""

    blocks: int
    ranks: dict[str, str]


class Change(Struct, frozen=True):
    """A bot whose rank, or the range of it, differs from the checkpoint before."""

    id: str
    updated: str
    board: Leaderboard
    """The leaderboard as it is today."""
    bot: str
    before: Checkpoint
    after: Checkpoint

    @property
    def was(self) -> str:
        """The range of its rank before, in words; "" if it had not played."""
        return self.before.ranks.get(self.bot, "")

    @property
    def now(self) -> str:
        """The range of its rank, in words."""
        return self.after.ranks[self.bot]


def checkpoints(blocks: int) -> list[int]:
    """Return after how many blocks to look: 1, 2, 4, ... and after all of them; none for none."""
    doubled = [2**n for n in range(blocks.bit_length()) if 2**n < blocks]
    return [*doubled, blocks] if blocks else []


def history(board: Leaderboard, source: GameSource) -> Iterator[Checkpoint]:
    """Yield a leaderboard as it was at each checkpoint, the last as it is."""
    results = _results_of(board, source)
    for blocks in checkpoints(board.blocks)[:-1]:
        then = [result for result in results if result.fixture.block < blocks]
        if then:
            depends_on = [source.hashes[result.fixture.index] for result in then]
            key = sha256(repr(depends_on).encode()).digest()
            name = f"ranks {blocks} {board.players} {board.variant!a}"
            data = source.cached(name, key, partial(_ranks_then, then))
            yield Checkpoint(*json.loads(data))
    now = {row.bot: ranks(row.best, row.worst) for row in board.rows}
    yield Checkpoint(board.blocks, now)


def _results_of(board: Leaderboard, source: GameSource) -> list[FixtureResult]:
    return [result for result in source.results if result.fixture.division == board.division]


def _ranks_then(then: Sequence[FixtureResult]) -> bytes:
    # Slow to import, and only needed for a checkpoint that is not cached.
    from arena.ratings.division import rank_all

    blocks, ranges = rank_all(then)
    return json.dumps([blocks, {bot: ranks(*ends) for bot, ends in ranges.items()}]).encode()


def changes(
    conditions: Conditions,
    board: Leaderboard,
    seen: Sequence[Checkpoint],
    times: Mapping[int, float],
) -> Iterator[Change]:
    """Yield the changes from checkpoint to checkpoint; `times` are by number of blocks."""
    for before, after in pairwise(seen):
        updated = timestamp(times.get(after.blocks, 0))
        for bot, range_ in after.ranks.items():
            if range_ != before.ranks.get(bot):
                parts = board.variant, str(board.players), str(after.blocks), bot
                yield Change(_urn(conditions, *parts), updated, board, bot, before, after)


def ranks(best: int, worst: int) -> str:
    """Return the range of a rank in words, with an en dash."""
    return f"{best}" if best == worst else f"{best}\N{EN DASH}{worst}"


def _urn(conditions: Conditions, *parts: str) -> str:
    """Return an id that depends on nothing but the league's seed and these names."""
    text = "\0".join((conditions.commitment, *parts))
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return UUID(bytes=digest[:16], version=5).urn


def block_times(
    fixtures: Iterable[Fixture], blocks: Sequence[int], stored_at: Mapping[int, float]
) -> dict[int, float]:
    """Return when the last game of so many blocks was stored, in Unix time, if that is known."""
    last: dict[int, float] = {}
    for fixture in fixtures:
        if fixture.index in stored_at:
            last[fixture.block] = max(last.get(fixture.block, 0), stored_at[fixture.index])
    ends = {count: [at for block, at in last.items() if block < count] for count in blocks}
    return {count: max(times) for count, times in ends.items() if times}


class Feed(Struct, frozen=True):
    """The Atom feed of a league."""

    entries: list[Change]
    """The newest first."""
    updated: str
    id: str
    title: Callable[[Change], str]


def feed(conditions: Conditions, boards: Sequence[Leaderboard], source: GameSource) -> Feed:
    """Return the feed of a league."""
    entries: list[Change] = []
    stored_at = {
        result.fixture.index: result.stored_at
        for result in source.results
        if result.stored_at is not None
    }
    for board in boards:
        seen = list(history(board, source))
        fixtures = [result.fixture for result in _results_of(board, source)]
        times = block_times(fixtures, [checkpoint.blocks for checkpoint in seen], stored_at)
        entries += changes(conditions, board, seen, times)
    entries.sort(key=lambda entry: entry.updated, reverse=True)
    newest = timestamp(max(stored_at.values(), default=0))
    return Feed(entries[:NEWEST], newest, _urn(conditions), title)


def title(change: Change) -> str:
    """Return an entry's title."""
    table = f"{one_line(change.board.variant)}, {change.board.players} players"
    now = f"ranks {change.now}, before {change.was}" if change.was else f"new: {change.now}"
    return f"{one_line(change.bot)} ({table}): {now}"
