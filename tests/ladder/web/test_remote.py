"""`arena submit --to https://...`: with a token, as to a folder."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from pathlib import Path
from threading import Thread

import pytest

from arena.io.errors import ArenaError
from arena.ladder.book.book import Book
from arena.ladder.book.tables import State
from arena.ladder.door.api import LogLine, VersionInfo
from arena.ladder.door.remote import Remote, read_token
from arena.ladder.folder import locked
from tests.cli.command import bot, error_line, run
from tests.e2e.live import wait_until
from tests.ladder.web.doors import Door, uploads


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return bot(tmp_path / "mine", "pass")


def token_of(door: Door, author: str) -> str:
    return door.token(author)["Authorization"].partition(" ")[2]


def test_a_bot_is_submitted_from_the_terminal(
    own_door: Door, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", token_of(own_door, "ann"))
    words = ("submit", source, "--to", own_door.base)
    ran = run(*words, "--no-wait", cwd=source.parent)
    assert ran.code == 0, ran.err
    received, left = ran.out.splitlines()
    assert received.startswith("received mine@1 sha256 ")
    assert left.startswith("999 of 1000 submissions left; the next is free again at ")
    again = run(*words, cwd=source.parent)  # no ladder runs: nothing is waited for
    assert "before: these are the same files" in again.out
    data = json.loads(run(*words, "--json", cwd=source.parent).out)
    assert (data["version"], data["state"], data["new"]) == ("mine@1", "queued", False)


def test_the_check_is_followed_to_its_end(own_door: Door, source: Path) -> None:
    door = Remote(own_door.base, token_of(own_door, "ann"))
    with locked(own_door.folder):  # as if a ladder ran
        wait_until(lambda: own_door.ask("/healthz").json()["ladder"] == "running")
        version = door.submit(source).version

        def check() -> None:
            [upload] = uploads(own_door)
            with Book(own_door.folder, writes=True) as book:
                book.add(upload, State.QUEUED, "it came")
                book.set_state(book.version(version), State.CHECKING, "check 1")
                book.set_state(book.version(version), State.REFUSED, "it crashed")

        thread = Thread(target=check)
        thread.start()
        told = list(door.follow(version))
        thread.join()
    lines = [one.text for one in told if isinstance(one, LogLine)]
    assert lines == ["received: it came", "checking: check 1", "refused: it crashed"]
    assert isinstance(told[-1], VersionInfo)
    assert told[-1].state is State.REFUSED


def test_a_refusal_is_said_in_one_line(
    own_door: Door, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("submit", source, "--to", own_door.base)
    monkeypatch.setenv("ARENA_TOKEN", "wrong")
    error_line(run(*words, cwd=source.parent), "the token is not valid", own_door.base)
    monkeypatch.setenv("ARENA_TOKEN", token_of(own_door, "bob"))
    assert run(*words, "--no-wait", cwd=source.parent).code == 0
    with Book(own_door.folder, writes=True) as book:
        book.add(uploads(own_door)[0], State.RATED, "it played")
    monkeypatch.setenv("ARENA_TOKEN", token_of(own_door, "ann"))
    error_line(run(*words, cwd=source.parent), "the name 'mine' is taken / ")
    error_line(run(*words, "--author", "ann", cwd=source.parent), "knows who submits")
    for url, said in (
        ("http://ladder.example.org", "plain text"),
        ("https://", "no address"),
        ("https://a@b", "no address"),
        ("https://x:port", "no address"),
        ("http://127.0.0.1:9", "cannot be reached"),
    ):
        error_line(run("submit", source, "--to", url, cwd=source.parent), said)


def test_a_token_is_read_from_a_file_that_nobody_else_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(ArenaError, match="there is no token"):
        read_token()
    path = tmp_path / "arena/token"
    path.parent.mkdir()
    path.write_text("secret\n")
    path.chmod(0o644)
    with pytest.raises(ArenaError, match="other users may read the token"):
        read_token()
    path.chmod(0o600)
    assert read_token() == "secret"
    path.write_text("")
    with pytest.raises(ArenaError, match="this is not a token"):
        read_token()


# ---------------------------------------------------------------- a hostile door

MUCH = 256 << 20
"""Bytes that a hostile door sends, unless the connection is closed before."""
RECEIPT = {
    "version": "mine@1",
    "sha256": "",
    "bytes": 1,
    "received_at": "",
    "new": True,
    "quota": {"left": 1, "of": 1, "frees_at": None, "blocked_until": None},
}


class Sent:
    """What a hostile door sends in answer to a PUT and to a GET, and how much it got rid of."""

    def __init__(self, put: bytes, get: bytes, status: int = 200) -> None:
        self.put, self.get, self.status = put, get, status
        self.bytes = 0

    def write(self, out: BufferedIOBase, block: bytes) -> None:
        while self.bytes < MUCH:
            out.write(block)
            self.bytes += len(block)


@contextmanager
def hostile(sent: Sent) -> Iterator[str]:
    """Serve what a hostile door sends; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send(sent.put)

        def do_GET(self) -> None:
            self.send(sent.get)

        def send(self, body: bytes) -> None:
            self.send_response(sent.status)
            self.end_headers()
            try:
                self.wfile.write(body) if body.endswith(b"}") else sent.write(self.wfile, body)
            except OSError:  # nobody listens any more
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def received(**other: object) -> bytes:
    return json.dumps(RECEIPT | other).encode()


