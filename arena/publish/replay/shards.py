"""The files that replays are loaded from: scripts that hand over one text.

A page on a file system may load scripts and nothing else. A shard calls one function with its own
name and its games as JSON, compressed, in base64: letters that cannot end a script.
"""

import base64
import gzip
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256

import msgspec

from arena import __version__
from arena.perudo.rules import Rules
from arena.publish.game_source import GameSource
from arena.publish.output.site_folder import File
from arena.publish.pages.links import GAMES_A_SHARD, Links
from arena.publish.replay.selection import Selection
from arena.publish.replay.steps import Replay, replays, shown_name
from arena.records import Fixture, PlayedFixture

SHARD_VERSION = 2
"""Goes up whenever the same games may give another shard."""


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


class _Order(msgspec.Struct, frozen=True):
    """What a shard is made of, beside its fixture."""

    number: int
    games: tuple[int, ...]
    table: str
    bots: list[str]


class _Wanted(msgspec.Struct, frozen=True):
    """A shard that belongs to the site, made or not."""

    index: int
    path: str
    key: str
    order: _Order


def shards(
    source: GameSource,
    kept: Selection,
    links: Links,
    there: Mapping[str, str],
    variants: Mapping[str, Rules],
) -> Iterator[File]:
    """Yield every shard; those of which the same stands there already come without a text.

    `there` has the keys of the files that stand there, by path.
    """
    wanted = list(_wanted(source, kept, links))
    standing = {one.path for one in wanted if there.get(one.path) == one.key}
    yield from (File(one.path, None, one.key) for one in wanted if one.path in standing)
    missing = [one for one in wanted if one.path not in standing]
    made = source.each(partial(script, variants), [(one.index, one.order) for one in missing])
    for one, text in zip(missing, made, strict=True):
        yield File(one.path, text, one.key)


def _wanted(source: GameSource, kept: Selection, links: Links) -> Iterator[_Wanted]:
    for one in source.digests:
        fixture = one.fixture
        table = f"{links.variants[fixture.variant]}-{len(fixture.seats)}p"
        pages = [links.bot(name) for name in fixture.seats]
        for number, games in _parted(kept.get(fixture.index, [])).items():
            order = _Order(number, tuple(games), table, pages)
            key = _key(source.marks[fixture.index], order)
            yield _Wanted(fixture.index, links.shard(fixture.index, number), key, order)


def _key(mark: str, order: _Order) -> str:
    """Return what is the same only where the shard is."""
    parts = (__version__, SHARD_VERSION, mark, order)
    return sha256(msgspec.msgpack.encode(parts)).hexdigest()[:32]


def _parted(games: Sequence[int]) -> dict[int, list[int]]:
    parts: dict[int, list[int]] = {}
    for game in games:
        parts.setdefault(game // GAMES_A_SHARD, []).append(game)
    return parts


def script(variants: Mapping[str, Rules], played: PlayedFixture, order: _Order) -> str:
    """Return the script of a shard."""
    fixture = played.fixture
    rules = variants[fixture.variant]
    return packed(f"{fixture.index}-{order.number}", _shard(played, fixture, order, rules))


def _shard(played: PlayedFixture, fixture: Fixture, order: _Order, rules: Rules) -> Shard:
    wanted = set(order.games)
    games = [game for game in played.games if game.game in wanted]
    return Shard(
        fixture=fixture.index,
        variant=shown_name(fixture.variant),
        table=order.table,
        seats=[shown_name(name) for name in fixture.seats],
        bots=order.bots,
        games=replays(games, fixture.seats, rules),
    )


def packed(name: str, shard: Shard) -> str:
    """Return the script of a shard; the same games give the same text."""
    data = gzip.compress(msgspec.json.encode(shard), compresslevel=6, mtime=0)
    return f'perudoShard("{name}", "{base64.b64encode(data).decode()}");\n'


def unpacked(script: str) -> Shard:
    """Return the shard that a script holds; raises ValueError where it is none."""
    data = gzip.decompress(base64.b64decode(script.split('"')[3]))
    return msgspec.json.decode(data, type=Shard)
