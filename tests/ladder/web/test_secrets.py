"""Links, sessions and tokens: what they open, once, for how long, and what a thief gets."""

import sqlite3
import time
from urllib.parse import quote

import pytest

from arena.ladder.door import access
from arena.ladder.door import door as ladder_door
from arena.ladder.door.access import FRESH, LASTS, Scope, SecretKind, Secrets
from arena.ladder.web.visitors import COOKIE
from tests.cli.command import error_line, run
from tests.ladder.web.doors import SAME_SITE, Door


def test_a_link_is_spent_by_its_button_and_only_once(door: Door) -> None:
    word, _ = access.invite(door.folder, "ann", Scope.AUTHOR)
    for _ in range(3):  # as scanners of mail do
        page = door.ask(f"/link/{word}")
        assert (page.status, "set-cookie" in page.headers) == (200, False)
        assert b"Enter as ann" in page.body
    spent = door.ask(f"/link/{word}", "POST", **SAME_SITE)
    assert spent.status == 303
    for part in (f"{COOKIE}=", "HttpOnly", "Path=/", "SameSite=lax", "Secure", "Max-Age=2592000"):
        assert part in spent.headers["set-cookie"]
    assert "Domain" not in spent.headers["set-cookie"]
    for method in ("GET", "POST"):
        again = door.ask(f"/link/{word}", method, **SAME_SITE)
        assert (again.status, "set-cookie" in again.headers) == (404, False)


def test_invitation_ends_the_links_before_it_and_no_session(door: Door) -> None:
    session, token = door.session("ida"), door.token("ida")
    words = [access.invite(door.folder, name, Scope.AUTHOR)[0] for name in ("ida", "IDA")]
    other, _ = access.invite(door.folder, "ivo", Scope.AUTHOR)
    statuses = [door.ask(f"/link/{word}", "POST", **SAME_SITE).status for word in (*words, other)]
    assert statuses == [404, 303, 303]
    for who in (session, token):
        assert door.ask("/api/v1/me", **who).status == 200


def test_a_link_of_another_site_cannot_log_in(door: Door) -> None:
    word, _ = access.invite(door.folder, "ann", Scope.AUTHOR)
    assert door.ask(f"/link/{word}", "POST", Sec_Fetch_Site="cross-site").status == 403
    assert door.ask(f"/link/{word}", "POST").status == 403
    assert door.ask(f"/link/{word}", "POST", Origin=door.base).status == 303


@pytest.mark.parametrize("kind", SecretKind)
def test_secrets_expire(door: Door, kind: SecretKind, monkeypatch: pytest.MonkeyPatch) -> None:
    with Secrets(door.folder, writes=True) as kept:
        word = kept.make("ann", kind)
        assert kept.find(word, kind)
        assert not any(kept.find(word, other) for other in SecretKind if other is not kind)
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + LASTS[kind] + 1)
        assert kept.find(word, kind) is None


def test_a_stolen_copy_of_the_database_opens_nothing(own_door: Door) -> None:
    door = own_door
    sessions = {**door.session("ann"), **door.token("ann")}
    with sqlite3.connect(door.folder.door) as copy:
        dump = "\n".join(copy.iterdump())
        stolen = [text for row in copy.execute("SELECT * FROM secrets") for text in map(str, row)]
    copy.close()
    for value in sessions.values():
        assert value.rpartition("=")[2].rpartition(" ")[2] not in dump
    for word in stolen:
        assert door.ask(f"/link/{quote(word)}", "POST", **SAME_SITE).status == 404
        assert door.ask("/api/v1/me", Cookie=f"{COOKIE}={word}").status == 401
        if word.isprintable():
            assert door.ask("/api/v1/me", Authorization=f"Bearer {word}").status == 401


def secret_of(token: dict[str, str]) -> tuple[str, dict[str, str]]:
    return token["Authorization"].partition(" ")[2], token


