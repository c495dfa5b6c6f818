"""`arena check`: try a bot step by step, and say what is wrong and how to mend it."""

import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from arena.author.check.context import CheckRequest
from arena.author.check.findings import CheckReport
from arena.author.check.run import check
from arena.bots.manifest import SAMPLE, bot_sources, load_bot
from arena.bots.runtimes import IMAGES
from arena.bots.sandboxes.registry import AUTO, image_sandboxes
from arena.bots.sandboxes.shown_paths import check_shown
from arena.bots.workshop import open_workshop, sandbox_for
from arena.cli.author.output.check_files import kept, repeated
from arena.cli.author.output.check_report import lines_of
from arena.cli.exit_codes import FINDINGS, INTERRUPTED, OK
from arena.cli.options import PathType, json_option, packages_option, sandbox_option, trust_option
from arena.cli.output import harmless, print_json, say, wrapped
from arena.cli.own_bots import with_own_bots
from arena.cli.progress_bar import PLAIN_EVERY
from arena.game.rules.books import variant
from arena.io.errors import ArenaError
from arena.league.table.transcript import told_game


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
    rules = variant(name, {}, calza=True)
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
                hint += f" | all of its output: {kept(f'{report.bot}.build.txt', report.build)}"
            raise ArenaError(refused.what, refused.where, hint)


def _print(report: CheckReport, source: Path, *, show_stderr: bool) -> None:
    for line in lines_of(report):
        click.echo(wrapped(harmless(line)))
    for line in repeated(report, source):
        click.echo(harmless(line))  # to be copied
    if show_stderr:
        for name, text in (("build", report.build), ("stderr", report.stderr)):
            for line in text.splitlines():
                click.echo(harmless(f"  {name}: {line}"))
