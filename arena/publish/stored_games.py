"""The fixtures of a store as a source of a site: what was digested once is not read again."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from arena import __version__
from arena.perudo.rules import Rules
from arena.playstats.fixture_summary import SUMMARY_VERSION, FixtureSummary, summarize_fixture
from arena.publish.game_source import Jobs, Made, Work
from arena.publish.output.cache import Cache, Kept, cache_path
from arena.publish.pseudonyms import Pseudonyms
from arena.records import LeagueInfo, PlayedFixture
from arena.store.hashes import row_hash
from arena.store.store import Store

Submit = Callable[..., Future[Any]]
"""Calls a function in another process."""
Pool = Callable[[int], AbstractContextManager[Submit]]
"""Starts so many processes, which end with the context."""

_STORED_VERSION = 2
"""Goes up whenever what is kept of a fixture beside its digest changes."""
_MANY = 1000
"""So many games are worth starting processes for."""
_CHUNK = 250
"""Games that are handed to a process at a time, about."""
_AHEAD = 2
"""Chunks under way for each process."""

_T = TypeVar("_T")


class _Kept(msgspec.Struct, array_like=True, frozen=True):
    """What is kept of a fixture: its part in the store's root, and its digest."""

    pin: bytes
    summary: FixtureSummary


_encode = msgspec.msgpack.Encoder().encode
_kept = msgspec.msgpack.Decoder(_Kept)


class StoredGames:
    """The fixtures of a store that count, told by their ids, perhaps under other names."""

    def __init__(
        self,
        store: Store,
        info: LeagueInfo,
        counts: Callable[[str], bool],
        pool: Pool,
        names: Pseudonyms | None = None,
    ) -> None:
        self._path, self._pool, self._names = store.path, pool, names
        self._store, self._games = store, info.games
        store.check_logs()
        hashes = {
            index: _mark(store, index, found) for index, id_, found in store.hashes() if counts(id_)
        }
        self._maker = _maker(info.variants, names)
        with closing(self._cache()) as cache:
            self._kept = {one.name: one for one in cache.read()}
        found = self._digested(hashes, info.variants)
        self.root = store.root()
        """The hash that pins the store."""
        self.digests = [found[index].summary for index in hashes]
        """In schedule order."""
        called = names.fingerprint if names else ""
        self.marks = {index: one.pin.hex() + called for index, one in found.items()}
        """What comes out the same when it is played again, hashed, and what bots are called."""

    def each(self, work: Work[Made], jobs: Jobs) -> Iterator[Made]:
        """Yield what the work makes of each job; on all cores, where there are many."""
        return self._spread(partial(_work, self._names, work), jobs)

    def remember(self, name: str, mark: bytes, make: Callable[[], bytes]) -> bytes:
        """Return what `make` makes, or made for an earlier report."""
        data = self._known(name, mark)
        if data is None:
            data = make()
            with closing(self._cache()) as cache:
                cache.write([Kept(name, mark, data)])
        return data

    def _digested(self, hashes: dict[int, bytes], variants: dict[str, Rules]) -> dict[int, _Kept]:
        """Return what is kept of each fixture, made where it is not there yet."""
        known = ((index, self._known(str(index), mark)) for index, mark in hashes.items())
        found = {index: _kept.decode(data) for index, data in known if data is not None}
        missing = [(index, None) for index in hashes if index not in found]
        with closing(self._cache()) as cache:
            made = self._spread(partial(_digest, self._names, variants), missing)
            for batch in _batched(zip(missing, made, strict=True), _CHUNK):
                cache.write(Kept(str(index), hashes[index], data) for (index, _), data in batch)
                found |= {index: _kept.decode(data) for (index, _), data in batch}
        return found

    def _known(self, name: str, mark: bytes) -> bytes | None:
        """Return what was made under a name, where it was made of the same."""
        kept = self._kept.pop(name, None)
        return kept.data if kept and kept.mark == mark else None

    def _cache(self) -> Cache:
        return Cache(cache_path(self._path), self._maker)

    def _spread(self, task: "Callable[[Store, int, Any], _T]", jobs: Jobs) -> Iterator[_T]:
        cores = len(os.sched_getaffinity(0))
        if cores == 1 or len(jobs) * self._games < _MANY:
            yield from (task(self._store, index, given) for index, given in jobs)
            return
        size = max(1, _CHUNK // self._games)
        with self._pool(cores) as submit:
            chunks = (jobs[at : at + size] for at in range(0, len(jobs), size))
            calls = (submit(_do, self._path, task, chunk) for chunk in chunks)
            yield from _in_order(calls, cores * _AHEAD)


def _mark(store: Store, index: int, found: bytes | None) -> bytes:
    """Return a fixture's hash; older stores have none, and are read for it."""
    return found or row_hash(next(store.stored(index, index)).row)


def _maker(variants: dict[str, Rules], names: Pseudonyms | None) -> str:
    """Return what all that is kept depends on beside the games."""
    versions = __version__, SUMMARY_VERSION, _STORED_VERSION
    called = names.fingerprint if names else ""
    return sha256(_encode((*versions, called, variants))).hexdigest()


def _in_order(calls: Iterator[Future[list[_T]]], ahead: int) -> Iterator[_T]:
    """Yield the results of calls, a few of which are under way at a time."""
    waiting = deque(islice(calls, ahead))
    while waiting:
        yield from waiting.popleft().result()
        waiting.extend(islice(calls, 1))


def _batched(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


def _do(path: Path, task: Callable[[Store, int, Any], _T], jobs: Sequence[Any]) -> list[_T]:
    """Do a chunk of jobs, in a process of its own."""
    with Store(path) as store:
        return [task(store, index, given) for index, given in jobs]


def _digest(
    names: Pseudonyms | None, variants: dict[str, Rules], store: Store, index: int, _: object
) -> bytes:
    stored = next(store.stored(index, index))
    record = store.record(stored)
    played = _named(names, store.unpack(stored, record))
    return _encode(
        _Kept(
            stored.hash_content(record), summarize_fixture(played, variants[played.fixture.variant])
        )
    )


def _work(
    names: Pseudonyms | None, work: Work[Made], store: Store, index: int, given: object
) -> Made:
    return work(_named(names, next(store.played(index, index))), given)


def _named(names: Pseudonyms | None, played: PlayedFixture) -> PlayedFixture:
    return names.played(played) if names else played
