"""What those are told who listen: in order, once, and only what is theirs."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import BidMade
from arena.ladder.book.book import Book
from arena.ladder.book.shown import LIVE_GAME_FACT, LiveGame, RoundBegun
from arena.ladder.book.tables import CHECKS, DivisionProgress, Progress, State
from arena.ladder.door import api
from arena.ladder.door.access import Secrets
from arena.ladder.door.api import EVENTS, Audience, LiveEvent, events_for
from arena.ladder.folder import locked
from arena.ladder.web import api as events
from arena.ladder.web.openapi import document
from arena.ladder.web.problems import RequestError
from arena.ladder.web.served import ListenerLimits, Listeners
from arena.ladder.web.snapshot import everybody_events
from tests.cli.command import HANG, ROOT
from tests.e2e.live import wait_until
from tests.ladder.web.doors import PATIENT, Door, door_of, ladder, uploads
from tests.ladder.web.standings import play
from tests.support.depth import depth

LISTENERS = depth(50, 500)
LIVE_GAME = LiveGame(
    id="1",
    variant="bga",
    seats=("one@1", "two@1"),
    marks=("h0 m0", "h1 m1"),
    began=0.0,
    events=(RoundBegun(None, (5, 5)), BidMade(0, 2, 3)),
    shown_at=(0.0, 1.0),
)


class Listener:
    """A stream of events that is read one by one."""

    def __init__(self, connection: HTTPConnection, path: str, headers: dict[str, str]) -> None:
        connection.request("GET", path, headers=headers)
        self.response = connection.getresponse()
        assert self.response.status == 200, self.response.read()

    def events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the names and data of events."""
        name = ""
        for line in self.response:
            key, _, value = line.decode().strip().partition(": ")
            if key == "event":
                name = value
            elif key == "data":
                yield name, json.loads(value)

    def next(self, name: str) -> dict[str, Any]:
        return next(data for found, data in self.events() if found == name)


@contextmanager
def listening(door: Door, path: str, **headers: str) -> Iterator[Listener]:
    with closing(HTTPConnection(door.host, timeout=HANG)) as connection:
        yield Listener(connection, path, {k.replace("_", "-"): v for k, v in headers.items()})


def enter(door: Door) -> Book:
    """Enter what was received, as a ladder does; returns its book."""
    book = Book(door.folder, writes=True)
    for upload in uploads(door):
        if upload.id > book.last_upload():
            book.add(upload, State.QUEUED, "it came")
    return book


def test_pages_do_something_of_their_own_only_for_events_of_the_feed() -> None:
    [handlers] = re.findall(r"HANDLERS = \{(.*?)\}", (ROOT / "reports/door/door.js").read_text())
    names = re.findall(r"(\w+):", handlers)
    assert names
    assert {*names} <= EVENTS.keys()


@pytest.mark.parametrize(
    ("audience", "path"),
    [(Audience.EVERYBODY, "/ladder/events"), (Audience.AUTHOR, "/versions/{version}/events")],
)
def test_each_event_is_described_where_its_audience_listens(audience: Audience, path: str) -> None:
    summary = document()["paths"][f"/api/v1{path}"]["get"]["summary"]
    assert {*re.findall(r"`(\w+)`", summary)} == {event.name for event in events_for(audience)}


@pytest.mark.parametrize(
    ("audience", "path"),
    [(Audience.EVERYBODY, "/ladder/events"), (Audience.AUTHOR, "/versions/{version}/events")],
)
def test_the_manual_names_each_event_where_its_audience_listens(
    audience: Audience, path: str
) -> None:
    page = (ROOT / "docs/guides/serve.md").read_text()
    row = rf"^\| `GET /api/v1{path}` \|[^|]*\| events? (.*?)[:;]"
    [about] = re.findall(row, page, re.MULTILINE)
    assert {*re.findall(r"`(\w+)`", about)} == {event.name for event in events_for(audience)}


class Weather(Struct):
    """The payload of an event that is made up."""

    rain: bool


