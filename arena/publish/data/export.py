"""One row per game, or per pair of bots, for analysis elsewhere: CSV, JSON lines, Parquet."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import asdict

from arena.errors import ArenaError
from arena.publish.data.schema import csv_cell
from arena.ratings.table import Leaderboard
from arena.records import Cause, FixtureResult

_BATCH = 10_000
"""Rows that are written to Parquet at a time."""


class GameRow(Struct, frozen=True):
    """One game; lists have an entry per seat."""

    fixture: str
    index: int
    """The fixture's place in the schedule, from 0."""
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
    """That the bot is better than the opponent."""


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
        yield PairRow(*board.division, bot, opponent, ahead, games, probability)


_LISTS = {"seats": "seat", "places": "place", "faults": "fault"}
"""Names of CSV columns that hold one entry of a list."""


def write_csv(kind: type[Struct], rows: Iterable[Struct], file: BinaryIO, players: int) -> None:
    """Write a spreadsheet with a column per seat; texts are guarded against formulas."""
    names = kind.__struct_fields__
    plain = [name for name in names if name not in _LISTS]
    lists = [(name, seat) for name in names if name in _LISTS for seat in range(players)]
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*plain, *(f"{_LISTS[name]}_{seat}" for name, seat in lists)])
        for row in rows:
            data = asdict(row)
            cells = [data[name] for name in plain]
            cells += [data[name][seat] if seat < len(data[name]) else None for name, seat in lists]
            writer.writerow(map(csv_cell, cells))
    finally:
        text.detach()  # the file stays open


def write_jsonl(_: type[Struct], rows: Iterable[Struct], file: BinaryIO, __: int) -> None:
    """Write a JSON object per line, all in ASCII."""
    file.writelines(json.dumps(asdict(row)).encode() + b"\n" for row in rows)


def write_parquet(kind: type[Struct], rows: Iterable[Struct], file: BinaryIO, _: int) -> None:
    """Write Parquet; raises ArenaError if pyarrow is not installed."""
    try:
        import pyarrow as arrow
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        hint = "pip install 'perudo-arena[parquet]'"
        raise ArenaError("parquet needs pyarrow, which is not installed", "", hint) from None
    text, whole = arrow.string(), arrow.int32()
    texts = ("fixture", "variant", "winner", "sandbox", "clock", "bot", "opponent")
    kinds: Mapping[str, object] = {
        **dict.fromkeys(texts, text),
        "counts": arrow.bool_(),
        "probability": arrow.float64(),
        "seats": arrow.list_(text),
        "places": arrow.list_(whole),
        "faults": arrow.list_(text),
    }
    schema = arrow.schema([(name, kinds.get(name, whole)) for name in kind.__struct_fields__])
    left = iter(rows)
    with ParquetWriter(file, schema) as writer:
        while batch := [asdict(row) for row in islice(left, _BATCH)]:
            writer.write_table(arrow.Table.from_pylist(batch, schema=schema))


FORMATS: Mapping[str, Write] = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "parquet": write_parquet,
}