def test_a_token_submits_and_nothing_else(door: Door) -> None:
    word, token = secret_of(door.token("ann"))
    assert word not in door.ask("/account", **door.session("ann")).body.decode()
    assert door.put("token", b"by token", token).status == 201
    assert door.ask("/api/v1/me", **token).json()["administrates"] is False
    for path in ("/me", "/account", "/token", "/account/end", "/leave"):
        method = "GET" if path in {"/me", "/account"} else "POST"
        assert door.ask(path, method, **token).status == 403
    # It is no cookie, and the value of a cookie is no token.
    assert door.ask("/api/v1/me", Cookie=f"{COOKIE}={word}").status == 401
    cookie = door.session("ann")["Cookie"].partition("=")[2]
    assert door.ask("/api/v1/me", Authorization=f"Bearer {cookie}").status == 401
    # Another one beside it changes nothing.
    door.token("ann")
    assert door.ask("/api/v1/me", **token).status == 200


def test_revoking_is_immediate(door: Door) -> None:
    session, token = door.session("eve"), door.token("eve")
    word, _ = access.invite(door.folder, "eve", Scope.AUTHOR)
    ran = run("ladder", "revoke", door.folder.root, "EVE", cwd=door.folder.root)
    assert ran.out == "eve: 3 links, sessions and tokens are invalid now\n"
    assert door.ask("/api/v1/me", **session).status == 401
    assert door.ask("/api/v1/me", **token).status == 401
    assert door.ask(f"/link/{word}", "POST", **SAME_SITE).status == 404


def test_administration_asks_for_a_new_link(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    session = door.session("root", Scope.ADMINISTRATOR)
    assert door.ask("/administration", **session).status == 200
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + FRESH + 1)
    late = door.ask("/administration", **session)
    assert (late.status, b"12 hours" in late.body) == (403, True)
    assert door.ask("/api/v1/me", **session).json()["administrates"] is False


def test_an_invited_author_is_not_an_administrator(door: Door) -> None:
    door.session("root", Scope.ADMINISTRATOR)
    assert door.ask("/administration", **door.session("root")).status == 404


def test_the_command_prints_a_link_for_each(door: Door) -> None:
    roster = door.folder.root.parent / "roster.csv"
    roster.write_text("\ufeffname,id,group\nAda L,ada,1\nBea,bea,2\n")
    url = ("--url", door.base)
    ran = run("ladder", "invite", door.folder.root, "--roster", roster, *url, cwd=roster.parent)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert [line.split()[0] for line in lines] == ["ada", "bea"]
    for line in lines:
        path = line.partition(door.base)[2]
        assert door.ask(path, "POST", **SAME_SITE).status == 303


def test_authors_whose_names_look_alike_are_not_invited(own_door: Door) -> None:
    roster = own_door.folder.root.parent / "alike.csv"
    words = ("ladder", "invite", own_door.folder.root)
    cwd = roster.parent
    assert run(*words, "bully", "good-author", cwd=cwd).code == 0
    for name, twin in (("buIly", "bully"), ("G00D-author", "good-author")):
        error_line(run(*words, name, cwd=cwd), f"the name '{name}' looks like '{twin}'")
    roster.write_text("id\nzoe\nann1\nannI\n")
    error_line(run(*words, "--roster", roster, cwd=cwd), "the name 'annI' looks like 'ann1'")
    with ladder_door.Door(own_door.folder) as door:
        assert not {"zoe", "ann1", "annI", "buIly"} & {author.name for author in door.authors()}
    # Those who are there already can be invited again.
    assert run(*words, "BULLY", cwd=cwd).out.startswith("BULLY could submit already")


def test_bad_rosters_are_refused(door: Door) -> None:
    roster = door.folder.root.parent / "bad.csv"
    words = ("ladder", "invite", door.folder.root, "--roster", roster)
    bad = {
        "id\na\na\n": "'a' is there twice",
        "id\n../x\n": "the name of an author",
        "name\na\n": "no column 'id'",
    }
    for text, said in bad.items():
        roster.write_text(text)
        error_line(run(*words, cwd=roster.parent), said)
    roster.unlink()
    error_line(run(*words, cwd=roster.parent), "no such file")
    error_line(run(*words[:3], cwd=roster.parent), "nobody is invited")
