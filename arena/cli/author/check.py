"""`arena check`: try a bot step by step, and say what is wrong and how to mend it."""

import json
import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from stat import S_ISDIR
from tempfile import mkdtemp
from typing import Any

import click
from msgspec.structs import replace

from arena.author.check.bench import CheckRequest
from arena.author.check.findings import CheckReport, Finding, StepResult
from arena.author.check.run import check
from arena.bots.manifest import SAMPLE, bot_sources, load_bot
from arena.bots.runtimes import IMAGES
from arena.bots.sandboxes.base import MIB, Quota
from arena.bots.sandboxes.registry import AUTO, check_shown, image_sandboxes
from arena.bots.workshop import open_workshop, sandbox_for
from arena.cli.author.marked import is_mark, of_compiler, of_stderr, short
from arena.cli.author.person import digest
from arena.cli.exit_codes import FINDINGS, INTERRUPTED, OK
from arena.cli.failure import WIDTH, ReportedError, in_colour
from arena.cli.isolation import with_own_bots
from arena.cli.options import PathType, json_option, packages_option, sandbox_option, trust_option
from arena.cli.output import harmless, print_json, say, wrapped, wrapped_at
from arena.cli.progress_bar import PLAIN_EVERY
from arena.io.container import left_files
from arena.io.errors import ArenaError
from arena.io.files import write_file
from arena.league.table.transcript import told_game
from arena.league.terms.house import rules_named

_FINDINGS = 2
"""Faults that are shown of a bot; --json prints all."""
_STDERR, _BUILD = "stderr: ", "  build: "
"""What comes before each line that a bot, and its build, wrote."""
_STARTS = 5.0
"""Seconds for starts above which they are told."""
_WHAT = 400
"""Characters shown of a fault and of its cure."""


def repeated(report: CheckReport, source: Path) -> Iterator[str]:
    """Yield the lines that repeat the first fault, without the arena and in a debugger."""
    told = next((fault.told for step in report.steps for fault in step.findings if fault.told), ())
    if not told:
        return
    bot = load_bot(source)
    file = kept(f"{report.bot}.fault.jsonl", "\n".join(told))
    if source.is_dir():
        build = f"{shlex.join(bot.build)} && " if bot.build else ""
        command = f"{build}{shlex.join(bot.command)} < {shlex.quote(file)}"
        yield f"  without the arena: cd {shlex.quote(str(source))} && {command}"
    words = ["arena", "debug", file, "--as", str(source), "--sandbox", "process", "--trust-bots"]
    yield f"  in a debugger: {shlex.join(words)}"


def kept(name: str, text: str) -> str:
    """Write a text to a file that only this user can read; returns its path."""
    folder = left_files("check")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        folder = Path(mkdtemp(prefix="perudo-arena-check-"))  # somebody else has the name
    path = folder / name.replace("/", "_")
    write_file(path, (text + "\n").encode("utf-8", "backslashreplace"), 0o600)
    return str(path)


def lines_of(report: CheckReport) -> list[str]:
    """Return what a person sees of a report: its faults, or all steps if it has none."""
    findings = [(step, finding) for step in report.steps for finding in step.findings]
    if findings or report.interrupted:
        return list(_faults(report, findings))
    return list(_steps(report))


def _steps(report: CheckReport) -> Iterator[str]:
    yield f"{report.bot}: ok ({report.sandbox})"
    for step in report.steps:
        yield f"  {step.number:2} {step.name:14} {step.note or step.about}"
    if report.measured:
        yield f"  {_measured(report)}"
    yield from _slow_starts(report)
    for sentence in report.advice:
        yield f"  advice: {sentence}"
    for what, text in (("its build", report.build), ("standard error", report.stderr)):
        if text:
            yield f"  {len(text.splitlines())} lines of {what} (--stderr prints them)"


def _slow_starts(report: CheckReport) -> Iterator[str]:
    """Say that a check took long because of the bot's starts."""
    taken = report.measured
    if taken and taken.start and _STARTS < taken.starting > taken.seconds / 2:
        yield (
            f"  each start takes up to {taken.start:.1f} s; {taken.starts} starts:"
            f" {taken.starting:.0f} of {taken.seconds:.0f} s"
        )


