"""Verify a stored league: every bit, every game, every fixture's place, every rating."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from math import ceil
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from arena.game.records import Fixture, LeagueInfo
from arena.game.rules.books import Rules
from arena.game.seeds import commitment
from arena.io.errors import ArenaError
from arena.league.keeping.checked_fixture import CheckedFixture, Expected, Finding, check_stored
from arena.league.keeping.rerating import (
    DivisionCheck,
    check_division,
    compare_ratings,
    draw_sample,
    read_leaderboards,
)
from arena.league.play.process_pool import map_ordered, pool
from arena.league.play.stored_league import schedule_of
from arena.league.schedule.progress import LeagueProgress
from arena.league.schedule.schedule import Schedule
from arena.league.store.hashes import root_hash
from arena.league.store.store import Store
from arena.ratings.standings import by_division

_AHEAD = 3
"""Calls under way per worker, at most."""
_encode = msgspec.json.Encoder().encode
_Result = TypeVar("_Result")
_Span = tuple[int, int]
"""The first and the last position of the fixtures that one call checks."""


class Verified(msgspec.Struct, frozen=True):
    """What was checked and what was found."""

    fixtures: int
    games: int
    pruned: int
    """Games whose logs were pruned: their rows are proved, they are not replayed."""
    scheduled: int
    root: str | None
    """One hash over the conditions and all fixtures; None if a fixture cannot be read."""
    ratings: list[DivisionCheck]
    """Empty if the games were not verified."""
    findings: list[Finding]


def verify(
    store: Store,
    *,
    workers: int = 1,
    root: str | None = None,
    site: Path | None = None,
    games_per_call: int = 500,
) -> Verified:
    """Replay every stored game from seed and actions, and compare byte for byte; then re-rate.

    `root` is the root that the store must have, `site` a report whose leaderboards must match it.
    Workers get so many games per call, by default half a second's work; a store with fewer takes
    one process. Raises ArenaError if nothing was played, or the store or site cannot be read.
    """
    schedule = schedule_of(store, checked=False)
    published = read_leaderboards(site) if site else None
    findings = [Finding(*pair) for pair in store.damage()]
    findings += _check_seeds(schedule.conditions)
    findings += _find_lost(store, schedule)
    progress = LeagueProgress(schedule)
    sound, content_hashes, games, pruned = list[Fixture](), list[bytes](), 0, 0
    luck = dict[int, Sequence[int]]()
    for checked in _check_fixtures(store, schedule, workers, games_per_call):
        findings += checked.findings
        content_hashes.append(checked.content_hash)
        games, pruned = games + checked.games, pruned + checked.pruned
        if checked.played and not checked.findings:
            progress.add(checked.played)
            sound.append(checked.played.fixture)
            luck[checked.played.fixture.index] = array("i", checked.luck)
    wanted = progress.wanted()
    findings += _check_end(progress, sound, wanted)
    found = root_hash(store.history(checked=False), content_hashes) if all(content_hashes) else None
    ratings = list[DivisionCheck]()
    if found and not findings:
        ratings = _check_ratings(store, progress, luck, found, workers, games_per_call)
        findings += [Finding(*pair) for pair in compare_ratings(ratings, published)]
    findings += _check_root(found, root)
    return Verified(len(content_hashes), games, pruned, len(wanted), found, ratings, findings)


def _check_seeds(info: LeagueInfo) -> Iterator[Finding]:
    pairs = [
        (info.seed, info.commitment),
        *((one.seed, one.commitment) for one in info.earlier_seeds),
    ]
    if any(commitment(seed) != hash_ for seed, hash_ in pairs):
        yield Finding("league", "the master seed does not match its published hash")


def _find_lost(store: Store, schedule: Schedule) -> Iterator[Finding]:
    """Find fixtures that were stored and are gone: by name, if their logs are left."""
    number, positions = store.lost()
    if not number:
        return
    yield Finding("store", f"of the fixtures that were stored {number} are gone")
    ids = {fixture.index: id_ for id_, (fixture, _) in schedule.drawn.items()}
    for position in positions:
        yield Finding(f"fixture {ids.get(position, position)}", "its logs are left, its rows gone")


def _check_end(
    progress: LeagueProgress, sound: Iterable[Fixture], wanted: Iterable[Fixture]
) -> Iterator[Finding]:
    """Find fixtures that were played after their division had to stop."""
    ids = {fixture.id for fixture in wanted}
    for fixture in sound:
        if progress.counts(fixture.id) and fixture.id not in ids:
            yield Finding(f"fixture {fixture.id}", "it was played after its division had to stop")


def _check_root(found: str | None, published: str | None) -> Iterator[Finding]:
    if published is not None and found != published.strip().lower():
        yield Finding("root", f"it is {found or 'unknown'}, not the one that was published")


def _check_ratings(
    store: Store,
    progress: LeagueProgress,
    luck: Mapping[int, Sequence[int]],
    root: str,
    workers: int,
    games_per_call: int,
) -> list[DivisionCheck]:
    """Rate what counts in a store again; the sample of a large league is drawn from its root.

    Fixtures without luck were stored after the others had been checked.
    """
    checked = (one for one in store.results() if one.fixture.index in luck)
    counting = (one for one in checked if progress.counts(one.fixture.id))
    results = by_division(replace(one, luck=luck[one.fixture.index]) for one in counting)
    games = {key: sum(len(one.games) for one in found) for key, found in results.items()}
    sample = draw_sample(games, root)
    calls = [partial(check_division, key, found, sample[key]) for key, found in results.items()]
    many = sum(sample.values()) > games_per_call
    return list(_call(calls, min(workers, len(calls)) if many else 1, store.path))


def _check_fixtures(
    store: Store, schedule: Schedule, workers: int, games_per_call: int
) -> Iterator[CheckedFixture]:
    """Check all fixtures, in schedule order."""
    positions, size = store.positions(), ceil(games_per_call / schedule.conditions.games)
    parts = [positions[at : at + size] for at in range(0, len(positions), size)]
    spans = [(part[0], part[-1]) for part in parts]
    workers = min(workers, len(spans))
    check: Callable[[Expected, _Span], Iterable[CheckedFixture]]
    check = partial(_check_in_worker, store.path) if workers > 1 else partial(_check_span, store)
    drawn = sorted(schedule.drawn.values(), key=_index)
    calls = (partial(check, _between(drawn, *span), span) for span in spans)
    for checked in _call(calls, workers, store.path):
        yield from checked


def _index(drawn: tuple[Fixture, Rules]) -> int:
    return drawn[0].index


def _between(drawn: Sequence[tuple[Fixture, Rules]], first: int, last: int) -> Expected:
    """Return the fixtures between two places in the schedule, both included, by id."""
    found = drawn[bisect_left(drawn, first, key=_index) : bisect_right(drawn, last, key=_index)]
    return {one[0].id: one for one in found}


def _call(calls: Iterable[Callable[[], _Result]], workers: int, path: Path) -> Iterator[_Result]:
    """Make calls, in so many processes if there are several; yield their results in order."""
    if workers < 2:
        yield from (call() for call in calls)
        return
    try:
        with pool(workers, pin=False) as executor:
            yield from map_ordered(executor, calls, _AHEAD * workers)
    except BrokenProcessPool:
        hint = "is there memory for all of them? --workers 1 takes the least"
        raise ArenaError("a worker died while it verified", str(path), hint) from None


def _check_in_worker(path: Path, expected: Expected, span: _Span) -> list[CheckedFixture]:
    with Store(path) as store:
        return list(_check_span(store, expected, span))


def _check_span(store: Store, expected: Expected, span: _Span) -> Iterator[CheckedFixture]:
    try:
        for stored in store.stored(*span):
            yield check_stored(store, expected, stored)
    except ArenaError as error:
        yield CheckedFixture((Finding(f"positions {span[0]} to {span[1]}", error.what),))
