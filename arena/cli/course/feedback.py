"""`arena course feedback`: the pages of students are given to them."""

from pathlib import Path

import click

from arena.cli.course.argument import course_argument, first_look_option, read_graded
from arena.cli.exit_codes import OK
from arena.cli.options import PathType, json_option
from arena.cli.output import harmless, print_json, say
from arena.course.marks.graded import check_unchanged
from arena.course.output.giving import give_pages


@click.command()
@course_argument
@click.option(
    "--into", "folder", type=PathType(), help="A folder to be published, outside the course."
)
@first_look_option
@json_option
def feedback(course: Path, *, folder: Path | None, first_look: bool, as_json: bool) -> int:
    """Give students of COURSE their pages: behind its door, or in a folder to be published.

    The folder also gets the league's site under pseudonyms. Nothing else of the course is given.
    """
    read, lock, results, _ = read_graded(course, first_look=first_look)
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
