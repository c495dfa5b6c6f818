"""An author's account: what opens it is listed, named, and ended one by one."""

import re

import pytest

from arena.ladder.door.access import LASTS, MOST_TOKENS, Scope, SecretKind
from tests.ladder.web.doors import Answer, Door

IS_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def send(door: Door, path: str, who: dict[str, str], body: str = "") -> Answer:
    """Send a form."""
    return door.ask(path, "POST", body, **who, **IS_FORM)


def made(door: Door, who: dict[str, str], scope: Scope) -> dict[str, str]:
    """Make a token on the page, and return the headers of its user."""
    answer = send(door, "/token", who, f"name=laptop+{scope}&scope={scope}")
    assert answer.status == 200, answer
    [word] = re.findall("data-token>([^<]+)<", answer.body.decode())
    return {"Authorization": f"Bearer {word}"}


def ids(door: Door, who: dict[str, str], name: str) -> list[str]:
    """Return the ids of the sessions or tokens with a name."""
    page = door.ask("/account", **who).body.decode()
    row = f'<bdi>{name}</bdi>.*?name="id" value="(\\w+)"'
    return re.findall(row, page, re.DOTALL)


def test_token_does_what_its_scope_says(own_door: Door) -> None:
    ann = own_door.session("ann")
    reads, submits = (made(own_door, ann, scope) for scope in (Scope.READ, Scope.SUBMIT))
    refusal = own_door.put("mine", b"1", reads)
    assert (refusal.status, refusal.problem()["what"]) == (403, "the token can read only")
    assert own_door.put("mine", b"1", submits).status == 201
    for token in (reads, submits):
        assert own_door.ask("/api/v1/versions/mine@1", **token).status == 200


def test_token_is_shown_once_and_made_by_post_alone(own_door: Door) -> None:
    ann = own_door.session("ann")
    word = made(own_door, ann, Scope.SUBMIT)["Authorization"].partition(" ")[2]
    for path in ("/account", "/token"):
        assert word not in own_door.ask(path, **ann).body.decode()
    assert len(ids(own_door, ann, "laptop submit")) == 1
    assert own_door.ask("/token", **ann).headers["location"] == "/account"


def test_each_token_is_ended_by_itself(own_door: Door) -> None:
    ann, bob = own_door.session("ann"), own_door.session("bob")
    first, second = (made(own_door, ann, scope) for scope in (Scope.SUBMIT, Scope.READ))
    [id_] = ids(own_door, ann, "laptop submit")
    assert send(own_door, "/account/end", bob, f"id={id_}").status == 303
    assert own_door.ask("/api/v1/me", **first).status == 200  # bob ends his own alone
    assert send(own_door, "/account/end", ann, f"id={id_}").status == 303
    statuses = [own_door.ask("/api/v1/me", **token).status for token in (first, second)]
    assert statuses == [401, 200]


def test_sessions_are_listed_by_browser_and_ended(own_door: Door) -> None:
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    phone = own_door.session("ann", user_agent=agent)
    desk = own_door.session("ann")
    [id_] = ids(own_door, desk, "Firefox, Linux")
    assert ids(own_door, desk, "another browser")
    assert send(own_door, "/account/end", desk, f"id={id_}").headers["location"] == "/account"
    assert [own_door.ask("/me", **who).status for who in (phone, desk)] == [401, 200]
    [id_] = ids(own_door, desk, "another browser")
    ended = send(own_door, "/account/end", desk, f"id={id_}")
    assert (ended.headers["location"], "Max-Age=0" in ended.headers["set-cookie"]) == ("/", True)
    assert own_door.ask("/me", **desk).status == 401


def test_id_of_a_secret_opens_nothing(own_door: Door) -> None:
    ann = own_door.session("ann")
    made(own_door, ann, Scope.SUBMIT)
    for id_ in ids(own_door, ann, "laptop submit") + ids(own_door, ann, "another browser"):
        assert own_door.ask("/api/v1/me", Authorization=f"Bearer {id_}").status == 401
        assert own_door.ask("/me", Cookie=f"__Host-arena={id_}").status == 401


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("name=", "a name of 1 to 60"),
        ("name=%00", "a name of 1 to 60"),
        (f"name={'x' * 61}", "a name of 1 to 60"),
        ("name=x&scope=administrator", "submits or reads"),
    ],
)
def test_token_that_cannot_be_is_refused_on_the_page(door: Door, body: str, said: str) -> None:
    answer = send(door, "/token", door.session("ann"), body)
    assert (answer.status, said in answer.body.decode()) == (400, True)


def test_author_has_so_many_tokens_at_most(own_door: Door) -> None:
    ann = own_door.session("ann")
    statuses = [send(own_door, "/token", ann, "name=x").status for _ in range(MOST_TOKENS + 1)]
    assert statuses == [200] * MOST_TOKENS + [409]


def test_every_kind_of_secret_ends_some_day() -> None:
    assert LASTS.keys() == {*SecretKind}