def _measured(report: CheckReport) -> str:
    taken = report.measured
    if taken is None or None in (taken.median, taken.p99, taken.longest):
        return ""
    named = (("median", taken.median), ("p99", taken.p99), ("max", taken.longest))
    times = ", ".join(f"{name} {_milliseconds(seconds or 0)}" for name, seconds in named)
    limits = report.limits
    memory = f"; {taken.memory // MIB} of {Quota().memory // MIB} MiB" if taken.memory else ""
    start = f"start {taken.start:.2g} of {limits.start:g} s; " if taken.start else ""
    clock = "CPU time" if taken.clock == "cpu" else "time"
    return f"{start}{clock} of a decision: {times} of {_milliseconds(limits.answer)} ms{memory}"


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:{',.0f' if seconds >= 0.01 else '.2g'}}"


def _faults(report: CheckReport, findings: Sequence[tuple[StepResult, Finding]]) -> Iterator[str]:
    state = "interrupted, " if report.interrupted else ""
    kinds = "1 fault" if len(findings) == 1 else f"{len(findings) or 'no'} faults"
    yield f"{report.bot}: {state}{kinds} ({report.sandbox})"
    for step, finding in findings[:_FINDINGS]:
        times = f", {finding.count} times" if finding.count > 1 else ""
        yield f"  step {step.number}, {step.name}: {step.about}{times}"
        yield f"    {finding.what[:_WHAT]}"
        yield from (f"    {line}" for line in _evidence(finding))
    if len(findings) > _FINDINGS:
        yield f"  and {len(findings) - _FINDINGS} more kinds of faults (--json prints them)"
    passed = sum(step.ok for step in report.steps)
    on = " (--all goes on after a fault)" if report.left and not report.interrupted else ""
    yield f"  {passed} steps are ok, {report.left} were not tried{on}"
    yield from _slow_starts(report)


def _evidence(finding: Finding) -> Iterator[str]:
    if finding.where:
        yield f"where: {finding.where}"
    if finding.sent:
        *before, last = finding.sent
        types = list(dict.fromkeys(map(_type, before)))
        yield f"sent: {''.join(f'{kind}, ' for kind in types)}{digest(last) or short(last)}"
        yield f"came: {short(finding.came) or 'nothing'}"
    if finding.hint:
        yield f"mend: {finding.hint[:_WHAT]}"
    yield from (f"{_STDERR}{line}" for line in of_stderr(finding.stderr))


def _type(line: str) -> str:
    try:
        return str(json.loads(line)["type"])
    except (ValueError, KeyError, TypeError):
        return "a line"


def _shown(
    _context: click.Context, option: click.Parameter, paths: tuple[str, ...]
) -> tuple[str, ...]:
    """Return paths that bots may be shown."""
    for path in paths:
        check_shown(path, option.opts[0])
    return paths


@click.command()
@click.argument("bots", metavar="BOT...", nargs=-1, required=True, type=PathType())
@sandbox_option
@trust_option
@packages_option
@click.option("--all", "every_fault", is_flag=True, help="Go on after the first fault.")
@click.option("--step", type=int, metavar="N", help="Try only step N, and what it needs.")
@click.option(
    "--stderr",
    "show_stderr",
    is_flag=True,
    help="Print the end of what the bot and its build wrote, 64 KiB of each.",
)
@click.option(
    "--transcript",
    "variant_name",
    metavar="VARIANT",
    help="Instead, have the BOTs play one game and print the conversation and the faults.",
)
@click.option("--image", help="Check it in a container of this image (the docker sandbox).")
@click.option(
    "--sandbox-path",
    "paths",
    metavar="PATH",
    multiple=True,
    callback=_shown,
    help="Show it a folder or file of this machine, as `sandbox_paths` in league.yaml does.",
)
@json_option
def command(
    bots: tuple[Path, ...],
    sandbox: str | None,
    variant_name: str | None,
    *,
    trust_bots: bool,
    image: str | None,
    paths: tuple[str, ...],
    show_stderr: bool,
    as_json: bool,
    **steps: Any,
) -> int:
    """Try each BOT (a folder with a bot.yaml, an archive, sample:NAME) step by step.

    Stops at the first fault and shows what was sent, what came back and how to mend it; the exit
    code is 1 then. Ctrl-C keeps what was found.
    """
    if image:
        sandbox, steps["images"] = _with_image(sandbox), dict.fromkeys(IMAGES, image)
    sources = [source for bot in bots for source in _sources(bot)]
    if variant_name:
        options = {"packages": steps["packages"], "paths": paths}
        play = partial(_transcript, sources, sandbox or AUTO, variant_name, **options)
        return with_own_bots(play, trusted=trust_bots)
    reports: list[CheckReport] = []
    for source in sources:
        request = CheckRequest(source, sandbox or AUTO, looks_outside=True, paths=paths, **steps)
        reports.append(with_own_bots(partial(_check, request), trusted=trust_bots))
        if not as_json:
            _refuse(reports)
            _print(reports[-1], source, show_stderr=show_stderr)
        if reports[-1].interrupted:
            break
    if as_json:
        print_json(reports)
        _refuse(reports)
    if reports[-1].interrupted:
        return INTERRUPTED
    return OK if all(report.ok for report in reports) else FINDINGS


