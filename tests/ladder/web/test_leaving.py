"""All that is stored about an author, to take away; and an author who leaves."""

import io
import json
import re
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from arena.ladder.book.book import Book
from arena.ladder.book.tables import Action, State
from arena.ladder.season.field import delete_account
from tests.ladder.desk import PASSED, Desk
from tests.ladder.web.doors import Door, door_of
from tests.ladder.web.test_account import send
from tests.support.refusals import refused


def stored(door: Door, who: dict[str, str]) -> zipfile.ZipFile:
    answer = door.ask("/account/export", **who)
    assert answer.status == 200
    archive = zipfile.ZipFile(io.BytesIO(answer.body))
    assert archive.testzip() is None
    return archive


@pytest.fixture
def played(desk: Desk) -> Desk:
    """Return a ladder with versions of ann and of bob, the first of which plays."""
    desk.submit("ann", "mine")
    desk.run(PASSED)
    desk.submit("bob", "theirs", b"2")
    desk.submit("ann", "mine", b"3")
    pages = desk.folder.private / "ann"
    pages.mkdir()
    (pages / "index.html").write_text("hers")
    desk.folder.version(PASSED.digest).write_bytes(b"canonical")
    return desk


def leave(desk: Desk, door: Door, who: dict[str, str]) -> str:
    """Delete the account of ann, as the door and then the ladder do; returns the pseudonym."""
    answer = send(door, "/account/delete", who, "name=ann")
    assert answer.status == 200
    [order] = [order for order in desk.door.orders() if order.what is Action.FORGET]
    delete_account(order, desk.folder, desk.door, desk.book)
    assert order.author in answer.body.decode()
    return order.author


def test_export_has_all_that_is_stored_about_an_author_and_nothing_of_others(
    played: Desk,
) -> None:
    with door_of(played.folder) as door:
        archive = stored(door, door.session("ann"))
    account = json.loads(archive.read("account.json"))
    assert [version["bot"] for version in account["versions"]] == ["mine", "mine"]
    assert account["versions"][0]["checks"][0]["ok"] is True
    assert len(account["submissions"]) == 2
    assert [secret["kind"] for secret in account["sessions, tokens and feeds"]] == ["session"]
    assert account["log"]
    assert archive.read("pages/index.html") == b"hers"
    for name in archive.namelist():
        assert b"theirs" not in archive.read(name), name
        assert b"bob" not in archive.read(name), name


def test_export_is_sent_one_at_a_time(played: Desk) -> None:
    (played.folder.private / "ann/large.bin").write_bytes(Random(1).randbytes(16 * 1024**2))
    with door_of(played.folder) as door:
        ann = door.session("ann")
        with closing(door.connect()) as connection:
            connection.request("GET", "/account/export", headers=ann)
            first = connection.getresponse()
            first.read(1)
            second = door.ask("/account/export", **ann)
            assert (second.status, second.headers["retry-after"]) == (429, "10")
            first.read()
        assert "pages/large.bin" in stored(door, ann).namelist()


def test_account_is_deleted_once_its_name_is_typed(played: Desk) -> None:
    with door_of(played.folder) as door:
        ann = door.session("ann")
        for typed in ("", "name=Ann", "name=bob"):
            assert send(door, "/account/delete", ann, typed).status == 400
        assert door.ask("/me", **ann).status == 200
        token = door.token("ann")
        pseudonym = leave(played, door, ann)
        assert [door.ask("/api/v1/me", **who).status for who in (ann, token)] == [401, 401]
        # The name is free: whoever is invited by it has nothing of hers.
        again = door.session("ann")
        assert door.ask("/api/v1/me", **again).json()["versions"] == []
        assert door.put("mine", b"4", again).status == 409
    states = {version.name: version.state for version in played.book.versions()}
    assert states == {"mine@1": "resting", "theirs@1": "queued", "mine@2": "refused"}
    assert {version.author for version in played.book.versions()} == {pseudonym, "bob"}


def test_name_of_an_author_who_left_is_free_once_the_ladder_removed_what_is_theirs(
    played: Desk,
) -> None:
    with door_of(played.folder) as door:
        send(door, "/account/delete", door.session("ann"), "name=ann")
        with refused("is still to be removed", hint="the ladder does it when it runs"):
            played.door.invite("Ann")
        [order] = [order for order in played.door.orders() if order.what is Action.FORGET]
        delete_account(order, played.folder, played.door, played.book)
        assert played.door.invite("Ann")


def test_author_who_left_is_named_nowhere_and_their_files_are_gone(played: Desk) -> None:
    with door_of(played.folder) as door:
        ann = door.session("ann")
        send(door, "/versions/mine@1", ann, "what=withdraw")
        played.obey()
        assert "by ann" in played.book.version("mine@1").why
        leave(played, door, ann)
    folder = played.folder
    for path in (folder.door, folder.ladder):
        assert named(path) == []
    assert not (folder.private / "ann").exists()
    assert not folder.version(PASSED.digest).exists()
    assert [path.stem for path in folder.inbox.glob("*.tar")] == [
        upload.sha256 for upload in played.door.uploads() if upload.author == "bob"
    ]


def named(path: Path) -> list[str]:
    """Return the rows of a database that have the name of ann as a word."""
    with closing(sqlite3.connect(path)) as file:
        return [line for line in file.iterdump() if re.search(r"\bann\b", line)]


def test_check_of_an_author_who_left_comes_to_nothing(played: Desk) -> None:
    played.book.set_state(played.book.version("theirs@1"), State.REFUSED, "so")
    played.checks.step()
    assert played.state("mine@2") is State.CHECKING
    with door_of(played.folder) as door:
        leave(played, door, door.session("ann"))
    played.run(PASSED)
    with Book(played.folder) as book:
        assert book.version("mine@2").state is State.REFUSED
        assert book.newest_result(book.version("mine@2").id) is None
