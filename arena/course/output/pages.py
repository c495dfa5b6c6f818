"""The pages of a course: one for each student, and the teacher's, with the marks of all."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from os.path import relpath
from pathlib import Path
from statistics import fmean, median, stdev

from msgspec import Struct

from arena.course.config import Course
from arena.course.intake.checks import read_check
from arena.course.intake.entries import CHECKS
from arena.course.lock import Given, Lock
from arena.course.marks import STORE, Mark, Result, first_look_of, grading
from arena.course.output.giving import for_door, places_of, remove_others
from arena.course.output.league_site import SITE, LeagueSite, write_site
from arena.course.output.similarity import Similarity
from arena.course.output.student_page import Feedback, StudentPages, feedback_of
from arena.course.points import Share
from arena.io.files import write_file
from arena.league.store.store import Store
from arena.publish.templates import render, script

_BINS = 10
CLASS = "class.html"


class Notices(Struct, frozen=True):
    """What a grading tells the teacher besides the marks."""

    strangers: tuple[str, ...] = ()
    """Names of files that belong to nobody on the roster."""
    not_done: tuple[str, ...] = ()
    """Games and hand-ins that were left out, and why."""
    similarity: Similarity = Similarity()


class Spread(Struct, frozen=True):
    """How the points of one part are distributed over a class."""

    name: str
    of: float
    """The most points."""
    mean: float
    median: float
    deviation: float
    """The standard deviation; 0 for one student."""
    lowest: float
    highest: float


class ClassRow(Struct, frozen=True):
    """The row of a student in the table of the class."""

    result: Result
    page: str
    """The student's page, relative to the page of the class."""
    pseudonym: str
    bot: str
    """The bot's page in the league's site; "" if it is not there."""
    note: str


class ClassPage(Struct, frozen=True):
    """What the page of a class shows."""

    course: str
    graded: str
    handed_in: int
    rows: list[ClassRow]
    parts: list[str]
    spreads: list[Spread]
    bins: list[tuple[float, float, int]]
    """Ranges of points, with the number of students in each."""
    needy: list[tuple[Result, list[str]]]
    late: list[Result]
    given: list[tuple[Result, Given]]
    """Students whose hand-ins have next to nothing of their own, and where they come from."""
    has: Mapping[str, bool]
    """Whether any student has a `group`, `team`, `deduction`, points `by_hand`, a `grade`."""
    notices: Notices
    people: Mapping[str, str]
    """The id and the name of each student, by id."""
    shares: Mapping[str, Share]
    site: str
    last_due: str
    """The last deadline of all students; "" if it had passed when the course was graded."""
    first_look: str
    """As `first_look_of` says it."""
    script: str
    behind_door: bool = False


def render_class(
    course: Course,
    lock: Lock,
    rows: list[ClassRow],
    needs: Mapping[str, list[str]],
    notices: Notices,
    league: LeagueSite,
    graded: datetime,
) -> str:
    """Return the page of a class; `needs` has reasons why the teacher should look, by id."""
    results = [row.result for row in rows]
    marks = [result.mark for result in results if result.mark]
    last = max(course.due.values(), key=lambda due: (due.until, due.deadline))
    page = ClassPage(
        course=course.title,
        graded=f"{graded:%Y-%m-%d %H:%M %Z}",
        handed_in=sum(result.hand_in is not None for result in results),
        rows=rows,
        parts=[*marks[0].parts] if marks else [],
        spreads=[*_spreads(marks, course.file.marks.total)],
        bins=_bins([mark.final for mark in marks], course.file.marks.total),
        needy=[(result, why) for result in results if (why := needs[result.student.id])],
        late=[result for result in results if result.hand_in and result.hand_in.days_late],
        given=[
            (result, result.hand_in.given)
            for result in results
            if result.hand_in and result.hand_in.given
        ],
        has={
            "group": any(result.student.group for result in results),
            "team": any(result.student.team for result in results),
            "deduction": any(mark.deduction for mark in marks),
            "by_hand": any(mark.added for mark in marks),
            "grade": any(mark.grade for mark in marks),
        },
        notices=notices,
        people={one.student.id: f"{one.student.id} {one.student.name}".strip() for one in results},
        shares=lock.shares,
        site=f"{SITE}/index.html" if league.store else "",
        last_due=f"{last.deadline:%Y-%m-%d %H:%M} {last.zone}" if last.until > graded else "",
        first_look=first_look_of(course, lock),
        script=script("shared.js", "tables.js"),
    )
    return render("course_class.html", page)


def _spreads(marks: Sequence[Mark], total: float) -> Iterator[Spread]:
    """Yield the distributions of each part, of the sums and of the final marks."""
    if not marks:
        return
    for name, part in marks[0].parts.items():
        yield _spread(name, part.of, [mark.parts[name].points for mark in marks])
    if any(mark.final != mark.total.points for mark in marks):
        yield _spread("before deductions", total, [mark.total.points for mark in marks])
    yield _spread("final", total, [mark.final for mark in marks])


def _spread(name: str, of: float, points: Sequence[float]) -> Spread:
    deviation = stdev(points) if len(points) > 1 else 0.0
    return Spread(name, of, fmean(points), median(points), deviation, min(points), max(points))


def _bins(finals: Sequence[float], total: float) -> list[tuple[float, float, int]]:
    counts = [0] * _BINS
    for mark in finals:
        counts[min(_BINS - 1, int(_BINS * mark / total))] += 1
    ends = [total * number / _BINS for number in range(_BINS + 1)]
    return [*zip(ends, ends[1:], counts, strict=False)]


def write_pages(course: Course, lock: Lock, results: list[Result], notices: Notices) -> Path:
    """Write all pages, and the league's site under pseudonyms; returns the page of the class.

    Raises ArenaError if they cannot be written.
    """
    places = places_of(course)
    graded = datetime.now(UTC)
    league = write_site(course, lock)
    told = _feedback(course, lock, results, league)
    finals = sorted((result.mark.final for result in results if result.mark), reverse=True)
    pages = StudentPages(course, lock, league, finals, graded)
    for result in results:
        id_ = result.student.id
        files = {places[id_]: False}
        files |= {for_door(course, places[id_]): True} if course.door else {}
        for file, behind_door in files.items():
            text = pages.render(result, told[id_], behind_door=behind_door)
            write_file(file, text.encode(), parents=True)
    remove_others(course, places)
    links = {id_: relpath(page, course.folder) for id_, page in places.items()}
    rows = [_row(result, links[result.student.id], league) for result in results]
    needs = {id_: feedback.needs for id_, feedback in told.items()}
    text = render_class(course, lock, rows, needs, notices, league, graded)
    write_file(course.folder / CLASS, text.encode())
    return course.folder / CLASS


def _row(result: Result, page: str, league: LeagueSite) -> ClassRow:
    pseudonym = league.pseudonym(result)
    spent = "budget spent" if result.mark and not result.mark.precise else ""
    note = "; ".join(filter(None, [spent, result.note]))
    bot = f"{SITE}/{league.pages[pseudonym]}" if pseudonym else ""
    return ClassRow(result, page, pseudonym, bot, note)


def _feedback(
    course: Course, lock: Lock, results: list[Result], league: LeagueSite
) -> dict[str, Feedback]:
    """Return the feedback for each student, by id."""
    told: dict[str, Feedback] = {}
    games = grading(course) / STORE
    with Store(games) if games.exists() else nullcontext() as store:
        for result in results:
            content = result.hand_in.content if result.hand_in else ""
            checked = read_check(grading(course) / CHECKS, result.student.unit, content)
            told[result.student.id] = feedback_of(course, lock, result, checked, store, league)
    return told
