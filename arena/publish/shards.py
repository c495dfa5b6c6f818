"""The files that replays are loaded from: scripts that hand over one text.

A page on a file system may load scripts and nothing else. A shard calls one function with its own
name and its games as JSON, compressed, in base64: letters that cannot end a script.
"""

import base64
import gzip
from collections.abc import Iterator, Sequence

import msgspec

from arena.publish.kept import Kept
from arena.publish.links import GAMES_A_SHARD, Links
from arena.publish.replays import Replay, replays, shown_name
from arena.records import Fixture, GameRecord, PlayedFixture


class Shard(msgspec.Struct, frozen=True):
    """Games of one fixture that are loaded together."""

    fixture: int
    variant: str
    table: str
    """The id of the leaderboard that they count for."""
    seats: list[str]
    bots: list[str]
    """Each seat's page."""
    games: dict[str, Replay]
    """By game number."""


def shards(played: Sequence[PlayedFixture], kept: Kept, links: Links) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every shard, in schedule order."""
    for one in played:
        fixture = one.fixture
        for number, games in _parted(kept.get(fixture.index, [])).items():
            shard = _shard(fixture, games, links)
            yield links.shard(fixture.index, number), packed(f"{fixture.index}-{number}", shard)


def _parted(games: Sequence[GameRecord]) -> dict[int, list[GameRecord]]:
    parts: dict[int, list[GameRecord]] = {}
    for game in games:
        parts.setdefault(game.game // GAMES_A_SHARD, []).append(game)
    return parts


def _shard(fixture: Fixture, games: Sequence[GameRecord], links: Links) -> Shard:
    return Shard(
        fixture=fixture.index,
        variant=shown_name(fixture.variant),
        table=f"{links.variants[fixture.variant]}-{len(fixture.seats)}p",
        seats=[shown_name(name) for name in fixture.seats],
        bots=[links.bot(name) for name in fixture.seats],
        games=replays(games, fixture.seats),
    )


def packed(name: str, shard: Shard) -> str:
    """Return the script of a shard; the same games give the same text."""
    data = gzip.compress(msgspec.json.encode(shard), compresslevel=6, mtime=0)
    return f'perudoShard("{name}", "{base64.b64encode(data).decode()}");\n'


def unpacked(script: str) -> Shard:
    """Return the shard that a script holds; raises ValueError where it is none."""
    data = gzip.decompress(base64.b64decode(script.split('"')[3]))
    return msgspec.json.decode(data, type=Shard)
