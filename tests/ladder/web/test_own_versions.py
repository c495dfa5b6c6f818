"""What authors do with their versions: withdraw, bring back, choose, get back what they sent."""

import pytest

from arena.ladder.book.book import Book
from arena.ladder.book.tables import Action, State
from arena.ladder.check.scheduler import give_back
from arena.ladder.door.access import Scope
from tests.ladder.desk import PASSED, Desk
from tests.ladder.web.doors import Answer, Door, door_of
from tests.ladder.web.test_account import send


def rated(desk: Desk, *contents: bytes) -> list[str]:
    """Let versions of a bot of ann play, one after another: the last one plays on."""
    names = [desk.submit("ann", "mine", content) for content in contents]
    desk.run(*[PASSED] * len(names))
    for number, name in enumerate(names):
        desk.book.set_state(desk.book.version(name), State.RATED, "it played")
        for before in names[:number]:
            desk.book.set_state(desk.book.version(before), State.RESTING, f"{name} plays")
    return names


def ordered(door: Door, desk: Desk, version: str, what: str, who: dict[str, str]) -> Answer:
    """Give an order by the page of a version, and let the ladder carry it out."""
    answer = send(door, f"/versions/{version}", who, f"what={what}")
    desk.obey()
    return answer


def test_author_withdraws_a_version_and_brings_it_back(desk: Desk) -> None:
    [name] = rated(desk, b"1")
    with door_of(desk.folder) as door:
        ann = door.session("ann")
        assert "Withdraw it" in door.ask(f"/versions/{name}", **ann).body.decode()
        assert ordered(door, desk, name, "withdraw", ann).status == 303
        assert desk.state(name) is State.RESTING
        assert desk.book.version(name).why == "ordered by ann"
        assert "Let it play" in door.ask(f"/versions/{name}", **ann).body.decode()
        ordered(door, desk, name, "play", ann)
        assert desk.state(name) is State.PROVISIONAL


def test_author_chooses_which_version_plays(desk: Desk) -> None:
    first, second, third = rated(desk, b"1", b"2", b"3")
    with door_of(desk.folder) as door:
        ordered(door, desk, first, "play", door.session("ann"))
    states = [desk.state(name) for name in (first, second, third)]
    assert states == [State.PROVISIONAL, State.RESTING, State.RESTING]


def test_version_that_the_operator_let_rest_is_brought_back_by_operators_alone(desk: Desk) -> None:
    [name] = rated(desk, b"1")
    desk.door.order("root", Action.REST, desk.book.version(name), "it talks too much")
    desk.obey()
    with door_of(desk.folder) as door:
        ann = door.session("ann")
        assert "Let it play" not in door.ask(f"/versions/{name}", **ann).body.decode()
        refusal = ordered(door, desk, name, "play", ann)
        assert (refusal.status, b"sk the operator" in refusal.body) == (409, True)
    assert desk.state(name) is State.RESTING
    desk.door.order("root", Action.RESUME, desk.book.version(name), "")
    desk.obey()
    assert (desk.state(name), desk.book.version(name).held) == (State.PROVISIONAL, False)


def test_order_is_shown_until_the_ladder_carried_it_out(desk: Desk) -> None:
    [name] = rated(desk, b"1")
    with door_of(desk.folder) as door:
        ann = door.session("ann")
        send(door, f"/versions/{name}", ann, "what=withdraw")
        said = "The ladder has still to carry out: withdraw"
        assert said in door.ask(f"/versions/{name}", **ann).body.decode()
        desk.obey()
        assert said not in door.ask(f"/versions/{name}", **ann).body.decode()


def test_orders_of_others_are_not_for_authors(desk: Desk) -> None:
    [name] = rated(desk, b"1")
    with door_of(desk.folder) as door:
        for what in ("strike", "rest", "approve", ""):
            assert ordered(door, desk, name, what, door.session("ann")).status == 400
        assert ordered(door, desk, name, "withdraw", door.session("bob")).status == 404
    assert desk.state(name) is State.RATED


def test_author_may_change_what_plays_a_few_times_a_day(desk: Desk) -> None:
    [name] = rated(desk, b"1")
    with door_of(desk.folder) as door:
        ann = door.session("ann")
        statuses = [
            ordered(door, desk, name, what, ann).status
            for _ in range(11)
            for what in ("withdraw", "play")
        ]
    assert statuses == [303] * 20 + [409] * 2
    assert desk.state(name) is State.PROVISIONAL


@pytest.mark.parametrize(
    ("author", "scope", "status"),
    [
        ("ann", Scope.AUTHOR, 200),
        ("root", Scope.ADMINISTRATOR, 200),
        ("bob", Scope.AUTHOR, 404),
    ],
)
def test_archive_is_for_its_author_and_operators(
    desk: Desk, author: str, scope: Scope, status: int
) -> None:
    name = desk.submit("ann", "mine")
    version = desk.book.version(name)
    desk.book.set_digest(version, "d" * 64)
    desk.folder.version("d" * 64).write_bytes(b"canonical")
    path = f"/api/v1/versions/{name}/archive"
    with door_of(desk.folder) as door:
        assert door.ask(path, **door.session("ann")).status == 404
        assert "Download" not in door.ask(f"/versions/{name}", **door.session("ann")).body.decode()
        give_back(desk.folder, desk.book.version(name))
        answer = door.ask(path, **door.session(author, scope))
        assert answer.status == status
        if status == 200:
            assert answer.body == b"canonical"
            assert answer.headers["content-disposition"] == 'attachment; filename="mine-1.tar"'
            page = door.ask(f"/versions/{name}", **door.session("ann")).body.decode()
            assert f'href="{path}"' in page


def test_versions_of_before_are_given_back_when_the_ladder_tidies(desk: Desk) -> None:
    version = desk.book.version(desk.submit("ann", "mine"))
    desk.book.set_digest(version, "d" * 64)
    desk.folder.version("d" * 64).write_bytes(b"canonical")
    desk.checks.tidy()
    assert desk.folder.sent("ann", "mine@1").read_bytes() == b"canonical"
    with Book(desk.folder) as book:
        assert book.version("mine@1").digest
