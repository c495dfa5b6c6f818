"""The fixtures of a store as the source of a site; what is made of them is cached."""

import os
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar, overload

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
    Processes,
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
    """Without faults."""


class _Kept(Struct, array_like=True, frozen=True):
    """A running total as bytes are made of it."""

    digest: bytes
    """Of the hashes of its fixtures."""
    results: list[FixtureResult]
    """Without games."""
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


def _to_plain(luck: "array[int]") -> list[int]:
    return luck.tolist()


def _counter(_: type[Any], counts: dict[Any, int]) -> Counter[Any]:
    return Counter(counts)


_encode_total = msgspec.msgpack.Encoder(enc_hook=_to_plain).encode
_decode_total = msgspec.msgpack.Decoder(_Kept, dec_hook=_counter).decode


_TOTAL = "total"
"""The name of the running total in the cache."""
_WRITTEN = 250
"""Games whose summaries are written to the cache at a time, about."""

_T = TypeVar("_T")


class _Shared:
    """Shares equal parts of results, to save memory."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def result(self, result: FixtureResult) -> FixtureResult:
        """Return an equal result that shares its parts with others, with its games packed."""
        fixture = replace(
            result.fixture,
            variant=self._one(result.fixture.variant),
            seats=tuple(map(self._one, result.fixture.seats)),
            dice=self._one(result.fixture.dice),
        )
        how = {"sandbox": self._one(result.sandbox), "clock": self._one(result.clock)}
        games, luck = PackedGames.of(result.games), result.luck and array("i", result.luck)
        return replace(result, fixture=fixture, games=games, luck=luck, **how)

    def _one(self, part: _T) -> _T:
        shared: _T = self._known.setdefault(part, part)
        return shared


class _Faults(msgspec.Struct, frozen=True):
    """The part of a summary that is read again."""

    faults: tuple[FaultEntry, ...] = ()


class _CachedFaults(msgspec.Struct, array_like=True, frozen=True):
    """A fixture in the cache, of which only the faults are decoded."""

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
    many = len(positions) * conditions.games * max(conditions.players) >= MANY
    with in_copy(check) if many and core_count() > 1 else nullcontext(check) as damaged:

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

    `tell` hears how far it is.
    Raises ArenaError if something of the store is missing, or of what is read is damaged; before
    anything is published, the rest is to be checked, too.
    """
    store.check_complete()
    open_cache = partial(summaries_of, store, conditions, names)
    with closing(open_cache()) as cache, Processes(store) as processes:
        games = StoredGames(store, cache, processes, conditions, counts, names, tell, open_cache)
        del counts  # with all that it knows
        yield games


