"""The pages of a course: one for each student, one for the teacher, the league's site."""

from contextlib import nullcontext
from datetime import UTC, datetime
from os.path import relpath
from pathlib import Path

from arena.course.config import Course
from arena.course.intake.checks import read_check
from arena.course.intake.entries import CHECKS
from arena.course.lock import Lock
from arena.course.marks.result import STORE, Result, grading
from arena.course.output.class_page import ClassRow, Notices, render_class
from arena.course.output.feedback import Feedback, feedback_of
from arena.course.output.league_site import SITE, LeagueSite, write_site
from arena.course.output.page_addresses import for_door, places_of, remove_others
from arena.course.output.student_page import StudentPages
from arena.io.files import write_file
from arena.league.store.store import Store

CLASS = "class.html"


def write_pages(course: Course, lock: Lock, results: list[Result], notices: Notices) -> Path:
    """Write the pages and the league's site under pseudonyms; returns the page of the class.

    Raises ArenaError if they cannot be written.
    """
    places, graded = places_of(course), datetime.now(UTC)
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
    """Return what each student is told, by id."""
    told: dict[str, Feedback] = {}
    games = grading(course) / STORE
    with Store(games) if games.exists() else nullcontext() as store:
        for result in results:
            content = result.hand_in.content if result.hand_in else ""
            checked = read_check(grading(course) / CHECKS, result.student.unit, content)
            told[result.student.id] = feedback_of(course, lock, result, checked, store, league)
    return told
