"""`arena course init`, `handouts`, `marks`, `feedback`, `gradescope`: the files of a course."""

import sys
from pathlib import Path
from shlex import quote

import click

from arena.cli.course.argument import (
    course_argument,
    first_look_option,
    read_graded,
    week_option,
)
from arena.cli.exit_codes import FINDINGS, OK
from arena.cli.options import PathType, json_option
from arena.cli.output import harmless, print_json, say
from arena.course.config import load_course, load_weeks
from arena.course.finals import finals
from arena.course.lock import read_lock
from arena.course.marks import check_unchanged
from arena.course.moments import EXAMPLE
from arena.course.new import make_course, make_own_course
from arena.course.output.fill import Filled, fill
from arena.course.output.giving import give_pages
from arena.course.output.gradescope import write_autograder, write_graded
from arena.course.output.handouts import PACK, write_handouts
from arena.course.points import Grade, GradeKey, written
from arena.io.errors import ArenaError
from arena.io.files import write_file


@click.command()
@course_argument
@click.option("--roster", type=PathType(), help="Make a course of your own, with these students.")
@click.option("--deadline", help=f"That of its first week, such as '{EXAMPLE}'.")
@json_option
def init(course: Path, *, roster: Path | None, deadline: str | None, as_json: bool) -> int:
    """Make the folder COURSE with a pack of sheets and slides to hand out.

    It is a worked example that runs, with 30 made-up students and their bots, or one's own: for
    four weeks, whose deadlines are a week apart. At a terminal it asks for what is missing.
    """
    if roster or deadline:
        given = roster or _asked("the roster, a CSV file with a column id")
        roster = Path(given)
        deadline = deadline or _asked(f"the deadline of the first week, such as {EXAMPLE}")
    made: dict[str, object] = {"course": str(course), "pack": str(course / PACK)}
    if roster and deadline:
        made["students"] = make_own_course(course, roster, deadline)
        said, then = f"{made['students']} students", "handouts"
    else:
        made["languages"] = languages = make_course(course)
        said, then = f"30 students, hand-ins in {', '.join(languages)}", "grade"
    if as_json:
        print_json(made)
        return OK
    click.echo(harmless(f"made {course}: {said}; sheets and slides: {course / PACK}"))
    then = f"arena course {then} {quote(str(course))}"
    click.echo(harmless(f"see {course / 'course.yaml'}; then: {then}"))
    return OK


