"""What pages of other sites, other hosts and the impatient get."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.ladder.book.book import Book
from arena.ladder.book.tables import State
from arena.ladder.door import access
from arena.ladder.door.access import Scope
from arena.ladder.web import api
from arena.ladder.web.visitors import COOKIE
from tests.ladder.web.doors import PATIENT, SAME_SITE, Door, door_of, ladder, uploads

EVIL = "https://evil.example"
HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m{{ 7 * 7 }}&amp;\"'"


@pytest.mark.parametrize("host", ["evil.example", "", "127.0.0.1", "127.0.0.1:1", "[::1]"])
def test_a_forged_host_is_refused(door: Door, host: str) -> None:
    for path in ("/", "/api/v1/ladder", "/link/x"):
        answer = door.ask(path, Host=host)
        assert answer.status == 421
        assert EVIL not in answer.body.decode()


def test_whether_it_is_well_is_asked_under_any_name(door: Door) -> None:
    assert door.ask("/healthz", Host="127.0.0.1:1").json()["door"] == "up"


def test_port_that_a_container_publishes_at_the_machine_itself(tmp_path: Path) -> None:
    """It listens everywhere, and answers as what is reached at this machine alone."""
    everywhere, url = "0.0.0.0", "http://127.0.0.1:8500"  # noqa: S104
    with door_of(ladder(tmp_path), host=everywhere, url=url) as door:
        for host in ("127.0.0.1:8500", "localhost:8500"):
            assert door.ask("/", Host=host).status == 200
        for host in (door.host, "127.0.0.1", "evil.example:8500"):
            assert door.ask("/", Host=host).status == 421


NAME = "ladder.example.org"


@pytest.mark.parametrize("url", [f"https://{NAME}", f"https://{NAME}:443", f"https://{NAME}/"])
def test_port_of_https_may_be_named_or_not(tmp_path: Path, url: str) -> None:
    with door_of(ladder(tmp_path), behind_proxy=True, url=url) as door:
        cookie = {"Cookie": door.session("ann", Host=NAME)["Cookie"]}
        for host in (NAME, f"{NAME}:443", f"{NAME.upper()}:443"):
            assert door.ask("/", Host=host).status == 200
        for host in (f"{NAME}:80", f"{NAME}:8443", f"{NAME}:4430", f"{NAME}:"):
            assert door.ask("/", Host=host).status == 421
        for origin, status in ((f"https://{NAME}", 200), (f"http://{NAME}", 403)):
            assert (
                door.ask("/account/feed", "POST", Host=NAME, Origin=origin, **cookie).status
                == status
            )


@pytest.mark.parametrize(
    ("headers", "may"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "same-origin", "Origin": EVIL}, True),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "none"}, False),
        ({"Origin": EVIL}, False),
        ({"Origin": "null"}, False),
        ({}, False),
    ],
)
def test_pages_of_other_sites_change_nothing(
    door: Door, headers: dict[str, str], *, may: bool
) -> None:
    cookie = {"Cookie": door.session("ann")["Cookie"]}
    assert door.ask("/account/feed", "POST", **cookie, **headers).status == (200 if may else 403)
    put = door.put("mine", b"x", {**cookie, **headers})
    assert put.status in ({200, 201} if may else {403})


def test_an_equal_origin_is_enough_for_old_browsers(door: Door) -> None:
    cookie = {"Cookie": door.session("ann")["Cookie"]}
    assert door.ask("/account/feed", "POST", **cookie, Origin=door.base).status == 200


def test_one_address_asks_so_often_and_no_more(tmp_path: Path) -> None:
    with door_of(ladder(tmp_path), replace(PATIENT, rate=0.001, burst=5)) as door:
        found = [door.ask("/live").status for _ in range(8)]
        assert found == [200] * 5 + [429] * 3


def test_secrets_cannot_be_tried_for_ever(tmp_path: Path) -> None:
    with door_of(ladder(tmp_path), replace(PATIENT, tries=3)) as door:
        session, token = door.session("ann"), door.token("ann")
        link, _ = access.invite(door.folder, "bob", Scope.AUTHOR)
        wrong = {
            "link": [door.ask(f"/link/{n}", "POST", **SAME_SITE) for n in range(5)],
            "session": [door.ask("/me", Cookie=f"{COOKIE}={n}") for n in range(5)],
            "token": [door.ask("/api/v1/me", Authorization=f"Bearer {n}") for n in range(5)],
        }
        statuses = {kind: [answer.status for answer in wrong[kind]] for kind in wrong}
        assert statuses == {
            "link": [404] * 3 + [429] * 2,
            "session": [401] * 3 + [429] * 2,
            "token": [401] * 3 + [429] * 2,
        }
        assert {answers[-1].headers["retry-after"] for answers in wrong.values()} == {"60"}
        # Those with the same address who have a secret are not held up.
        assert door.ask("/me", **session).status == 200
        assert door.ask("/api/v1/me", **token).status == 200
        assert door.ask(f"/link/{link}", "POST", **SAME_SITE).status == 303


def test_links_cannot_be_tried_for_ever_by_opening_their_pages(tmp_path: Path) -> None:
    with door_of(ladder(tmp_path), replace(PATIENT, tries=3)) as door:
        link, _ = access.invite(door.folder, "ann", Scope.AUTHOR)
        assert [door.ask(f"/link/{n}").status for n in range(5)] == [404] * 3 + [429] * 2
        assert door.ask(f"/link/{link}").status == 200


@pytest.mark.parametrize(
    ("path", "status"), [("/", 200), ("/me", 401), ("/administration", 404), ("/api/v1/me", 401)]
)
def test_stale_cookie_is_deleted_by_the_answer(door: Door, path: str, status: int) -> None:
    stale = door.ask(path, Cookie=f"{COOKIE}=stale")
    deletion = stale.headers["set-cookie"]
    assert (stale.status, deletion.startswith(f'{COOKIE}="";')) == (status, True)
    for part in ("Max-Age=0", "Path=/", "Secure", "HttpOnly"):
        assert part in deletion
    assert "set-cookie" not in door.ask(path, **door.session("ann")).headers
    assert "set-cookie" not in door.ask(path).headers


def test_new_session_is_not_deleted_with_the_stale_one(door: Door) -> None:
    link, _ = access.invite(door.folder, "ann", Scope.AUTHOR)
    entered = door.ask(f"/link/{link}", "POST", Cookie=f"{COOKIE}=stale", **SAME_SITE)
    assert (entered.status, "Max-Age=0" in entered.headers["set-cookie"]) == (303, False)


def test_hostile_text_is_harmless_on_every_page(own_door: Door) -> None:
    door = own_door
    session = door.session("root", Scope.ADMINISTRATOR)
    door.put("mine", b"x", door.token("ann"))
    [upload] = uploads(door)
    with Book(door.folder, writes=True) as book:
        book.add(upload, State.QUEUED, HOSTILE)
        book.set_state(book.version("mine@1"), State.REFUSED, HOSTILE)
    for path in ("/", "/me", "/versions/mine@1", "/administration", f"/{HOSTILE[:8]}"):
        for who in (session, door.session("ann")):
            page = door.ask(path.replace("<", "%3C").replace(">", "%3E"), **who).body.decode()
            assert "<script>alert" not in page
            assert "\u202e" not in page
            assert "\x1b" not in page
    page = door.ask("/versions/mine@1", **session).body.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}\\x1b[31m{{ 7 * 7 }}" in page


def test_a_ladder_that_cannot_be_read_is_said_in_one_line(own_door: Door) -> None:
    session = own_door.session("root", Scope.ADMINISTRATOR)
    own_door.folder.ladder.rename(own_door.folder.root / "elsewhere")
    broken = own_door.ask("/administration", **session)
    assert broken.status == 503
    assert str(own_door.folder.root) not in broken.body.decode()
    assert own_door.ask("/").status == 200  # as it was read last


def test_a_bug_of_the_door_is_no_traceback(own_door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(api, "ladder_info", fail)
    found = own_door.ask("/api/v1/ladder")
    assert (found.status, "Zero" in found.body.decode()) == (500, False)
    assert found.problem()["what"] == "internal error of the door"
    assert "frame-ancestors" in found.headers["content-security-policy"]
