"""When a ladder publishes: how long it pauses, and what is published at once."""

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

from arena.io.errors import ArenaError
from arena.ladder.book.book import Book
from arena.ladder.check import scheduler
from arena.ladder.config import load_config
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.pages import site
from arena.ladder.pages.site import LadderState, Publisher, publish_all
from arena.ladder.season.season import reveal
from tests.cli.command import run
from tests.e2e.live import wait_until
from tests.ladder import club as clubs
from tests.ladder.desk import Desk


class Publications:
    """A publisher whose clock stands still, and whose publications end when they are told to."""

    def __init__(self, desk: Desk, patch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.begun = 0
        self._ended: float | ArenaError | None = None
        clock = SimpleNamespace(monotonic=lambda: self.now, time=lambda: self.now)
        patch.setattr(site, "time", clock)
        patch.setattr(site, "Job", self._begin)
        patch.setattr(site, "note_overtaken", lambda *_: None)
        config = load_config(desk.folder.config)
        self.publisher = Publisher(desk.folder, config, desk.book, lambda _: None)

    def _begin(self, *_: object, **__: object) -> "Publications":
        self.begun += 1
        self._ended = None
        return self

    def is_over(self) -> bool:
        return self._ended is not None

    def result(self) -> float:
        if isinstance(self._ended, ArenaError):
            raise self._ended
        assert self._ended is not None
        return self._ended

    def look(self, games: int, *, asleep: bool = False) -> int:
        """Let the ladder have so many games; returns how many publications began so far."""
        self.publisher.step(LadderState(games, 0), asleep=asleep)
        return self.begun

    def publish(self, games: int, how: float | ArenaError) -> None:
        """Publish so many games, which takes so many seconds of the processor or fails."""
        before = self.begun
        assert self.look(games) == before + 1
        self.take(how)
        self.look(games)

    def take(self, how: float | ArenaError) -> None:
        """Let the publication that goes on end."""
        self.now += 3_600  # the machine is busy with other things
        self._ended = how


@pytest.fixture
def publications(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Publications:
    return Publications(desk, monkeypatch)


@pytest.mark.parametrize(
    ("cost", "seconds"), [(0.01, 1), (2, 40), (30, 300), (60, 300), (100, 400)]
)
def test_pause_follows_from_what_a_publication_took_of_the_processor(
    publications: Publications, cost: float, seconds: float
) -> None:
    publications.publish(1, cost)
    publications.now += seconds - 0.5
    assert publications.look(2) == 1
    publications.now += 1
    assert publications.look(2) == 2


def test_games_before_the_ladder_fell_asleep_are_published_at_once(
    publications: Publications,
) -> None:
    publications.publish(1, 10)
    assert publications.look(2) == 1
    assert publications.look(2, asleep=True) == 2
    # What is logged meanwhile, as submissions are, waits for its time.
    publications.publisher.step(LadderState(2, 1), asleep=True)
    assert publications.begun == 2


def test_publication_without_a_pause_follows_the_one_that_goes_on(
    publications: Publications,
) -> None:
    publications.publish(1, 10)
    publications.publisher.publish_at_once()
    publications.publish(2, 10)
    assert publications.look(3) == 2
    publications.publisher.publish_at_once()
    assert publications.look(3) == 3
    publications.publisher.publish_at_once()
    publications.take(10)
    assert publications.look(4) == 3
    assert publications.look(4) == 4


def test_the_age_of_the_site_counts_from_the_moment_that_it_shows(
    publications: Publications, desk: Desk
) -> None:
    began = publications.now
    publications.publish(1, 10)
    assert publications.now > began
    assert float(desk.book.facts()["published_at"]) == began


def test_a_publication_that_failed_is_not_tried_again_at_once(publications: Publications) -> None:
    publications.publish(1, ArenaError("it cannot be written"))
    publications.publisher.publish_at_once()
    assert publications.look(1) == 1
    publications.now += 1
    assert publications.look(1) == 2


def test_a_season_without_games_shows_those_of_the_one_before_as_over(copy: Path) -> None:
    folder = Folder(copy)
    publish_all(folder, 100)
    with Book(folder, writes=True) as book:
        book.close_season(1, *reveal(folder.season(1)))
        book.open_season(2, b"{}", "commitment")
    publish_all(folder, 100)
    assert "season goes on" not in (copy / "site/index.html").read_text()
    first, second = json.loads((copy / "site/seasons.json").read_text())
    assert (first["root"] != "", second["closed_at"]) == (True, None)


class Looks:
    """A publication that is over at once: it says which authors play, and in which season."""

    seen: ClassVar[list[tuple[set[str], int]]] = []

    def __init__(self, call: "partial[float]", **_: object) -> None:
        with Book(call.args[0]) as book:
            authors = {version.author for version in book.versions()}
            self.seen.append((authors, len(book.seasons())))

    def is_over(self) -> bool:
        return True

    def result(self) -> float:
        return 1_000.0

    def end(self) -> None:
        """There is nothing to end."""


@pytest.mark.slow
def test_ladder_publishes_without_a_pause_what_nobody_wants_to_wait_for(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "Job", clubs.Admits)
    monkeypatch.setattr(site, "Job", Looks)
    monkeypatch.setattr(site, "note_overtaken", lambda *_: None)
    seen = Looks.seen = []
    with clubs.in_thread(copy):
        wait_until(lambda: len(seen) == 1)
        clubs.submitted(copy, "three", author="bob")
        wait_until(lambda: clubs.is_in_state(copy, "three@1", "rated"))
        wait_until(lambda: len(seen) >= 2)  # it fell asleep
        assert "ann" in seen[-1][0]
        with Door(Folder(copy), writes=True) as door:
            pseudonym = door.forget("ann")
        wait_until(lambda: pseudonym in seen[-1][0])
        assert "ann" not in seen[-1][0]
        assert run("ladder", "season", "close", copy, cwd=copy.parent).code == 0
        wait_until(lambda: seen[-1][1] == 2)
