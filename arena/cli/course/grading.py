"""`arena course grade`, `verify`: play what was handed in, mark it, derive the marks again."""

from pathlib import Path
from shlex import quote

import click

from arena.cli.course.argument import course_argument
from arena.cli.exit_codes import FINDINGS, INTERRUPTED, OK
from arena.cli.options import json_option, sandbox_option, trust_option, workers_option
from arena.cli.output import harmless, print_json, print_table, say
from arena.cli.progress_bar import TerminalListener
from arena.course.config import load_course
from arena.course.grade import Graded, grade
from arena.course.intake.entries import Options
from arena.course.marks.result import Result
from arena.course.verify import verify_course
from arena.io.cores import core_count


@click.command("grade")
@course_argument
@workers_option
@sandbox_option
@trust_option
@click.option(
    "--accept-changes", is_flag=True, help="Go on though what decides games or points changed."
)
@json_option
def grade_(
    course: Path,
    *,
    workers: int | None,
    sandbox: str | None,
    trust_bots: bool,
    accept_changes: bool,
    as_json: bool,
) -> int:
    """Check and play what was handed in to COURSE, and write marks.csv and the pages.

    Ctrl-C stops it after what is being played; called again it goes on. Called when all is graded,
    it takes in what changed, and prints every mark that moved, and why.
    """
    read = load_course(course)
    options = Options(sandbox, workers or core_count(), trust_bots, accept_changes)
    try:
        graded = grade(read, options, _Listener())
    except KeyboardInterrupt:  # where nothing is played, it stops at once
        graded = None
    if graded is None:
        say(f"stopped; to go on: arena course grade {quote(str(course))}")
        return INTERRUPTED
    if as_json:
        print_json({"moved": graded.moved, "results": graded.results})
    else:
        _print(graded)
    say(f"marks: {graded.marks}; class: {graded.page}")
    return OK


class _Listener(TerminalListener):
    def stopping(self) -> None:
        """Say that the run ends soon."""
        say("stopping after the tables being played; Ctrl-C again stops at once")


def _print(graded: Graded) -> None:
    rows = [_row(result) for result in graded.results]
    print_table(["student", "mark", "95 %", "deduction", "final", ""], rows)
    for moved in graded.moved:
        before, now = (
            "none" if mark is None else f"{mark:.2f}" for mark in (moved.before, moved.now)
        )
        click.echo(harmless(f"moved: {moved.student} from {before} to {now}: {moved.why}"))


def _row(result: Result) -> list[str]:
    mark = result.mark
    if mark is None:
        return [result.student.id, "", "", "", "", result.note]
    total = mark.total
    return [
        result.student.id,
        f"{total.points:.1f}",
        f"{total.low:.1f} to {total.high:.1f}",
        f"{mark.deduction:g}" if mark.deduction else "",
        f"{mark.final:.1f}",
        result.note if mark.precise else "; ".join(filter(None, ["budget spent", result.note])),
    ]


@click.command()
@course_argument
@workers_option
@json_option
def verify(course: Path, *, workers: int | None, as_json: bool) -> int:
    """Replay the games of COURSE and derive marks.csv from them; exit code 1 if it differs."""
    verified = verify_course(load_course(course), workers or core_count(), say)
    if as_json:
        print_json(verified)
    else:
        for finding in verified.findings:
            click.echo(harmless(f"{finding.where}: {finding.what}"))
        verdict = "NOT verified" if verified.findings else "all replay, and lead to marks.csv"
        field = f"{verified.field_games:,} in the field"
        click.echo(f"{verified.games:,} games against baselines, {field}: {verdict}")
    return FINDINGS if verified.findings else OK
