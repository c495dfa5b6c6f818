"""Prove a stored league: every bit as it was written, every game replayed, every fixture due."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import msgspec

from arena.errors import ArenaError
from arena.league.fixture_check import Checked, Finding, Judge, check_in_worker
from arena.league.process_pool import pool, start
from arena.league.progress import LeagueProgress
from arena.league.schedule import Schedule
from arena.records import Fixture, LeagueInfo
from arena.seeds import commitment
from arena.store.hashes import root_hash
from arena.store.store import Store

_GAMES_AT_A_TIME = 500
"""Games that a worker is given at least, where there are as many: half a second's work or so."""
_AHEAD = 3
"""How many tasks wait for each worker, at most."""
_Span = tuple[int, int]
"""The first and the last position of what is checked in one go."""


class Verified(msgspec.Struct, frozen=True):
    """What was looked at and what was found."""

    fixtures: int
    games: int
    scheduled: int
    root: str | None
    """One hash over the conditions and all fixtures; None where one cannot be read."""
    hashed: bool
    """Whether the store has a hash of each fixture: those of older arenas have not."""
    findings: list[Finding]


def verify(
    store: Store, *, workers: int = 1, published: str | None = None, playing: bool = False
) -> Verified:
    """Replay every stored game from seed and actions and compare byte for byte.

    `published` is the root that the store must have; `playing` says that an arena is adding to it.
    Small stores take one process, whatever `workers` says. Raises ArenaError where nothing was
    played, or the file cannot be read at all.
    """
    info = store.league
    if info is None:
        raise ArenaError("nothing was played yet", str(store.path), "start with: arena run")
    findings = [Finding(where, what) for where, what in store.damage(playing=playing)]
    findings += _check_seed(info)
    spans = _spans(store.positions(), info.games)
    schedule = Schedule(info)
    course, proved, pins, games = LeagueProgress(schedule), list[Fixture](), list[bytes](), 0
    for checked in _checked(store, schedule, spans, workers):
        findings += checked.findings
        pins.append(checked.pin)
        games += len(checked.played.games) if checked.played else 0
        if checked.played and not checked.findings:
            course.add(checked.played)
            proved.append(checked.played.fixture)
    wanted = course.wanted()
    findings += _check_end(course, proved, wanted)
    found_root = root_hash(info, pins) if all(pins) else None
    findings += _check_root(found_root, published)
    return Verified(len(pins), games, len(wanted), found_root, store.hashed, findings)


def _spans(positions: Sequence[int], games: int) -> list[_Span]:
    size = max(1, -(-_GAMES_AT_A_TIME // games))
    parts = [positions[at : at + size] for at in range(0, len(positions), size)]
    return [(part[0], part[-1]) for part in parts]


def _checked(
    store: Store, schedule: Schedule, spans: Sequence[_Span], workers: int
) -> Iterator[Checked]:
    if min(workers, len(spans)) > 1:
        yield from _in_workers(store.path, spans, min(workers, len(spans)))
        return
    judge = Judge(schedule)
    for span in spans:
        yield from judge.check(store, *span)


def _in_workers(path: Path, spans: Sequence[_Span], workers: int) -> Iterator[Checked]:
    """Check spans on worker processes; what was found comes in schedule order."""
    pending: deque[Future[list[Checked]]] = deque()
    try:
        with pool(workers, pin=False) as executor:
            for span in spans:
                pending.append(start(executor, check_in_worker, path, *span))
                if len(pending) > _AHEAD * workers:
                    yield from pending.popleft().result()
            while pending:
                yield from pending.popleft().result()
    except BrokenProcessPool:
        hint = "is there memory for all of them? --workers 1 takes the least"
        raise ArenaError("a worker died while it verified", str(path), hint) from None


def _check_seed(info: LeagueInfo) -> Iterator[Finding]:
    if commitment(info.seed) != info.commitment:
        yield Finding("league", "the master seed does not match its published hash")


def _check_end(
    course: LeagueProgress, proved: Iterable[Fixture], wanted: Iterable[Fixture]
) -> Iterator[Finding]:
    """Find out who went on until the result pleased, or left out what did not."""
    ids = {fixture.id for fixture in wanted}
    for fixture in proved:
        if course.counts(fixture.id) and fixture.id not in ids:
            yield Finding(f"fixture {fixture.id}", "it was played past where its table size stops")


def _check_root(found: str | None, published: str | None) -> Iterator[Finding]:
    if published is not None and found != published.strip().lower():
        yield Finding("root", f"it is {found or 'not to be had'}, not the one that was published")
