"""`arena course check`: what was handed in, what is late, what would be lost, how long it takes."""

from collections.abc import Sequence
from pathlib import Path

import click

from arena.cli.course.argument import course_argument, in_words
from arena.cli.exit_codes import FINDINGS, OK
from arena.cli.options import json_option, sandbox_option, trust_option, workers_option
from arena.cli.output import harmless, print_json, print_table, say
from arena.course.check import Checkup, check_course
from arena.course.config import load_course
from arena.course.intake.entries import Options
from arena.course.intake.survey import Problem, Surveyed
from arena.io.cores import core_count


@click.command()
@course_argument
@workers_option
@sandbox_option
@trust_option
@json_option
def check(
    course: Path, *, workers: int | None, sandbox: str | None, trust_bots: bool, as_json: bool
) -> int:
    """Say in seconds whose hand-ins COURSE has, what is late, and how long grading takes.

    No hand-in is run. Exit code 1 if marks would be lost: `arena course grade` stops there.
    """
    read = load_course(course)
    checkup = check_course(read, Options(sandbox, workers or core_count(), trust_bots))
    if as_json:
        print_json(checkup)
    else:
        _print(checkup)
    return FINDINGS if checkup.survey.problems else OK


def _print(checkup: Checkup) -> None:
    survey = checkup.survey
    if survey.platform:
        click.echo(harmless(survey.platform))
    of_many = [problem for problem in survey.problems if len(problem.students) > 1]
    _say(of_many)
    head = ["student", "hand-in", "by", "received", "source", "late by", "bot", ""]
    print_table(head, [_row(one) for one in survey.students])
    first = survey.students[0]
    grace = f", and {first.grace:g} min of grace" if first.grace else ""
    click.echo(harmless(f"times are those of {first.zone}{grace}"))
    for line in survey.lines():
        click.echo(harmless(line))
    click.echo(harmless(f"baselines: {', '.join(checkup.baselines) or 'none'}"))
    if checkup.effort:
        games, precision = checkup.effort.games, checkup.effort.precision
        click.echo(
            f"grading from the start takes about {in_words(checkup.effort.seconds)} here:"
            f" {games:,} games, marks to ±{precision:g} points"
        )
    if checkup.readable:
        say(checkup.readable)
    _say([problem for problem in survey.problems if problem not in of_many])


def _say(problems: Sequence[Problem]) -> None:
    for problem in problems:
        say(f"{problem.what}: {problem.hint}")


def _row(one: Surveyed) -> list[str]:
    extended = f"due {one.deadline[:16]}" if one.extension else ""
    extended += f" ({one.extension})" if one.extension.startswith("+") else ""
    late = one.late_by
    if one.days_late and not one.counts:
        late += ", too late"
    elif one.free_days:
        late += f", {one.free_days} d free"
    received = one.received[:19] or ("unknown" if one.file and not one.time_source else "")
    bot = one.bot or ("none" if one.unreadable else "")
    file = one.file or "nothing"
    return [one.student, file, one.sign, received, one.time_source, late, bot, extended]
