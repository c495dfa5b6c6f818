"""`arena submit --to https://...`: with a token, as to a folder."""

import json
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
    monkeypatch.setenv("ARENA_TOKEN", token_of(own_door, "ann"))
    error_line(run(*words, cwd=source.parent), "the name 'mine' is taken by bob")
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
    with pytest.raises(ArenaError, match="this is no token"):
        read_token()
