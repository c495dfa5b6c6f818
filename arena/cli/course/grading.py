"""`arena course check`, `grade`, `verify`: what was handed in, its marks, and their proof."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from arena.cli.course.argument import course_argument, duration, in_words, week_option
from arena.cli.exit_codes import FINDINGS, INTERRUPTED, OK
from arena.cli.options import json_option, sandbox_option, trust_option, workers_option
from arena.cli.output import harmless, print_columns, print_json, say
from arena.cli.progress_bar import Tally, TerminalListener, progress_bar
from arena.course.check import Checkup, Problem, Surveyed, check_course, precision_within
from arena.course.config import Options, load_course
from arena.course.estimate import GamesLeft
from arena.course.grade import Graded, GradingListener, grade
from arena.course.marks import Result
from arena.course.verify import verify_course
from arena.game.records import FixtureResult
from arena.io.cores import core_count
from arena.io.errors import ArenaError
from arena.league.play.dispatcher import OnResult


@click.command()
@course_argument
@week_option
@workers_option
@sandbox_option
@trust_option
@json_option
def check(
    course: Path,
    *,
    week: str,
    workers: int | None,
    sandbox: str | None,
    trust_bots: bool,
    as_json: bool,
) -> int:
    """Say in seconds whose hand-ins COURSE has, what is late, and how long grading takes.

    No hand-in is run. Exit code 1 if marks would be lost: `arena course grade` stops there.
    """
    read = load_course(course, week)
    checkup = check_course(read, Options(sandbox, workers or core_count(), trust_bots))
    if as_json:
        print_json(checkup)
    else:
        _print_checkup(checkup)
    return FINDINGS if checkup.survey.problems else OK


def _print_checkup(checkup: Checkup) -> None:
    survey = checkup.survey
    if survey.platform:
        click.echo(harmless(survey.platform))
    of_many = [problem for problem in survey.problems if len(problem.students) > 1]
    _say_problems(of_many)
    head = ["student", "hand-in", "by", "received", "source", "late by", "bot", ""]
    print_columns(head, [_hand_in_row(one) for one in survey.students])
    first = survey.students[0]
    grace = f", and {first.grace / 60:g} min of grace" if first.grace else ""
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
    _say_problems([problem for problem in survey.problems if problem not in of_many])


def _say_problems(problems: Sequence[Problem]) -> None:
    for problem in problems:
        say(f"{problem.what}: {problem.hint}")


def _hand_in_row(one: Surveyed) -> list[str]:
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


@click.command("grade")
@course_argument
@week_option
@workers_option
@sandbox_option
@trust_option
@click.option(
    "--accept-changes", is_flag=True, help="Go on though what decides games or points changed."
)
@click.option(
    "--ignore-unknown",
    is_flag=True,
    help="Go on though hand-ins or lines of the list of times belong to nobody.",
)
@click.option(
    "--precision",
    type=click.FloatRange(0.01, 100_000),
    metavar="POINTS",
    help="A first look: half of a mark's interval, instead of that in course.yaml.",
)
@click.option(
    "--within",
    "seconds",
    callback=duration,
    metavar="TIME",
    help="A first look that is as precise as this time allows, as in 10m or 90s.",
)
@json_option
def grade_(
    course: Path,
    *,
    week: str,
    precision: float | None,
    seconds: float | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Check and play what was handed in to COURSE, and write marks.csv and the pages.

    Ctrl-C stops it after what is being played; called again it goes on. Called when all is graded,
    it takes in what changed, and prints every mark that moved, and why.
    """
    if precision is not None and seconds is not None:
        raise ArenaError("two answers to one question", "--precision, --within", "give one of them")
    read = load_course(course, week)
    options = Options(
        sandbox=given["sandbox"],
        workers=given["workers"] or core_count(),
        trusted=given["trust_bots"],
        accept_changes=given["accept_changes"],
        ignore_unknown=given["ignore_unknown"],
        precision=precision,
    )
    if seconds is not None:
        planned = precision_within(read, options, seconds)
        say(f"about {in_words(planned.seconds)} for marks to ±{planned.precision:g} points")
        if planned.precision > read.file.precision:
            options = replace(options, precision=planned.precision)
    try:
        graded = grade(read, options, _Listener())
    except KeyboardInterrupt:  # where nothing is played, it stops at once
        graded = None
    if graded is None:
        say(f"stopped; to go on: arena course grade {read.called}")
        return INTERRUPTED
    if as_json:
        known = {"moved": graded.moved, "results": graded.results}
        print_json({**known, "first_look": bool(graded.first_look)})
    else:
        _print_graded(graded)
    if graded.first_look:
        say(f"for the mark: arena course grade {read.called}")
    _say_files(graded)
    return OK


