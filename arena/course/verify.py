"""Verifying a course: its games replayed, its marks derived again from them."""

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from arena.course.baselines import PER_BLOCK, BaselineRecord, block, final_blocks, pairing_of
from arena.course.config import Course, with_precision
from arena.course.field import is_complete, store_of
from arena.course.lock import LOCK, Lock, bots_of, read_lock
from arena.course.marks import (
    MARKS,
    STORE,
    decider,
    grading,
    marks_csv,
    measure,
    results_of,
    with_best,
)
from arena.course.points import share_of
from arena.game.records import Fixture
from arena.io.errors import ArenaError
from arena.io.files import read_limited
from arena.league.keeping.verify import StoreFinding, check_stored, verify
from arena.league.store.store import Store

_MAX_BYTES = 64 << 20


class VerifiedCourse(Struct, frozen=True):
    """How many games were replayed, and what was found."""

    tables: int
    """Tables against baselines that count."""
    games: int
    """Games at these tables."""
    field_games: int
    findings: list[StoreFinding]


def verify_course(course: Course, workers: int, tell: Callable[[str], None]) -> VerifiedCourse:
    """Replay every game that counts, and derive marks.csv from the games and course.lock.

    Raises ArenaError if nothing was graded.
    """
    lock = read_lock(course.folder)
    if lock is None:
        hint = f"arena course grade {course.called}"
        raise ArenaError("nothing was graded yet", str(course.folder / LOCK), hint)
    course = with_precision(course, lock.terms.precision)
    findings: list[StoreFinding] = []
    tables = games = field = 0
    if course.file.marks.baselines:
        tell("replaying the games against baselines")
        tables, games = _replay(course, lock, findings)
        findings += _shares(course, lock)
    if lock.field:
        tell("replaying the games of the field")
        path = store_of(grading(course), lock, course.file.marks.field)
        if not is_complete(path):
            findings.append(StoreFinding("field", "its games are missing"))
        else:
            with Store(path) as store:
                verified = verify(store, workers=workers)
            field = verified.games
            findings += verified.findings
    findings += findings or _marks(course, lock)
    return VerifiedCourse(tables, games, field, findings)


def _replay(course: Course, lock: Lock, findings: list[StoreFinding]) -> tuple[int, int]:
    """Replay the tables of all blocks that count, with those of the reference."""
    terms = lock.terms
    decide = decider(course.file, lock.shares)
    players = [(bot, decide) for bot in bots_of(lock)]
    players.append((terms.reference, measure(course.file)))
    tables = games = 0
    with Store(grading(course) / STORE) as store:
        played = BaselineRecord(store)
        expected: dict[str, Fixture] = {}
        for bot, how in players:
            for name, won in final_blocks(played, terms, bot, how).items():
                for number in range(len(won)):
                    for fixture in block(terms, pairing_of(terms, bot, name), number):
                        expected[fixture.id] = fixture
        rules = {id_: (fixture, terms.rules) for id_, fixture in expected.items()}
        for fixture in expected.values():
            for stored in store.stored([fixture.index]):
                checked = check_stored(store, rules, stored)
                findings += checked.findings
                tables += 1
                games += checked.games
    return tables, games


def _shares(course: Course, lock: Lock) -> Iterator[StoreFinding]:
    with Store(grading(course) / STORE) as store:
        played = BaselineRecord(store)
    how = measure(course.file)
    for name, won in final_blocks(played, lock.terms, lock.terms.reference, how).items():
        if not won or share_of(won, PER_BLOCK) != lock.shares.get(name):
            what = f"the reference's share against '{name}' is not that of its games"
            yield StoreFinding(LOCK, what)


def _marks(course: Course, lock: Lock) -> list[StoreFinding]:
    if with_best(course, lock).hand_ins != lock.hand_ins:
        return [StoreFinding(LOCK, "a hand-in counts that is not the best by the games")]
    path: Path = course.folder / MARKS
    wanted = marks_csv(course, lock, results_of(course, lock)).encode()
    if read_limited(path, _MAX_BYTES) == wanted:
        return []
    return [
        StoreFinding(MARKS, "it is not what the games lead to: arena course grade writes it again")
    ]
