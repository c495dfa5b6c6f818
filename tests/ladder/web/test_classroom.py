"""A class behind one address: who joins by a name and a code, and the page for the projector."""

import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace

from arena.io.errors import ArenaError
from arena.ladder.door.access import Scope
from arena.ladder.door.classroom import Classroom, keep_class, new_class
from arena.ladder.folder import Folder
from arena.ladder.web.run import Address, opened
from tests.ladder.web.doors import PATIENT, SAME_SITE, Answer, Door, door_of, ladder

FORM = "application/x-www-form-urlencoded"
NAMES = tuple(f"student-{number}" for number in range(1, 41))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return ladder(tmp_path, names="by_author")


@pytest.fixture
def classroom(folder: Folder) -> Classroom:
    made = new_class(NAMES, time.time() + 3000)
    keep_class(folder, made)
    return made


@pytest.fixture
def door(folder: Folder, classroom: Classroom) -> Iterator[Door]:
    with door_of(folder, replace(PATIENT, tries=5)) as door:
        yield door


def join(door: Door, name: str, code: str, **headers: str) -> Answer:
    body = urlencode({"name": name, "code": code})
    sent = {"Content_Type": FORM, **(headers or SAME_SITE)}
    return door.ask("/welcome", "POST", body, **sent)


def test_forty_from_one_address_join_by_their_names_and_the_code(
    door: Door, classroom: Classroom
) -> None:
    for name in NAMES:
        answer = join(door, name, classroom.code)
        assert answer.status == 303, (name, answer)
        assert answer.headers["location"].startswith("/link/")
    wall = door.ask("/wall", **door.session("root", Scope.ADMINISTRATOR)).body.decode()
    assert "40 of 40: <bdi>student-1</bdi>, " in wall


def test_a_name_joins_once(door: Door, classroom: Classroom) -> None:
    assert join(door, "Student-1", classroom.code.lower().replace("-", " ")).status == 303
    again = join(door, "student-1", classroom.code)
    assert again.status == 409
    assert b"has joined already" in again.body


def test_codes_and_names_are_not_guessed(door: Door, classroom: Classroom) -> None:
    assert b"is not the code" in join(door, "student-1", "AAAA-AAAA").body
    assert b"is not on the roster" in join(door, "stranger", classroom.code).body
    tries = [join(door, "student-1", "AAAA-AAAA").status for _ in range(10)]
    assert tries[-1] == 429
    assert join(door, "student-1", classroom.code).status == 303


def test_the_wall_shows_the_way_in_to_the_teacher_alone(door: Door, classroom: Classroom) -> None:
    everybody = door.ask("/wall").body.decode()
    assert classroom.code not in everybody
    assert "of 40" not in everybody
    assert f'data-ends="{classroom.ends}"' in everybody
    teacher = door.ask("/wall", **door.session("root", Scope.ADMINISTRATOR)).body.decode()
    assert f"Code <strong>{classroom.code}</strong>" in teacher
    assert "<svg" in teacher[teacher.index("Code <strong>") :]
    assert classroom.code in door.ask(f"/welcome?code={classroom.code}").body.decode()


def test_a_ladder_without_a_class_has_a_wall_without_a_roster(tmp_path: Path) -> None:
    with door_of(ladder(tmp_path)) as door:
        answer = door.ask("/wall")
        assert (answer.status, b"Came last" in answer.body) == (200, True)
        assert b'name="code"' not in door.ask("/welcome").body


def test_sessions_work_on_plain_http_where_the_teacher_chose_it(
    folder: Folder, classroom: Classroom
) -> None:
    with door_of(folder, host="127.0.0.1", plain_http=True) as door:
        origin = {"Origin": f"http://{door.host}"}
        entered = join(door, "student-1", classroom.code, **origin)
        assert entered.headers["referrer-policy"] == "same-origin"
        session = door.ask(entered.headers["location"], "POST", **origin)
        cookie = session.headers["set-cookie"]
        assert cookie.startswith("arena=")
        assert "Secure" not in cookie
        me = door.ask("/me", Cookie=cookie.partition(";")[0])
        assert (me.status, b"My bots" in me.body) == (200, True)
        assert join(door, "student-2", classroom.code, Origin="http://evil.example").status == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "203.0.114.7", "::"])  # noqa: S104 - refused
def test_plain_http_stays_on_private_networks(folder: Folder, host: str) -> None:
    address = Address(host=host, port=0, plain_http=True)
    with pytest.raises(ArenaError, match="private network"), opened(folder, address):
        pass
