"""`arena ARGUMENTS` in this process, which lends it its streams, its folder and its environment."""

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from unittest import mock

import pytest

from arena import __main__
from arena.cli import main

STREAMS = (("r", "strict"), ("w", "strict"), ("w", "backslashreplace"))
"""How Python opens standard input, output and error, and what it does with odd characters."""


def call(
    arguments: Sequence[str], cwd: Path, stdin: bytes, env: Mapping[str, str], timeout: float
) -> tuple[int, bytes, bytes]:
    """Run a command; returns its exit code and what it and its children printed.

    Everything is as in a process of its own, but for signals, terminals, pipes and what the arena
    remembers from one command to the next.
    """
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        with ExitStack() as stack:
            stack.enter_context(_redirected(given, out, err))
            stack.enter_context(mock.patch.dict(os.environ, env, clear=True))
            stack.enter_context(mock.patch.object(sys, "argv", [__main__.__file__, *arguments]))
            stack.enter_context(chdir(cwd))
            stack.enter_context(_time_limit(timeout))
            code = main.run(list(arguments))
        return code, _content(out), _content(err)


@contextmanager
def _redirected(*files: IO[bytes]) -> Iterator[None]:
    """Let standard input, output and error be files, for child processes too."""
    before = [os.dup(fd) for fd in range(len(files))]
    streams = [
        os.fdopen(fd, mode, encoding="utf-8", errors=errors, closefd=False)
        for fd, (mode, errors) in enumerate(STREAMS)
    ]
    for fd, file in enumerate(files):
        os.dup2(file.fileno(), fd)
    try:
        with mock.patch.multiple(sys, stdin=streams[0], stdout=streams[1], stderr=streams[2]):
            yield
            for stream in streams[1:]:
                stream.flush()
    finally:
        for fd, old in enumerate(before):
            os.dup2(old, fd)
            os.close(old)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Fail the test if a command takes too long."""

    def fail(*_: object) -> None:
        pytest.fail(f"the command takes longer than {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
