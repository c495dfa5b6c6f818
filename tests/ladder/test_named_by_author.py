"""`names: by_author`: bots of several authors with one name, as in a class."""

from functools import partial
from pathlib import Path

import pytest

from arena.ladder.book.shown import published_boards
from arena.ladder.door.api import VersionInfo
from arena.ladder.door.remote import Remote
from arena.ladder.folder import Folder
from arena.ladder.pages.site import publish_all
from tests.cli.command import bot, error_line, run
from tests.ladder import club as clubs
from tests.ladder.web.doors import door_of, ladder
from tests.publish.pages import broken_links

NAMES = {"ann/my-bot@1", "bob/my-bot@1"}


def test_each_author_has_a_bot_of_that_name_at_the_door(tmp_path: Path) -> None:
    with door_of(ladder(tmp_path, names="by_author")) as door:
        ann, bob = door.session("ann"), door.session("bob")
        for author in ("ann", "bob"):
            answer = door.put("my-bot", author.encode(), door.token(author))
            assert answer.status == 201, answer
            assert answer.json()["version"] == f"{author}/my-bot@1"
        name = "ann/my-bot@1"
        assert b"ann/my-bot@1" in door.ask(f"/versions/{name}", **ann).body
        assert door.ask(f"/api/v1/versions/{name}", **ann).json()["version"] == name
        assert door.ask(f"/api/v1/versions/{name}/check", **ann).status == 404
        assert door.ask(f"/versions/{name}", **bob).status == 404
        refused = door.put("bob%2Fmy-bot", b"3", door.token("ann"))
        assert refused.status in {400, 404}


def test_a_terminal_elsewhere_submits_to_a_ladder_that_names_by_author(tmp_path: Path) -> None:
    mine = bot(tmp_path / "my-bot")
    with door_of(ladder(tmp_path, names="by_author")) as door:
        token = door.token("ann")["Authorization"].removeprefix("Bearer ")
        remote = Remote(door.base, token)
        receipt = remote.submit(mine)
        assert (receipt.version, receipt.new) == ("ann/my-bot@1", True)
        info = next(one for one in remote.follow(receipt.version) if isinstance(one, VersionInfo))
        assert (info.version, info.state) == ("ann/my-bot@1", "queued")


@pytest.mark.slow
def test_bots_of_one_name_play_and_are_published(tmp_path: Path) -> None:
    club = clubs.make(tmp_path, names="by_author")
    run("ladder", "invite", club, "ann", "bob", cwd=tmp_path)
    for number, author in enumerate(("ann", "bob"), 1):
        clubs.admitted(club, "my-bot", clubs.REUSABLE, author=author, number=number)
    with clubs.inside(club) as running:
        for name in NAMES:
            running.until(partial(clubs.is_in_state, club, name, "rated"))
    publish_all(Folder(club), 100)
    [(_, board)] = published_boards(club / "site")
    assert {row.bot for row in board.rows} == NAMES
    pages = club / "private/ann"
    assert (pages / "ann.my-bot@1.html").is_file()
    assert (pages / "sent/ann.my-bot@1.tar").is_file()
    assert broken_links(pages) == []
    assert broken_links(club / "site") == []


def test_an_unknown_way_to_name_bots_is_refused(tmp_path: Path) -> None:
    club = clubs.make(tmp_path, names="by_hand")
    error_line(run("ladder", "check", club, cwd=tmp_path), "names", "ladder.yaml:")
