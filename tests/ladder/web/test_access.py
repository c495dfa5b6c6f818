"""Every route, asked by everybody: each gets what is theirs, and nobody learns of anything else."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from arena.ladder.door.access import Requests, Scope
from arena.ladder.folder import make_private
from arena.ladder.web.app import make_app
from arena.ladder.web.where import Where
from tests.ladder.web.doors import SAME_SITE, Door, door_of, ladder

NOBODY, OTHER, AUTHOR, TOKEN, ADMINISTRATOR = "nobody", "bob", "ann", "token of ann", "root"
READER = "token of ann that reads"
WHO = (NOBODY, OTHER, AUTHOR, TOKEN, ADMINISTRATOR)
ORDER = '{"what": "resume", "version": "mine@1"}'
PLAY = "what=play"
FORM = "what=resume&version=mine%401&why="
INVITED = "invited=ann"
APPROVED = "request=1&what=approve"
IS_FORM = (("Content-Type", "application/x-www-form-urlencoded"),)


class Case(NamedTuple):
    """A request, and the status that each of WHO gets."""

    method: str
    path: str
    statuses: tuple[int, int, int, int, int]
    body: str | None = None
    headers: tuple[tuple[str, str], ...] = ()


ALL = (200,) * 5
CASES = [
    Case("GET", "/", ALL),
    Case("GET", "/link/wrong", (404, 303, 303, 404, 303)),
    Case("POST", "/link/wrong", (404,) * 5),
    Case("GET", "/live", ALL),
    Case("GET", "/wall", ALL),
    Case("GET", "/play", ALL),
    Case("POST", "/play", (409,) * 5, "ann@1=on", IS_FORM),
    Case("GET", "/play/wrong/", (404,) * 5),
    Case("POST", "/play/wrong/", (404,) * 5, "number=1&move=dudo", IS_FORM),
    Case("GET", "/play/wrong/play.css", ALL),
    Case("GET", "/played/none/replay.html", (404,) * 5),
    Case("GET", "/welcome", ALL),
    Case("POST", "/welcome", (200, 409, 409, 409, 409), "name=zoe", IS_FORM),
    Case("GET", "/kits/python.zip", ALL),
    Case("GET", "/kits/none.zip", (404,) * 5),
    Case("GET", "/me", (401, 200, 200, 403, 200)),
    Case("GET", "/account", (401, 200, 200, 403, 200)),
    Case("GET", "/token", (307,) * 5),
    Case("POST", "/account/end", (401, 303, 303, 403, 303), "id=none", IS_FORM),
    Case("POST", "/account/feed", (401, 200, 200, 403, 200)),
    Case("GET", "/feed/wrong", (404,) * 5),
    Case("GET", "/account/export", (401, 200, 200, 403, 200)),
    Case("POST", "/account/delete", (401, 400, 400, 403, 400), "name=x", IS_FORM),
    Case("POST", "/upload", (401, 415, 415, 403, 415)),
    Case("GET", "/versions/mine@1", (401, 404, 200, 200, 200)),
    Case("GET", "/versions/none@1", (401, 404, 404, 404, 404)),
    Case("POST", "/versions/mine@1", (401, 404, 409, 403, 409), PLAY, IS_FORM),
    Case("GET", "/api/v1/versions/mine@1/archive", (401, 404, 200, 200, 200)),
    Case("GET", "/api/v1/versions/none@1/archive", (401, 404, 404, 404, 404)),
    Case("GET", "/private/ann/sent/mine@1.tar", (404, 404, 200, 200, 200)),
    Case("GET", "/private/ann/", (404, 404, 200, 200, 200)),
    Case("GET", "/private/ann/index.html", (404, 404, 200, 200, 200)),
    Case("GET", "/api/v1/versions/mine@1/why", (401, 404, 200, 200, 200)),
    Case("GET", "/api/v1/versions/mine@1/games", (401, 404, 200, 200, 200)),
    Case("GET", "/api/v1/versions/none@1/why", (401, 404, 404, 404, 404)),
    Case("GET", "/private/ann/none", (404,) * 5),
    Case("GET", "/administration", (404, 404, 404, 404, 200)),
    Case("POST", "/administration", (404, 404, 404, 404, 409), FORM, IS_FORM),
    Case("GET", "/administration/versions/mine@1", (404, 404, 404, 404, 200)),
    Case("GET", "/administration/people/ann", (404, 404, 404, 404, 200)),
    Case("POST", "/administration/invite", (404, 404, 404, 404, 409), INVITED, IS_FORM),
    Case("POST", "/administration/revoke", (404, 404, 404, 404, 400), "revoked=ann", IS_FORM),
    Case("GET", "/administration/requests", (404, 404, 404, 404, 200)),
    Case("POST", "/administration/requests", (404, 404, 404, 404, 200), APPROVED, IS_FORM),
    Case("PUT", "/api/v1/bots/mine/versions", (401, 409, 200, 200, 409), "mine"),
    Case("PUT", "/api/v1/bots/-/versions", (401, 400, 400, 400, 400), "mine"),
    Case("GET", "/api/v1/me", (401, 200, 200, 200, 200)),
    Case("GET", "/api/v1/ladder", ALL),
    Case("GET", "/api/v1/ladder/standings", (404,) * 5),
    Case("GET", "/api/v1/ladder/replays/0/0", (404,) * 5),
    Case("GET", "/api/v1/ladder/replays/..%2f0/0", (404,) * 5),
    Case("GET", "/api/v1/ladder/replays/0/*", (404,) * 5),
    Case("GET", "/api/v1/versions/mine@1", (401, 404, 200, 200, 200)),
    Case("GET", "/api/v1/versions/mine@1/check", (401, 404, 404, 404, 404)),
    Case("GET", "/api/v1/versions/none@1/events", (401, 404, 404, 404, 404)),
    Case("POST", "/api/v1/orders", (404, 404, 404, 404, 409), ORDER),
    Case("GET", "/api/v1/openapi.json", ALL),
    Case("GET", "/healthz", (503,) * 5),  # no ladder runs
    Case("GET", "/metrics", ALL),
    Case("GET", "/assets/font.css", ALL),
    Case("GET", "/assets/style.css", ALL),
    Case("GET", "/assets/administration.css", ALL),
    Case("GET", "/assets/door.css", ALL),
    Case("GET", "/assets/live.css", ALL),
    Case("GET", "/assets/table.css", ALL),
    Case("GET", "/assets/door.js", ALL),
    Case("GET", "/assets/author.css", ALL),
    Case("GET", "/assets/author.js", ALL),
    Case("GET", "/assets/front.css", ALL),
    Case("GET", "/assets/times.js", ALL),
    Case("GET", "/assets/wall.css", ALL),
    Case("GET", "/assets/wall.js", ALL),
    Case("GET", "/assets/upload.js", ALL),
    Case("GET", "/site/", (303,) * 5),
    Case("GET", "/site/about.html", ALL),
    Case("GET", "/none", (404,) * 5),
    Case("DELETE", "/me", (405,) * 5),
    Case("POST", "/token", (401, 200, 200, 403, 200), "name=x", IS_FORM),
    Case("POST", "/leave", (401, 303, 303, 403, 303)),
]
READS_ONLY = {
    ("PUT", "/api/v1/bots/mine/versions"): 403,
    ("PUT", "/api/v1/bots/-/versions"): 403,
}
"""What a token that reads gets otherwise than one that submits."""
NOT_HERE = {"/api/v1/ladder/events", "/api/v1/versions/{version}/events", "/site"}
"""Streams are asked elsewhere (test_events.py); /site leads to /site/."""


@pytest.fixture(scope="module")
def crowd(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Door, dict[str, dict[str, str]]]]:
    folder = ladder(tmp_path_factory.mktemp("access"))
    make_private(folder.private / "ann")
    (folder.private / "ann/index.html").write_text("ann's")
    for kind in ("why.json", "games.jsonl"):
        (folder.private / f"ann/mine@1.{kind}").write_text("{}\n")
    (folder.private / "ann/sent").mkdir()
    with Requests(folder, writes=True) as requests:
        requests.add("yves", "", "", 9)
    folder.sent("ann", "mine@1").write_text("ann's")
    folder.site.mkdir()
    for page in ("index.html", "about.html"):
        (folder.site / page).write_text("the site")
    with door_of(folder) as door:
        who = {
            NOBODY: SAME_SITE,
            TOKEN: door.token("ann"),
            READER: door.token("ann", Scope.READ),
            **sessions(door),
        }
        assert door.put("mine", b"mine", who[AUTHOR]).status == 201
        yield door, who


def sessions(door: Door) -> dict[str, dict[str, str]]:
    """Log those in who come with a browser."""
    return {
        OTHER: door.session("bob"),
        AUTHOR: door.session("ann"),
        ADMINISTRATOR: door.session("root", Scope.ADMINISTRATOR),
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.method} {case.path}")
def test_each_gets_what_is_theirs(
    crowd: tuple[Door, dict[str, dict[str, str]]], case: Case
) -> None:
    door, who = crowd
    found = {
        one: door.ask(case.path, case.method, case.body, **{**who[one], **dict(case.headers)})
        for one in who
    }
    if case.path == "/leave":
        who.update(sessions(door))  # another case may come after it
    expected = dict(zip(WHO, case.statuses, strict=True))
    expected[READER] = READS_ONLY.get((case.method, case.path), expected[TOKEN])
    assert {one: answer.status for one, answer in found.items()} == expected
    for answer in found.values():
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        if answer.status >= 400 and case.path.startswith("/api/"):
            answer.problem()


def test_every_route_is_asked(crowd: tuple[Door, dict[str, dict[str, str]]]) -> None:
    door, _ = crowd
    routes = {
        route.path  # type: ignore[attr-defined]
        for route in make_app(door.folder, Where(frozenset())).routes
    }
    for word, part in (
        ("wrong", "{secret}"),
        ("mine@1", "{version:version}"),
        ("mine", "{bot}"),
        ("python", "{language}"),
        ("ann/index.html", "{author}/{path:path}"),
        ("ann", "{author}"),
        ("none/replay.html", "{id}/{path:path}"),
        ("play.css", "{file}"),
        ("0/0", "{fixture}/{game}"),
    ):
        routes = {route.replace(part, word) for route in routes}
    asked = {case.path.rstrip("/") or "/" for case in CASES} | {
        path.replace("{version}", "mine@1") for path in NOT_HERE
    }
    assert {route.rstrip("/") or "/" for route in routes} <= asked


@pytest.mark.parametrize(
    "path",
    [
        "/private/ann/../bob/index.html",
        "/private/ann/..%2fbob%2findex.html",
        "/private/ann/%2e%2e/bob/index.html",
        "/private/../private/bob/index.html",
        "/private/ann//etc/passwd",
        "/private/ann/%2fetc/passwd",
        "/private/../ladder.sqlite",
        "/private/%2e%2e/ladder.sqlite",
        "/private/ann/%00",
        "/private/./index.html",
        "/site/../ladder.sqlite",
        "/site/%2e%2e/ladder.sqlite",
        "/site/..%2f..%2fladder.sqlite",
        "/site/%00",
        "/assets/..%2fbase.html",
    ],
)
def test_paths_lead_nowhere_else(crowd: tuple[Door, dict[str, dict[str, str]]], path: str) -> None:
    door, _ = crowd
    ann = door.session("ann")
    make_private(door.folder.private / "bob")
    (door.folder.private / "bob/index.html").write_text("bob's")
    answer = door.ask(path, **ann)
    assert answer.status in {400, 404}
    assert b"bob's" not in answer.body
    assert b"SQLite" not in answer.body


@pytest.mark.parametrize("bot", ["..", "%2e%2e", "..%2f..%2fx", "a%00b", "%3Cb%3E", "%C3%A9"])
def test_names_of_bots_are_harmless(
    crowd: tuple[Door, dict[str, dict[str, str]]], bot: str
) -> None:
    door, _ = crowd
    ann = door.session("ann")
    answer = door.put(bot, b"x", ann)
    assert answer.status in {400, 404, 405}
    assert [one["version"] for one in door.ask("/api/v1/me", **ann).json()["versions"]] == [
        "mine@1"
    ]
