"""The way in for people who were not invited: caps, names, decisions, kits."""

import html
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

import pytest

from arena.bots.kits import create
from arena.bots.runtimes import KITS
from arena.io.text import visible
from arena.ladder.door.access import MAX_WHY, Request, Requests, Scope
from arena.ladder.door.door import Door as LadderDoor
from tests.ladder.web.doors import SAME_SITE, Answer, Door, door_of, ladder

IS_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
DESK = "/administration/requests"


def ask(door: Door, name: str, **fields: str) -> Answer:
    """Ask for an invitation as the form does."""
    return post(door, "/welcome", {"name": name, **fields}, SAME_SITE)


def post(door: Door, path: str, fields: Mapping[str, str], who: Mapping[str, str]) -> Answer:
    return door.ask(path, "POST", urlencode(fields), **{**who, **IS_FORM})


def waiting(door: Door) -> list[Request]:
    with Requests(door.folder) as requests:
        return requests.waiting()


def authors(door: Door) -> set[str]:
    with LadderDoor(door.folder) as opened:
        return {author.name for author in opened.authors()}


def said(answer: Answer) -> str:
    return html.unescape(answer.body.decode())


def test_a_request_waits_until_it_is_decided(own_door: Door) -> None:
    root = own_door.session("root", Scope.ADMINISTRATOR)
    for name in ("ann", "bob"):
        assert ask(own_door, name, mail=f"{name}@example.org", why="I\nplay").status == 200
    ann, bob = waiting(own_door)
    assert (ann.name, ann.mail, ann.why) == ("ann", "ann@example.org", "I play")
    assert "2 people ask" in said(own_door.ask("/administration", **root))
    declined = post(own_door, DESK, {"request": str(ann.id), "what": "decline"}, root)
    assert "ann was declined" in said(declined)
    approved = said(post(own_door, DESK, {"request": str(bob.id), "what": "approve"}, root))
    link = approved.partition("<pre data-link>")[2].partition("<")[0]
    assert own_door.ask(link.removeprefix(own_door.base)).status == 200
    assert waiting(own_door) == []
    assert "bob" in authors(own_door)
    assert "ann" not in authors(own_door)
    again = post(own_door, DESK, {"request": str(bob.id), "what": "approve"}, root)
    assert again.status == 404


def test_without_requests_none_wait(own_door: Door) -> None:
    assert waiting(own_door) == []


@pytest.mark.parametrize(
    ("fields", "status", "what"),
    [
        ({"name": "bully"}, 409, "name 'bully' is taken"),
        ({"name": "BULLY"}, 409, "is taken"),
        ({"name": "bu1ly"}, 409, "looks like 'bully'"),
        ({"name": "no name"}, 409, "cannot be"),
        ({"name": ""}, 409, "cannot be"),
        ({"name": "zoe", "mail": "nowhere"}, 400, "mail address cannot be read"),
        ({"name": "zoe", "mail": "a@" + "b" * 300}, 400, "mail address cannot be read"),
        ({"name": "zoe", "why": "x" * (MAX_WHY + 1)}, 400, "more than 500 characters"),
        ({"name": "zoe", "why": "\u202e"}, 400, "cannot be read"),
    ],
)
def test_a_request_that_is_refused_says_why_and_keeps_the_form(
    door: Door, fields: dict[str, str], status: int, what: str
) -> None:
    door.session("bully")
    answer = ask(door, **fields)
    assert answer.status == status
    assert what in said(answer)
    assert visible(fields.get("why", ""))[:20] in said(answer)
    assert waiting(door) == []


def test_a_name_is_asked_for_once(own_door: Door) -> None:
    assert ask(own_door, "zoe").status == 200
    assert ask(own_door, "Zoe").status == 409
    assert len(waiting(own_door)) == 1


def test_so_many_requests_wait_at_a_time(tmp_path: Path) -> None:
    with door_of(ladder(tmp_path, door={"requests": 1, "of_address": 9})) as door:
        assert ask(door, "ann").status == 200
        answer = ask(door, "bob")
        assert (answer.status, len(waiting(door))) == (409, 1)
        assert "too many requests wait" in said(answer).lower()


def test_an_address_asks_so_often_a_day(tmp_path: Path) -> None:
    with door_of(ladder(tmp_path, door={"of_address": 2})) as door:
        assert [ask(door, name).status for name in ("ann", "ann", "bob", "eve")] == [
            200,
            409,  # what is refused is free
            200,
            429,
        ]
        assert ask(door, "eve").headers["retry-after"]


def test_an_open_ladder_lets_so_many_in_a_day(tmp_path: Path) -> None:
    folder = ladder(tmp_path, door={"open": True, "joins": 2, "of_address": 9})
    with door_of(folder) as door:
        there = authors(door)  # whoever made it is one of the two
        answer = ask(door, "zoe")
        assert answer.status == 303
        assert door.ask(answer.headers["location"]).status == 200
        assert authors(door) == there | {"zoe"}
        assert ask(door, "ann").status == 429
        assert ask(door, "zoe").status == 409


def test_only_pages_of_the_door_ask(door: Door) -> None:
    assert post(door, "/welcome", {"name": "zoe"}, {}).status == 403


@pytest.mark.parametrize("language", KITS)
def test_a_kit_is_what_arena_new_makes(door: Door, language: str, tmp_path: Path) -> None:
    create(tmp_path / "my-bot", language)
    made = {
        path.relative_to(tmp_path).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o111)
        for path in (tmp_path / "my-bot").rglob("*")
        if path.is_file()
    }
    answer = door.ask(f"/kits/{language}.zip")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        sent = {
            info.filename: (archive.read(info), info.external_attr >> 16 & 0o111)
            for info in archive.infolist()
        }
    name = b'name: "my-bot"'
    assert {
        path: (content.replace(b"name: my-bot", name, 1), mode)
        if path.endswith("bot.yaml")
        else (content, mode)
        for path, (content, mode) in sent.items()
    } == made
