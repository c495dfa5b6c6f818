"""Commands that talk to a person at a terminal."""

import os
import pty
import select
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from tests.cli.command import HANG, arena, environment


class Terminal:
    """A command at a terminal, and a person who waits for what to answer."""

    def __init__(self, ours: int, process: subprocess.Popen[bytes]) -> None:
        self.text = ""
        self.process = process
        self._ours = ours

    def read_until(self, sign: str) -> str:
        """Return what came up to a sign, which must come."""
        while sign not in self.text:
            assert self._read(), f"it ended before it said {sign!r}: {self.text}"
        head, _, self.text = self.text.partition(sign)
        return head

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def end(self) -> int:
        """Read to the end; returns the exit code."""
        while self._read():
            pass
        return self.process.wait(HANG)

    def _read(self) -> bool:
        assert select.select([self._ours], [], [], HANG)[0], f"nothing came after {self.text!r}"
        try:
            chunk = os.read(self._ours, 65_536)
        except OSError:  # nobody has it open any more
            return False
        self.text += chunk.decode().replace("\r\n", "\n")
        return bool(chunk)


@contextmanager
def at_terminal(
    folder: Path,
    temporary: Path,
    *command: object,
    env: Mapping[str, str] | None = None,
    out: Path | None = None,
) -> Iterator[Terminal]:
    """Run a command at a terminal; its standard output may go to a file instead."""
    ours, theirs = pty.openpty()
    with (
        out.open("wb") if out else nullcontext(theirs) as stdout,
        subprocess.Popen(
            arena(*command),
            cwd=folder,
            env=environment(**{"TMPDIR": str(temporary), "NO_COLOR": "1", **(env or {})}),
            stdin=theirs,
            stdout=stdout,
            stderr=theirs,
            process_group=0,
        ) as process,
    ):
        os.close(theirs)
        try:
            yield Terminal(ours, process)
        finally:
            process.kill()
            os.close(ours)
