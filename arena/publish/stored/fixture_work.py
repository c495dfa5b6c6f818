"""What a report makes of stored fixtures, some at a time, in processes if there is much to do."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from arena.game.records import Division, PlayedFixture
from arena.game.rules.books import Rules
from arena.io.cores import core_count
from arena.io.errors import ArenaError
from arena.io.garbage import without_gc
from arena.league.store.failures import damaged_fixtures
from arena.league.store.rows import StoredFixture
from arena.league.store.store import Store
from arena.playstats.fixture_summary import FixtureSummary, summarize_fixtures, summarize_result
from arena.publish.game_source import Job, Made, Work
from arena.publish.pseudonyms import Pseudonyms
from arena.publish.series import batched

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
                played, digest = store.decoded(stored.played_and_hash)
                one = _Logged(position, digest, names.played(played) if names else played)
                logged[one.played.fixture.division].append(one)
            elif stored:
                result, digest = store.result(stored), store.decoded(stored.hash_content)
                shown = names.result(result) if names else result
                summary = summarize_result(shown, store.decoded(stored.luck))
                made[position] = _encode(CachedFixture(digest, summary))
    for division, fixtures in logged.items():
        made |= _summarized(fixtures, variants.get(division.variant))
    return [made.get(position) for position in positions]


def _sound(store: Store, position: int) -> StoredFixture | None:
    """Return a fixture; None if it is missing or not what was written there."""
    stored = next(store.stored([position]), None)
    return None if stored is None or any(stored.hash_mismatches()) else stored


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
    made = []
    for job in jobs:
        stored = _sound(store, job.fixture)
        if stored is None:
            raise damaged_fixtures([f"number {job.fixture}"], store.path)
        part = stored.only(job.games)
        played = store.decoded(part.played)
        made.append(work(names.played(played) if names else played, job.given))
    return made


MANY = 10_000
"""Seats at so many games are worth starting processes for: half a second of work."""
_CHUNK = 250
"""Games that are handed to a process at a time, about."""
_AHEAD = 2
"""Chunks under way for each process."""
_Result = TypeVar("_Result")


class Processes:
    """One for each core; they are started for the first work that is worth it, and then kept."""

    def __init__(self, store: Store) -> None:
        self._store, self._opened = store, ExitStack()
        self._executor: Executor | None = None

    def __enter__(self) -> "Processes":
        self._opened.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._opened.__exit__(*raised)  # type: ignore[arg-type]

    @property
    def running(self) -> bool:
        """Whether they are started."""
        return self._executor is not None

    def spread(
        self, task: Task[Given, Made], jobs: Sequence[Given], games: int, seats: int
    ) -> Iterator[Made]:
        """Yield what a task makes of jobs, each about so many games of a fixture; in order.

        `seats` are those of all their games: few do not start processes.
        """
        parts, cores = batched(jobs, max(1, _CHUNK // games)), core_count()
        if cores == 1 or (seats < MANY and not self.running):
            for part in parts:
                yield from task(self._store, part)
            return
        # Slow to import, and a small report needs none.
        from arena.league.play.process_pool import map_ordered

        calls = (partial(with_store, self._store.path, task, part) for part in parts)
        for results in map_ordered(self._started(cores), calls, cores * _AHEAD):
            yield from results

    def begin(self, call: Callable[[], _Result]) -> Callable[[], _Result]:
        """Begin a call; return a function that waits for its result."""
        from arena.league.play.process_pool import start

        return start(self._started(core_count()), call).result

    def _started(self, cores: int) -> Executor:
        from arena.league.play.process_pool import pool

        if self._executor is None:
            self._executor = self._opened.enter_context(pool(cores, pin=False))
        return self._executor
