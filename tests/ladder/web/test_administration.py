"""The desk of an operator: people and versions page by page, the machine, what cannot be undone."""

import json
import re
from pathlib import Path
from urllib.parse import urlencode

import msgspec
import pytest

from arena.ladder.book.book import Book
from arena.ladder.book.tables import HEALTH, Action, Health, State
from arena.ladder.door.access import Scope
from arena.ladder.door.door import Door as LadderDoor
from arena.ladder.folder import Folder
from arena.ladder.status import status
from tests.cli.command import error_line, run
from tests.ladder.web.doors import SAME_SITE, Answer, Door, uploads
from tests.ladder.web.test_orders import ordered, rated, submit

VERSIONS = 60
"""More than a page has."""


def text(door: Door, path: str, who: dict[str, str]) -> str:
    answer = door.ask(path, **who)
    assert answer.status == 200, answer
    return answer.body.decode()


def post(door: Door, path: str, root: dict[str, str], **form: str) -> Answer:
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    return door.ask(f"/administration/{path}", "POST", urlencode(form), **root, **kind)


def administrator(door: Door) -> dict[str, str]:
    return door.session("root", Scope.ADMINISTRATOR)


def names(page: str) -> list[str]:
    """Return the versions of a page, as they stand there."""
    return re.findall(r'scope="row"><a href="/administration/versions/([^"]+)"', page)


@pytest.fixture
def crowded(own_door: Door) -> Door:
    """A door with more versions and more people than a page has."""
    rated(own_door)
    [upload] = uploads(own_door)
    with LadderDoor(own_door.folder, writes=True) as door:
        for number in range(2, VERSIONS + 1):
            door.invite(f"author-{number}")
    with Book(own_door.folder, writes=True) as book, book.together():
        for number in range(2, VERSIONS + 1):
            copy = upload._replace(id=number, bot=f"bot-{number}", author=f"author-{number}")
            book.add(copy, State.QUEUED, "it came")
    return own_door


def test_versions_come_in_pages_the_newest_first(crowded: Door) -> None:
    root = administrator(crowded)
    first = text(crowded, "/administration", root)
    assert names(first)[0] == f"bot-{VERSIONS}@1"
    assert f"50 of {VERSIONS} versions" in first
    [after] = re.findall(r'href="(\?versions=2)"', first)
    second = text(crowded, f"/administration{after}", root)
    assert len({*names(first), *names(second)}) == VERSIONS
    assert names(second)[-1] == "mine@1"
    for beyond in ("3", "0", "-1", "x", "9" * 30):
        assert names(text(crowded, f"/administration?versions={beyond}", root))


def test_people_and_versions_are_found_by_name_and_state(crowded: Door) -> None:
    root = administrator(crowded)
    found = text(crowded, "/administration?q=BOT-7", root)
    assert names(found) == ["bot-7@1"]
    assert names(text(crowded, "/administration?q=rated", root)) == ["mine@1"]
    all_of_them = text(crowded, "/administration", root)
    assert f'<a href="/administration?q=queued">{VERSIONS - 1} queued</a>' in all_of_them
    people = text(crowded, "/administration?q=author-33", root)
    assert re.findall(r'scope="row"><a href="/administration/people/([^"]+)"', people) == [
        "author-33"
    ]
    nobody = text(crowded, "/administration?q=%3Cscript%3E", root)
    assert names(nobody) == []
    assert 'value="&lt;script&gt;"' in nobody


def test_versions_that_others_may_help_are_named_with_the_authors_of_these(crowded: Door) -> None:
    pairs = [("bot-7@1", "mine@1"), ("bot-8@1", "mine@1"), ("bot-9@1", "bot-10@1")]
    rows = [
        {
            "kind": "collusion",
            "variant": "bga",
            "players": 2,
            "bot": bot,
            "opponent": rival,
            "games": 40,
            "expected": 0.5,
            "observed": 0.2,
            "p": 0.001,
        }
        for bot, rival in [*pairs, ("gone@1", "mine@1")]
    ]
    rows.append({**rows[0], "kind": "drift", "opponent": None})
    data = crowded.folder.root / "site" / "data"
    data.mkdir(parents=True)
    (data / "suspicions.json").write_text(json.dumps({"rows": rows}))
    page = text(crowded, "/administration", administrator(crowded))
    shown = page.partition("Pairs to look at")[2].partition("</section>")[0]
    assert names(shown) == ["mine@1", "bot-10@1"]
    first = shown.partition("</tr>")[2].partition("</tr>")[0]
    assert "2 of 2 other authors" in first
    assert "of <bdi>author-7</bdi>: ahead in 20" in first


