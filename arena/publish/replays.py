"""Replays of a site: which games can be watched, and the scripts that hold them."""

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import chain, groupby
from typing import Literal, NamedTuple

import msgspec

from arena.game.records import FixtureResult, PlayedFixture
from arena.game.rules.books import Rules
from arena.publish import text
from arena.publish.game_source import GameSource, Job
from arena.publish.links import GAMES_PER_SHARD, Links
from arena.publish.replay_steps import Replay, deciders_of, replay, words_of
from arena.publish.site_folder import File
from arena.ratings.league_ratings import Favourites

NEWEST = 50


class AtMost(NamedTuple):
    """The games of `NEWEST`, but only the newest `games` of them."""

    games: int


ReplayChoice = Literal["all", "none"] | int | AtMost
"""Every game, none, or how many of each bot's newest beside those with faults and upsets."""

Selection = dict[int, list[int]]
"""The games to watch, by the index of their fixture in the schedule; none is empty."""


class Watchable(Container[tuple[int, int]]):
    """A view of a selection as a set of (fixture, game)."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection

    def __contains__(self, game: object) -> bool:
        """Tell whether a game, by its fixture's index and its number, can be watched."""
        match game:
            case (int(index), int(number)):
                return number in self._selection.get(index, ())
        return False


def select_replays(
    results: Sequence[FixtureResult],
    expected: Favourites,
    choice: ReplayChoice,
    linked: Collection[tuple[int, int]] = frozenset(),
) -> Selection:
    """Return the games that have a replay; pages point to those of `shown`."""
    if choice == "none":
        return {}
    if choice == "all":
        selection = {
            result.fixture.index: [game.game for game in result.games] for result in results
        }
    elif isinstance(choice, AtMost):
        whole = select_replays(results, expected, NEWEST, linked)
        games = [(index, game) for index in sorted(whole) for game in whole[index]]
        newest: Selection = {}
        for index, game in games[max(0, len(games) - choice.games) :]:
            newest.setdefault(index, []).append(game)
        return newest
    else:
        wanted: dict[int, set[int]] = defaultdict(set)
        for index, game in chain(_newest(results, choice), linked):
            wanted[index].add(game)
        selection = {
            result.fixture.index: _selected(
                result,
                wanted.get(result.fixture.index, frozenset()),
                expected.upsets(result.fixture),
            )
            for result in results
        }
    return {index: games for index, games in selection.items() if games}


def _selected(result: FixtureResult, wanted: Collection[int], upset: Sequence[bool]) -> list[int]:
    nobody = (None,) * len(upset)
    return [
        game.game
        for game in result.games
        if upset[game.places.index(1)] or game.faults != nobody or game.game in wanted
    ]


def _newest(results: Sequence[FixtureResult], most: int) -> Iterator[tuple[int, int]]:
    """Yield the last games of each bot in the schedule: fixture and game."""
    taken: Counter[str] = Counter()
    for result in reversed(results):
        seats = result.fixture.seats
        lacking = max(most - taken[bot] for bot in seats)
        for game in list(result.games)[-lacking:] if lacking > 0 else ():
            taken.update(seats)
            yield result.fixture.index, game.game


FIRSTS = "games.js"


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
    """The replays of the games, by their numbers."""


class Firsts(msgspec.Struct, frozen=True):
    """The first game of each shard, in schedule order: fixture and game."""

    games: list[tuple[int, int]]


class ShardSpec(msgspec.Struct, frozen=True, omit_defaults=True):
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
    spec: ShardSpec


def shards(
    source: GameSource,
    selection: Selection,
    links: Links,
    existing: Mapping[str, str],
    variants: Mapping[str, Rules],
    marks: Mapping[str, str],
    models: tuple[str, ...],
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
            spec = ShardSpec(number, games, table, pages, marked, models)
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


def shard_script(variants: Mapping[str, Rules], played: PlayedFixture, spec: ShardSpec) -> str:
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
                deciders_of(played.decisions_by, record.game),
            )
            for record in played.games
        },
    )
    return text.script(f"{fixture.index}-{spec.number}", shard)
