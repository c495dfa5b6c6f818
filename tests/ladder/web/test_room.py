"""Room for submissions: on the disk, and in the inbox."""

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from tests.cli.command import error_line
from tests.ladder import club as clubs
from tests.ladder.web.doors import Answer, door_of, inbox, ladder
from tests.ladder.web.test_uploads import digest

Usage = namedtuple("Usage", "total used free")


def test_submissions_are_refused_while_less_than_the_reserve_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [1 << 30]
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, free[0]))
    folder = ladder(tmp_path)
    with door_of(folder) as door:
        token = door.token("ann")
        assert door.put("mine", b"1", token).status == 201
        free[0] -= 1
        for headers in (token, {**token, **digest(b"2")}):
            found = door.put("mine", b"2", headers)
            assert (found.status, found.headers["retry-after"]) == (507, "600")
            assert found.problem()["what"] == "the disk of the ladder is full: 1024.0 MiB are free"
        again = door.put("mine", b"1", {**token, **digest(b"1")})
        assert (again.status, again.json()["new"]) == (200, False)
    assert len(inbox(folder)) == 1
    error_line(clubs.submitted(folder.root, "other"), "the disk of the ladder is full", "operator")


def test_inbox_has_a_cap_for_authors_addresses_and_all(tmp_path: Path) -> None:
    disk = {"inbox_of_author": "4", "inbox_of_address": "6", "inbox": "9"}
    folder = ladder(tmp_path, disk=disk)

    with door_of(folder, behind_proxy=True, url="https://ladder.example.org") as door:
        tokens = {name: door.token(name) for name in ("ann", "bob", "eve")}

        def put(author: str, address: int, content: bytes) -> Answer:
            forwarded = {"X-Forwarded-For": f"192.0.2.{address}", "Host": "ladder.example.org"}
            return door.put(author, content, {**tokens[author], **forwarded})

        assert put("ann", 1, b"a1a").status == 201
        found = put("ann", 2, b"a2")
        assert (found.status, found.headers["retry-after"]) == (429, "600")
        assert "of ann" in found.problem()["what"]
        assert put("ann", 2, b"2").status == 201
        assert put("bob", 1, b"b1b").status == 201
        found = put("bob", 1, b"b")
        assert (found.status, "of this address" in found.problem()["what"]) == (429, True)
        assert put("eve", 3, b"e1").status == 201
        found = put("eve", 3, b"e")
        assert (found.status, "of all authors" in found.problem()["what"]) == (507, True)
        for path in folder.inbox.iterdir():
            path.unlink()
        assert put("bob", 1, b"b").status == 201