class StoredGames:
    """The fixtures of a store that count; made by `stored_games`.

    Each is read once: its counts are added up, and of a fixture no more than its result is kept.
    """

    def __init__(
        self,
        store: Store,
        cache: Cache,
        processes: Processes,
        conditions: Conditions,
        counts: Callable[[str], bool],
        names: Pseudonyms | None,
        tell: Tell,
        open_cache: Callable[[], Cache],
    ) -> None:
        self._store, self._cache, self._processes = store, cache, processes
        self._names, self._tell, self._open_cache = names, tell, open_cache
        self._games, self._seats, self._variants = (
            conditions.games,
            max(conditions.players),
            conditions.variants,
        )
        self.without_logs = store.without_logs()
        self.results: list[FixtureResult] = []
        self.hashes: dict[int, str] = {}
        self._damaged: list[str] = []
        self._faulted: list[FixtureHashes] = []
        self._shared = _Shared()
        self.faults = Again(self._read_faults)
        self.summary = self._added_up(
            {one.position: one for one in store.hashes() if counts(one.id)}
        )
        add_faults(self.summary, self.faults)
        self.root = store.root()

    def each(self, work: Work[Made], jobs: Sequence[Job]) -> Iterator[Made]:
        """Yield the result of the work for each job, in order; on all cores, if there are many."""
        seats = self._seats * sum(len(job.games) for job in jobs)
        task = partial(make_all, self._names, work)
        made = self._processes.spread(task, jobs, self._games, seats)
        return telling(made, len(jobs), "replays", self._tell)

    @property
    def begin(self) -> Begin | None:
        """Begins a call in another process; None if there is none, since little is new."""
        return self._processes.begin if self._processes.running else None

    def beside(self, call: Callable[[], Made]) -> AbstractContextManager[Callable[[], Made]]:
        """Begin a call in a copy of this process, if a core is free for it; yield what waits."""
        if self._processes.running or core_count() == 1:
            return nullcontext(call)
        return in_copy(partial(self._with_cache, os.getpid(), call))

    def _with_cache(self, owner: int, call: Callable[[], Made]) -> Made:
        """Call with a connection to the cache that is this process's own."""
        if os.getpid() != owner:
            self._cache = self._open_cache()
        return call()

    def cached(self, name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        """Return the result of `make`, perhaps as made for an earlier report with this key."""
        data = self._cache.read(name, key)
        if data is None:
            data = make()
            self._cache.write([CacheEntry(name, key, data)])
        return data

    def _added_up(self, counted: Mapping[int, FixtureHashes]) -> LeagueSummary:
        """Return the summary of fixtures, and keep it for the next report, which adds to it."""
        data = self._cache.read(_TOTAL, b"")
        total = (unpack_total(data, counted) if data else None) or RunningTotal()
        self.results += map(self._shared.result, total.results)
        self._faulted += [counted[position] for position in total.faulted]
        known = {result.fixture.index for result in total.results}
        self.hashes |= {position: self._key(counted[position]) for position in known}
        new = [one for position, one in counted.items() if position not in known]
        summary = add_up(self._summaries(new), total.summary)
        if self._damaged:  # nothing of the store is published then
            raise damaged_fixtures(self._damaged, self._store.path)
        self.results.sort(key=lambda result: result.fixture.index)
        if new:
            faulted = [one.position for one in self._faulted]
            total = RunningTotal(self.results, faulted, summary)
            self._cache.write([CacheEntry(_TOTAL, b"", pack_total(total, counted))])
        return summary

    def _summaries(self, counted: Iterable[FixtureHashes]) -> Iterator[FixtureSummary]:
        """Yield the summaries of fixtures that are sound, first those that are cached."""
        missing = list[FixtureHashes]()
        for hashes in counted:
            if data := self._cache.read(str(hashes.position), hashes.hash):
                yield from self._taken(hashes, data)
            else:
                missing.append(hashes)
        positions = [hashes.position for hashes in missing]
        task = partial(summarize, self._names, self._variants)
        seats = len(positions) * self._games * self._seats
        made = self._processes.spread(task, positions, self._games, seats)
        made = telling(made, len(missing), "fixtures", self._tell)
        for batch in batched(zip(missing, made, strict=True), _WRITTEN):
            self._cache.write(
                CacheEntry(str(hashes.position), hashes.hash, new) for hashes, new in batch if new
            )
            for hashes, new in batch:
                yield from self._taken(hashes, new)

    def _read_faults(self) -> Iterator[FaultEntry]:
        """Yield all faults, in schedule order, from the cache; what it lost is made again."""
        for hashes in sorted(self._faulted):
            data = self._cache.read(str(hashes.position), hashes.hash)
            if data is None:
                names, variants = self._names, self._variants
                [data] = summarize(names, variants, self._store, [hashes.position])
            if data:
                yield from _decode_faults(data).summary.faults

    def _taken(self, stored: FixtureHashes, data: bytes | None) -> Iterator[FixtureSummary]:
        """Yield the summary of a fixture, and keep its result; nothing if it is damaged."""
        cached = _decode(data) if data else None
        if cached is None or cached.content_hash != stored.content_hash:
            self._damaged.append(stored.id)
            return
        self.hashes[stored.position] = self._key(stored)
        self.results.append(self._shared.result(cached.summary.rated))
        if cached.summary.faults:
            self._faulted.append(stored)
        yield cached.summary

    def _key(self, stored: FixtureHashes) -> str:
        """Return a digest of what is shown of a fixture's games."""
        return stored.content_hash.hex() + (self._names.fingerprint if self._names else "")


def rated_results(store: Store, counts: Callable[[str], bool]) -> Iterable[FixtureResult]:
    """Return the results that count, as they are rated; games are only read if their luck is."""
    info = store.conditions()
    if not info.shared_dice and any(
        has_luck(rules, players) for rules in info.variants.values() for players in info.players
    ):
        with checking(store, info) as refuse_damaged, stored_games(store, info, counts) as games:
            refuse_damaged()
            return games.results
    return (result for result in store.results() if counts(result.fixture.id))


def rated_results_at(
    store: Store, variants: Mapping[str, Rules], positions: Iterable[int]
) -> Iterator[FixtureResult]:
    """Yield the results at some positions as they are rated, without those that are damaged."""
    for result in store.results_at(positions):
        fixture = result.fixture
        if fixture.dice or not has_luck(variants[fixture.variant], len(fixture.seats)):
            yield result
            continue
        with suppress(ArenaError, LookupError, TypeError, ValueError):
            luck = _luck(store, fixture.index, variants[fixture.variant])
            yield replace(result, luck=luck)


def _luck(store: Store, index: int, rules: Rules) -> tuple[int, ...]:
    """Return the luck of the games of a fixture, which was kept if their logs were pruned."""
    [stored] = store.stored(index, index)
    if not stored.has_logs:
        return store.luck(stored)
    return rated_luck(store.unpack(stored, store.record(stored)), rules)
