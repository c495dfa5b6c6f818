"""Verify a stored league: every bit, every game, every fixture's place, every rating."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from math import ceil
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from arena.game.records import Fixture, FixtureResult, GameRecord, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.seeds import commitment
from arena.io.errors import ArenaError
from arena.league.keeping.rerating import (
    DivisionCheck,
    check_division,
    compare_ratings,
    draw_sample,
    read_leaderboards,
)
from arena.league.play.process_pool import map_ordered, pool
from arena.league.schedule.progress import LeagueProgress
from arena.league.schedule.schedule import Schedule
from arena.league.store.rows import PackedGame, StoredFixture, pack_game, root_hash
from arena.league.store.store import Store
from arena.league.table.recorded_game import ReplayError, difference, replay
from arena.league.terms.stored_schedule import schedule_of
from arena.playstats.luck import rated_luck
from arena.ratings.league_ratings import by_division

_encode = msgspec.json.Encoder().encode
Expected = Mapping[str, tuple[Fixture, Rules]]
"""Fixtures of the schedule and their rules, by id."""


class StoreFinding(msgspec.Struct, frozen=True):
    """A defect of a store."""

    where: str
    """The fixture, the game or the part of the store."""
    what: str


class CheckedFixture(msgspec.Struct, frozen=True):
    """The result of checking one stored fixture."""

    findings: tuple[StoreFinding, ...]
    played: PlayedFixture | FixtureResult | None = None
    """Without the games' events; None if it cannot be read."""
    pruned: int = 0
    """Games whose logs were pruned."""
    content_hash: bytes = b""
    """Computed from its games; empty if it cannot be read."""
    luck: tuple[int, ...] = ()
    """The luck of each game, as it is rated; empty if anything was found."""

    @property
    def games(self) -> int:
        """How many games it has."""
        return len(self.played.games) if self.played else 0


def check_stored(store: Store, expected: Expected, stored: StoredFixture) -> CheckedFixture:
    """Check a fixture's hashes, its index in the schedule, and its games by playing them again.

    If its logs were pruned, the rows of its games are checked by their hash in the root.
    Games with logs are in memory one at a time, however much the logs of a store unpack to.
    """
    findings = [_finding(stored, *pair) for pair in stored.hash_mismatches()]
    try:
        played, games = _read(store, expected, stored)
        content_hash = store.decoded(stored.hash_content)
        luck = store.decoded(stored.luck)
    except ArenaError as error:
        findings.append(_finding(stored, None, f"it cannot be read: {error.what}"))
        return CheckedFixture(tuple(findings))
    fixture = played.fixture
    moved = (stored.position, stored.id) != (fixture.index, fixture.id)
    if moved:
        what = f"it is stored in the place of fixture {stored.id}, number {stored.position}"
        findings.append(StoreFinding(f"fixture {fixture.id}", what))
    if not moved or fixture.id in expected:
        findings += _check_place(played, expected)
        findings += [finding for game in games for finding in game.replay]
    if not findings:
        findings += [finding for game in games for finding in game.row]
    if not findings and content_hash != stored.row.content_hash:
        findings.append(_finding(stored, None, "its content hash does not match its games"))
    if isinstance(played, FixtureResult):
        return CheckedFixture(tuple(findings), played, len(played.games), content_hash, luck)
    luck = () if findings else tuple(luck for game in games for luck in game.luck)
    return CheckedFixture(tuple(findings), played, 0, content_hash, luck)


class _CheckedGame(NamedTuple):
    """The result of checking one game, without its events."""

    record: GameRecord
    replay: tuple[StoreFinding, ...] = ()
    row: tuple[StoreFinding, ...] = ()
    """What is wrong with its row, if the game replays."""
    luck: tuple[int, ...] = ()
    """The luck as it is rated, if the game replays."""


def _read(
    store: Store, expected: Expected, stored: StoredFixture
) -> tuple[PlayedFixture | FixtureResult, Sequence[_CheckedGame]]:
    """Return a fixture without events, and its games; its result if its logs were pruned."""
    if not stored.has_logs:
        return store.result(stored), ()
    played = store.decoded(stored.without_games)
    scheduled, rules = expected.get(played.fixture.id, (None, None))
    if scheduled != played.fixture:  # and so its games are not played again
        rules = None
    games = [
        _check_game(replace(played, games=[record]), rules, stored, row)
        for record, row in zip(store.games(stored), stored.games, strict=True)
    ]
    return replace(played, games=[game.record for game in games]), games


