"""The scripts that replays are loaded from: each holds some games of one fixture."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256

import msgspec

from arena import __version__
from arena.perudo.rules import Rules
from arena.publish.game_source import GameSource
from arena.publish.links import GAMES_PER_SHARD, Links
from arena.publish.output import text
from arena.publish.output.site_folder import File
from arena.publish.replay.selection import Selection
from arena.publish.replay.steps import Replay, replays, shown_name
from arena.records import PlayedFixture

SHARD_VERSION = 2
"""Goes up whenever the same games may give a different shard."""


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


class _ShardSpec(msgspec.Struct, frozen=True):
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
    spec: _ShardSpec


def shards(
    source: GameSource,
    selection: Selection,
    links: Links,
    existing: Mapping[str, str],
    variants: Mapping[str, Rules],
) -> Iterator[File]:
    """Yield every shard; those that exist already come without their text.

    `existing` has the keys of the site's files, by path.
    """
    wanted = list(_wanted(source, selection, links))
    same = {one.path for one in wanted if existing.get(one.path) == one.key}
    yield from (File(one.path, None, one.key) for one in wanted if one.path in same)
    missing = [one for one in wanted if one.path not in same]
    made = source.each(partial(shard_script, variants), [(one.index, one.spec) for one in missing])
    for one, content in zip(missing, made, strict=True):
        yield File(one.path, content, one.key)


def _wanted(source: GameSource, selection: Selection, links: Links) -> Iterator[_Wanted]:
    for summary in source.summaries:
        fixture = summary.fixture
        table = links.division_id(fixture.division)
        pages = [links.bot(name) for name in fixture.seats]
        for number, games in _parted(selection.get(fixture.index, [])).items():
            spec = _ShardSpec(number, tuple(games), table, pages)
            key = _key(source.hashes[fixture.index], spec)
            yield _Wanted(fixture.index, links.shard(fixture.index, number), key, spec)


def _key(fixture_hash: str, spec: _ShardSpec) -> str:
    """Return what is the same only if the shard is."""
    parts = (__version__, SHARD_VERSION, fixture_hash, spec)
    return sha256(msgspec.msgpack.encode(parts)).hexdigest()[:32]


def _parted(games: Sequence[int]) -> dict[int, list[int]]:
    parts: dict[int, list[int]] = {}
    for game in games:
        parts.setdefault(game // GAMES_PER_SHARD, []).append(game)
    return parts


def shard_script(variants: Mapping[str, Rules], played: PlayedFixture, spec: _ShardSpec) -> str:
    """Return the script of a shard."""
    fixture = played.fixture
    shard = Shard(
        fixture=fixture.index,
        variant=shown_name(fixture.variant),
        table=spec.table,
        seats=[shown_name(name) for name in fixture.seats],
        bots=spec.bots,
        games=replays(
            [game for game in played.games if game.game in spec.games],
            fixture.seats,
            variants[fixture.variant],
        ),
    )
    return text.script("perudoShard", f"{fixture.index}-{spec.number}", shard)
