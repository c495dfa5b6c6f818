"""`arena course try`, `forget`: for a student before the deadline, and after the course."""

from pathlib import Path
from shlex import quote

import click

from arena.bots.sandboxes.registry import AUTO
from arena.cli.author.check import CheckProgress, lines_of
from arena.cli.course.argument import course_argument, week_option
from arena.cli.exit_codes import FINDINGS, INTERRUPTED, OK
from arena.cli.isolation import own_bots_option
from arena.cli.options import (
    PathType,
    json_option,
    sandbox_option,
    workers_option,
)
from arena.cli.output import harmless, print_columns, print_json, say
from arena.cli.progress_bar import TerminalListener
from arena.course.config import load_weeks
from arena.course.forget import forget as forget_student
from arena.course.forget import what_is_kept
from arena.course.points import Share
from arena.course.trial import Trial, TrialRequest, try_bot
from arena.io.cores import core_count


@click.command("try")
@click.argument("bot", type=PathType())
@click.option(
    "--course",
    type=PathType(),
    help="The course.yaml of the teacher, or the part of it that was given out: `marks`,"
    " `reference`, `variant`, `limits`.  [default: the worked example]",
)
@week_option
@click.option(
    "--games",
    type=click.IntRange(min=1, max=100_000),
    default=160,
    show_default=True,
    help="Against each baseline, in blocks of 80.",
)
@workers_option
@sandbox_option
@own_bots_option
@json_option
def try_(
    bot: Path,
    *,
    course: Path | None,
    week: str,
    games: int,
    workers: int | None,
    sandbox: str | None,
    trust_bots: bool,
    as_json: bool,
) -> int:
    """Check BOT as a course does, and say about how many points it would get.

    Exit code 1 if its check finds a fault.
    """
    request = TrialRequest(
        bot, course, week, games, sandbox or AUTO, workers or core_count(), trusted=trust_bots
    )
    with CheckProgress() as progress:
        trial = try_bot(request, progress, TerminalListener())
    if trial is None:
        return INTERRUPTED
    if as_json:
        print_json(trial)
    else:
        _print(trial)
    return OK if trial.report.ok else FINDINGS


def _print(trial: Trial) -> None:
    if not trial.report.ok:
        for line in lines_of(trial.report):
            click.echo(harmless(line))
    click.echo(f"check: {trial.steps} of {trial.of} steps")
    rows = []
    for name, share in trial.shares.items():
        won = share.part.share
        points = f"{share.part.points:.1f} of {share.part.of:g}"
        rows.append([name, *(_share(won) if won else ("", "")), _share(share.reference)[0], points])
    if rows:
        print_columns(["against", "won", "95 %", "reference", "points"], rows)
    total = trial.total
    interval = f"{total.low:.0f} to {total.high:.0f} at 95 %"
    click.echo(f"about {total.points:.0f} of {trial.most:g} points: {interval}")
    if trial.field:
        click.echo(f"and up to {trial.field:g} for games against all others")


def _share(share: Share) -> tuple[str, str]:
    return f"{100 * share.share:.1f} %", f"{100 * share.low:.1f} to {100 * share.high:.1f} %"


@click.command()
@course_argument
@click.argument("student", metavar="ID")
@click.option("--yes", is_flag=True, help="Do it: without, it says what would be removed.")
@json_option
def forget(course: Path, student: str, *, yes: bool, as_json: bool) -> int:
    """Remove what COURSE keeps about the student ID: hand-ins, mark, page, line of the roster.

    The games stay: the marks of others follow from them. They name nobody.
    """
    weeks = load_weeks(course)
    forgotten = forget_student(weeks, student) if yes else what_is_kept(weeks, student)
    if as_json:
        print_json(forgotten)
        return OK
    for what in forgotten.removed:
        click.echo(harmless(f"{'removed' if yes else 'would be removed'}: {what}"))
    for what in forgotten.left:
        say(f"left: {what}")
    folder = quote(str(course))
    if yes:
        say(f"verify what is left: arena course verify {folder}")
    else:
        say(f"this cannot be undone: arena course forget {folder} {quote(student)} --yes")
    return OK
