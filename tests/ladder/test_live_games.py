"""The game that everybody may watch: chosen, followed, shown step by step, without its dice."""

import json
import re
import time
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import BidMade, Fixture, LimitsInfo, RoundStarted
from arena.game.rules.books import VARIANTS
from arena.ladder.book.book import Book
from arena.ladder.book.shown import (
    END_STAYS,
    LIVE_GAME_FACT,
    LiveGame,
    RoundBegun,
    WasCalled,
    decoded_game,
    paced,
)
from arena.ladder.season import live_games
from arena.ladder.season.live_games import LiveGames
from arena.ladder.season.season import Season
from arena.ladder.web.live_game import LiveNow, LiveTable, game_step, live_now
from arena.league.table.play_fixture import WatchedGame, play_fixture
from tests.cli.command import HANG
from tests.ladder.desk import Desk
from tests.league.table.fakes import ReproducibleSeats, Temper
from tests.support import records
from tests.support.hands import hands_in

NAMES = ("one@1", "two@1", "three@1")


class Block(NamedTuple):
    """What a season knows that matters here."""

    played: set[int]
    strengths: dict[str, float]

    def strength(self, name: str) -> float:
        return self.strengths.get(name, 0.0)

    def may_show_dice(self, fixture: Fixture) -> bool:
        return fixture.block in self.played


class Table(NamedTuple):
    """A ladder that shows games, and the block that they are of."""

    live: LiveGames
    block: Block
    book: Book

    def shown(self) -> LiveGame:
        game = decoded_game(self.book.facts()[LIVE_GAME_FACT])
        assert game
        return game


