"""How a bot's program ended, and whether that can be held against the bot."""

import signal
from typing import NamedTuple

from arena.bots.sandboxes.base import Running, Sandbox
from arena.io.errors import ArenaError
from arena.io.shortage import ShortageError, short_of_processes, shortage_in, shortage_of
from arena.io.uptime import wait_readable

_NOT_EXECUTED = {125, 126, 127}
"""Exit codes of the shells and programs that start bots, if they cannot; bots may use them, too."""
_LINGER = 1.0
"""Seconds within which a program that closed its output should have ended."""


class Ending(NamedTuple):
    """The end of a program."""

    how: str
    """In words, for a fault."""
    not_run: bool = False
    """Whether the sandbox ended before it had started the program."""
    lacked_processes: bool = False
    """Whether its machine refused it a process that it might have had."""
    not_executed: bool = False
    """Whether it ended as a shell does that could not execute a program."""


def ending_of(running: Running) -> Ending:
    """Return how a program ended whose output is closed; its pipe may close shortly before."""
    if not wait_readable([running.exit_fd], _LINGER):
        return Ending("it closed its output")
    code = running.exit_code()
    lacked = running.lacked_processes()
    return Ending(_words(code), not running.ran(), lacked, code in _NOT_EXECUTED)


def _words(code: int) -> str:
    number = -code if code < 0 else code - 128
    if number in set(signal.Signals):
        return f"the program was killed by {signal.Signals(number).name}"
    if code < 0:
        return f"the program was killed by signal {number}"
    return f"the program ended with exit code {code}"


def check_not_refused(ending: Ending) -> None:
    """Raise ShortageError if a bot ended that the machine refused a process."""
    if ending.lacked_processes:
        raise short_of_processes("a bot was refused one, and may have more than it had")


def check_executed(ending: Ending, sandbox: Sandbox, last_line: str) -> None:
    """Raise ArenaError if a bot that said nothing was never executed, by no fault of its own.

    The sandbox is gone, or the machine lacked something (ShortageError). `last_line` is the last
    one on standard error: the sandbox's own, if the program was not started.
    """
    if ending.not_run and (shortage := shortage_in(last_line)):
        raise shortage
    if ending.not_run or ending.not_executed:
        _check_sandbox(sandbox)
    if ending.not_run:
        raise _could_not_start(sandbox, last_line or ending.how)


def not_started(sandbox: Sandbox, error: OSError) -> ShortageError:
    """Return why a sandbox could not start a bot; raises ArenaError if it works no more.

    No program of a bot was executed yet: what failed has other reasons.
    """
    if shortage := shortage_of(error):
        return shortage
    _check_sandbox(sandbox)
    return _could_not_start(sandbox, str(error))


def _could_not_start(sandbox: Sandbox, why: str) -> ShortageError:
    what = f"the sandbox '{sandbox.name}' could not start a bot: {why}"
    return ShortageError(what, hint="see what it lacks: arena doctor")


def _check_sandbox(sandbox: Sandbox) -> None:
    """Raise ArenaError if a sandbox does not work any more."""
    if reason := sandbox.unavailable_reason():
        what = f"the sandbox '{sandbox.name}' does not work any more: {reason.what}"
        raise ArenaError(what, hint=reason.hint)
