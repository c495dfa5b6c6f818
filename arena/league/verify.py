"""Prove a stored league: every game replayed, every fixture where the schedule puts it."""

from collections.abc import Iterable, Iterator

import msgspec

from arena.errors import ArenaError
from arena.league.course import Course
from arena.league.schedule import schedule, stages
from arena.match.replay import ReplayError, replay
from arena.perudo.seeds import commitment
from arena.records import Fixture, LeagueInfo, PlayedFixture
from arena.store.store import Store

_encode = msgspec.json.Encoder().encode


class Finding(msgspec.Struct, frozen=True):
    """Something in a store that is not as it must be."""

    where: str
    what: str


class Verified(msgspec.Struct, frozen=True):
    """What was looked at and what was found."""

    fixtures: int
    games: int
    scheduled: int
    findings: list[Finding]


def verify(store: Store) -> Verified:
    """Replay every stored game from seed and actions and compare byte for byte."""
    info = store.league
    if info is None:
        raise ArenaError("nothing was played yet", str(store.path), "start with: arena run")
    expected = {fixture.id: fixture for stage in stages(info) for fixture in schedule(stage)}
    course = Course(info)
    findings = list(_check_seed(info))
    proved: list[Fixture] = []
    fixtures = games = 0
    for row, _ in store.rows():
        played = store.unpack(row)
        fixtures += 1
        games += len(played.games)
        findings += _check_place(row.position, row.id, played.fixture)
        found = list(_check_fixture(info, expected, played))
        findings += found
        if not found:
            course.add(played)
            proved.append(played.fixture)
    wanted = course.wanted()
    findings += _check_end(course, proved, wanted)
    return Verified(fixtures, games, len(wanted), findings)


def _check_seed(info: LeagueInfo) -> Iterator[Finding]:
    if commitment(info.seed) != info.commitment:
        yield Finding("league", "the master seed does not match its published hash")


def _check_end(
    course: Course, proved: Iterable[Fixture], wanted: Iterable[Fixture]
) -> Iterator[Finding]:
    """Find out who went on until the result pleased, or left out what did not."""
    ids = {fixture.id for fixture in wanted}
    for fixture in proved:
        if course.counts(fixture) and fixture.id not in ids:
            yield Finding(f"fixture {fixture.id}", "it was played past where its table size stops")


def _check_place(position: int, id_: str, fixture: Fixture) -> Iterator[Finding]:
    if (position, id_) != (fixture.index, fixture.id):
        what = f"it is stored in the place of fixture {id_}, number {position}"
        yield Finding(f"fixture {fixture.id}", what)


def _check_fixture(
    info: LeagueInfo, expected: dict[str, Fixture], played: PlayedFixture
) -> Iterator[Finding]:
    fixture = played.fixture
    if expected.get(fixture.id) != fixture:
        yield Finding(f"fixture {fixture.id}", "it is not in the schedule as it stands there")
        return
    if [record.game for record in played.games] != list(range(fixture.games)):
        yield Finding(f"fixture {fixture.id}", "it does not hold each of its games once")
    rules = info.variants[fixture.variant]
    for record in played.games:
        where = f"fixture {fixture.id}, game {record.game}"
        try:
            again = replay(fixture, rules, record)
        except (ReplayError, LookupError, ValueError, TypeError) as error:
            yield Finding(where, f"does not replay: {error}")
            continue
        if _encode(again) != _encode(record):
            yield Finding(where, "the replay differs from the record")