@pytest.fixture
def table(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setattr(live_games, "_LOOK", 0.0)
    block = Block(set(), {})
    folder = desk.folder.season(1)
    folder.mkdir(parents=True)
    return Table(LiveGames(folder, cast("Season", block), desk.book, VARIANTS), block, desk.book)


def fixture_of(names: tuple[str, ...] = NAMES, number: int = 0) -> Fixture:
    fixture = records.fixture(names, 2, variant="bga", seed=f"seed {number}")
    return replace(fixture, id=f"fixture {number}")


def play(fixture: Fixture, file: str, fault_rate: float = 0.0) -> Any:
    temper = Temper(fault_rate=fault_rate, careless=2)
    with ReproducibleSeats(temper, Random(1), LimitsInfo()) as seats:
        return play_fixture(
            fixture, VARIANTS["bga"], seats, watched=WatchedGame(Path(file)) if file else None
        )


@given(
    st.lists(st.integers(1, 5), max_size=8),
    st.lists(st.floats(0, 100, allow_nan=False), min_size=8, max_size=8),
)
def test_steps_come_in_their_order_and_not_too_fast(counts: list[int], waits: list[float]) -> None:
    shown: tuple[float, ...] = ()
    now, total = 1_000.0, 0
    for count, wait in zip(counts, waits, strict=False):
        now, total, before = now + wait, total + count, shown
        shown = tuple(paced(before, total, now, 1.0))
        assert shown[: len(before)] == before
        assert len(shown) == total
        assert shown[len(before)] >= now
        assert all(later - first >= 0.999 for first, later in pairwise(shown))


def test_bids_calls_and_losses_are_public_at_once_and_dice_when_their_block_is_played(
    table: Table,
) -> None:
    fixture = fixture_of()
    played = play(fixture, table.live.file_for(fixture), fault_rate=0.02)
    table.live.step()
    game = table.shown()
    first = played.games[0]
    hands = tuple(event.dice for event in first.events if isinstance(event, RoundStarted))
    assert len(game.events) == len(first.events) + 1
    assert game.is_over
    assert game.dice == ()
    for hand in hands[0]:
        assert json.dumps(hand, separators=(",", ":")) not in table.book.facts()[LIVE_GAME_FACT]
    table.live.step()
    assert table.shown() == game
    table.block.played.add(fixture.block)
    table.live.step()
    assert table.shown().dice == hands


def test_a_call_does_not_say_how_many_dice_there_were(table: Table) -> None:
    fixture = fixture_of()
    played = play(fixture, table.live.file_for(fixture))
    table.live.step()
    assert any(isinstance(event, WasCalled) for event in table.shown().events)
    assert "count" not in WasCalled.__struct_fields__
    calls = [event for event in played.games[0].events if type(event).__name__ == "CallMade"]
    shown = [event for event in table.shown().events if isinstance(event, WasCalled)]
    assert [(one.seat, one.loser) for one in shown] == [(one.seat, one.loser) for one in calls]


def test_another_game_is_chosen_when_all_of_the_one_before_was_shown(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = time.monotonic() + 1
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    monkeypatch.setattr(time, "time", lambda: clock)
    fixture, other = fixture_of(), fixture_of(number=1)
    play(fixture, table.live.file_for(fixture))
    table.live.step()
    assert table.live.file_for(other) == ""
    clock = table.shown().shown_at[-1]
    assert table.live.file_for(other) == ""
    clock += END_STAYS + live_games._CHOOSY
    assert table.live.file_for(other) != ""


def test_the_strongest_table_of_late_is_chosen_and_any_when_none_comes(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = time.monotonic() - 1  # before the first choice
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    table.block.strengths.update({"good@1": 0.9, "fair@1": 0.5})
    strong, weak = fixture_of(("good@1", "fair@1")), fixture_of(("fair@1", "bad@1"), 1)
    assert table.live.file_for(strong) == ""
    clock += 1.5
    assert table.live.file_for(weak) == ""
    clock += live_games._CHOOSY
    assert table.live.file_for(weak) != ""


def test_a_game_whose_worker_died_is_shown_from_its_begin_again(table: Table) -> None:
    fixture = fixture_of()
    file = table.live.file_for(fixture)
    play(fixture, file, fault_rate=1.0)
    begun = Path(file).read_bytes().splitlines(keepends=True)[:2]
    Path(file).write_bytes(b"".join(begun))
    table.live.step()
    assert len(table.shown().events) == 2
    assert table.live.file_for(fixture) == file
    played = play(fixture, file)
    table.live.step()
    assert len(table.shown().events) == len(played.games[0].events) + 1


@pytest.mark.parametrize("fault_rate", [0.0, 0.1])
def test_the_table_follows_the_game(table: Table, fault_rate: float) -> None:
    fixture = fixture_of()
    played = play(fixture, table.live.file_for(fixture), fault_rate)
    table.block.played.add(fixture.block)
    table.live.step()
    table.live.step()
    game, rounds = table.shown(), 0
    for step, event in enumerate(played.games[0].events, 1):
        at = LiveTable(game, step)
        if isinstance(event, RoundStarted):
            rounds += 1
            assert [seat.left for seat in at.seats] == [len(hand) for hand in event.dice]
            assert [seat.dice for seat in at.seats] == [sorted(hand) for hand in event.dice]
        assert (at.round, at.step, at.is_over) == (rounds, step, False)
    end = LiveTable(game, len(game.events))
    assert end.is_over
    winner = end.seats[list(played.games[0].places).index(1)]
    assert (winner.word, end.now) == ("1st", f"{winner.name} wins the game.")


def test_each_step_is_shown_from_its_time_on(table: Table) -> None:
    fixture = fixture_of()
    play(fixture, table.live.file_for(fixture))
    table.live.step()
    game = table.shown()
    assert game.steps(game.began - 1) == 0
    assert [game.steps(at) for at in game.shown_at] == [*range(1, len(game.events) + 1)]


def test_a_game_that_was_shown_is_shown_again_until_another_comes(table: Table) -> None:
    fixture = fixture_of()
    play(fixture, table.live.file_for(fixture))
    table.live.step()
    game = table.shown()
    end = game.shown_at[-1] + END_STAYS
    assert not game.is_shown_again(end - 0.01)
    assert game.is_shown_again(end)
    again = [game.steps(at - game.shown_at[0] + end + 0.01) for at in game.shown_at]
    assert again == [*range(1, len(game.events) + 1)]


def test_steps_are_sent_without_dice_while_their_block_is_played(table: Table) -> None:
    fixture = fixture_of()
    play(fixture, table.live.file_for(fixture))
    table.live.step()
    fact, game = table.book.facts()[LIVE_GAME_FACT], table.shown()
    for steps in range(1, len(game.events) + 1):
        step = game_step(LiveNow(fact, game, steps))
        assert step
        assert len(hands_in(step.html)) == len(game.seats)
        assert not any(hands_in(step.html))
        assert "there are" not in step.html


def test_the_table_has_the_bid_its_odds_and_links_to_published_bots(
    table: Table, tmp_path: Path
) -> None:
    seats, now = ("one", "two"), time.time()
    events = (RoundBegun(None, (1, 2)), BidMade(0, 2, 3), WasCalled(1, "dudo", 0, None))
    game = LiveGame(
        id="1",
        variant="bga",
        seats=seats,
        marks=("h0 m0",) * 2,
        pages=("bots/one.html", "bots/two.html"),
        began=now,
        events=events,
    )
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots/two.html").touch()
    fact = msgspec.json.encode(replace(game, shown_at=(now - 2, now - 1, now + HANG))).decode()
    step = game_step(live_now(fact, None, tmp_path))
    assert step
    assert step.html.count("#die-3") == 2  # the bid, and what its bidder did last
    # Two of three dice show threes or pacos.
    assert "about 26 % likely" in step.html
    assert re.findall('href="(site[^"]+)"', step.html) == ["site/bots/two.html"]
    called = replace(game, shown_at=(now - 2, now - 2, now - 1), dice=(((3,), (1, 6)),))
    step = game_step(live_now(msgspec.json.encode(called).decode(), None))
    assert step
    assert hands_in(step.html) == [[3], [1, 6]]
    assert "there are 2: true" in step.html


def test_a_fact_of_another_arena_shows_nothing() -> None:
    assert decoded_game("") is None
    assert decoded_game('{"id": 3}') is None


def test_the_clock_of_a_game_is_that_of_the_wall(table: Table) -> None:
    before = time.time()
    fixture = fixture_of()
    play(fixture, table.live.file_for(fixture))
    table.live.step()
    assert before <= table.shown().began <= time.time()
