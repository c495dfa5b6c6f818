"""The feed of an author: admitted, refused, overtaken; by a secret address alone."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arena.ladder.book.tables import State
from arena.ladder.pages.site import note_overtaken
from tests.ladder.desk import FAILED, PASSED, Desk
from tests.ladder.web.doors import Door, door_of
from tests.ladder.web.test_account import ids, send

ATOM = "{http://www.w3.org/2005/Atom}"


def address(door: Door, who: dict[str, str]) -> str:
    """Make a feed, and return the path of its address."""
    answer = send(door, "/account/feed", who)
    assert answer.status == 200, answer
    [path] = re.findall(rf"{door.base}(/feed/[\w-]+)<", answer.body.decode())
    return str(path)


def entries(door: Door, path: str) -> list[tuple[str, str]]:
    """Return the titles and the texts of a feed."""
    answer = door.ask(path)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/atom+xml")
    feed = ElementTree.fromstring(answer.body)  # noqa: S314 - ours
    assert feed.tag == f"{ATOM}feed"
    for needed in ("title", "id", "updated"):
        assert feed.findtext(f"{ATOM}{needed}"), needed
    told = feed.findall(f"{ATOM}entry")
    return [
        (one.findtext(f"{ATOM}title") or "", one.findtext(f"{ATOM}summary") or "") for one in told
    ]


def test_feed_tells_what_became_of_the_versions_of_its_author(desk: Desk) -> None:
    for author, content, result in (("ann", b"1", PASSED), ("ann", b"2", FAILED)):
        desk.submit(author, "mine", content)
        desk.run(result)
    desk.submit("bob", "theirs", b"3")
    desk.run(PASSED)
    with door_of(desk.folder) as door:
        told = entries(door, address(door, door.session("ann")))
    assert [title for title, _ in told] == ["mine@2: refused", "mine@1: admitted"]
    assert told[0][1] == "refused: it crashed / bga / mend it"


def test_text_of_a_bot_is_inert_in_a_feed(desk: Desk) -> None:
    version = desk.book.version(desk.submit("ann", "mine"))
    desk.book.set_state(version, State.REFUSED, "]]><b>&\x1b\u202e")
    with door_of(desk.folder) as door:
        [(_, text)] = entries(door, address(door, door.session("ann")))
    assert text.startswith("refused: ]]><b>&")
    assert "\u202e" not in text


def test_address_of_a_feed_is_ended_and_replaced(own_door: Door) -> None:
    ann = own_door.session("ann")
    first = address(own_door, ann)
    assert own_door.ask(first).status == 200
    second = address(own_door, ann)
    assert [own_door.ask(path).status for path in (first, second)] == [404, 200]
    [id_] = ids(own_door, ann, "feed")
    send(own_door, "/account/end", ann, f"id={id_}")
    assert own_door.ask(second).status == 404
    word = second.rpartition("/")[2]
    assert own_door.ask("/api/v1/me", Authorization=f"Bearer {word}").status == 401


def publish(site: Path, **ranks: tuple[int, int]) -> None:
    (site / "data").mkdir(parents=True, exist_ok=True)
    rest = {"rank": 1, "games": 16, "beats_average": 0.5}
    rows = [
        {"bot": f"{bot}@1", "best": best, "worst": worst, **rest}
        for bot, (best, worst) in ranks.items()
    ]
    board = {"variant": "bga", "players": 2, "rows": rows}
    (site / "data/leaderboard-bga-2p.json").write_text(json.dumps(board))
    (site / "data/leaderboard-overall.json").write_text("{}")


@pytest.mark.parametrize(
    ("now", "by"),
    [
        ({"mine": (2, 3), "theirs": (1, 1), "own": (1, 3)}, "theirs@1"),
        ({"mine": (1, 3), "theirs": (1, 2), "own": (1, 3)}, ""),  # not clearly
        ({"mine": (2, 3), "theirs": (2, 3), "own": (1, 1)}, ""),  # by the author's own
        ({"mine": (2, 3), "theirs": (1, 3), "new": (1, 1)}, "new@1"),
    ],
)
def test_version_is_overtaken_when_another_is_clearly_ahead(
    desk: Desk, tmp_path: Path, now: dict[str, tuple[int, int]], by: str
) -> None:
    for author, bot in (("ann", "mine"), ("bob", "theirs"), ("ann", "own"), ("bob", "new")):
        version = desk.book.version(desk.submit(author, bot))
        desk.book.set_state(version, State.RATED, "it played")
    publish(tmp_path, mine=(1, 2), theirs=(1, 3), own=(1, 3))
    note_overtaken(tmp_path, desk.book)
    publish(tmp_path, **now)
    for _ in range(2):  # the second time, nothing is news
        note_overtaken(tmp_path, desk.book)
    lines = [event.text for event in desk.book.events("mine@1") if "overtaken" in event.text]
    said = f"overtaken: by {by} at bga, 2 players: rank 2 to 3 of 3"
    assert lines == ([said] if by else [])
