"""`arena play --me --web` as a process, and a visitor without scripts at its page."""

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from tests.cli.command import HANG, arena, environment


class Reply(NamedTuple):
    """What the server answered."""

    status: int
    text: str


class Table(NamedTuple):
    """A command that serves a table."""

    process: "subprocess.Popen[str]"
    url: str

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    def ask(
        self, method: str, path: str = "", body: str | None = None, **headers: str | None
    ) -> Reply:
        """Send a request below the page's address, or anywhere with a path that begins with /."""
        sent = {"Host": self.host, "Origin": f"http://{self.host}", **headers}
        connection = HTTPConnection(self.host, timeout=HANG)
        place = path if path.startswith("/") else urlsplit(self.url).path + path
        given = {name: value for name, value in sent.items() if value is not None}
        connection.request(method, place, body, given)
        response = connection.getresponse()
        reply = Reply(response.status, response.read().decode())
        connection.close()
        return reply

    def page(self) -> str:
        """Return the page once the others do not play any more."""
        text = self.ask("GET").text
        while kind(text) == "waiting":
            text = self.ask("GET", f"?after={number(text)}").text or text
        return text

    def press(self, page: str, move: str) -> Reply:
        """Press a button of a page."""
        return self.ask("POST", body=urlencode({"number": number(page), "move": move}))

    def finish(self) -> tuple[int, str]:
        """Wait for the end of the command; returns its code and the rest of what it said."""
        try:
            _, said = self.process.communicate(timeout=HANG)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)  # it says where its threads are
            raise AssertionError(self.process.communicate()[1]) from None
        return self.process.returncode, said


def kind(page: str) -> str:
    [kind] = re.findall(r'data-kind="(\w+)"', page)
    return str(kind)


def number(page: str) -> int:
    [number] = re.findall(r'data-number="(\d+)"', page)
    return int(number)


def moves(page: str) -> list[str]:
    """Return the moves that a page offers, in its order."""
    return re.findall(r'name="move" value="([^"]+)"', page)


def careless(page: str) -> str:
    """Return the move of a person who doubts what can be doubted, and opens with one two."""
    offered = moves(page)
    return next(move for move in ("dudo", "pass", "next", "bid 1 2", "leave") if move in offered)


def play_out(table: Table) -> list[str]:
    """Play carelessly until the last game is over; returns the pages that were seen."""
    seen = [table.page()]
    while "Leave the table" not in seen[-1]:
        assert table.press(seen[-1], careless(seen[-1])).status == 303
        seen.append(table.page())
    return seen


@contextmanager
def playing(folder: Path, *arguments: str) -> Iterator[Table]:
    """Start the command, and wait until it says where the table is."""
    command = arena("play", "--me", "--web", *arguments, "--into", "game")
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment(BROWSER="true %s", PYTHONFAULTHANDLER="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Table(process, _address(process))
        finally:
            process.kill()


def _address(process: "subprocess.Popen[str]") -> str:
    assert process.stderr
    for line in process.stderr:
        if line.startswith("your table: "):
            return line.split()[-1]
    raise AssertionError("the command ended before it said where the table is")
