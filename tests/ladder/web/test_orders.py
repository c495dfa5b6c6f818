"""Orders of an administrator: written down by the door, carried out by the ladder."""

from urllib.parse import urlencode

import pytest

from arena.ladder.book.book import Book
from arena.ladder.book.tables import Action, Order, State
from arena.ladder.door.access import Scope
from arena.ladder.door.door import Door as LadderDoor
from arena.ladder.season import field
from tests.e2e.live import wait_until
from tests.ladder.web.doors import Answer, Door, uploads

SHEET = "/administration/versions/mine@1"


def ordered(door: Door) -> list[Order]:
    with LadderDoor(door.folder) as opened:
        return opened.orders()


def rated(door: Door) -> None:
    """Let ann have a version that plays."""
    door.put("mine", b"1", door.token("ann"))
    with Book(door.folder, writes=True) as book:
        [upload] = uploads(door)
        book.add(upload, State.QUEUED, "it came")
        book.set_state(book.version("mine@1"), State.RATED, "it is rated")


def submit(door: Door, root: dict[str, str], **form: str) -> Answer:
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    return door.ask("/administration", "POST", urlencode(form), **root, **kind)


def test_an_order_of_a_form_is_carried_out_and_answered(own_door: Door) -> None:
    rated(own_door)
    root = own_door.session("root", Scope.ADMINISTRATOR)
    page = own_door.ask(SHEET, **root).body.decode()
    assert 'name="what" value="strike"' in page
    assert 'value="resume"' not in page  # it rests not
    assert submit(own_door, root, what="rest", version="mine@1", why="<b>").status == 303
    [order] = ordered(own_door)
    assert order[2:6] == ("root", Action.REST, "mine@1", "<b>")
    assert "&lt;b&gt;" in own_door.ask("/administration", **root).body.decode()
    with Book(own_door.folder, writes=True) as book:
        field.carry_out(order, book)
    page = own_door.ask(SHEET, **root).body.decode()
    assert "rest by root (&lt;b&gt;): done: mine@1 is resting" in page
    assert 'value="resume"' in page


def test_a_version_is_approved_on_the_page(own_door: Door) -> None:
    rated(own_door)
    ann, root = own_door.session("ann"), own_door.session("root", Scope.ADMINISTRATOR)
    with Book(own_door.folder, writes=True) as book:
        book.set_state(book.version("mine@1"), State.AWAITING, "it passed its check")
        wait_until(lambda: b"awaiting approval" in own_door.ask("/versions/mine@1", **ann).body)
        page = own_door.ask(SHEET, **root).body.decode()
        assert 'name="what" value="approve"' in page
        assert submit(own_door, root, what="approve", version="mine@1").status == 303
        [order] = ordered(own_door)
        field.carry_out(order, book)
    told = own_door.ask("/versions/mine@1", **ann).body.decode()
    assert "provisional: approved by root" in told
    assert "approve by root: done: mine@1 is provisional" in told


def test_a_quota_is_changed_on_the_page_and_shown_to_its_author(own_door: Door) -> None:
    ann, root = own_door.session("ann"), own_door.session("root", Scope.ADMINISTRATOR)
    page = own_door.ask("/administration/people/ann", **root).body.decode()
    assert 'aria-label="Submissions of ann in 24' in page
    form = {"what": "quota", "author": "ann", "uploads": "7", "why": "she asked"}
    assert submit(own_door, root, **form).status == 303
    assert b"quota <bdi>ann</bdi> 7 by" in own_door.ask("/administration", **root).body
    with Book(own_door.folder, writes=True) as book:
        [order] = ordered(own_door)
        field.carry_out(order, book)
    assert b"7 of 7 submissions left" in own_door.ask("/me", **ann).body
    assert own_door.ask("/api/v1/me", **ann).json()["quota"]["of"] == 7
    page = own_door.ask("/administration", **root).body.decode()
    assert "quota by root (she asked): done: ann may make 7 submissions in 24 hours" in page


def test_an_order_of_a_program_is_taken(own_door: Door) -> None:
    root = own_door.session("root", Scope.ADMINISTRATOR)
    body = '{"what": "season close", "why": "summer"}'
    found = own_door.ask("/api/v1/orders", "POST", body, **root)
    assert (found.status, found.json()) == (202, {"order": 1})
    assert ordered(own_door)[0].what is Action.CLOSE_SEASON


@pytest.fixture(scope="module")
def playing(door: Door) -> Door:
    """A door whose ladder has a version that plays."""
    rated(door)
    return door


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"what": "rest", "version": "none@1"}, 404),
        ({"what": "rest"}, 400),
        ({"what": "season close", "version": "mine@1", "typed": "mine@1"}, 400),
        ({"what": "season close"}, 400),
        ({"what": "season close", "typed": "season 2"}, 400),
        ({"what": "strike", "version": "mine@1"}, 400),
        ({"what": "strike", "version": "mine@1", "typed": "mine@2"}, 400),
        ({"what": "strike", "version": "none@1", "typed": "none@1"}, 404),
        ({"what": "resume", "version": "mine@1"}, 409),
        ({"what": "explode", "version": "mine@1"}, 400),
        ({"what": "rest", "version": "mine@1", "why": "a\nb"}, 400),
        ({"what": "rest", "version": "mine@1", "more": "x"}, 400),
        ({"what": "quota", "author": "ann"}, 400),
        ({"what": "quota", "author": "ann", "uploads": "0"}, 400),
        ({"what": "quota", "author": "ann", "uploads": "many"}, 400),
        ({"what": "quota", "author": "none", "uploads": "7"}, 404),
        ({"what": "rest", "version": "mine@1", "uploads": "7"}, 400),
        ({}, 400),
    ],
)
def test_orders_that_make_no_sense_are_refused(
    playing: Door, form: dict[str, str], status: int
) -> None:
    root = playing.session("root", Scope.ADMINISTRATOR)
    assert submit(playing, root, **form).status == status
    assert ordered(playing) == []