def _check_game(
    played: PlayedFixture, rules: Rules | None, stored: StoredFixture, row: PackedGame
) -> _CheckedGame:
    """Play the one game of a fixture again, and compare it with its record and its row."""
    [record], fixture = played.games, played.fixture
    kept = replace(record, events=())
    if rules is None:
        return _CheckedGame(kept)
    where = f"fixture {fixture.id}, game {record.game}"
    try:
        replayed = replay(fixture, rules, record)
    except (ReplayError, LookupError, ValueError, TypeError) as error:
        what = f"does not replay: {error}; {difference(fixture, rules, record)}"
        return _CheckedGame(kept, (StoreFinding(where, what),))
    if _encode(replayed) != _encode(record):
        what = f"the replay differs from the record: {difference(fixture, rules, record)}"
        return _CheckedGame(kept, (StoreFinding(where, what),))
    differs = row != pack_game(fixture.id, stored.position, record)
    findings = (_finding(stored, record.game, "its row does not match its log"),) if differs else ()
    return _CheckedGame(kept, (), findings, rated_luck(played, rules))


def _check_place(played: PlayedFixture | FixtureResult, expected: Expected) -> list[StoreFinding]:
    """Find a fixture that the schedule does not have, or that lacks games."""
    fixture, where = played.fixture, f"fixture {played.fixture.id}"
    scheduled, _ = expected.get(fixture.id, (None, None))
    if scheduled != fixture:
        return [StoreFinding(where, "the schedule has no such fixture")]
    numbers = [record.game for record in played.games]
    if len(numbers) != fixture.games or numbers != list(range(fixture.games)):
        return [StoreFinding(where, "it does not hold each of its games once")]
    return []


def _finding(stored: StoredFixture, game: int | None, what: str) -> StoreFinding:
    where = f"fixture {stored.id}"
    return StoreFinding(where if game is None else f"{where}, game {game}", what)


_AHEAD = 3
"""Calls under way per worker, at most."""
_Result = TypeVar("_Result")


class Verified(msgspec.Struct, frozen=True):
    """The result of a verification."""

    fixtures: int
    games: int
    pruned: int
    """Games whose logs were pruned: their rows are proved, they are not replayed."""
    scheduled: int
    root: str | None
    """One hash over the conditions and all fixtures; None if a fixture cannot be read."""
    ratings: list[DivisionCheck]
    """Empty if the games were not verified."""
    findings: list[StoreFinding]


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
    findings = [StoreFinding(*pair) for pair in store.damage()]
    conditions = schedule.conditions
    seeds = [(conditions.seed, conditions.commitment)]
    seeds += [(earlier.seed, earlier.commitment) for earlier in conditions.earlier_seeds]
    if any(commitment(seed) != hash_ for seed, hash_ in seeds):
        findings.append(StoreFinding("league", "the master seed does not match its published hash"))
    findings += _find_lost(store, schedule)
    checked = _CheckedStore(LeagueProgress(schedule))
    for fixture in _check_fixtures(store, schedule, workers, games_per_call):
        checked.add(fixture)
    findings += checked.findings
    findings += checked.played_too_late()
    hashes = checked.content_hashes
    actual_root = root_hash(store.history(checked=False).encoded, hashes) if all(hashes) else None
    ratings = list[DivisionCheck]()
    if actual_root and not findings:
        ratings = _check_ratings(store, checked, actual_root, workers, games_per_call)
        findings += [StoreFinding(*pair) for pair in compare_ratings(ratings, published)]
    if root is not None and actual_root != root.strip().lower():
        what = f"it is {actual_root or 'unknown'}, not the one that was published"
        findings.append(StoreFinding("root", what))
    scheduled = len(checked.progress.wanted())
    return Verified(
        fixtures=len(hashes),
        games=checked.games,
        pruned=checked.pruned,
        scheduled=scheduled,
        root=actual_root,
        ratings=ratings,
        findings=findings,
    )


