"""The Atom feed: whose rank changed as a league went on.

What a report said before is not looked up, it is worked out: a leaderboard is rated again as it was
after 1, 2, 4, 8, ... blocks, and compared from one to the next, the last with today's. So the same
games give the same feed, whenever reports were written, and entries keep their ids as a league
grows. Intervals shrink with the root of the number of games: more looks would see little more. What
a look saw is remembered beside the games, for a source that can.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import pairwise
from typing import Any
from uuid import UUID

from msgspec import Struct

from arena.playstats.fixture_summary import FixtureSummary
from arena.playstats.timing import stored_times
from arena.publish.game_source import GameSource
from arena.publish.output.text import one_line, timestamp
from arena.ratings.standings import by_division
from arena.ratings.table import Leaderboard, Row
from arena.records import Fixture, LeagueInfo, RatingsInfo

FEED = "feed.xml"
NEWEST = 200
"""Entries at most."""

Stored = Mapping[int, float]
"""When a fixture was stored, in seconds since 1970, by its place in the schedule."""


class Look(Struct, frozen=True):
    """A leaderboard after so many blocks: the ranges of ranks in words, by bot."""

    blocks: int
    ranks: dict[str, str]


class Change(Struct, frozen=True):
    """A bot whose rank, or the range of it, is not what it was some blocks before."""

    id: str
    updated: str
    board: Leaderboard
    """As it is today."""
    blocks: int
    """After how many blocks it changed."""
    bots: int
    """How many bots had played by then."""
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


def history(board: Leaderboard, source: GameSource, options: RatingsInfo) -> Iterator[Look]:
    """Yield a leaderboard as it was at each checkpoint, the last as it is."""
    mine = _of(board, source)
    for blocks in checkpoints(board.blocks)[:-1]:
        then = [one for one in mine if one.fixture.block < blocks]
        if then:
            made_of = options, [source.marks[one.fixture.index] for one in then]
            mark = sha256(repr(made_of).encode()).digest()
            name = f"ranks {blocks} {board.players} {board.variant!a}"
            yield _read(source.remember(name, mark, partial(_look_back, then, options)))
    yield _look(board)


def _of(board: Leaderboard, source: GameSource) -> list[FixtureSummary]:
    kind = board.variant, board.players
    return [one for one in source.digests if (one.fixture.variant, len(one.fixture.seats)) == kind]


def _look_back(then: Sequence[FixtureSummary], options: RatingsInfo) -> bytes:
    # Slow to import, and needed by those alone who look back for the first time.
    from arena.ratings.leaderboard import rate

    [(kind, found)] = by_division(then).items()
    look = _look(rate(*kind, found, options).board)
    return json.dumps([look.blocks, look.ranks]).encode()


def _read(remembered: bytes) -> Look:
    return Look(*json.loads(remembered))


def _look(board: Leaderboard) -> Look:
    return Look(board.blocks, {row.bot: ranks(row) for row in board.rows})


def changes(
    league: LeagueInfo, board: Leaderboard, course: Sequence[Look], times: Mapping[int, float]
) -> Iterator[Change]:
    """Yield the changes along a leaderboard's history; `times` are by number of blocks."""
    for before, now in pairwise(course):
        for bot, range_ in now.ranks.items():
            was = before.ranks.get(bot, "")
            if was != range_:
                yield Change(
                    id=_urn(league, board.variant, str(board.players), str(now.blocks), bot),
                    updated=timestamp(times.get(now.blocks, 0)),
                    board=board,
                    blocks=now.blocks,
                    bots=len(now.ranks),
                    bot=bot,
                    before=was,
                    now=range_,
                    since=before.blocks,
                )


def ranks(row: Row) -> str:
    """Return the range of a rank in words; what stands in a range is an en dash."""
    return f"{row.best}" if row.best == row.worst else f"{row.best}–{row.worst}"  # noqa: RUF001


def _urn(league: LeagueInfo, *parts: str) -> str:
    """Return an id that depends on nothing but the league's seed and these names."""
    text = "\0".join((league.commitment, *parts))
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return UUID(bytes=digest[:16], version=5).urn


def block_times(
    fixtures: Iterable[Fixture], blocks: Sequence[int], stored: Stored
) -> dict[int, float]:
    """Return when the last of so many blocks' games was stored; nothing where it is not known."""
    last: dict[int, float] = {}
    for one in fixtures:
        if one.index in stored:
            last[one.block] = max(last.get(one.block, 0), stored[one.index])
    ends = {count: [at for block, at in last.items() if block < count] for count in blocks}
    return {count: max(times) for count, times in ends.items() if times}


def model(
    league: LeagueInfo, boards: Sequence[Leaderboard], source: GameSource, options: RatingsInfo
) -> dict[str, Any]:
    """Return what the feed's template needs: the entries, the newest first."""
    found: list[Change] = []
    stored = {one.index: one.stored_at for one in stored_times(source.digests)}
    for board in boards:
        course = list(history(board, source, options))
        fixtures = [one.fixture for one in _of(board, source)]
        times = block_times(fixtures, [one.blocks for one in course], stored)
        found += changes(league, board, course, times)
    found.sort(key=lambda one: one.updated, reverse=True)
    newest = timestamp(max(stored.values(), default=0))
    return {"entries": found[:NEWEST], "updated": newest, "id": _urn(league), "title": title}


def title(change: Change) -> str:
    """Return an entry's title."""
    board = change.board
    where = f"{one_line(board.variant)}, {board.players} players"
    came = f"ranks {change.now}, before {change.before}" if change.before else f"new: {change.now}"
    return f"{one_line(change.bot)} ({where}): {came}"
