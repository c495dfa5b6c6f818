"""The scripts that replays are loaded from: each holds some games of one fixture."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from itertools import groupby

import msgspec

from arena.game.records import PlayedFixture
from arena.game.rules.books import Rules
from arena.publish.game_source import GameSource, Job
from arena.publish.links import GAMES_PER_SHARD, Links
from arena.publish.output import text
from arena.publish.output.site_folder import File
from arena.publish.replay.model_words import words_of
from arena.publish.replay.selection import Selection
from arena.publish.replay.steps import Replay, replay

FIRSTS = "games.js"
A_PAGE = 8
"""Shards that are taken after each page: about as many as come while it is made."""


class Shard(msgspec.Struct, frozen=True):
    """Games of one fixture that are loaded together."""

    fixture: int
    variant: str
    table: str
    """The id of the leaderboard that they count for."""
    seats: list[str]
    bots: list[str]
    """Each seat's page."""
    marks: list[str]
    """The classes of each seat's mark."""
    games: dict[str, Replay]
    """By game number."""


class Firsts(msgspec.Struct, frozen=True):
    """The first game of each shard, in schedule order: fixture and game."""

    games: list[tuple[int, int]]


class _ShardSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """The inputs of a shard, beside its fixture."""

    number: int
    games: tuple[int, ...]
    table: str
    bots: list[str]
    marks: list[str]
    models: tuple[str, ...] = ()
    """The language models whose words are shown."""


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
    marks: Mapping[str, str],
    models: tuple[str, ...] = (),
) -> Iterator[File]:
    """Yield every shard; those whose keys are in `existing`, by path, come without their text.

    `marks` are the classes of each bot's mark, `models` those whose words are shown.
    """
    wanted = list(_wanted(source, selection, links, marks, models))
    same = {shard.path for shard in wanted if existing.get(shard.path) == shard.key}
    yield from (File(shard.path, None, shard.key) for shard in wanted if shard.path in same)
    missing = [shard for shard in wanted if shard.path not in same]
    jobs = [Job(shard.index, shard.spec.games, shard.spec) for shard in missing]
    made = source.each(partial(shard_script, variants), jobs)
    for shard, content in zip(missing, made, strict=True):
        yield File(shard.path, content, shard.key)


def _wanted(
    source: GameSource,
    selection: Selection,
    links: Links,
    marks: Mapping[str, str],
    models: tuple[str, ...],
) -> Iterator[_Wanted]:
    for result in source.results:
        fixture = result.fixture
        table = links.division_id(fixture.division)
        pages = [links.bot(name) for name in fixture.seats]
        marked = [marks[name] for name in fixture.seats]
        for number, games in _parts(selection.get(fixture.index, [])):
            spec = _ShardSpec(number, games, table, pages, marked, models)
            depends_on = msgspec.msgpack.encode((source.hashes[fixture.index], spec))
            key = sha256(depends_on).hexdigest()[:32]
            yield _Wanted(fixture.index, links.shard(fixture.index, number), key, spec)


def _parts(games: Iterable[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the games of a fixture shard by shard, each with its number."""
    for number, part in groupby(games, lambda game: game // GAMES_PER_SHARD):
        yield number, tuple(part)


def firsts(selection: Selection) -> File:
    """Return the script that tells which game follows the last one of a shard."""
    games = [(index, part[0]) for index, of in selection.items() for _, part in _parts(of)]
    return File(FIRSTS, text.script("games", Firsts(games)))


def shard_script(variants: Mapping[str, Rules], played: PlayedFixture, spec: _ShardSpec) -> str:
    """Return the script of a shard."""
    fixture, rules = played.fixture, variants[played.fixture.variant]
    seats = [text.one_line(name) for name in fixture.seats]
    shard = Shard(
        fixture=fixture.index,
        variant=text.one_line(fixture.variant),
        table=spec.table,
        seats=seats,
        bots=spec.bots,
        marks=spec.marks,
        games={
            str(record.game): replay(
                record,
                seats,
                rules,
                fixture.max_rounds,
                words_of(played.exchanges, record.game, spec.models),
            )
            for record in played.games
        },
    )
    return text.script(f"{fixture.index}-{spec.number}", shard)
