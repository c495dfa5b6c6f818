"""Debuggers for running bots, whose standard input and output belong to the arena."""

from pathlib import Path

from arena.bots.bot import Bot
from arena.bots.runtimes import RUNTIMES
from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.workshop import Workshop
from arena.game.records import LimitsInfo

_YEARS = 1e9
"""Seconds."""
UNLIMITED = LimitsInfo(start=_YEARS, answer=_YEARS, game=_YEARS, wall=1.0, fixture=_YEARS)
"""Limits that leave time for a debugger."""
_MODULE = """\
import os
import pdb
import sys

_debugger = None


def stop_here():
    global _debugger
    if _debugger is None:
        path = os.environ["ARENA_TERMINAL"]
        typed = open(os.open(path, os.O_RDONLY | os.O_NOCTTY))
        shown = open(os.open(path, os.O_WRONLY | os.O_NOCTTY), "w", buffering=1)
        _debugger = pdb.Pdb(stdin=typed, stdout=shown, nosigint=True)
    _debugger.set_trace(sys._getframe(1))
"""
"""Called by breakpoint() in a bot: Python's own debugger, on the terminal of the arena."""


def how_to_attach(runtime: str, pid: int) -> str:
    """Return the command that shows where a running bot is."""
    return RUNTIMES[runtime].debugger.format(pid=pid)


def reaches_terminal(sandbox: Sandbox) -> bool:
    """Return whether bots in a sandbox can open the terminal of the arena."""
    return not sandbox.isolates


def debuggable(workshop: Workshop, bot: Bot, terminal: str) -> Program:
    """Build a bot; raises ArenaError.

    With the path of a `terminal`, breakpoint() of a bot in Python opens a debugger there, if its
    sandbox lets it.
    """
    program = workshop.stage(bot).program
    if terminal and reaches_terminal(workshop.sandbox):
        return _with_breakpoints(program, terminal, workshop.folder)
    return program


def _with_breakpoints(program: Program, terminal: str, folder: Path) -> Program:
    """Return a program whose breakpoint(), if it is in Python, opens a debugger on a terminal.

    What that needs is written to the folder, which the program must be able to read.
    """
    module = folder / "debugger" / "arena_debugger.py"
    module.parent.mkdir()
    module.write_text(_MODULE, encoding="utf-8")
    variables = {
        "ARENA_TERMINAL": terminal,
        "PYTHONBREAKPOINT": "arena_debugger.stop_here",
        "PYTHONPATH": str(module.parent),
    }
    given = [f"{name}={value}" for name, value in variables.items()]
    return program._replace(command=["env", *given, *program.command])
