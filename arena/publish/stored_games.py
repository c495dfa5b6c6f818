"""The fixtures of a store as the source of a site; what was summarized once is not read again."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from arena import __version__
from arena.errors import ArenaError
from arena.perudo.rules import Rules
from arena.playstats.fixture_summary import SUMMARY_VERSION, FixtureSummary, summarize_fixture
from arena.publish.game_source import Jobs, Made, Work
from arena.publish.output.cache import Cache, Entry, cache_path
from arena.publish.pseudonyms import Pseudonyms
from arena.records import LeagueInfo, PlayedFixture
from arena.store.failures import damaged_fixtures
from arena.store.rows import FixtureHashes
from arena.store.store import Store

_CACHE_VERSION = 2
"""Goes up whenever what is cached of a fixture beside its summary changes."""
_MANY = 1000
"""So many games are worth starting processes for."""
_CHUNK = 250
"""Games that are handed to a process at a time, about."""
_AHEAD = 2
"""Chunks under way for each process."""

_T = TypeVar("_T")


class _Cached(msgspec.Struct, array_like=True, frozen=True):
    """What is cached of a fixture."""

    content_hash: bytes
    """Its part in the store's root: the same if it is played again with the same result."""
    summary: FixtureSummary


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Cached).decode


class StoredGames:
    """The fixtures of a store that count, by `counts(id)`, perhaps under other names."""

    def __init__(
        self,
        store: Store,
        info: LeagueInfo,
        counts: Callable[[str], bool],
        names: Pseudonyms | None = None,
    ) -> None:
        self._store, self._names, self._games = store, names, info.games
        store.check_complete()
        hashes = list(store.hashes())
        self._counting = {one.position: one.hash for one in hashes if counts(one.id)}
        fingerprint = names.fingerprint if names else ""
        versions = __version__, SUMMARY_VERSION, _CACHE_VERSION
        self._maker = sha256(_encode((*versions, fingerprint, info.variants))).hexdigest()
        with closing(self._cache()) as cache:
            self._entries = {entry.name: entry for entry in cache.read()}
        cached = self._summarized(self._counting, info.variants)
        self._check_sound(hashes, cached)
        self.root = store.root()
        self.summaries = [cached[index].summary for index in self._counting]
        self.hashes = {index: one.content_hash.hex() + fingerprint for index, one in cached.items()}

    def each(self, work: Work[Made], jobs: Jobs) -> Iterator[Made]:
        """Yield the result of the work for each job, in order; on all cores, if there are many."""
        return self._spread(partial(_work, self._names, work), jobs)

    def cached(self, name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        """Return the result of `make`, perhaps as made for an earlier report with this key."""
        data = self._lookup(name, key)
        if data is None:
            data = make()
            with closing(self._cache()) as cache:
                cache.write([Entry(name, key, data)])
        return data

    def _summarized(
        self, row_hashes: dict[int, bytes], variants: dict[str, Rules]
    ) -> dict[int, _Cached]:
        data = {index: self._lookup(str(index), key) for index, key in row_hashes.items()}
        cached = {index: _decode(found) for index, found in data.items() if found is not None}
        missing = [(index, None) for index in row_hashes if index not in cached]
        with closing(self._cache()) as cache:
            made = self._spread(partial(_summarize, self._names, variants), missing)
            for batch in _batched(zip(missing, made, strict=True), _CHUNK):
                sound = [(index, new) for (index, _), new in batch if new is not None]
                cache.write(Entry(str(index), row_hashes[index], new) for index, new in sound)
                cached |= {index: _decode(new) for index, new in sound}
        return cached

    def _check_sound(self, hashes: Sequence[FixtureHashes], cached: dict[int, _Cached]) -> None:
        """Raise ArenaError if a fixture is damaged: nothing of the store is published then.

        What is cached was checked when it was summarized; of the others that are stored, whose ids
        are not in the schedule, the rows are.
        """
        damaged = [
            one.id
            for one in hashes
            if (one.position in cached and cached[one.position].content_hash != one.content_hash)
            or (one.position in self._counting and one.position not in cached)
        ]
        others = (one.position for one in hashes if one.position not in self._counting)
        damaged += self._store.damaged_rows(others)
        if damaged:
            raise damaged_fixtures(damaged, self._store.path)

    def _lookup(self, name: str, key: bytes) -> bytes | None:
        entry = self._entries.pop(name, None)
        return entry.data if entry and entry.key == key else None

    def _cache(self) -> Cache:
        return Cache(cache_path(self._store.path), self._maker)

    def _spread(self, task: "Callable[[Store, int, Any], _T]", jobs: Jobs) -> Iterator[_T]:
        cores = len(os.sched_getaffinity(0))
        if cores == 1 or len(jobs) * self._games < _MANY:
            yield from (task(self._store, index, given) for index, given in jobs)
            return
        # Slow to import, and a small report needs none.
        from arena.league.process_pool import map_ordered, pool

        chunks = _batched(jobs, max(1, _CHUNK // self._games))
        calls = (partial(_run_jobs, self._store.path, task, chunk) for chunk in chunks)
        with pool(cores, pin=False) as executor:
            for results in map_ordered(executor, calls, cores * _AHEAD):
                yield from results


def _batched(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


def _run_jobs(path: Path, task: Callable[[Store, int, Any], _T], jobs: Sequence[Any]) -> list[_T]:
    with Store(path) as store:
        return [task(store, index, given) for index, given in jobs]


def _summarize(
    names: Pseudonyms | None, variants: dict[str, Rules], store: Store, index: int, _: object
) -> bytes | None:
    """Return what to cache of a fixture; None if it is damaged."""
    stored = next(store.stored(index, index))
    if any(stored.hash_mismatches()):
        return None
    try:
        record = store.record(stored)
        played = _renamed(names, store.unpack(stored, record))
        summary = summarize_fixture(played, variants[played.fixture.variant])
    except (ArenaError, LookupError, TypeError, ValueError):  # whoever changed it knew of hashes
        return None
    return _encode(_Cached(stored.hash_content(record), summary))


def _work(
    names: Pseudonyms | None, work: Work[Made], store: Store, index: int, given: object
) -> Made:
    return work(_renamed(names, next(store.played(index, index))), given)


def _renamed(names: Pseudonyms | None, played: PlayedFixture) -> PlayedFixture:
    return names.played(played) if names else played