def _with_image(sandbox: str | None) -> str:
    """Return the sandbox that uses images; raises ArenaError if another one is asked for."""
    names = image_sandboxes()
    if sandbox not in {None, *names}:
        hint = "leave out --image or --sandbox"
        raise ArenaError(f"the sandbox '{sandbox}' uses no images", "--image", hint)
    return sandbox or names[0]


def _sources(bot: Path) -> list[Path]:
    return bot_sources(str(bot), Path.cwd(), "BOT") if str(bot).startswith(SAMPLE) else [bot]


def _check(request: CheckRequest, trusted: bool) -> CheckReport:
    with CheckProgress() as progress:
        return check(replace(request, trusted=trusted), progress)


def _transcript(
    sources: Sequence[Path],
    sandbox: str,
    name: str,
    trusted: bool,
    *,
    packages: bool,
    paths: Sequence[str],
) -> int:
    rules = rules_named(name, calza=True)
    bots = [load_bot(source) for source in sources]
    chosen = sandbox_for(bots, sandbox, trusted=trusted, paths=paths)
    with open_workshop(chosen, packages=packages) as workshop:
        staged = [workshop.stage(bot) for bot in bots]
        lines, faults = told_game(staged if len(staged) > 1 else staged * 2, rules, chosen)
    for line in [*lines, *faults]:
        click.echo(harmless(line))
    return FINDINGS if faults else OK


class CheckProgress:
    """Shows on standard error what is being tried: one line at a terminal, seldom elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._step = ""
        self._next = time.monotonic() + PLAIN_EVERY

    def __enter__(self) -> "CheckProgress":
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

    def warn(self, text: str) -> None:
        """Print a line that stays."""
        if self._live:
            click.echo("\r\x1b[K", err=True, nl=False)
        say(text)

    def _show(self, text: str) -> None:
        if self._live:
            click.echo(f"\r{harmless(text)}\x1b[K", err=True, nl=False)
        elif time.monotonic() >= self._next:
            say(text)
            self._next = time.monotonic() + PLAIN_EVERY


def _refuse(reports: Sequence[CheckReport]) -> None:
    """Raise ArenaError for the first bot that cannot be started."""
    for report in reports:
        if refused := report.refused:
            hint = refused.hint
            if report.build:
                for line in of_compiler(report.build):
                    _echo(f"{_BUILD}{line}", err=True)
                hint += f" | all of its output: {kept(f'{report.bot}.build.txt', report.build)}"
            raise ReportedError(refused.what, refused.where, hint)


def _print(report: CheckReport, source: Path, *, show_stderr: bool) -> None:
    for line in lines_of(report):
        _echo(line)
    for line in repeated(report, source):
        click.echo(harmless(line))  # to be copied
    if show_stderr:
        for name, text in (("build", report.build), ("stderr", report.stderr)):
            for line in text.splitlines():
                click.echo(harmless(f"  {name}: {line}"))


def _echo(line: str, *, err: bool = False) -> None:
    """Print a line, broken between words; in colour, the mark below a source and what mends it."""
    text = harmless(line)
    if not err:
        text = wrapped(text)
    elif sys.stderr.isatty():
        text = wrapped_at(text, WIDTH)
    _, _, said = line.partition(_BUILD if err else _STDERR)
    colour = "red" if is_mark(said) else "green" if line.startswith("    mend: ") else None
    click.echo(click.style(text, fg=colour) if colour else text, err=err, color=in_colour(err=err))
