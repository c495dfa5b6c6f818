"""The coach finds what was planted, and calls nothing wrong that is right."""

from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from arena.game.records import (
    BidMade,
    CallMade,
    Event,
    GameRecord,
    PlayedFixture,
    RoundStarted,
)
from arena.game.referee import Referee
from arena.game.rules.books import VARIANTS, Rules, variant
from arena.game.rules.odds import bid_holds
from arena.game.rules.round import Bid, Raises
from arena.game.walk import walk
from arena.game.wire.messages import Answer, Turn
from arena.playstats.coach.coach import WORST, Coach, Judgement
from arena.playstats.coach.decisions import Decision, GameKey, judge_round
from tests.support import played_games, records
from tests.support.depth import depth

GAMES = depth(40, 120)
SEEN = replace(VARIANTS["bga"], lost_dice_visible=True)
"""Turns show how many dice are hidden, so that players need no memory."""

Policy = Callable[[Turn], Answer]


def chance(turn: Turn, bid: Bid) -> float:
    assert turn.dice_counts
    hidden = sum(turn.dice_counts) - len(turn.dice)
    return bid_holds(bid, turn.dice, hidden, 1 if turn.palifico_seat is None else None)


def says(one: Raises, more: int = 0) -> Answer:
    return Answer(id=0, action="bid", quantity=min(one.max, one.min + more), face=one.face)


DUDO = Answer(id=0, action="dudo")


def sensible(turn: Turn) -> Answer:
    """Raise as safely as possible, or doubt what is hardly likely to be true."""
    safest = max(turn.raises, key=lambda one: chance(turn, Bid(one.min, one.face)), default=None)
    if safest is None:
        return DUDO
    if turn.dudo:
        last = Bid(turn.bids[-1].quantity, turn.bids[-1].face)
        if chance(turn, last) < 0.2:
            return DUDO
    return says(safest)


def doubts_with_three_dice(turn: Turn) -> Answer:
    return DUDO if turn.dudo and len(turn.dice) == 3 else sensible(turn)


def opens_high_in_palifico(turn: Turn) -> Answer:
    if turn.palifico_seat is not None and not turn.dudo:
        return says(turn.raises[turn.dice[0] - 1], 3)
    return sensible(turn)


def knows_nothing(turn: Turn) -> Answer:
    """Raise as little as possible on the first legal face, whatever the dice are."""
    return says(turn.raises[0]) if turn.raises else DUDO


def game(rules: Rules, policies: tuple[Policy, ...], number: int) -> GameRecord:
    def choose(seat: int, turn: played_games.Request) -> Answer:
        assert isinstance(turn, Turn)
        return policies[seat](turn)

    return played_games.play_out(Referee(rules, len(policies), "coach", number), choose)


def played(rules: Rules, policies: tuple[Policy, ...], games: int = GAMES) -> PlayedFixture:
    seats = ("mine", "other", "third")[: len(policies)]
    fixture = records.fixture(seats, games, variant=rules.name)
    return records.played(fixture, [game(rules, policies, number) for number in range(games)])


def judged(policy: Policy, rules: Rules = SEEN, games: int = GAMES) -> Judgement:
    coach = Coach("mine")
    coach.add(played(rules, (policy, sensible), games), rules)
    return coach.judgement()


# ---------------------------------------------------------------- planted leaks


@pytest.mark.slow
def test_author_of_a_bot_that_doubts_too_early_is_told() -> None:
    found = judged(doubts_with_three_dice)
    assert found.leaks[0].what == "doubts too early"
    assert 0 < found.leaks[0].times <= found.leaks[0].of
    assert any("with three dice (of all such turns" in where for where in found.leaks[0].where)
    assert [leak.what for leak in judged(sensible).leaks[:1]] != ["doubts too early"]


@pytest.mark.slow
def test_author_of_a_bot_that_opens_too_high_is_told() -> None:
    found = judged(opens_high_in_palifico)
    assert found.leaks[0].what == "opens too high in palifico"
    assert {one.kind for one in found.worst if one.palifico} == {"opens too high"}
    for leak in judged(knows_nothing).leaks:
        assert 0 < leak.times <= leak.of


