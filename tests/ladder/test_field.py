"""The versions that play: an order is final, whatever the games of a version say meanwhile."""

import threading
from collections import Counter
from typing import Any, cast

import pytest

from arena.ladder.book.tables import Action, State
from arena.ladder.config import load_config
from arena.ladder.season.field import Field, delete_account
from arena.ladder.season.season import Met, Season
from tests.ladder.desk import PASSED, Desk

OUT = {
    Action.STRIKE: State.STRUCK,
    Action.REST: State.RESTING,
    Action.WITHDRAW: State.RESTING,
    Action.RECHECK: State.QUEUED,
}


class Played:
    """What a field asks a season; all versions are ready."""

    def __init__(self) -> None:
        self.games = Counter[str]()
        self.faulted = Counter[str]()
        self.met: list[Met] = []

    def is_ready(self, _: object) -> bool:
        return True

    def compared(self, field: dict[str, Any]) -> list[Met]:
        return [one for one in self.met if {one.new, one.old} <= field.keys()]


@pytest.fixture
def season() -> Played:
    return Played()


@pytest.fixture
def field(desk: Desk, season: Played) -> Field:
    """A field in which `bot@1` and its newer `bot@2` play."""
    for content in (b"1", b"2"):
        desk.submit("ann", "bot", content)
        desk.run(PASSED)
    config = load_config(desk.folder.config)
    field = Field(cast("Season", season), desk.folder, config, desk.book)
    assert field.take(threading.Event())
    assert field.names() == ["bot@1", "bot@2"]
    return field


def order(desk: Desk, what: Action, version: str) -> None:
    desk.door.order("root", what, desk.book.version(version), "")
    desk.obey()


@pytest.mark.parametrize("what", OUT)
def test_an_order_outlives_the_first_games(
    desk: Desk, field: Field, season: Played, what: Action
) -> None:
    season.games.update({"bot@1": 1000, "bot@2": 1000})
    order(desk, what, "bot@1")
    field.judge()
    assert desk.state("bot@1") is OUT[what]
    assert desk.state("bot@2") is State.RATED
    assert field.names() == ["bot@2"]
    assert field.changed


@pytest.mark.parametrize("what", OUT)
def test_an_order_outlives_faults(desk: Desk, field: Field, season: Played, what: Action) -> None:
    season.games["bot@1"] = season.faulted["bot@1"] = 1000
    order(desk, what, "bot@1")
    field.judge()
    assert desk.state("bot@1") is OUT[what]


@pytest.mark.parametrize("version", ["bot@1", "bot@2"])
def test_an_order_outlives_a_comparison(
    desk: Desk, field: Field, season: Played, version: str
) -> None:
    season.met = [Met("bot@2", "bot@1", None)]
    order(desk, Action.STRIKE, version)
    field.compare()
    [other] = {"bot@1", "bot@2"} - {version}
    assert desk.state(version) is State.STRUCK
    assert desk.state(other) is State.PROVISIONAL


def test_versions_that_have_met_are_settled_and_rated(
    desk: Desk, field: Field, season: Played
) -> None:
    season.met = [Met("bot@2", "bot@1", None)]
    season.games["bot@2"] = 1000
    field.judge()
    assert desk.state("bot@1") is State.RESTING
    assert desk.state("bot@2") is State.RATED


def test_an_author_who_left_is_not_named_again(desk: Desk, field: Field, season: Played) -> None:
    season.games.update({"bot@1": 1000, "bot@2": 1000})
    desk.door.forget("ann")
    [order] = desk.door.orders(desk.book.last_order())
    delete_account(order, desk.folder, desk.door, desk.book)
    field.judge()
    assert field.names() == []
    assert {event.author for event in desk.book.events("bot@2")} == {order.author}
