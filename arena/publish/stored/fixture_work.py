"""What a report makes of stored fixtures, some at a time; for any process that opens the store."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from arena.game.records import Division, PlayedFixture
from arena.game.rules.books import Rules
from arena.io.errors import ArenaError
from arena.io.garbage import without_gc
from arena.league.store.failures import damaged_fixtures
from arena.league.store.format.rows import StoredFixture
from arena.league.store.store import Store
from arena.playstats.fixture_summary import FixtureSummary, summarize_fixtures, summarize_result
from arena.publish.game_source import Job, Made, Work
from arena.publish.pseudonyms import Pseudonyms

Given = TypeVar("Given")
Task = Callable[[Store, Sequence[Given]], list[Made]]
"""Makes something of each of what is given, which is about a fixture."""
_DAMAGE = ArenaError, LookupError, TypeError, ValueError
"""What a fixture may raise that is not what was written: whoever changed it knew of hashes."""
_encode = msgspec.msgpack.Encoder().encode


class CachedFixture(msgspec.Struct, array_like=True, frozen=True):
    """A fixture in the cache."""

    content_hash: bytes
    """Its part in the store's root: the same if it is played again with the same result."""
    summary: FixtureSummary


def with_store(path: Path, task: Task[Given, Made], given: Sequence[Given]) -> list[Made]:
    """Do a task with a store that is opened for it."""
    with without_gc(), Store(path) as store:
        return task(store, given)


class _Logged(NamedTuple):
    """A fixture with its games."""

    position: int
    content_hash: bytes
    played: PlayedFixture


def summarize(
    names: Pseudonyms | None, variants: Mapping[str, Rules], store: Store, positions: Sequence[int]
) -> list[bytes | None]:
    """Return what to cache of the fixtures at some positions; None for one that is damaged."""
    made, logged = dict[int, bytes](), defaultdict[Division, list[_Logged]](list)
    for position in positions:
        stored = _sound(store, position)
        with suppress(*_DAMAGE):
            if stored and stored.has_logs:
                played, digest = store.unpack_whole(stored)
                one = _Logged(position, digest, names.played(played) if names else played)
                logged[one.played.fixture.division].append(one)
            elif stored:
                made[position] = _without_logs(names, store, stored)
    for division, fixtures in logged.items():
        made |= _summarized(fixtures, variants.get(division.variant))
    return [made.get(position) for position in positions]


def _sound(store: Store, position: int) -> StoredFixture | None:
    """Return a fixture; None if it is missing or not what was written there."""
    stored = next(store.stored(position, position), None)
    return None if stored is None or any(stored.hash_mismatches()) else stored


def _without_logs(names: Pseudonyms | None, store: Store, stored: StoredFixture) -> bytes:
    """Return what to cache of a fixture whose logs were pruned."""
    result, digest = store.result(stored), store.content_hash(stored)
    summary = summarize_result(names.result(result) if names else result, store.luck(stored))
    return _encode(CachedFixture(digest, summary))


def _summarized(fixtures: Sequence[_Logged], rules: Rules | None) -> dict[int, bytes]:
    """Return what to cache of fixtures of one division, without those that the rules forbid."""
    try:
        summaries = [*summarize_fixtures([one.played for one in fixtures], rules)] if rules else []
    except _DAMAGE:
        if len(fixtures) == 1:
            return {}
        return {at: made for one in fixtures for at, made in _summarized([one], rules).items()}
    return {
        one.position: _encode(CachedFixture(one.content_hash, summary))
        for one, summary in zip(fixtures, summaries, strict=bool(rules))
    }


def make_all(
    names: Pseudonyms | None, work: Work[Made], store: Store, jobs: Sequence[Job]
) -> list[Made]:
    """Return what some work makes of games; raises ArenaError if a fixture is damaged."""
    return [work(_games(names, store, job), job.given) for job in jobs]


def _games(names: Pseudonyms | None, store: Store, job: Job) -> PlayedFixture:
    stored = _sound(store, job.fixture)
    if stored is None:
        raise damaged_fixtures([f"number {job.fixture}"], store.path)
    part = stored.only(job.games)
    played = store.unpack(part, store.record(part))
    return names.played(played) if names else played