def test_a_new_event_for_everybody_is_sent_beside_the_others(
    own_door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = LiveEvent("weather", Weather, Audience.EVERYBODY, "whenever it changes")
    weather = Weather(rain=False)
    monkeypatch.setitem(api._EVENT_OF, row.payload, row)
    monkeypatch.setattr(
        events, "everybody_events", lambda *ladder: [*everybody_events(*ladder), weather]
    )
    token = own_door.token("ann")
    with listening(own_door, "/api/v1/ladder/events") as listener:
        assert listener.next("weather") == {"rain": False}
        weather = Weather(rain=True)
        own_door.put("mine", b"1", token)
        assert listener.next("weather") == {"rain": True}
        own_door.put("mine", b"2", token)
        assert next(listener.events())[0] == "ladder"


def test_everybody_and_authors_are_sent_their_own_events_alone(own_door: Door) -> None:
    token = own_door.token("ann")
    own_door.put("mine", b"1", token)
    with enter(own_door) as book, ExitStack() as stack:
        book.set_fact(LIVE_GAME_FACT, msgspec.json.encode(LIVE_GAME).decode())
        play(book, own_door.folder)
        for audience, path in (
            (Audience.EVERYBODY, "/api/v1/ladder/events"),
            (Audience.AUTHOR, "/api/v1/versions/mine@1/events"),
        ):
            listener = stack.enter_context(listening(own_door, path, **token))
            expected = {event.name for event in events_for(audience)}
            received = set[str]()
            for name, _ in listener.events():
                received.add(name)
                if received >= expected:
                    break
            assert received == expected


def test_a_version_is_told_of_as_it_goes(own_door: Door) -> None:
    token = own_door.token("ann")
    own_door.put("mine", b"1", token)
    path = "/api/v1/versions/mine@1/events"
    with listening(own_door, path, **token) as listener:
        first = listener.next("version")
        assert (first["state"], first["place"], first["running"]) == ("queued", 0, False)
        with enter(own_door) as book:
            assert "it came" in listener.next("log")["text"]
            book.set_state(book.version("mine@1"), State.CHECKING, "check 1")
            line = listener.next("log")
            assert line["text"] == "checking: check 1"
            assert listener.next("version")["state"] == "checking"
    # Who comes again is told what they missed, and nothing twice.
    last = {"Last-Event-ID": str(line["n"] - 1)}
    with listening(own_door, path, **token, **last) as listener:
        assert listener.next("log") == line


def test_the_steps_of_a_check_are_told_as_they_end(own_door: Door) -> None:
    ann, token = own_door.session("ann"), own_door.token("ann")
    own_door.put("mine", b"1", token)
    path = "/api/v1/versions/mine@1"
    with enter(own_door) as book, listening(own_door, f"{path}/events", **token) as listener:
        for passed, trying in (((), "manifest"), (("manifest",), "program")):
            others = Progress("other@1", 18, ("manifest", "program"), "build")
            progress = Progress("mine@1", 18, passed, trying)
            book.set_fact(CHECKS, msgspec.json.encode([others, progress]).decode())
            book.set_state(book.version("mine@1"), State.CHECKING, "check 1")
            told = {"version": "mine@1", "steps": 18, "passed": [*passed], "trying": trying}
            assert told in (one["check"] for name, one in listener.events() if name == "version")
        page = own_door.ask("/versions/mine@1", **ann).body
        assert b"Step 2 of 18: program. Passed: manifest." in page
        book.set_state(book.version("mine@1"), State.REFUSED, "it crashed")
        wait_until(lambda: own_door.ask(path, **token).json()["state"] == "refused")
        assert own_door.ask(path, **token).json()["check"] is None


def test_the_steps_of_a_check_are_no_news_of_the_ladder(own_door: Door) -> None:
    token = own_door.token("ann")
    own_door.put("mine", b"1", token)
    with enter(own_door) as book, listening(own_door, "/api/v1/ladder/events") as listener:
        book.set_state(book.version("mine@1"), State.CHECKING, "check 1")
        while listener.next("ladder")["states"] != {"checking": 1}:
            pass
        progress = Progress("mine@1", 18, (), "manifest")
        book.set_fact(CHECKS, msgspec.json.encode([progress]).decode())
        wait_until(lambda: own_door.ask("/api/v1/versions/mine@1", **token).json()["check"])
        book.set_state(book.version("mine@1"), State.REFUSED, "it crashed")
        assert listener.next("ladder")["states"] == {"refused": 1}


def test_the_place_in_the_queue_is_that_of_the_turns(own_door: Door) -> None:
    for number in range(3):
        own_door.put("mine", f"{number}".encode(), own_door.token("ann"))
    token = own_door.token("bob")
    own_door.put("theirs", b"x", token)
    with enter(own_door):
        wait_until(lambda: own_door.ask("/api/v1/ladder").json()["queue"] == 4)
        # Authors take turns: ann's first, bob's, then ann's others.
        places = {
            version: own_door.ask(f"/api/v1/versions/{version}", **who).json()["place"]
            for version, who in (("theirs@1", token), ("mine@3", own_door.token("ann")))
        }
        assert places == {"theirs@1": 1, "mine@3": 3}
    assert own_door.ask("/api/v1/ladder").json()["oldest"] >= 0


def test_everybody_is_told_of_the_ladder(own_door: Door) -> None:
    with listening(own_door, "/api/v1/ladder/events") as listener:
        assert listener.next("ladder")["queue"] == 0
        own_door.put("mine", b"1", own_door.token("ann"))
        assert listener.next("ladder")["queue"] == 1


def test_front_page_shows_how_far_each_division_is(own_door: Door) -> None:
    with enter(own_door) as book:
        divisions = [DivisionProgress("bga", 2, 7, False), DivisionProgress("classic", 4, 3, True)]
        book.set_fact("divisions", msgspec.json.encode(divisions).decode())
        with locked(own_door.folder):
            wait_until(lambda: len(own_door.ask("/api/v1/ladder").json()["divisions"]) == 2)
            page = own_door.ask("/").body.decode()
    assert "<bdi>bga</bdi>, 2 players: block 7; <bdi>classic</bdi>, 4 players: asleep." in page


def test_many_listen_at_once(own_door: Door) -> None:
    with ExitStack() as stack:
        crowd = [
            stack.enter_context(listening(own_door, "/api/v1/ladder/events"))
            for _ in range(LISTENERS)
        ]
        assert {one.next("ladder")["queue"] for one in crowd} == {0}
        assert own_door.ask("/live").status == 200
        own_door.put("mine", b"1", own_door.token("ann"))
        assert {one.next("ladder")["queue"] for one in crowd} == {1}


def test_one_listener_too_many_is_refused(tmp_path_factory: Any) -> None:
    folder = ladder(tmp_path_factory.mktemp("full"))
    limits = ListenerLimits(all=1, kept=0)
    with door_of(folder, replace(PATIENT, listeners=limits)) as door:
        with listening(door, "/api/v1/ladder/events") as listener:
            listener.next("ladder")
            assert door.ask("/api/v1/ladder/events").status == 503
        wait_until(lambda: is_free(door))


VISITOR, ANN, BOB = ("", "192.0.2.1"), ("ann", "192.0.2.1"), ("bob", "192.0.2.1")
FEW = ListenerLimits(all=5, kept=2, of_address=2, of_author=3)


@pytest.mark.parametrize(
    ("listening", "comes", "status"),
    [
        ([VISITOR], VISITOR, None),
        ([VISITOR] * 2, VISITOR, 429),
        ([VISITOR] * 2, ANN, None),
        ([VISITOR] * 2, ("", "192.0.2.2"), None),
        ([VISITOR] * 2 + [("", "192.0.2.2")], ("", "192.0.2.3"), 503),
        ([VISITOR] * 2 + [("", "192.0.2.2")], ANN, None),
        ([VISITOR] * 2 + [("", "192.0.2.2"), ANN, ANN], ANN, 503),
        ([ANN] * 3, ANN, 429),
        ([ANN] * 3, BOB, None),
        ([ANN] * 3 + [BOB] * 2, VISITOR, 503),
    ],
)
def test_places_are_for_each_address_and_author_and_some_for_authors_alone(
    listening: list[tuple[str, str]], comes: tuple[str, str], status: int | None
) -> None:
    listeners = Listeners(FEW)
    with ExitStack() as stack:
        for author, address in listening:
            stack.enter_context(listeners.place(author, address))
        if status is None:
            stack.enter_context(listeners.place(*comes))
        else:
            with pytest.raises(RequestError) as refusal, listeners.place(*comes):
                pass
            assert (refusal.value.status, refusal.value.headers["Retry-After"]) == (status, "60")
    with listeners.place(*comes):  # all have left
        pass


def test_visitors_of_an_address_leave_its_authors_their_places(tmp_path: Path) -> None:
    limits = replace(PATIENT, listeners=ListenerLimits(of_address=1, of_author=2))
    path = "/api/v1/ladder/events"
    with door_of(ladder(tmp_path), limits) as door, ExitStack() as stack:
        for who in ({}, door.session("ann"), door.token("ann")):
            stack.enter_context(listening(door, path, **who)).next("ladder")
        assert [door.ask(path, **who).status for who in ({}, door.token("ann"))] == [429] * 2


@pytest.mark.parametrize("path", ["/ladder/events", "/versions/mine@1/events"])
def test_head_of_a_stream_ends(own_door: Door, path: str) -> None:
    token = own_door.token("ann")
    own_door.put("mine", b"1", token)
    with closing(own_door.connect()) as connection:
        for method, asked in (("HEAD", f"/api/v1{path}"), ("GET", "/api/v1/ladder")):
            connection.request(method, asked, headers=token)
            response = connection.getresponse()
            assert (response.status, bool(response.read())) == (200, method == "GET")


def is_free(door: Door) -> bool:
    with closing(HTTPConnection(door.host, timeout=HANG)) as connection:
        connection.request("GET", "/api/v1/ladder/events")
        return connection.getresponse().status == 200


def test_a_stream_ends_when_its_author_is_revoked(own_door: Door, monkeypatch: Any) -> None:
    monkeypatch.setattr(events, "_BEAT", 0.1)
    token = own_door.token("ann")
    own_door.put("mine", b"1", token)
    with listening(own_door, "/api/v1/versions/mine@1/events", **token) as listener:
        listener.next("version")
        with Secrets(own_door.folder, writes=True) as kept:
            kept.revoke("ann")
        assert [name for name, _ in listener.events() if name != "version"] == []


def test_the_door_is_open_while_the_ladder_is_down(own_door: Door) -> None:
    assert own_door.ask("/healthz").json()["ladder"] == "down"
    assert own_door.put("mine", b"1", own_door.token("ann")).status == 201
    assert b"does not run" in own_door.ask("/").body
    assert b"does not run" in own_door.ask("/versions/mine@1", **own_door.session("ann")).body
    with locked(own_door.folder):
        wait_until(lambda: own_door.ask("/healthz").json()["ladder"] == "running")
        assert b"does not run" not in own_door.ask("/").body
