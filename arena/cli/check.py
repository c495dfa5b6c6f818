"""`arena check`: try a bot step by step, and say what is wrong and how to mend it."""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from arena.check.bench import CheckRequest
from arena.check.findings import Finding, Report, StepResult
from arena.check.run import check
from arena.cli.main import FINDINGS, INTERRUPTED, OK
from arena.cli.options import PathType, json_option, sandbox_option, trust_option
from arena.cli.output import harmless, print_json, say
from arena.errors import ArenaError
from arena.match.transcript import told_game
from arena.perudo.rules import variant
from arena.sandboxes.base import MIB, Quota
from arena.sandboxes.registry import AUTO, make_sandbox
from arena.sandboxes.run_folder import run_folder
from arena.submissions.bot import check_trust, runtimes_of
from arena.submissions.manifest import SAMPLE, bot_sources, load_bot
from arena.submissions.staging import stage

_FINDINGS = 3
"""Faults that are shown of a bot; --json prints all."""
_STDERR_LINES, _LINE = 8, 160
"""Lines shown of the end of a bot's standard error, and characters of each line from a bot."""
_PLAIN_EVERY = 5.0
"""Seconds between lines of progress that do not go to a terminal."""


@click.command()
@click.argument("bots", metavar="BOT...", nargs=-1, required=True, type=PathType())
@sandbox_option
@trust_option
@click.option("--all", "every_fault", is_flag=True, help="Go on after the first fault.")
@click.option("--step", type=int, metavar="N", help="Try only step N, and what it needs.")
@click.option("--stderr", "show_stderr", is_flag=True, help="Print all that the bot wrote there.")
@click.option(
    "--transcript",
    "variant_name",
    metavar="VARIANT",
    help="Instead, have the BOTs play one game and print the conversation and the faults.",
)
@json_option
def command(
    bots: tuple[Path, ...],
    sandbox: str | None,
    variant_name: str | None,
    *,
    trust_bots: bool,
    every_fault: bool,
    step: int | None,
    show_stderr: bool,
    as_json: bool,
) -> int:
    """Try each BOT (a folder with a bot.yaml, an archive, sample:NAME) step by step.

    Stops at the first fault and shows what was sent, what came back and how to mend it; the exit
    code is 1 then. Ctrl-C keeps what was found.
    """
    sources = [source for bot in bots for source in _sources(bot)]
    if variant_name:
        return _transcript(sources, sandbox or AUTO, variant_name, trusted=trust_bots)
    reports: list[Report] = []
    for source in sources:
        request = CheckRequest(
            source, sandbox or AUTO, trust_bots, every_fault=every_fault, step=step
        )
        with _Progress() as progress:
            reports.append(check(request, progress))
        if not as_json:
            _print(reports[-1], show_stderr=show_stderr)
        if reports[-1].interrupted:
            break
    if as_json:
        print_json(reports)
    if reports[-1].interrupted:
        return INTERRUPTED
    return OK if all(report.ok for report in reports) else FINDINGS


def _sources(bot: Path) -> list[Path]:
    return bot_sources(str(bot), Path.cwd(), "BOT") if str(bot).startswith(SAMPLE) else [bot]


def _transcript(sources: Sequence[Path], sandbox: str, name: str, *, trusted: bool) -> int:
    bots = [load_bot(source) for source in sources]
    chosen = make_sandbox(sandbox, runtimes_of(bots))
    check_trust(chosen, bots, trusted=trusted)
    rules = variant(name, {}, calza=True)
    with run_folder() as runs:
        staged = [stage(bot, runs, chosen) for bot in bots]
        lines, faults = told_game(staged if len(staged) > 1 else staged * 2, rules, chosen)
    for line in [*lines, *faults]:
        click.echo(harmless(line))
    return FINDINGS if faults else OK


