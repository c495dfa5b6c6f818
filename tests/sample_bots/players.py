"""The players at a table of the harness: a bot's process, or a scripted seat.

A `BotProcess` runs a bot's folder; a `Scripted` seat plays random legal actions, to lead the others
into every corner of the rules.
"""

import os
import random
import selectors
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import yaml

from arena.game.rules.round import Raises
from arena.game.wire.codec import decode_answer, decode_ready, encode
from arena.game.wire.messages import Answer, Bye, CalzaOffer, Hello, Ready, ToBot, Turn

HANG = 30.0
"""Seconds after which a silent bot is taken to hang: far above what any answer takes."""
BOTS = Path(__file__).parents[2] / "sample_bots"

Request = Turn | CalzaOffer


class Player(Protocol):
    """A seat: it gets notices and requests."""

    def begin(self, hello: Hello) -> Ready: ...
    def tell(self, message: ToBot) -> None: ...
    def ask(self, request: Request) -> Answer: ...


def bot_folders() -> list[Path]:
    """Return the folders of all sample bots, in alphabetical order."""
    return sorted(path.parent for path in BOTS.glob("*/bot.yaml"))


def prepare(folder: Path, into: Path) -> Path:
    """Return a folder the bot can be run in: its own, or a copy that its `build` was run in."""
    build = yaml.safe_load((folder / "bot.yaml").read_text()).get("build")
    if not build:
        return folder
    copy = into / folder.name
    shutil.copytree(folder, copy)
    subprocess.run(shlex.split(build), cwd=copy, check=True)
    return copy


class BotProcess:
    """A running bot; notices are written together with the next request."""

    def __init__(self, folder: Path, stderr: Path) -> None:
        command = shlex.split(yaml.safe_load((folder / "bot.yaml").read_text())["command"])
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.stderr = stderr
        self._pending: list[bytes] = []
        self._buffer = b""
        with stderr.open("wb") as errors:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env={"PATH": path, "LANG": "C.UTF-8"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)

    def begin(self, hello: Hello) -> Ready:
        self.tell(hello)
        return decode_ready(self.exchange())

    def tell(self, message: ToBot) -> None:
        self._pending.append(encode(message))

    def tell_line(self, line: bytes) -> None:
        """Queue a raw line, its newline included."""
        self._pending.append(line)

    def ask(self, request: Request) -> Answer:
        self.tell(request)
        return decode_answer(self.exchange())

    def exchange(self) -> bytes:
        """Write what is queued and return the one line that the bot answers."""
        self._flush()
        while b"\n" not in self._buffer:
            assert self._selector.select(HANG), "the bot does not answer: does it flush?"
            chunk = os.read(self._output.fileno(), 65_536)
            assert chunk, f"the bot ended: {self.stderr.read_text()}"
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        assert not self._buffer, f"output that nobody asked for: {self._buffer!r}"
        return line

    def end(self, *, bye: bool = True) -> int:
        """Say bye, or only close the input; return the exit code once the bot has ended."""
        if bye:
            self.tell(Bye())
        self._flush()
        self._input.close()
        try:
            code = self._process.wait(HANG)
            rest = self._buffer + self._output.read()
        finally:
            self.kill()
        assert not rest, f"output that nobody asked for: {rest!r}"
        return code

    def kill(self) -> None:
        """Kill the process and close its pipes."""
        self._process.kill()
        self._process.wait()
        self._selector.close()
        self._input.close()
        self._output.close()

    def _flush(self) -> None:
        self._input.write(b"".join(self._pending))
        self._input.flush()
        self._pending.clear()


@contextmanager
def running(folder: Path, tmp: Path) -> Iterator[BotProcess]:
    """Run a bot; at the end say bye, and check its exit code and standard error."""
    bot = BotProcess(folder, tmp / f"{folder.name}.stderr")
    try:
        yield bot
        assert bot.end() == 0
        assert bot.stderr.read_text() == ""
    finally:
        bot.kill()


class Scripted:
    """A seat without a process: random legal bids, mostly small, few calls, so rounds run long.

    From round `quits_in` of every game on it answers nonsense, which makes it fault.
    """

    def __init__(self, seed: int, *, doubts: float = 0.1, quits_in: int | None = None) -> None:
        self._rng = random.Random(seed)
        self._doubts = doubts
        self._quits_in = quits_in

    def begin(self, hello: Hello) -> Ready:
        return Ready(calza=True)

    def tell(self, message: ToBot) -> None:
        """Ignore the notice: a scripted seat plays without memory."""

    def ask(self, request: Request) -> Answer:
        if isinstance(request, CalzaOffer):
            calls = self._rng.random() < self._doubts / 2
            return Answer(id=request.id, action="calza" if calls else "pass")
        if self._quits_in is not None and request.round >= self._quits_in:
            return Answer(id=request.id, action="bid")
        if not request.raises or (request.dudo and self._rng.random() < self._doubts):
            return Answer(id=request.id, action="dudo")
        quantity, face = self._bid(request.raises)
        return Answer(id=request.id, action="bid", quantity=quantity, face=face)

    def _bid(self, legal: Sequence[Raises]) -> tuple[int, int]:
        chosen = self._rng.choice(legal)
        high = chosen.max if self._rng.random() < self._doubts / 2 else chosen.min
        return self._rng.randint(chosen.min, high), chosen.face