def _asked(what: str) -> str:
    """Ask the person at the terminal; raises ArenaError if there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ArenaError("a course of your own needs both", "--roster, --deadline", "give both")
    click.echo(f"{what}: ", err=True, nl=False)
    # Standard output may be data, and input() writes its question there.
    return sys.stdin.readline().strip()


@click.command()
@course_argument
@json_option
def handouts(course: Path, *, as_json: bool) -> int:
    """Make HTML of the Markdown in the pack of COURSE: slides of files with rules, else sheets."""
    weeks = load_weeks(course)
    written = write_handouts(weeks)
    if as_json:
        print_json([str(path) for path in written])
        return OK
    for path in written:
        click.echo(harmless(str(path)))
    return OK


@click.command()
@course_argument
@click.option("--into", "export", type=PathType(), required=True, help="The school's CSV file.")
@click.option(
    "--id", "id_column", required=True, help="Its column with ids, e-mail addresses or accounts."
)
@click.option("--grade", "grade_column", required=True, help="The column to fill in.")
@click.option(
    "--what",
    type=click.Choice(["points", "grades"]),
    default="points",
    show_default=True,
    help="Points, or grades by the key in course.yaml.",
)
@week_option
@first_look_option
@json_option
def marks(
    course: Path,
    *,
    week: str,
    export: Path,
    id_column: str,
    grade_column: str,
    what: str,
    first_look: bool,
    as_json: bool,
) -> int:
    """Write the marks of COURSE into one column of an export of Moodle, Canvas or another LMS.

    All other bytes of the file stay as they are, and so do lines of people who have no mark. Exit
    code 1 if the file lacks a mark afterwards. In a course of weeks, marks are the final ones
    without --week.
    """
    weeks = [week]
    if not week:
        weeks = [one.week.folder if one.week else "" for one in load_weeks(course)]
    graded = [read_graded(course, first_look=first_look, week=one) for one in weeks]
    for one in graded:
        check_unchanged(one.course, one.lock, one.results)
    read, grades = graded[0].course, graded[0].lock.grades
    if len(graded) == 1:
        marked = {one.student.id: one.mark for one in graded[0].results if one.mark}
        texts = {id_: _text(mark.final, mark.grade, grades, what) for id_, mark in marked.items()}
    else:
        of_weeks = {one.course.week: one.results for one in graded if one.course.week}
        rows = finals(read.students, of_weeks, grades)
        texts = {
            row.student.id: _text(row.total.points, row.grade, grades, what)
            for row in rows
            if row.total
        }
    filled = fill(export, id_column, grade_column, read.students, texts)
    if filled.filled:
        write_file(export, filled.content, export.stat().st_mode & 0o777)
    if as_json:
        print_json(
            {
                "filled": len(filled.filled),
                "left_alone": filled.strangers,
                "no_cell": filled.no_cell,
                "no_id": filled.no_id,
                "missing": filled.missing,
            }
        )
    else:
        _say_filled(filled, f"in the column '{grade_column}' of {export}")
    return OK if filled.is_whole else FINDINGS


def _say_filled(filled: Filled, where: str) -> None:
    """Say which lines were left alone, and which marks are missing, and why."""
    click.echo(harmless(f"{len(filled.filled)} marks {where}"))
    if not filled.known:
        say("no line has the id, e-mail address or account of a student on the roster")
    for what, lines in (("left alone", filled.strangers), ("no cell for the mark", filled.no_cell)):
        if lines:
            say(f"{what}: {', '.join(f'{at.id} (line {at.line})' for at in lines)}")
    if filled.no_id and not filled.is_whole:
        say(f"no id: {', '.join(f'line {number}' for number in filled.no_id)}")
    if filled.missing:
        say(f"not in the file: {', '.join(filled.missing)}")


def _text(final: float, grade: Grade | None, key: GradeKey | None, what: str) -> str:
    """Return the cell of a mark: its points, or its grade by the key in course.yaml."""
    if what == "points":
        points = f"{final:.2f}"
        return written(key, points) if key else points
    if grade is None:
        hint = "add `grades`, and grade again: arena help course"
        raise ArenaError("the course has no grades", "course.yaml", hint)
    return grade.name


@click.command()
@course_argument
@click.option("--into", "folder", type=PathType(), required=True, help="A new folder.")
@week_option
@first_look_option
@json_option
def gradescope(course: Path, *, week: str, folder: Path, first_look: bool, as_json: bool) -> int:
    """Write an autograder for Gradescope, and results.json for each student who was graded.

    The autograder is a smoke test of one hand-in: it gives the points for legal play. Written after
    a grading, it gives the marks instead.
    """
    read = load_course(course, week)
    graded = None
    if read_lock(read.folder):
        graded = read_graded(course, first_look=first_look, week=week)
    write_autograder(folder / "autograder", read.file.marks.legal)
    if graded:
        write_graded(folder, graded)
    students = len(graded.results) if graded else 0
    if as_json:
        print_json({"autograder": str(folder / "autograder"), "results": students})
    else:
        click.echo(harmless(f"autograder: zip the files in {folder / 'autograder'}"))
        click.echo(harmless(f"results.json of {students} students: {folder / 'results'}"))
    return OK


@click.command()
@course_argument
@click.option(
    "--into", "folder", type=PathType(), help="A folder to be published, outside the course."
)
@week_option
@first_look_option
@json_option
def feedback(
    course: Path, *, week: str, folder: Path | None, first_look: bool, as_json: bool
) -> int:
    """Give students of COURSE their pages: behind its door, or in a folder to be published.

    The folder also gets the league's site under pseudonyms. Nothing else of the course is given.
    """
    read, lock, results, _ = read_graded(course, first_look=first_look, week=week)
    check_unchanged(read, lock, results)
    pages = give_pages(read, lock, folder)
    if as_json:
        print_json(pages)
        return OK
    for page in pages:
        if page.link:
            click.echo(harmless(f"{page.student}: {page.link}"))
    if left := [page.student for page in pages if not page.link]:
        say(f"not invited at the door: {', '.join(left)}")
    return OK
