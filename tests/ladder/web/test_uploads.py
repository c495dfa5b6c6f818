"""Submissions over HTTP: what is on the disk is answered, and nothing else stays there."""

import socket
import sqlite3
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.ladder.door import door as ladder_door
from arena.ladder.door.door import MAX_UPLOAD, MOST_NOTE
from arena.ladder.folder import Folder
from arena.ladder.web import uploads
from tests.cli.command import HANG
from tests.ladder import club as clubs
from tests.ladder.web.doors import PATIENT, Answer, Door, door_of, inbox, ladder

MIB = 1024 * 1024
IS_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def hasty_door(tmp_path: Path) -> Iterator[Door]:
    """A door that cuts off after a second."""
    hasty = replace(PATIENT, body_seconds=1.0, head_seconds=1.0)
    with door_of(ladder(tmp_path), hasty) as door:
        yield door


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A door of which every upload is refused: its inbox stays empty."""
    with door_of(ladder(tmp_path_factory.mktemp("refusing"))) as door:
        yield door


def digest(content: bytes) -> dict[str, str]:
    value = b64encode(sha256(content).digest()).decode()
    return {"Content-Digest": f"sha-256=:{value}:"}


def uploaded(folder: Folder) -> list[str]:
    """Return the versions that were received, after a look whether each has its bytes."""
    with ladder_door.Door(folder) as door:
        found = door.uploads()
    for one in found:
        content = folder.upload(one.sha256, one.ending).read_bytes()
        assert (sha256(content).hexdigest(), len(content)) == (one.sha256, one.bytes)
    return [one.version for one in found]


def test_an_answered_submission_is_on_the_disk(own_door: Door) -> None:
    token = own_door.token("ann")
    found = own_door.put("mine", b"1", {**token, **digest(b"1")})
    receipt = found.json()
    assert (found.status, receipt["version"], receipt["new"]) == (201, "mine@1", True)
    assert receipt["sha256"] == sha256(b"1").hexdigest()
    assert found.headers["location"] == "/api/v1/versions/mine@1"
    again = own_door.put("mine", b"1", token)
    assert (again.status, again.json()["new"]) == (200, False)
    assert own_door.put("mine", b"2", token).json()["version"] == "mine@2"
    assert uploaded(own_door.folder) == ["mine@1", "mine@2"]
    assert len(inbox(own_door.folder)) == 2


def test_an_answered_submission_is_listed(own_door: Door) -> None:
    token = own_door.token("ann")
    for number in range(1, 4):
        name = own_door.put("mine", b"%d" % number, token).json()["version"]
        assert own_door.ask("/api/v1/me", **token).json()["versions"][0]["version"] == name


@pytest.mark.parametrize(
    ("content", "ending"),
    [
        (b"PK\x03\x04", ".zip"),
        (b"\x1f\x8b\x08", ".tar.gz"),
        (b"BZh9", ".tar.bz2"),
        (b"\xfd7zXZ\0", ".tar.xz"),
        (b"bot.yaml", ".tar"),
    ],
)
def test_archives_are_told_apart_by_their_beginning(
    door: Door, content: bytes, ending: str
) -> None:
    found = door.put("endings", content, door.token("zoe"))
    assert found.status == 201, found
    name = f"{sha256(content).hexdigest()}{ending}"
    assert name in inbox(door.folder)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (digest(b"other")["Content-Digest"], "another SHA-256"),
        ("sha-256=:AAAA:", "cannot be read"),
        ("sha-256=:!:", "cannot be read"),
        ("md5=:AAAA:", "cannot be read"),
    ],
)
def test_a_digest_is_checked(refusing: Door, header: str, said: str) -> None:
    token = refusing.token("ann")
    found = refusing.put("mine", b"1", {**token, "Content-Digest": header})
    assert (found.status, said in found.problem()["what"]) == (400, True)
    assert inbox(refusing.folder) == []


def test_an_empty_body_is_refused(refusing: Door) -> None:
    assert refusing.put("mine", b"", refusing.token("ann")).status == 400
    assert inbox(refusing.folder) == []


def endless() -> Iterator[bytes]:
    while True:
        yield bytes(MIB)


def test_a_body_without_end_is_cut_off(own_door: Door) -> None:
    token = own_door.token("ann")
    # The door stops reading at last, and closes.
    with pytest.raises(ConnectionError):
        own_door.put("mine", endless(), token)
    assert inbox(own_door.folder) == []


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_above_the_limit_is_refused(refusing: Door, *, is_chunked: bool) -> None:
    most = MAX_UPLOAD // MIB
    body = iter([bytes(MIB)] * (most + 1)) if is_chunked else bytes(MAX_UPLOAD + MIB)
    refusal = refusing.put("mine", body, refusing.token("ann"))
    assert (refusal.status, refusal.problem()["what"]) == (413, f"a body has at most {most} MiB")
    assert inbox(refusing.folder) == []


def test_a_body_of_the_limit_is_taken(own_door: Door) -> None:
    assert own_door.put("mine", bytes(MAX_UPLOAD), own_door.token("ann")).status == 201


def connected(door: Door) -> socket.socket:
    host, _, port = door.host.partition(":")
    return socket.create_connection((host, int(port)), HANG)


def trickled(door: Door, head: bytes, *, forever: bool = True) -> Answer | None:
    """Send a head and then byte after byte until the door has had enough."""
    with connected(door) as connection:
        connection.sendall(head)
        connection.settimeout(0.05)
        said = b""
        while forever:
            try:
                if not (more := connection.recv(65_536)):
                    break
                said += more
            except TimeoutError:
                try:
                    connection.sendall(b"x")
                except ConnectionError:
                    break
            except ConnectionError:
                break
        return Answer(int(said.split()[1]), {}, said) if said else None


def test_a_slow_body_is_cut_off(hasty_door: Door) -> None:
    token = hasty_door.token("ann")["Authorization"]
    head = (
        f"PUT /api/v1/bots/mine/versions HTTP/1.1\r\nHost: {hasty_door.host}\r\n"
        f"Authorization: {token}\r\nContent-Length: 1000000\r\n\r\n"
    )
    found = trickled(hasty_door, head.encode())
    assert found
    assert found.status == 408
    assert inbox(hasty_door.folder) == []


def test_a_slow_head_is_cut_off(hasty_door: Door) -> None:
    assert trickled(hasty_door, b"GET / HTTP/1.1\r\nX: ") is None


def test_a_body_that_breaks_off_leaves_nothing(own_door: Door) -> None:
    token = own_door.token("ann")["Authorization"]
    head = (
        f"PUT /api/v1/bots/mine/versions HTTP/1.1\r\nHost: {own_door.host}\r\n"
        f"Authorization: {token}\r\nContent-Length: 1000000\r\n\r\nxxx"
    )
    trickled(own_door, head.encode(), forever=False)
    assert own_door.put("mine", b"whole", {"Authorization": token}).status == 201
    assert uploaded(own_door.folder) == ["mine@1"]


def test_two_submissions_of_an_author_at_a_time(own_door: Door) -> None:
    door, token = own_door, own_door.token("ann")
    head = (
        f"PUT /api/v1/bots/mine/versions HTTP/1.1\r\nHost: {door.host}\r\n"
        f"Authorization: {token['Authorization']}\r\nContent-Length: 9\r\n"
        "Expect: 100-continue\r\n\r\n"
    )
    sockets = [connected(door) for _ in range(2)]
    for one in sockets:  # both are being read when they are told to go on
        one.sendall(head.encode())
        assert one.recv(100).startswith(b"HTTP/1.1 100")
    third = door.put("mine", b"third", token)
    assert (third.status, "being sent" in third.problem()["what"]) == (429, True)
    assert door.put("theirs", b"other", door.token("bob")).status == 201
    for one in sockets:
        one.close()


def test_the_quota_and_its_end_are_told(tmp_path: Path) -> None:
    folder = ladder(tmp_path)
    clubs.change(folder.root, quotas={"uploads": 2, "refused": 20})
    with door_of(folder) as door:
        token = door.token("ann")
        for content in (b"1", b"2"):
            found = door.put("mine", content, token)
        assert found.json()["quota"]["left"] == 0
        until = found.json()["quota"]["blocked_until"]
        third = door.put("mine", b"3", {**token, **digest(b"3")})
        assert third.status == 429
        assert until in third.problem()["what"]
        waits = datetime.fromisoformat(until) - datetime.now(UTC)
        assert 0 <= int(third.headers["retry-after"]) - waits.total_seconds() < HANG
        # The same bytes are free.
        assert door.put("mine", b"2", {**token, **digest(b"2")}).status == 200
        assert until.encode() in door.ask("/me", **door.session("ann")).body


def test_busy_database_is_no_fault_of_the_author(
    own_door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladder_door, "DOOR_WAIT", 0.1)
    token, session = own_door.token("ann"), own_door.session("ann")
    with closing(sqlite3.connect(own_door.folder.door, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for busy in (
            own_door.put("mine", b"1", token),
            own_door.ask("/account/end", "POST", "id=x", **session, **IS_FORM),
            own_door.ask("/leave", "POST", **session),
        ):
            assert (busy.status, busy.headers["retry-after"]) == (503, "5")
            assert b"in use" in busy.body
            assert b"backup" not in busy.body
        assert own_door.ask("/api/v1/me", **token).status == 200
    assert own_door.put("mine", b"1", token).status == 201
    assert own_door.ask("/me", **session).status == 200


def test_file_that_fails_is_said_to_the_operator_and_not_to_authors(
    own_door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    token = own_door.token("ann")
    with closing(sqlite3.connect(own_door.folder.door)) as other:
        other.execute("DROP TABLE uploads")
    refusal = own_door.put("mine", b"1", token)
    assert (refusal.status, b"backup" in refusal.body) == (503, False)
    assert "tell the operator" in refusal.problem()["hint"]
    assert "arena ladder restore" in caplog.text


def test_one_upload_of_many_at_once_is_new(own_door: Door) -> None:
    tokens = own_door.token("ann")
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: own_door.put("mine", b"same", tokens), range(8)))
    assert {one.status for one in found} <= {200, 201, 429}
    assert [one.status for one in found].count(201) == 1
    assert uploaded(own_door.folder) == ["mine@1"]


def test_parts_of_a_door_that_was_killed_are_removed(own_door: Door) -> None:
    (own_door.folder.inbox / ".door.0123.part").touch()
    uploads.forget_parts(own_door.folder)
    assert inbox(own_door.folder) == []


def test_note_is_on_the_page_of_its_version_and_in_the_list(own_door: Door) -> None:
    ann, token = own_door.session("ann"), own_door.token("ann")
    path = "/api/v1/bots/mine/versions?note=tries%20calza%20more%20%3Cb%3E"
    assert own_door.ask(path, "PUT", b"1", **token).status == 201
    assert own_door.ask("/api/v1/versions/mine@1", **token).json()["note"] == "tries calza more <b>"
    for page in ("/me", "/versions/mine@1"):
        assert b"tries calza more &lt;b&gt;" in own_door.ask(page, **ann).body
    for note in ("x" * (MOST_NOTE + 1), "a%0Ab"):
        bad = own_door.ask(f"/api/v1/bots/mine/versions?note={note}", "PUT", b"2", **token)
        assert (bad.status, bad.problem()["what"]) == (400, "the note is not a line of text")


def test_note_of_a_form_without_scripts_is_kept(own_door: Door) -> None:
    note = '--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nmehr Käse\r\n'.encode()
    head, file = form(b"mine", b"1").split(b'--b\r\nContent-Disposition: form-data; name="file"')
    body = head + note + b'--b\r\nContent-Disposition: form-data; name="file"' + file
    assert post(own_door, body).status == 303
    [version] = own_door.ask("/api/v1/me", **own_door.token("ann")).json()["versions"]
    assert version["note"] == "mehr Käse"


def form(bot: bytes, content: bytes, boundary: bytes = b"b") -> bytes:
    """Return a form as browsers send it."""
    return (
        b'--%b\r\nContent-Disposition: form-data; name="bot"\r\n\r\n%b\r\n'
        b'--%b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n'
        b"Content-Type: application/zip\r\n\r\n%b\r\n--%b--\r\n"
    ) % (boundary, bot, boundary, content, boundary)


def post(door: Door, body: bytes, boundary: str = "b") -> Answer:
    kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    return door.ask("/upload", "POST", body, **kind, **door.session("ann"))


@pytest.mark.parametrize("content", [b"x", b"PK\r\n----x--1\r\nx\r\n", bytes(MIB)])
def test_a_form_without_scripts_submits(own_door: Door, content: bytes) -> None:
    found = post(own_door, form(b"mine", content, b"--x--1"), "--x--1")
    assert (found.status, found.headers["location"]) == (303, "/versions/mine@1")
    [name] = inbox(own_door.folder)
    assert (own_door.folder.inbox / name).read_bytes() == content


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--b\r\n",
        b"x" * 20_000,
        form(b"", b"x"),
        form(b"../x", b"x"),
        form(b"mine", b"x")[:-1],
        form(b"mine", b"x") + b"more",
        form(b"mine", b"x").replace(b"bot", b"toy"),
    ],
)
def test_other_forms_are_refused(refusing: Door, body: bytes) -> None:
    assert post(refusing, body).status == 400
    assert inbox(refusing.folder) == []


def test_a_form_with_17_mib_is_refused(refusing: Door) -> None:
    assert post(refusing, form(b"mine", bytes(17 * MIB))).status == 413
    assert inbox(refusing.folder) == []