def test_a_strike_and_the_end_of_a_season_ask_for_their_name(own_door: Door) -> None:
    rated(own_door)
    root = administrator(own_door)
    page = submit(own_door, root, what="strike", version="mine@1", why="cheats").body.decode()
    assert "This cannot be undone, and the name was not typed. Type mine@1." in page
    assert 'value="cheats"' in page  # it stays
    assert submit(own_door, root, what="strike", version="mine@1", typed="mine@1").status == 303
    with Book(own_door.folder, writes=True) as book:
        book.open_season(1, b"{}", "c")
    close = {"what": "season close", "typed": " season 1 "}
    assert submit(own_door, root, **close).status == 303
    assert [order.what for order in ordered(own_door)] == [Action.STRIKE, Action.CLOSE_SEASON]


def test_an_author_is_invited_and_the_link_is_shown_once(own_door: Door) -> None:
    root = administrator(own_door)
    page = post(own_door, "invite", root, invited="carl").body.decode()
    [link] = re.findall(r"<pre[^>]*data-link>(.+)</pre>", page)
    assert link not in text(own_door, "/administration/people/carl", root)
    path = link.removeprefix(own_door.base)
    refused = post(own_door, "invite", root, invited="CARL")
    assert (refused.status, b'value="CARL"' in refused.body) == (409, True)
    assert own_door.ask(path).status == 200  # the link before is still valid
    assert post(own_door, "invite", root, invited="carl", again="yes").status == 200
    assert own_door.ask(path).status == 404
    for name in ("", "car/l", "cerl<b>", "root\n"):
        assert post(own_door, "invite", root, invited=name).status in {400, 409}


def test_administrators_are_made_at_the_terminal_alone(own_door: Door) -> None:
    root = administrator(own_door)
    page = post(own_door, "invite", root, invited="carl", scope="administrator").body.decode()
    [word] = re.findall(r"/link/([^<]+)</pre>", page)
    cookie = own_door.ask(f"/link/{word}", "POST", **SAME_SITE).headers["set-cookie"]
    carl = {"Cookie": cookie.partition(";")[0], **SAME_SITE}
    assert own_door.ask("/administration", **carl).status == 404


def test_an_author_is_revoked_when_the_name_is_typed(own_door: Door) -> None:
    root, ann = administrator(own_door), own_door.session("ann")
    for typed in ("", "bob", "an"):
        assert post(own_door, "revoke", root, revoked="ann", typed=typed).status == 400
    assert own_door.ask("/me", **ann).status == 200
    page = post(own_door, "revoke", root, revoked="ann", typed="ann").body.decode()
    assert "links, sessions and tokens of ann are invalid now" in page
    assert own_door.ask("/me", **ann).status == 401
    assert post(own_door, "revoke", root, revoked="none", typed="none").status == 404


def test_the_desk_shows_how_the_machine_is(own_door: Door) -> None:
    root = administrator(own_door)
    assert "never verified" in text(own_door, "/administration", root)
    health = Health(
        workers=3,
        checks=2,
        logs=5 << 20,
        logs_cap=5 << 30,
        next_publication=None,
        backup_interval=60.0,
    )
    with Book(own_door.folder, writes=True) as book:
        book.set_fact(HEALTH, msgspec.json.encode(health).decode())
    club = own_door.folder.root
    assert run("ladder", "backup", club, "saved", "--verify", cwd=club.parent).code == 0
    page = text(own_door, "/administration", root)
    assert "<strong>3</strong><span>play at a time" in page
    assert "logs 5.0 MiB of 5.0 GiB" in page
    assert "0 of 2 checked now" in page
    assert re.search(r"verified \d+ s ago", page)


@pytest.mark.slow
def test_a_ladder_notes_how_its_machine_is(club: Path) -> None:
    with Book(Folder(club)) as book:
        noted = msgspec.json.decode(book.facts()[HEALTH], type=Health)
    assert (noted.workers, noted.checks > 0, noted.logs_cap) == (1, True, 5 << 30)


def test_a_backup_that_is_not_whole_is_not_kept(own_door: Door) -> None:
    rated(own_door)
    folder = own_door.folder
    (folder.versions / f"{'d' * 64}.tar").write_bytes(b"another")
    ran = run("ladder", "backup", folder.root, "saved", "--verify", cwd=folder.root.parent)
    error_line(ran, "the backup is damaged")
    assert not folder.last_verified.exists()
    assert status(folder).backed_up is None
    assert not (folder.root.parent / "saved").exists()
