"""The fixtures of a store as the source of a site; what is made of them is cached."""

import os
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar, overload

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from arena.game.records import Conditions, FixtureResult, GameResult
from arena.game.rules.books import Rules
from arena.io.cores import core_count
from arena.io.errors import ArenaError
from arena.io.job import in_copy
from arena.league.store.failures import damaged_fixtures
from arena.league.store.rows import FixtureHashes
from arena.league.store.store import Store
from arena.playstats.faults import FaultEntry
from arena.playstats.fixture_summary import FixtureSummary
from arena.playstats.league_summary import LeagueSummary, add_faults, add_up
from arena.playstats.luck import has_luck, rated_luck
from arena.publish.game_source import Job, Made, Work
from arena.publish.pseudonyms import Pseudonyms
from arena.publish.series import Again, Tell, batched, telling
from arena.publish.site_folder import maker
from arena.publish.stored.cache import Cache, CacheEntry, cache_path
from arena.publish.stored.fixture_work import (
    MANY,
    CachedFixture,
    Given,
    Processes,
    Task,
    make_all,
    summarize,
    with_store,
)
from arena.ratings.board.memory import Begin

_encode_games = msgspec.msgpack.Encoder().encode
_decode_games = msgspec.msgpack.Decoder(list[GameResult]).decode


class PackedGames(Sequence[GameResult]):
    """The games of a fixture, in a quarter of the memory; each look at them unpacks them all."""

    __slots__ = ("_size", "data")

    def __init__(self, data: bytes, size: int) -> None:
        self.data, self._size = data, size

    @classmethod
    def of(cls, games: Sequence[GameResult]) -> "PackedGames":
        """Pack games, unless they are."""
        if isinstance(games, PackedGames):
            return games
        return cls(_encode_games(games), len(games))

    def __len__(self) -> int:
        """Return the number of games."""
        return self._size

    def __iter__(self) -> Iterator[GameResult]:
        """Yield the games in order."""
        return iter(_decode_games(self.data))

    def __reversed__(self) -> Iterator[GameResult]:
        """Yield the games, the last one first."""
        return reversed(list(self))

    @overload
    def __getitem__(self, at: int) -> GameResult: ...
    @overload
    def __getitem__(self, at: slice) -> list[GameResult]: ...
    def __getitem__(self, at: int | slice) -> GameResult | list[GameResult]:
        """Return one game, or some."""
        return list(self)[at]


class RunningTotal(Struct):
    """Some fixtures, added up."""

    results: list[FixtureResult] = field(default_factory=list)
    """As they are rated, with packed games."""
    faulted: list[int] = field(default_factory=list)
    """The positions of those with faults."""
    summary: LeagueSummary = field(default_factory=LeagueSummary)
    """The statistics of the fixtures, but for their faults."""


class _Kept(Struct, array_like=True, frozen=True):
    """A running total as bytes are made of it."""

    digest: bytes
    """A digest of the hashes of its fixtures."""
    results: list[FixtureResult]
    """The results of the fixtures, without their games."""
    games: list[tuple[bytes, int]]
    """The games of each result, packed, and how many they are."""
    faulted: list[int]
    summary: LeagueSummary


def pack_total(total: RunningTotal, hashes: Mapping[int, FixtureHashes]) -> bytes:
    """Return a total as bytes; `hashes` are, by position, at least those of its fixtures."""
    packed = [PackedGames.of(result.games) for result in total.results]
    kept = _Kept(
        _digest(total.results, hashes),
        [replace(result, games=()) for result in total.results],
        [(games.data, len(games)) for games in packed],
        total.faulted,
        total.summary,
    )
    return _encode_total(kept)


def unpack_total(data: bytes, hashes: Mapping[int, FixtureHashes]) -> RunningTotal | None:
    """Return a total; None if any of its fixtures is not among these."""
    kept = _decode_total(data)
    positions = [result.fixture.index for result in kept.results]
    if not hashes.keys() >= set(positions) or kept.digest != _digest(kept.results, hashes):
        return None
    results = [
        replace(result, games=PackedGames(*games))
        for result, games in zip(kept.results, kept.games, strict=True)
    ]
    return RunningTotal(results, kept.faulted, kept.summary)


def _digest(results: Iterable[FixtureResult], hashes: Mapping[int, FixtureHashes]) -> bytes:
    digest = sha256()
    for result in results:
        digest.update(_encode_total(hashes[result.fixture.index]))
    return digest.digest()


_encode_total = msgspec.msgpack.Encoder(enc_hook=lambda luck: luck.tolist()).encode
_decode_total = msgspec.msgpack.Decoder(_Kept, dec_hook=lambda _, counts: Counter(counts)).decode


_TOTAL = "total"
"""The name of the running total in the cache."""
_WRITTEN = 250
"""Games whose summaries are written to the cache at a time, about."""

_T = TypeVar("_T")


