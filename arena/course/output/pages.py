"""The pages of a course: one for each student, one for the teacher, the league's site."""

from collections.abc import Mapping
from contextlib import nullcontext
from os.path import relpath
from pathlib import Path
from typing import Any

from arena.author.coach.words import at_table, did, named
from arena.course.config import Course
from arena.course.games.field import is_complete, store_of
from arena.course.games.tables import name_of
from arena.course.intake.checks import read_check
from arena.course.intake.entries import CHECKS
from arena.course.lock import Lock
from arena.course.marks.result import STORE, Result, grading
from arena.course.output.feedback import Feedback, feedback_of
from arena.course.output.page_addresses import (
    STYLESHEET,
    is_behind_door,
    places_of,
    remove_others,
    write_page,
)
from arena.course.output.similarity import PAGE as ALIKE
from arena.io.files import write_file
from arena.league.store.store import Store
from arena.publish.pages.templates import environment
from arena.publish.pseudonyms import Pseudonyms, secret_of
from arena.publish.report import ReportRequest, report

CLASS = "class.html"
_SITE = "site"
_BINS = 10


def write_pages(course: Course, lock: Lock, results: list[Result]) -> Path:
    """Write the pages and the league's site under pseudonyms; returns the page of the class.

    Raises ArenaError if they cannot be written.
    """
    places = places_of(course)
    told = _feedback(course, lock, results)
    finals = sorted((result.mark.final for result in results if result.mark), reverse=True)
    common = {"course": course.file.name, "shares": lock.shares}
    for result in results:
        context = {
            "result": result,
            "told": told[result.student.id],
            "total": course.file.marks.total,
        }
        context |= {"table": finals if course.file.table else []}
        context |= {"did": did, "named": named, "at_table": at_table}
        page = places[result.student.id]
        context |= {"stylesheet": STYLESHEET if is_behind_door(page) else ""}
        write_page(page, _rendered("course_student.html", {**common, **context}))
    remove_others(course, places)
    names = _write_site(course, lock)
    links = {id_: relpath(page, course.folder) for id_, page in places.items()}
    context = {
        "rows": [
            (result, links[result.student.id], _pseudonym(result, names)) for result in results
        ],
        "door": course.door is not None,
        "needy": [
            (result, needs) for result in results if (needs := told[result.student.id].needs)
        ],
        "site": f"{_SITE}/index.html" if names else "",
        "alike": ALIKE if (course.folder / ALIKE).exists() else "",
        **_histogram(finals, course.file.marks.total),
    }
    write_file(course.folder / CLASS, _rendered("course_class.html", {**common, **context}))
    return course.folder / CLASS


def _feedback(course: Course, lock: Lock, results: list[Result]) -> dict[str, Feedback]:
    """Return what each student is told, by id."""
    told: dict[str, Feedback] = {}
    games = grading(course) / STORE
    with Store(games) if games.exists() else nullcontext() as store:
        for result in results:
            content = result.hand_in.content if result.hand_in else ""
            checked = read_check(grading(course) / CHECKS, result.student.unit, content)
            told[result.student.id] = feedback_of(course, lock, result, checked, store)
    return told


def _rendered(template: str, context: Mapping[str, Any]) -> bytes:
    page = environment().overlay()
    page.filters = {**page.filters, "number": lambda value: f"{value:g}"}
    return page.get_template(template).render(**context).encode()


def _write_site(course: Course, lock: Lock) -> Mapping[str, str]:
    """Write the site of the field, if there is one; returns the pseudonyms by name."""
    path = store_of(grading(course), lock, course.file.marks.field)
    if not (lock.field and is_complete(path)):
        return {}
    league = path.with_suffix(".yaml")  # there is none: nothing is asked of the ratings
    report(ReportRequest(league, path, course.folder / _SITE, anonymous=True))
    with Store(path) as store:
        return Pseudonyms(store.conditions(), secret_of(path)).bots


def _pseudonym(result: Result, names: Mapping[str, str]) -> str:
    return (
        names.get(name_of(result.hand_in.bot), "") if result.hand_in and result.hand_in.bot else ""
    )


def _histogram(finals: list[float], total: float) -> dict[str, Any]:
    counts = [0] * _BINS
    for mark in finals:
        counts[min(_BINS - 1, int(_BINS * mark / total))] += 1
    ends = [total * number / _BINS for number in range(_BINS + 1)]
    return {
        "bins": list(zip(ends, ends[1:], counts, strict=False)),
        "most": max(1, *counts),
    }
