"""Grading a course: the reference measured, the games played, the marks written."""

from pathlib import Path

from msgspec import Struct

from arena.course.conditions import terms_of
from arena.course.config import Course, with_precision
from arena.course.intake.entries import Entries, Options, entries
from arena.course.intake.hand_ins import hand_ins_of
from arena.course.intake.survey import refuse_problems, survey
from arena.course.lock import GradingTerms, Lock, read_lock, write_lock
from arena.course.marks.changes import (
    GradingOutcome,
    Moved,
    changed_terms,
    moved,
    read_outcome,
    write_outcome,
)
from arena.course.marks.graded import first_look_of
from arena.course.marks.result import MARKS, Result, marks_csv, results_of
from arena.course.output.class_page import Notices
from arena.course.output.pages import write_pages
from arena.course.output.private import close_to_others
from arena.course.play import GradingListener, Play
from arena.io.errors import ArenaError
from arena.io.files import write_file
from arena.ladder.folder import existing


class Graded(Struct, frozen=True):
    """A grading that came to its end."""

    results: list[Result]
    moved: list[Moved]
    """Marks that are not those of the last grading."""
    marks: Path
    page: Path
    """That of the class, for the teacher."""
    first_look: str
    """As `first_look_of` says it."""


def grade(course: Course, options: Options, listener: GradingListener) -> Graded | None:
    """Grade what was handed in and write course.lock and marks.csv; None if it was stopped.

    What was played before is not played again. Raises ArenaError if what decides games changed
    since the last time and that is not accepted, if marks would be lost without a word, and if the
    reference is no better than a baseline.
    """
    if course.door:
        existing(course.door)
    course = with_precision(course, options.precision)
    old = read_lock(course.folder)
    terms = terms_of(course, old, options)
    if old and (what := changed_terms(old.terms, terms)) and not options.accept_changes:
        hint = "undo it, or grade anew with --accept-changes"
        raise ArenaError(f"changed since the last grading: {what}", str(course.path), hint)
    if readable := close_to_others(course):
        listener.note(readable)
    with hand_ins_of(course) as intake:
        seen = survey(course, intake)
        for line in (*seen.lines(), *(problem.what for problem in seen.problems)):
            listener.note(line)
        if not options.ignore_unknown:
            refuse_problems(course, seen.problems)
        with entries(course, intake, terms.sandbox, options, listener.note) as entered:
            lock = _lock(course, terms, entered)
            if old is None:
                write_lock(course.folder, lock)  # the seed is drawn once
            game = Play(course, lock, entered, options, listener)
            game.not_done += [f"{line}: no such hand-in" for line in intake.unknown_lines]
            if not game.play():
                return None
            similarity = game.compare(options)
            notices = Notices(
                tuple(stranger.name for stranger in intake.strangers),
                tuple(game.not_done),
                similarity,
            )
            lock = game.lock
    return write_results(course, lock, notices)


def _lock(course: Course, terms: GradingTerms, entered: Entries) -> Lock:
    """Return what a grading depends on, as far as it is known before the games."""
    return Lock(
        terms=terms,
        hand_ins=entered.hand_ins,
        notes={id_: note for id_, note in entered.notes.items() if note},
        struck=sorted(course.struck),
        candidates=entered.candidates,
        by_hand=dict(course.by_hand),
        grades=course.file.grades,
    )


def write_results(course: Course, lock: Lock, notices: Notices) -> Graded:
    """Write marks.csv and the pages, and compare with the marks of before."""
    results = results_of(course, lock)
    before = read_outcome(course)
    page = write_pages(course, lock, results, notices)
    # Last: where marks.csv is that of course.lock, the pages are, too.
    write_file(course.folder / MARKS, marks_csv(course, lock, results).encode())
    now = GradingOutcome(lock, results)
    write_outcome(course, now)
    changed = [*moved(before, now)] if before else []
    return Graded(results, changed, course.folder / MARKS, page, first_look_of(course, lock))
