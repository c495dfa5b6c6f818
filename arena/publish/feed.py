"""The Atom feed: whose rank changed as a league went on.

What a report said before is not looked up, it is worked out: a leaderboard is rated again as it was
after 1, 2, 4, 8, ... blocks, and compared from one to the next, the last with today's. So the same
games give the same feed, whenever reports were written, and entries keep their ids as a league
grows. Intervals shrink with the root of the number of games: more looks would see little more.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any
from uuid import UUID

from msgspec import Struct

from arena.publish.pace import timestamp
from arena.publish.text import one_line
from arena.ratings.results import Result
from arena.ratings.table import Leaderboard, Row, rate
from arena.records import LeagueInfo, RatingsInfo

FEED = "feed.xml"
NEWEST = 200
"""Entries at most."""

Stored = Mapping[int, float]
"""When a fixture was stored, in seconds since 1970, by its place in the schedule."""


class Change(Struct, frozen=True):
    """A bot whose rank, or the range of it, is not what it was some blocks before."""

    id: str
    updated: str
    board: Leaderboard
    """As it was then."""
    bot: str
    before: str
    """The range of its rank, in words; "" where it had not played."""
    now: str
    since: int
    """After how many blocks it was as before."""


def checkpoints(blocks: int) -> list[int]:
    """Return after how many blocks to look: 1, 2, 4, ... and after all of them; none for none."""
    doubled = [2**n for n in range(blocks.bit_length()) if 2**n < blocks]
    return [*doubled, blocks] if blocks else []


def history(
    board: Leaderboard, results: Sequence[Result], options: RatingsInfo
) -> Iterator[Leaderboard]:
    """Yield a leaderboard as it was at each checkpoint, the last as it is."""
    for blocks in checkpoints(board.blocks)[:-1]:
        then = [result for result in results if result.block < blocks]
        if then:
            yield rate(board.variant, board.players, then, options).board
    yield board


def changes(
    league: LeagueInfo, course: Sequence[Leaderboard], times: Mapping[int, float]
) -> Iterator[Change]:
    """Yield the changes along a leaderboard's history; `times` are by number of blocks."""
    for before, now in pairwise(course):
        old = {row.bot: ranks(row) for row in before.rows}
        for row in now.rows:
            was, is_ = old.get(row.bot, ""), ranks(row)
            if was != is_:
                updated = timestamp(times.get(now.blocks, 0))
                id_ = _id(league, now, row.bot)
                yield Change(id_, updated, now, row.bot, was, is_, before.blocks)


def ranks(row: Row) -> str:
    """Return the range of a rank in words."""
    return f"{row.best}" if row.best == row.worst else f"{row.best}–{row.worst}"  # noqa: RUF001


def _id(league: LeagueInfo, board: Leaderboard, bot: str) -> str:
    return _urn(league, board.variant, str(board.players), str(board.blocks), bot)


def _urn(league: LeagueInfo, *parts: str) -> str:
    """Return an id that depends on nothing but the league's seed and these names."""
    text = "\0".join((league.commitment, *parts))
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return UUID(bytes=digest[:16], version=5).urn


def block_times(
    results: Iterable[Result], blocks: Sequence[int], stored: Stored
) -> dict[int, float]:
    """Return when the last of so many blocks' games was stored; nothing where it is not known."""
    last: dict[int, float] = {}
    for result in results:
        if result.fixture in stored:
            last[result.block] = max(last.get(result.block, 0), stored[result.fixture])
    ends = {count: [at for block, at in last.items() if block < count] for count in blocks}
    return {count: max(times) for count, times in ends.items() if times}


def model(
    league: LeagueInfo,
    boards: Sequence[Leaderboard],
    results: Mapping[tuple[str, int], Sequence[Result]],
    stored: Stored,
    options: RatingsInfo,
) -> dict[str, Any]:
    """Return what the feed's template needs: the entries, the newest first."""
    found: list[Change] = []
    for board in boards:
        mine = results.get((board.variant, board.players), ())
        course = list(history(board, mine, options))
        times = block_times(mine, [one.blocks for one in course], stored)
        found += changes(league, course, times)
    found.sort(key=lambda one: one.updated, reverse=True)
    newest = timestamp(max(stored.values(), default=0))
    return {"entries": found[:NEWEST], "updated": newest, "id": _urn(league), "title": title}


def title(change: Change) -> str:
    """Return an entry's title."""
    board = change.board
    where = f"{one_line(board.variant)}, {board.players} players"
    came = f"ranks {change.now}, before {change.before}" if change.before else f"new: {change.now}"
    return f"{one_line(change.bot)} ({where}): {came}"
