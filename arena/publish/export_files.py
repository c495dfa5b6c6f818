"""Rows as files for analysis elsewhere: CSV, JSON lines, Parquet."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import Any, BinaryIO

from msgspec import Struct, inspect

from arena.game.records import Cause, FixtureResult
from arena.io import shipped
from arena.io.errors import ArenaError
from arena.io.text import csv_of
from arena.publish.data.schema import csv_cell, json_rows
from arena.ratings.leaderboard_rows import Leaderboard

_BATCH = 10_000
"""Rows that are written to Parquet at a time."""


class GameRow(Struct, frozen=True):
    """One game; lists have an entry per seat."""

    fixture: str
    index: int
    """The fixture's index in the schedule, from 0."""
    block: int
    """Which block of its variant and table size it belongs to."""
    variant: str
    players: int
    game: int
    """Its number in the fixture, from 0."""
    counts: bool
    """Whether it is still in the schedule."""
    winner: str
    rounds: int
    max_rounds: int | None
    """The round after which the dice left decide; None if there is no such limit."""
    bids: int
    sandbox: str
    clock: str
    seats: tuple[str, ...]
    places: tuple[int, ...]
    faults: tuple[Cause | None, ...]


class PairRow(Struct, frozen=True):
    """Two bots that played one variant at one table size, in either order."""

    variant: str
    players: int
    bot: str
    opponent: str
    ahead: int
    """The games in which the bot finished ahead of the opponent."""
    games: int
    """The games in which both sat at one table."""
    probability: float
    """The probability that the bot is better than the opponent, of this pair by itself."""
    sure: float
    """The confidence at which the two are told apart, with all else that is said of the table."""


Write = Callable[[type[Struct], Iterable[Struct], BinaryIO, int], None]
"""Writes rows of a kind to a file, for tables of so many players at most."""


def game_rows(result: FixtureResult, *, counts: bool) -> Iterator[GameRow]:
    """Yield the rows of a fixture's games."""
    fixture = result.fixture
    for game in result.games:
        yield GameRow(
            fixture=fixture.id,
            index=fixture.index,
            block=fixture.block,
            variant=fixture.variant,
            players=len(fixture.seats),
            game=game.game,
            counts=counts,
            winner=fixture.seats[game.places.index(1)],
            rounds=game.rounds,
            max_rounds=fixture.max_rounds or None,
            bids=game.bids,
            sandbox=result.sandbox,
            clock=result.clock,
            seats=fixture.seats,
            places=game.places,
            faults=game.faults,
        )


def pair_rows(board: Leaderboard) -> Iterator[PairRow]:
    """Yield each ordered pair of bots, row by row, the best bot first."""
    for (bot, opponent), probability in board.better.items():
        ahead, games = board.duels.get((bot, opponent), (0, 0))
        yield PairRow(
            *board.division, bot, opponent, ahead, games, probability, board.sure[bot, opponent]
        )


_LISTS = {"seats": "seat", "places": "place", "faults": "fault"}
"""Names of CSV columns that hold one entry of a list; other lists are one cell."""


def write_csv(kind: type[Struct], rows: Iterable[Struct], file: BinaryIO, players: int) -> None:
    """Write a spreadsheet; texts are guarded against formulas.

    Lists with an entry for each seat have a column for each; the entries of other lists are
    separated by spaces, and lists in lists by semicolons.
    """
    types = {field.name: _without_none(field.type) for field in _fields(kind)}
    plain = [name for name in types if name not in _LISTS]
    lists = [name for name in types if name in _LISTS]
    seats = [f"{_LISTS[name]}_{seat}" for name in lists for seat in range(players)]
    file.write(csv_of([[*plain, *seats]]).encode())
    for columns in _columns(list(types), rows):
        cells = [_cells(types[name], columns[name]) for name in plain]
        cells += [_of_seat(columns[name], seat) for name in lists for seat in range(players)]
        file.write(csv_of(zip(*cells, strict=True)).encode())


def _columns(names: Sequence[str], rows: Iterable[Struct]) -> Iterator[dict[str, tuple[Any, ...]]]:
    """Yield batches of rows as columns by name: work on whole columns is quick."""
    cells_of, left = attrgetter(*names), iter(rows)
    while batch := [cells_of(row) for row in islice(left, _BATCH)]:
        yield dict(zip(names, zip(*batch, strict=True), strict=True))


def _cells(kind: inspect.Type, column: Sequence[Any]) -> Sequence[object]:
    match kind:
        case inspect.VarTupleType() | inspect.ListType():
            return [_listed(cell) for cell in column]
        case inspect.BoolType() | inspect.FloatType() | inspect.IntType():
            return column
    return [_guarded(cell) for cell in column]


def _of_seat(column: Sequence[Sequence[Any]], seat: int) -> list[object]:
    return [_guarded(cells[seat]) if seat < len(cells) else None for cells in column]


_guarded = lru_cache(maxsize=1 << 12)(csv_cell)


@lru_cache(maxsize=1 << 14)
def _listed(entries: Sequence[object]) -> str:
    lists = [entry for entry in entries if isinstance(entry, tuple)]
    return "; ".join(map(_listed, lists)) if lists else " ".join(map(str, entries))


def write_jsonl(_: type[Struct], rows: Iterable[Struct], file: BinaryIO, __: int) -> None:
    """Write a JSON object per line, all in ASCII."""
    left = iter(rows)
    while batch := list(islice(left, _BATCH)):
        file.write("".join([f"{row}\n" for row in json_rows(batch)]).encode())


def write_parquet(kind: type[Struct], rows: Iterable[Struct], file: BinaryIO, _: int) -> None:
    """Write Parquet; raises ArenaError if pyarrow is not installed."""
    try:
        import pyarrow as arrow
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        hint = shipped.how_to_install("parquet")
        raise ArenaError("parquet needs pyarrow, which is not installed", "", hint) from None
    fields = _fields(kind)
    columns = {field.name: _arrow_type(field.type, arrow) for field in fields}
    schema = arrow.schema(list(columns.items()))
    with ParquetWriter(file, schema) as writer:
        for batch in _columns(list(columns), rows):
            arrays = [arrow.array(cells, columns[name]) for name, cells in batch.items()]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def _fields(kind: type[Struct]) -> Sequence[inspect.Field]:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)  # noqa: S101 (for the type checker)
    return info.fields


def _without_none(kind: inspect.Type) -> inspect.Type:
    """Return the type of the values of a column, whether or not some are missing."""
    if isinstance(kind, inspect.Metadata):
        return _without_none(kind.type)
    if isinstance(kind, inspect.UnionType):
        [kind] = [member for member in kind.types if not isinstance(member, inspect.NoneType)]
        return _without_none(kind)
    return kind


def _arrow_type(kind: inspect.Type, arrow: Any) -> object:
    """Return the type of a column in Parquet."""
    kind = _without_none(kind)
    match kind:
        case inspect.VarTupleType() | inspect.ListType():
            return arrow.list_(_arrow_type(kind.item_type, arrow))
        case inspect.TupleType():
            return arrow.list_(_arrow_type(kind.item_types[0], arrow))
        case inspect.BoolType():
            return arrow.bool_()
        case inspect.FloatType():
            return arrow.float64()
        case inspect.IntType():
            return arrow.int32()
    return arrow.string()


FORMATS: Mapping[str, Write] = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "parquet": write_parquet,
}
