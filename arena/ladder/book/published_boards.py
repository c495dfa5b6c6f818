"""The leaderboards of the published site, as far as a ladder reads them."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from arena.io.files import read_json


class PublishedRow(Struct, frozen=True):
    """A bot on a leaderboard."""

    bot: str
    rank: int
    best: int
    worst: int
    games: int
    beats_average: float


class PublishedBoard(Struct, frozen=True):
    """The leaderboard of a rule book and a table size."""

    variant: str
    players: int
    rows: list[PublishedRow]


def published_boards(site: Path) -> Iterator[tuple[str, PublishedBoard]]:
    """Yield the boards with the names of their divisions in addresses.

    The one of all divisions is left out, and one that cannot be read, as it is being replaced.
    """
    for path in sorted(site.glob("data/leaderboard-*.json")):
        if board := read_json(path, PublishedBoard):
            yield path.stem.removeprefix("leaderboard-"), board