class _SharedParts:
    """Shares equal parts of results, to save memory."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def result(self, result: FixtureResult) -> FixtureResult:
        """Return an equal result that shares its parts with others, with its games packed."""
        fixture = result.fixture
        return replace(
            result,
            fixture=replace(
                fixture,
                variant=self._one(fixture.variant),
                seats=tuple(map(self._one, fixture.seats)),
                dice=self._one(fixture.dice),
            ),
            sandbox=self._one(result.sandbox),
            clock=self._one(result.clock),
            games=PackedGames.of(result.games),
            luck=result.luck and array("i", result.luck),
        )

    def _one(self, part: _T) -> _T:
        shared: _T = self._known.setdefault(part, part)
        return shared


class _Faults(msgspec.Struct, frozen=True):
    """The part of a summary that is read again."""

    faults: tuple[FaultEntry, ...] = ()


class _CachedFaults(msgspec.Struct, array_like=True, frozen=True):
    """A cached fixture, read for its faults alone."""

    content_hash: bytes
    summary: _Faults


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(CachedFixture).decode
_decode_faults = msgspec.msgpack.Decoder(_CachedFaults).decode


def summaries_of(store: Store, conditions: Conditions, names: Pseudonyms | None) -> Cache:
    """Return what reports of a store, perhaps under other names, keep between them."""
    fingerprint = names.fingerprint if names else ""
    depends_on = maker(), fingerprint, conditions.variants
    return Cache(cache_path(store.path), sha256(_encode(depends_on)).hexdigest())


@contextmanager
def checking(store: Store, conditions: Conditions) -> Iterator[Callable[[], None]]:
    """Begin to check the rows of all fixtures; yield what raises ArenaError if any is damaged.

    No report is made of a store that the ratings refuse.
    """
    positions = store.positions()
    check = partial(with_store, store.path, Store.damaged_rows, positions)
    seats = len(positions) * conditions.games * max(conditions.players)
    in_process = seats >= MANY and core_count() > 1
    with in_copy(check) if in_process else nullcontext(check) as damaged:

        def refuse() -> None:
            if found := damaged():
                raise damaged_fixtures(found, store.path)

        yield refuse


@contextmanager
def stored_games(
    store: Store,
    conditions: Conditions,
    counts: Callable[[str], bool],
    names: Pseudonyms | None = None,
    tell: Tell = str,
) -> "Iterator[StoredGames]":
    """Yield the fixtures of a store that count, by `counts(id)`, perhaps under other names.

    `tell` hears how far it is. Raises ArenaError if something of the store is missing, or if what
    is read is damaged; before anything is published, the rest is to be checked, too.
    """
    store.check_complete()
    with closing(summaries_of(store, conditions, names)) as cache, Processes(store) as processes:
        reading = _Reading(store, cache, processes, conditions, names, tell)
        counted = {one.position: one for one in store.hashes() if counts(one.id)}
        del counts  # with all that it knows
        total = _added_up(reading, counted)
        faulted = [counted[position] for position in sorted(total.faulted)]
        hashes = {position: reading.key(one) for position, one in counted.items()}
        del counted
        faults = Again(partial(_faults, reading, faulted))
        add_faults(total.summary, faults)
        yield StoredGames(reading, total, faults, hashes)


class _Reading(NamedTuple):
    """What reads the fixtures of a store."""

    store: Store
    cache: Cache
    processes: Processes
    conditions: Conditions
    names: Pseudonyms | None
    tell: Tell

    def made(
        self, task: Task[Given, Made], jobs: Sequence[Given], games: int, what: str
    ) -> Iterator[Made]:
        """Yield what a task makes of jobs, with so many games in all, in order."""
        seats = games * max(self.conditions.players)
        made = self.processes.spread(task, jobs, self.conditions.games, seats)
        return telling(made, len(jobs), what, self.tell)

    def key(self, stored: FixtureHashes) -> str:
        """Return a digest of what is shown of a fixture's games."""
        return stored.content_hash.hex() + (self.names.fingerprint if self.names else "")


def _added_up(reading: _Reading, counted: Mapping[int, FixtureHashes]) -> RunningTotal:
    """Return fixtures added up, and keep the total for the next report, which adds to it."""
    data = reading.cache.read(_TOTAL, b"")
    total = (unpack_total(data, counted) if data else None) or RunningTotal()
    parts = _SharedParts()
    total.results = list(map(parts.result, total.results))
    known = {result.fixture.index for result in total.results}
    new = [one for position, one in counted.items() if position not in known]

    def summarized() -> Iterator[FixtureSummary]:
        for one, summary in _summaries(reading, new):
            total.results.append(parts.result(summary.rated))
            if summary.faults:
                total.faulted.append(one.position)
            yield summary

    add_up(summarized(), total.summary)
    total.results.sort(key=lambda result: result.fixture.index)
    if new:
        reading.cache.write([CacheEntry(_TOTAL, b"", pack_total(total, counted))])
    return total


