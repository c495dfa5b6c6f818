"""Fixtures as their rows say, without logs."""

from collections.abc import Iterable, Iterator

from arena.league.store.failures import endless
from arena.league.store.format.games import PackedGame
from arena.league.store.format.rows import FIXTURES, GAMES_OF, FixtureRow, key_range
from arena.league.store.store_file import StoreFile

Stored = tuple[FixtureRow, list[PackedGame], bytes, bytes]
"""Rows with the hash of all that is stored of a fixture, and that of its rows."""


def fixtures_at(rows: StoreFile, positions: Iterable[int]) -> Iterator[Stored]:
    """Yield the fixtures at some positions, as far as they are stored."""
    for position in positions:
        yield from fixtures_between(rows, position, position)


def fixtures_between(rows: StoreFile, first: int, last: int) -> Iterator[Stored]:
    """Yield rows as they were when the first was read: one query keeps one snapshot open."""
    before = first - 1
    for position, *columns, digest, rows_digest in rows.rows(FIXTURES, first, last):
        if position <= before:
            raise endless(rows.path)
        before = position
        games = [PackedGame(*game) for game in rows.rows(GAMES_OF, *key_range(position))]
        yield FixtureRow(position, *columns), games, digest, rows_digest