class _CheckedStore:
    """The results of checking all fixtures of a store, added in schedule order."""

    def __init__(self, progress: LeagueProgress) -> None:
        self.progress = progress
        self.findings: list[StoreFinding] = []
        self.content_hashes: list[bytes] = []
        self.games = self.pruned = 0
        self.luck: dict[int, Sequence[int]] = {}
        """The luck of each sound fixture, by its index in the schedule."""
        self._sound: list[Fixture] = []

    def add(self, checked: CheckedFixture) -> None:
        """Take a fixture into account."""
        self.findings += checked.findings
        self.content_hashes.append(checked.content_hash)
        self.games += checked.games
        self.pruned += checked.pruned
        if checked.played and not checked.findings:
            self.progress.add(checked.played)
            self._sound.append(checked.played.fixture)
            self.luck[checked.played.fixture.index] = array("i", checked.luck)

    def played_too_late(self) -> Iterator[StoreFinding]:
        """Find fixtures that were played after their division, or the playoff, had to stop."""
        wanted = {fixture.id for fixture in self.progress.wanted()}
        for fixture in self._sound:
            if self.progress.schedule.belongs(fixture.id) and fixture.id not in wanted:
                where = f"fixture {fixture.id}"
                yield StoreFinding(where, "it was played after its division had to stop")


def _find_lost(store: Store, schedule: Schedule) -> Iterator[StoreFinding]:
    """Find fixtures that were stored and are gone: by name, if their logs are left."""
    number, positions = store.lost()
    if not number:
        return
    yield StoreFinding("store", f"of the fixtures that were stored {number} are gone")
    ids = {fixture.index: id_ for id_, (fixture, _) in schedule.drawn.items()}
    for position in positions:
        yield StoreFinding(
            f"fixture {ids.get(position, position)}", "its logs are left, its rows gone"
        )


def _check_ratings(
    store: Store, checked: _CheckedStore, root: str, workers: int, games_per_call: int
) -> list[DivisionCheck]:
    """Rate the results that count again; the sample of a large league is drawn from its root."""
    luck, counts = checked.luck, checked.progress.schedule.counts
    counting = (result for result in store.results() if counts(result.fixture.id))
    divisions = by_division(replace(result, luck=luck[result.fixture.index]) for result in counting)
    games = {
        division: sum(len(result.games) for result in results)
        for division, results in divisions.items()
    }
    sample = draw_sample(games, root)
    calls = [
        partial(check_division, division, results, sample[division])
        for division, results in divisions.items()
    ]
    many = sum(sample.values()) > games_per_call
    return list(_call(calls, min(workers, len(calls)) if many else 1, store.path))


def _check_fixtures(
    store: Store, schedule: Schedule, workers: int, games_per_call: int
) -> Iterator[CheckedFixture]:
    """Check all fixtures, in schedule order."""
    positions, size = store.positions(), ceil(games_per_call / schedule.conditions.games)
    parts = [positions[at : at + size] for at in range(0, len(positions), size)]
    workers = min(workers, len(parts))
    check: Callable[[Expected, list[int]], Iterable[CheckedFixture]]
    check = partial(_check_in_worker, store.path) if workers > 1 else partial(_check_part, store)
    drawn = sorted(schedule.drawn.values(), key=_index)

    def between(first: int, last: int) -> Expected:
        """Return the fixtures between two indexes of the schedule, both included, by id."""
        start, end = bisect_left(drawn, first, key=_index), bisect_right(drawn, last, key=_index)
        return {fixture.id: (fixture, rules) for fixture, rules in drawn[start:end]}

    calls = (partial(check, between(part[0], part[-1]), part) for part in parts)
    for checked in _call(calls, workers, store.path):
        yield from checked


def _index(scheduled: tuple[Fixture, Rules]) -> int:
    fixture, _ = scheduled
    return fixture.index


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


def _check_in_worker(path: Path, expected: Expected, positions: list[int]) -> list[CheckedFixture]:
    with Store(path) as store:
        return list(_check_part(store, expected, positions))


def _check_part(store: Store, expected: Expected, positions: list[int]) -> Iterator[CheckedFixture]:
    try:
        for stored in store.stored(positions):
            yield check_stored(store, expected, stored)
    except ArenaError as error:
        finding = StoreFinding(f"positions {positions[0]} to {positions[-1]}", error.what)
        yield CheckedFixture((finding,))