def _summaries(
    reading: _Reading, fixtures: Iterable[FixtureHashes]
) -> Iterator[tuple[FixtureHashes, FixtureSummary]]:
    """Yield the summaries of fixtures: first those in the cache, then those made of their games.

    Raises ArenaError at the end if any fixture is damaged.
    """
    missing, damaged = list[FixtureHashes](), list[str]()
    for one in fixtures:
        if data := reading.cache.read(str(one.position), one.hash):
            if summary := _sound_summary(one, data):
                yield one, summary
            else:
                damaged.append(one.id)
        else:
            missing.append(one)
    positions = [one.position for one in missing]
    task = partial(summarize, reading.names, reading.conditions.variants)
    made = reading.made(task, positions, len(positions) * reading.conditions.games, "fixtures")
    for batch in batched(zip(missing, made, strict=True), _WRITTEN):
        reading.cache.write(
            CacheEntry(str(one.position), one.hash, data) for one, data in batch if data
        )
        for one, data in batch:
            if summary := _sound_summary(one, data):
                yield one, summary
            else:
                damaged.append(one.id)
    if damaged:
        raise damaged_fixtures(damaged, reading.store.path)


def _faults(reading: _Reading, fixtures: Iterable[FixtureHashes]) -> Iterator[FaultEntry]:
    """Yield the faults of fixtures from the cache; what it lost is made again."""
    for one in fixtures:
        data = reading.cache.read(str(one.position), one.hash)
        if data is None:
            variants = reading.conditions.variants
            [data] = summarize(reading.names, variants, reading.store, [one.position])
        if data:
            yield from _decode_faults(data).summary.faults


def _sound_summary(stored: FixtureHashes, data: bytes | None) -> FixtureSummary | None:
    """Return the summary in what was cached of a fixture; None if the fixture is damaged."""
    cached = _decode(data) if data else None
    if cached is None or cached.content_hash != stored.content_hash:
        return None
    return cached.summary


class StoredGames:
    """The fixtures of a store that count, as a `GameSource`; made by `stored_games`.

    Each is read once: its counts are added up, and no more is kept of it than its result.
    """

    def __init__(
        self,
        reading: _Reading,
        total: RunningTotal,
        faults: Iterable[FaultEntry],
        hashes: Mapping[int, str],
    ) -> None:
        self._reading = reading
        self._cache = reading.cache
        self.summary = total.summary
        self.results = total.results
        self.faults = faults
        self.hashes = hashes
        self.without_logs = reading.store.without_logs()
        self.root = reading.store.root()

    def each(self, work: Work[Made], jobs: Sequence[Job]) -> Iterator[Made]:
        """Yield the result of the work for each job, in order; on all cores, if there are many."""
        task = partial(make_all, self._reading.names, work)
        games = sum(len(job.games) for job in jobs)
        return self._reading.made(task, jobs, games, "replays")

    @property
    def begin(self) -> Begin | None:
        """Begins a call in another process; None if there are no processes, since little is new."""
        processes = self._reading.processes
        return processes.begin if processes.running else None

    def beside(self, call: Callable[[], Made]) -> AbstractContextManager[Callable[[], Made]]:
        """Begin a call in a copy of this process if a core is free for it.

        Yields a function that returns its result.
        """
        if self._reading.processes.running or core_count() == 1:
            return nullcontext(call)
        return in_copy(partial(self._with_cache, os.getpid(), call))

    def _with_cache(self, owner: int, call: Callable[[], Made]) -> Made:
        """Call with a connection to the cache that is this process's own."""
        if os.getpid() != owner:
            self._cache = self._cache.reopened()
        return call()

    def cached(self, name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        """Return the result of `make`, perhaps as made for an earlier report with this key."""
        data = self._cache.read(name, key)
        if data is None:
            data = make()
            self._cache.write([CacheEntry(name, key, data)])
        return data


def rated_results(store: Store, counts: Callable[[str], bool]) -> Iterable[FixtureResult]:
    """Return the results that count, as they are rated; games are only read if their luck is."""
    conditions = store.conditions()
    if not conditions.shared_dice and any(
        has_luck(rules, players)
        for rules in conditions.variants.values()
        for players in conditions.players
    ):
        with (
            checking(store, conditions) as refuse_damaged,
            stored_games(store, conditions, counts) as games,
        ):
            refuse_damaged()
            return games.results
    return (result for result in store.results() if counts(result.fixture.id))


def rated_results_at(
    store: Store, variants: Mapping[str, Rules], positions: Iterable[int]
) -> Iterator[FixtureResult]:
    """Yield the results at some positions as they are rated, without those that are damaged."""
    for result in store.results_at(positions):
        fixture, rules = result.fixture, variants[result.fixture.variant]
        if fixture.dice or not has_luck(rules, len(fixture.seats)):
            yield result
            continue
        with suppress(ArenaError, LookupError, TypeError, ValueError):
            [stored] = store.stored([fixture.index])
            if stored.has_logs:
                luck = rated_luck(store.decoded(stored.played), rules)
            else:
                luck = store.decoded(stored.luck)  # which was kept when the logs were pruned
            yield replace(result, luck=luck)
