"""Games that reach their limit of rounds: the dice left decide, and records replay to the byte."""

from itertools import pairwise

import pytest
from hypothesis import given
from msgspec.structs import replace

from arena.game.records import CallMade, Fixture, GameRecord, RoundStarted
from arena.game.referee import Referee
from arena.game.rules.books import VARIANTS, Rules, variant
from arena.game.rules.round import max_rounds
from arena.game.walk import ForbiddenEventError, walk
from arena.game.wire.messages import Answer, CalzaOffer, GameEnd
from arena.league.table.recorded_game import replay
from arena.publish.replay_steps import replay as replay_page
from tests.league.table.driver import CALZA, DUDO, GONE, PASS, Driven, bid, driven_games
from tests.league.table.test_properties import each_table
from tests.support import records

EVERYWHERE: dict[str, object] = dict.fromkeys(
    ("calza_with_two_left", "calza_by_next", "calza_in_palifico"), True
)
"""Switches that let two players call calza in every round."""
TABLES = [(book, players) for book in VARIANTS for players in (2, 6)]


def colluding(rules: Rules, players: int) -> tuple[Referee, Fixture]:
    """Play a game of seats that all know all dice, bid what there is and call it exact.

    Whoever has lost a die regains it: a seat calls with fewest dice. Every fifth round it is
    doubted instead, so that there are dice to regain.
    """
    seats = tuple(f"bot{seat}" for seat in range(players))
    limit = max_rounds(rules, players)
    fixture = records.fixture(seats, variant=rules.name, max_rounds=limit)
    everyone = frozenset(range(players))
    referee = Referee(rules, players, fixture.seed, 0, everyone, max_rounds=limit)
    while referee.waiting:
        asked = {seat: referee.request(seat, 0) for seat in referee.waiting}
        poorest = min(asked, key=lambda seat: len(asked[seat].dice))
        for seat, request in asked.items():
            if not isinstance(request, CalzaOffer):
                referee.take(seat, _exact(referee) if not request.bids else DUDO)
            else:
                calls = seat == poorest and request.round % 5
                referee.take(seat, CALZA if calls else PASS)
    return referee, fixture


def _exact(referee: Referee) -> Answer:
    """Open with all dice of a face that there are, or one die if there is none."""
    start = next(event for event in reversed(referee.events) if isinstance(event, RoundStarted))
    dice = [die for hand in start.dice for die in hand]
    wild = start.palifico_seat is None
    counts = {face: dice.count(face) + wild * dice.count(1) for face in range(2, 7)}
    return next((bid(count, face) for face, count in counts.items() if count), bid(1, 2))


@pytest.mark.slow
@pytest.mark.parametrize(("book", "players"), TABLES)
def test_colluders_do_not_play_for_ever(book: str, players: int) -> None:
    rules = variant(book, EVERYWHERE, calza=True)
    referee, fixture = colluding(rules, players)
    record = referee.record
    rounds = list(walk(record, rules, fixture.max_rounds))
    assert len(rounds) == fixture.max_rounds
    assert any(isinstance(event, CallMade) and event.gainer is not None for event in record.events)
    end = referee.notices[-1]
    assert end == GameEnd(game=0, places=record.places, reason="max_rounds")
    assert replay(fixture, rules, record) == record
    assert_ordered_by_dice(record, rounds[-1].after.dice)


def assert_ordered_by_dice(record: GameRecord, dice: tuple[int, ...]) -> None:
    order = sorted(range(len(dice)), key=record.places.__getitem__)
    assert all(dice[one] >= dice[other] for one, other in pairwise(order))


@pytest.mark.parametrize("book", ["classic", "pressman", "italian"])
def test_limit_is_not_reached_where_two_players_may_not_call_calza(book: str) -> None:
    referee, _ = colluding(variant(book, {}, calza=True), 2)
    end = referee.notices[-1]
    assert isinstance(end, GameEnd)
    assert end.reason == "winner"


def test_a_round_after_the_limit_is_forbidden() -> None:
    rules = variant("bga", {}, calza=True)
    referee, fixture = colluding(rules, 2)
    rounds = len(list(walk(referee.record, rules)))
    list(walk(referee.record, rules, fixture.max_rounds))
    with pytest.raises(ForbiddenEventError, match="RoundStarted"):
        list(walk(referee.record, rules, rounds - 1))


def test_another_order_of_the_tied_is_detected() -> None:
    rules = variant("bga", {}, calza=True)
    referee, fixture = colluding(rules, 2)
    record = referee.record
    forged = replace(record, places=record.places[::-1])
    assert replay(fixture, rules, forged) == record != forged


def test_fault_in_the_last_round_is_last_place() -> None:
    rules = variant("bga", {}, calza=True)
    referee = Referee(rules, 3, "a seed", 0, max_rounds=1)
    (opener,) = referee.waiting
    referee.take(opener, GONE)
    assert referee.waiting == ()
    assert referee.record.places[opener] == 3
    end = referee.notices[-1]
    assert isinstance(end, GameEnd)
    assert (end.reason, sorted(end.places)) == ("max_rounds", [1, 2, 3])


def test_replay_page_says_that_the_limit_ended_the_game() -> None:
    rules = variant("bga", {}, calza=True)
    referee, fixture = colluding(rules, 2)
    *_, end = replay_page(referee.record, ("a", "b"), rules, fixture.max_rounds).steps
    first, second = ("a", "b") if referee.record.places == (1, 2) else ("b", "a")
    after = "The game is over after 500 rounds, its limit, by the dice that are left"
    assert end.said.startswith(f"{after}: 1st {first}, 2nd {second}. Luck of the dice")


@each_table
@given(driven_games())
def test_every_game_ends_within_its_limit(game: Driven) -> None:
    begun = sum(isinstance(event, RoundStarted) for event in game.record.events)
    assert begun <= (game.fixture.max_rounds or 0)