@pytest.mark.slow
def test_better_players_have_less_to_mend() -> None:
    better, worse = judged(sensible).mendable, judged(knows_nothing).mendable
    assert better.per_game + better.half_width < worse.low


# ---------------------------------------------------------------- decisions


def decisions_of(record: GameRecord, rules: Rules, seat: int) -> Iterator[Decision]:
    for one in walk(record, rules):
        if one.hands[seat]:
            for found in judge_round(one, seat, GameKey(0, record.game, "key")):
                yield found.decision


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "players"),
    [
        (VARIANTS["bga"], 2),
        (variant("pressman", {}, calza=True), 3),
        (variant("bga", {}, calza=True, starting_dice=3), 4),
        (variant("italian", {}, starting_dice=7), 2),
    ],
)
def test_every_decision_of_every_seat_is_judged(rules: Rules, players: int) -> None:
    drawn = 0
    for number in range(depth(2, 10)):
        record = played_games.play(rules, players, "seed", number)
        for seat in range(players):
            found = list(decisions_of(record, rules, seat))
            acted = [
                step
                for step, event in enumerate(record.events)
                if isinstance(event, BidMade | CallMade) and event.seat == seat
            ]
            assert [one.step for one in found] == acted
            for one in found:
                assert 0 <= one.chance <= 1
                assert (one.kind == "") == (one.action == one.best)
                assert one.loss > -1e-9 or one.error
                drawn += one.error > 0
    assert bool(drawn) == (players > 2 or rules.starting_dice > 6)


def test_certain_mistakes_cost_all_that_was_at_stake() -> None:
    """With one die each: to doubt what one holds oneself loses for certain."""
    rules = variant("pressman", {}, starting_dice=1)
    events: list[Event] = [
        RoundStarted(0, 0, None, ((5,), (6,))),
        BidMade(0, 1, 6),
        CallMade(1, "dudo", 1, 1, None),
    ]
    [mistake] = decisions_of(GameRecord(0, (1, 2), events), rules, 1)
    assert mistake.kind == "doubts too early"
    assert mistake.chance == 0
    assert mistake.loss > 0.2


def test_calls_of_calza_are_weighed_by_the_odds() -> None:
    """It is the last die of seat 1, and the only hidden one: exact with 1/3, lost with 2/3."""
    rules = variant("bga", {}, starting_dice=1, calza=True)
    events: list[Event] = [
        RoundStarted(0, 0, None, ((5,), (6,))),
        BidMade(0, 1, 5),
        CallMade(1, "calza", 1, None, None),
    ]
    [call] = decisions_of(GameRecord(0, (1, 2), events), rules, 1)
    assert call.action.do == "calza"
    assert 0 < call.chance < 1
    assert call.best.do in {"bid", "dudo"}


# ---------------------------------------------------------------- what is added up


@pytest.mark.slow
def test_equal_games_give_equal_judgements() -> None:
    three = played(SEEN, (sensible, knows_nothing, sensible), 3)

    def judgement() -> Judgement:
        coach = Coach("mine")
        coach.add(three, SEEN)
        return coach.judgement()

    assert judgement() == judgement()
    assert any(one.error for one in judgement().worst)


def test_sums_are_those_of_the_decisions() -> None:
    one = played(SEEN, (knows_nothing, sensible), 5)
    coach = Coach("mine")
    coach.add(one, SEEN)
    found = coach.judgement()
    every = [d for record in one.games for d in decisions_of(record, SEEN, 0)]
    assert found.games == 5
    assert found.decisions == len(every)
    assert found.cost.per_game == pytest.approx(sum(d.loss for d in every) / 5)
    losses = sorted((d.loss for d in every), reverse=True)
    assert [d.loss for d in found.worst] == pytest.approx(losses[:WORST])
    assert sum(b.bids for b in found.calibration) == sum(d.action.do == "bid" for d in every)
    assert [table.games for table in found.tables] == [5]


def test_bids_that_a_bot_holds_are_expected_and_true() -> None:
    found = judged(sensible, games=5).calibration[-1]
    assert (found.low, found.high) == (0.9, 1.0)
    assert found.expected > 0.9
    assert found.held > 0.9
