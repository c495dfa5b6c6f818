"""A door whose address has a path, or a name in other letters, and links to where it is."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.ladder.door import access
from arena.ladder.door.access import Scope
from tests.cli.command import run
from tests.ladder.web.doors import SAME_SITE, Answer, Door, door_of, ladder

BELOW: dict[str, Any] = {"behind_proxy": True, "url": "https://cs.example.org/perudo/"}
HOST = {"Host": "cs.example.org"}
MENU = '<a href="index.html">Standings</a><a href="a.html">All</a>'
FRONT = f'<link href="font.css?1"><nav aria-label="Pages">{MENU}</nav>'
LINK = re.compile(r'(?:href|src|action|data-events)="(/[^"#]*)')


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    folder = ladder(tmp_path, guests=1)
    folder.site.mkdir()
    for page in ("index.html", "a.html", "rules.html", "font.css", "podium.png"):
        (folder.site / page).write_text(FRONT)
    with door_of(folder, **BELOW) as door:
        yield door


def ask(door: Door, path: str, method: str = "GET", **headers: str) -> Answer:
    return door.ask(path, method, **{**HOST, **headers})


def enter(door: Door, author: str, scope: Scope) -> Answer:
    word, _ = access.invite(door.folder, author, scope)
    return ask(door, f"/perudo/link/{word}", "POST", **SAME_SITE)


def test_every_address_of_every_page_is_below_the_path(door: Door) -> None:
    entered = enter(door, "root", Scope.ADMINISTRATOR)
    who = {"Cookie": entered.headers["set-cookie"].partition(";")[0], **SAME_SITE}
    sent = ask(door, "/perudo/", **who)
    waiting, seen = [entered.headers["location"], "/perudo/"], set[str]()
    while waiting:
        path = waiting.pop()
        if path in seen or path.endswith(("/events", "/leave")):
            continue
        seen.add(path)
        sent = ask(door, path, **who)
        assert sent.status in {200, 303, 307, 405}, (path, sent.body)
        waiting += [to for to in [sent.headers.get("location", "")] if to]
        if "html" in sent.headers.get("content-type", ""):
            waiting += LINK.findall(sent.body.decode())
    assert all(path.startswith("/perudo/") for path in seen)
    pages = ("", "me", "account", "administration", "play", "live", "welcome", "site/a.html")
    assert {f"/perudo/{page}" for page in pages} <= seen
    assert "/perudo/assets/style.css" in seen
    assert "/perudo/api/v1/openapi.json" in seen


def test_door_answers_below_its_path_alone(door: Door) -> None:
    for path in ("/", "/me", "/perudoo", "/perudoo/me"):
        refused = ask(door, path)
        assert (refused.status, b"a proxy must leave in the path" in refused.body) == (404, True)
    assert ask(door, "/perudo").headers["location"] == "/perudo/"
    assert ask(door, "/healthz").status in {200, 503}


def test_its_cookie_goes_nowhere_else(door: Door) -> None:
    cookie = enter(door, "ann", Scope.AUTHOR).headers["set-cookie"]
    assert cookie.startswith("__Secure-arena=")
    assert {"Path=/perudo/", "Secure", "HttpOnly", "SameSite=lax"} <= {*cookie.split("; ")}
    who = {"Cookie": cookie.partition(";")[0], **SAME_SITE}
    assert ask(door, "/perudo/api/v1/me", **who).json()["author"] == "ann"
    left = ask(door, "/perudo/leave", "POST", **who)
    assert left.headers["location"] == "/perudo/"
    assert "Path=/perudo/" in left.headers["set-cookie"]
    other = {"Cookie": who["Cookie"].replace("__Secure", "__Host")}
    assert ask(door, "/perudo/api/v1/me", **other).status == 401


def test_programs_are_told_addresses_with_the_path(door: Door) -> None:
    described = ask(door, "/perudo/api/v1/openapi.json").json()
    assert described["servers"] == [{"url": "/perudo"}]
    entered = enter(door, "ann", Scope.AUTHOR)
    who = {"Cookie": entered.headers["set-cookie"].partition(";")[0]}
    page = ask(door, "/perudo/me", **who).body.decode()
    assert "--to https://cs.example.org/perudo<" in page


def test_invited_people_get_a_link_to_where_the_door_was_opened(tmp_path: Path) -> None:
    folder = ladder(tmp_path)

    def link(*url: str) -> str:
        ran = run("ladder", "invite", folder.root, "ann", *url, cwd=tmp_path)
        assert ran.code == 0, ran.err
        return ran.out.split()[-1].partition("/link/")[0]

    assert link() == "http://127.0.0.1:8500"
    with door_of(folder) as open_door:
        assert link() == open_door.base
    with door_of(folder, **BELOW):
        pass
    assert link() == "https://cs.example.org/perudo"
    named = link("--url", "https://Würfel.example.org:444/perudo/")
    assert named == "https://xn--wrfel-kva.example.org:444/perudo"
    assert link("--url", "https://straße.example") == "https://xn--strae-oqa.example"