def _say_files(graded: Graded) -> None:
    say(f"marks: {graded.marks}; class: {graded.page}")
    if graded.final:
        say(f"final marks so far: {graded.final}")


class _Tally(Tally):
    """All games of a grading: what is left of them is about as many as it says."""

    def __init__(self, left: GamesLeft) -> None:
        super().__init__(0)
        self._left = left

    @property
    def share(self) -> float:
        return self.games / max(1, self.games + self._left.games)

    def add(self, result: FixtureResult | None) -> None:
        super().add(result)
        self._left.add(result)

    def line(self) -> str:
        speed, left = self.games / max(self.seconds, 1e-9), self._left.games
        students = f"{self._left.bots - self._left.students} of {self._left.bots} hand-ins"
        time = f"about {in_words(left / speed)} left" if self.games and left else "starting"
        played = f"{self.games:,} games, {speed:.0f} games/s"
        return f"{students} played the baselines; {played}{f'; {time}' if left else ''}"


class _Listener(TerminalListener, GradingListener):
    def grading(self, left: GamesLeft) -> AbstractContextManager[OnResult]:
        """Show how far all games are."""
        return progress_bar(_Tally(left))

    def stopping(self) -> None:
        """Say that the run ends soon."""
        say("stopping after the tables being played; Ctrl-C again stops at once")


def _print_graded(graded: Graded) -> None:
    if graded.first_look:
        click.echo(f"this is {graded.first_look}")
    rows = [_mark_row(result) for result in graded.results]
    print_columns(["student", "mark", "95 %", "deduction", "by hand", "final", "grade", ""], rows)
    for moved in graded.moved:
        before, now = (
            "none" if mark is None else f"{mark:.2f}" for mark in (moved.before, moved.now)
        )
        click.echo(harmless(f"moved: {moved.student} from {before} to {now}: {moved.why}"))


def _mark_row(result: Result) -> list[str]:
    mark = result.mark
    if mark is None:
        return [result.student.id, *[""] * 6, result.note]
    total = mark.total
    return [
        result.student.id,
        f"{total.points:.1f}",
        f"{total.low:.1f} to {total.high:.1f}",
        f"{mark.deduction:g}" if mark.deduction else "",
        f"{mark.by_hand:+g}" if mark.added else "",
        f"{mark.final:.1f}",
        mark.grade.name if mark.grade else "",
        result.note if mark.precise else "; ".join(filter(None, ["budget spent", result.note])),
    ]


@click.command()
@course_argument
@week_option
@workers_option
@json_option
def verify(course: Path, *, week: str, workers: int | None, as_json: bool) -> int:
    """Replay the games of COURSE and derive marks.csv from them; exit code 1 if it differs."""
    verified = verify_course(load_course(course, week), workers or core_count(), say)
    if as_json:
        print_json(verified)
    else:
        for finding in verified.findings:
            click.echo(harmless(f"{finding.where}: {finding.what}"))
        verdict = "NOT verified" if verified.findings else "all replay, and lead to marks.csv"
        field = f"{verified.field_games:,} in the field"
        click.echo(f"{verified.games:,} games against baselines, {field}: {verdict}")
    return FINDINGS if verified.findings else OK
