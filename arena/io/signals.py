"""Signals: handled for a while, and passed on by a first process."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def handled(handler: Callable[..., Any], *numbers: signal.Signals) -> Iterator[None]:
    """Call a handler at these signals as long as the block lasts; for the main thread alone.

    Those that are ignored stay so: `nohup` has SIGHUP ignored, and a shell without job control
    SIGINT for what it starts in the background (POSIX, Shell Command Language, 2.11).
    """
    taken = {*numbers}.difference(ignored(*numbers))
    before = {number: signal.signal(number, handler) for number in taken}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def sigint_blocked() -> Iterator[None]:
    """Put Ctrl-C off as long as the block lasts.

    A process or thread that is started inside begins with SIGINT blocked, so that it cannot print a
    traceback before it is set up.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignored(*numbers: signal.Signals) -> list[signal.Signals]:
    """Return the signals that are ignored."""
    return [number for number in numbers if signal.getsignal(number) is signal.SIG_IGN]


_PASSED_ON = {
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
}


def leave_first_process() -> None:
    """Go on in a child if this is process 1, which then reaps whatever loses its parent.

    Otherwise each ended program of a sandbox would stay as a zombie. Process 1 passes signals on
    and ends with the exit code of the child.
    """
    if os.getpid() != 1:
        return
    awaited = {*_PASSED_ON, signal.SIGCHLD}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    while True:
        told = signal.sigwaitinfo(awaited)
        if told.si_signo != signal.SIGCHLD:
            if told.si_code <= 0:  # sent by a process: a terminal tells the child, too
                os.kill(child, told.si_signo)
            continue
        ended = -1
        while ended:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == child:
                code = os.waitstatus_to_exitcode(status)
                os._exit(code if code >= 0 else 128 - code)
