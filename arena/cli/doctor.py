"""`arena doctor`: try what each sandbox guarantees on this machine."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from arena.bots.sandboxes.doctor import GUARANTEES, SandboxReport, examine
from arena.bots.sandboxes.registry import AUTO, SANDBOXES, make_sandbox
from arena.cli.options import json_option
from arena.cli.output import harmless, print_columns, print_json, say
from arena.io.files import program_folder, program_folder_note

_ENTRY = b"arena.cli.quick"
"""What every script of the arena imports."""
_MOST = 4096
"""Bytes of a script that are looked at."""
_CELLS = {True: "yes", False: "NO", None: "?"}


@click.command()
@json_option
def command(*, as_json: bool) -> int:
    """Run probes in every sandbox and print what each guarantees on this machine.

    The exit code is 0 if the sandbox that `auto` takes is safe for untrusted bots, otherwise 1.
    """
    reports = []
    for number, (name, make) in enumerate(SANDBOXES.items(), 1):
        say(f"trying {name} ({number} of {len(SANDBOXES)}) ...")
        reports.append(examine(name, make))
    return show(reports, make_sandbox(AUTO).name, as_json=as_json)


def show(reports: Sequence[SandboxReport], auto: str, *, as_json: bool) -> int:
    """Print the reports and what `auto` takes; return the exit code."""
    safe = any(report.safe_for_untrusted_bots for report in reports if report.sandbox == auto)
    note = program_note()
    if as_json:
        folder = {"path": str(program_folder()), "note": program_folder_note()}
        found = {"auto": auto, "safe_for_untrusted_bots": safe, "sandboxes": reports}
        print_json({**found, "program_folder": folder, "program_note": note})
        return 0 if safe else 1
    columns = [{each.guarantee: _CELLS[each.holds] for each in r.findings} for r in reports]
    rows = [[text, *(cells.get(key, "-") for cells in columns)] for key, text in GUARANTEES.items()]
    print_columns(["", *(report.sandbox for report in reports)], rows)
    verdict = "safe" if safe else "NOT safe"
    click.echo(f"\nauto takes {auto}, which is {verdict} for untrusted bots")
    for line in filter(None, (program_folder_note(), note)):
        click.echo(harmless(line))
    for report in reports:
        for each in report.findings:
            if each.guarantee == "numpy" and each.holds:
                click.echo(harmless(f"{report.sandbox}: bots import {each.observed}"))
        for line in _problems(report, auto):
            click.echo(harmless(line))
    return 0 if safe else 1


def program_note() -> str:
    """Say that `arena` on the PATH is not this arena; "" if it is, or if there is none.

    Two other packages of the index have a script of this name, and pip writes over it silently.
    """
    if not (found := shutil.which("arena")):
        return ""
    try:
        with Path(found).open("rb") as file:
            script = file.read(_MOST)
    except OSError:
        script = b""
    if _ENTRY not in script:
        return f"{found} is another program: call this one perudo-arena"
    if os.fsencode(Path(sys.executable).parent) not in script:
        return f"{found} is an arena that was installed elsewhere, not the one in {sys.prefix}"
    return ""


def _problems(report: SandboxReport, auto: str) -> list[str]:
    """Return why a sandbox does not work, or what it lacks if `auto` takes it."""
    if report.unavailable_reason:
        return [f"{report.sandbox} does not work here: {report.unavailable_reason}"]
    if report.sandbox != auto:
        return []
    return [
        f"{report.sandbox}, {GUARANTEES[each.guarantee]}:"
        f" {'no' if each.holds is False else 'unknown'} ({each.observed}); {each.hint}"
        for each in report.findings
        if not each.holds
    ]