class _Progress:
    """Shows on standard error what is being tried: one line at a terminal, seldom elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._step = ""
        self._next = time.monotonic() + _PLAIN_EVERY

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            click.echo("\r\x1b[K", err=True, nl=False)

    def trying(self, number: int, steps: int, name: str) -> None:
        """Show the beginning of a step."""
        self._step = f"step {number} of {steps}: {name}"
        self._show(self._step)

    def note(self, text: str) -> None:
        """Show how far the step is."""
        self._show(f"{self._step}: {text}")

    def _show(self, text: str) -> None:
        if self._live:
            click.echo(f"\r{harmless(text)}\x1b[K", err=True, nl=False)
        elif time.monotonic() >= self._next:
            say(text)
            self._next = time.monotonic() + _PLAIN_EVERY


def _print(report: Report, *, show_stderr: bool) -> None:
    """Print a report within one screen, or raise ArenaError for a bot that cannot be started."""
    if refused := report.refused:
        raise ArenaError(refused.what, refused.where, refused.hint)
    findings = [(step, finding) for step in report.steps for finding in step.findings]
    if findings or report.interrupted:
        _print_faults(report, findings)
    else:
        _print_steps(report)
    for line in report.stderr.splitlines() if show_stderr else ():
        _echo(f"  stderr: {line}")


def _print_steps(report: Report) -> None:
    _echo(f"{report.bot}: ok ({report.sandbox})")
    for step in report.steps:
        _echo(f"  {step.number:2} {step.name:14} {step.note or step.about}")
    if taken := report.measured:
        start = "" if taken.start is None else f"start {taken.start:.2g} s; "
        _echo(f"  {start}{_decisions(report)}{_memory(taken.memory)}")
    for sentence in report.advice:
        _echo(f"  faster: {sentence}")
    for what, text in (("the build", report.build), ("standard error", report.stderr)):
        if text:
            lines = len(text.splitlines())
            _echo(f"  {lines} lines in {what} (--json prints them)")


def _decisions(report: Report) -> str:
    taken = report.measured
    if taken is None or taken.median is None or taken.p99 is None or taken.longest is None:
        return "no decisions"
    clock = "CPU" if taken.clock == "cpu" else "wall"
    times = ", ".join(
        f"{name} {1000 * seconds:.2g} ms"
        for name, seconds in (
            ("median", taken.median),
            ("p99", taken.p99),
            ("max", taken.longest),
        )
    )
    return f"{clock} time of {taken.decisions:,} decisions: {times}"


def _memory(peak: int | None) -> str:
    return "" if peak is None else f"; memory {peak // MIB} of {Quota().memory // MIB} MiB"


def _print_faults(report: Report, findings: Sequence[tuple[StepResult, Finding]]) -> None:
    state = "interrupted; " if report.interrupted else ""
    _echo(f"{report.bot}: {state}{len(findings) or 'no'} kinds of faults ({report.sandbox})")
    for step, finding in findings[:_FINDINGS]:
        times = f", {finding.count} times" if finding.count > 1 else ""
        _echo(f"  step {step.number}, {step.name} ({step.about}){times}")
        _echo(f"    {finding.what}")
        _print_evidence(finding)
    if more := len(findings) - _FINDINGS:
        _echo(f"  and {more} more (--json prints them)") if more > 0 else None
    passed = sum(step.ok for step in report.steps)
    _echo(f"  {passed} steps are ok, {report.left} were not tried (--all goes on)")


def _print_evidence(finding: Finding) -> None:
    if finding.where:
        _echo(f"    where: {finding.where}")
    *before, last = finding.sent or ("",)
    if last:
        types = "".join(f"{_type(line)}, then " for line in before)
        _echo(f"    sent: {types[-_LINE:]}{_short(last)}")
        _echo(f"    came: {_short(finding.came) or 'nothing'}")
    if finding.hint:
        _echo(f"    mend: {finding.hint}")
    for line in finding.stderr.splitlines()[-_STDERR_LINES:]:
        _echo(f"    stderr: {_short(line)}")


def _type(line: str) -> str:
    try:
        return str(json.loads(line)["type"])
    except (ValueError, KeyError, TypeError):
        return _short(line)


def _short(line: str) -> str:
    return line if len(line) <= _LINE else f"{line[: _LINE // 2]} ... {line[-_LINE // 2 :]}"


def _echo(text: str) -> None:
    click.echo(harmless(text))