def log_line(text: str) -> bytes:
    data = json.dumps({"n": 1, "at": "", "text": text})
    return f"event: log\ndata: {data}\n\n".encode()


HOSTILE = {
    "an endless receipt": (Sent(b"x" * 65_536, b""), "its answer cannot be read"),
    "a deep receipt": (Sent(b'{"x":' + b"[" * 50_000 + b"]" * 50_000 + b"}", b""), "be read"),
    "a receipt of no UTF-8": (Sent(b'{"version":"\xff"}', b""), "its answer cannot be read"),
    "an endless refusal": (Sent(b"x" * 65_536, b"", 500), "it answers 500"),
    "a receipt for another bot": (Sent(received(version="m/../../x@1"), b""), "cannot be read"),
    "an endless line": (Sent(received(), b"x" * 65_536), "its answer cannot be read"),
    "an endless log": (Sent(received(), log_line("\x1b[2J" * 1_000)), "says too much"),
    "a log of no UTF-8": (Sent(received(), b"event: log\ndata: \xff\n\n"), "cannot be read"),
    "an endless event": (Sent(received(), b": still here\n\n"), "says too much"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_door_gets_one_line_and_is_not_read_to_its_end(
    source: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    sent, said = HOSTILE[name]
    monkeypatch.setenv("ARENA_TOKEN", "any")
    with hostile(sent) as url:
        ran = run("submit", source, "--to", url, cwd=source.parent)
    error_line(ran, said, url)
    assert sent.bytes < MUCH // 4
    assert len(ran.out) < 4_000_000
    assert all(char.isprintable() or char == "\n" for char in ran.out + ran.err)


def test_a_long_refusal_is_told_in_short(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = dict.fromkeys(("title", "detail", "what", "where", "hint"), "x" * 10_000)
    problem = json.dumps({"status": 400, **long}).encode()
    monkeypatch.setenv("ARENA_TOKEN", "any")
    with hostile(Sent(problem, b"", 400)) as url:
        ran = run("submit", source, "--to", url, cwd=source.parent)
    assert len(error_line(ran, "xxx", url)) < 2_000


def test_a_sample_bot_is_submitted_by_its_name(
    own_door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", token_of(own_door, "ann"))
    ran = run("submit", "sample:honest", "--to", own_door.base, "--no-wait", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("received honest@1 ")
