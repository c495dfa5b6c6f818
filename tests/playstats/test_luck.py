"""Luck: baseline bots against a slow second version, and luck that is 0 on average for everyone."""

from collections.abc import Callable, Iterator
from itertools import product
from math import sqrt
from random import Random
from statistics import fmean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import (
    BidMade,
    CallMade,
    Cause,
    Event,
    Fault,
    Faulted,
    GameRecord,
    RoundStarted,
)
from arena.game.referee import Referee
from arena.game.rules.books import FACES, VARIANTS, Rules, variant
from arena.game.rules.dice import Hand
from arena.game.rules.odds import bid_holds
from arena.game.rules.round import (
    Bid,
    Round,
    Standing,
    dudo,
    first_standing,
    open_round,
    place,
    raises,
)
from arena.game.walk import walk
from arena.game.wire.messages import Answer, Turn
from arena.playstats.baseline import PATIENCE, outcomes
from arena.playstats.luck import MOST_DICE, has_luck, rated_luck, round_luck, win_chance
from tests.support import played_games as games
from tests.support import random_games
from tests.support.sampling import paired
from tests.support.summaries import summarize_fixture

each_standing = settings(max_examples=40, deadline=None, database=None)
SEATS = ("alpha", "beta")
VETERANS = variant("pressman", {"palifico_with_two_left": True})


def luck_of(record: GameRecord, rules: Rules) -> float:
    return sum(map(round_luck, walk(record, rules)))


# ---------------------------------------------------------------- baseline bots


@st.composite
def standings(draw: st.DrawFn, most: int = 4) -> Standing:
    """A table of two with any dice left, a palifico round perhaps; any rule book or switches."""
    rules = replace(draw(random_games.rules()), starting_dice=most)
    dice = draw(st.integers(1, most)), draw(st.integers(1, most))
    opener, used = draw(st.integers(0, 1)), draw(st.tuples(st.booleans(), st.booleans()))
    palifico = opener if dice[opener] == 1 and draw(st.booleans()) else None
    return Standing(rules, dice, used, opener, palifico)


def loser(standing: Standing, hands: tuple[Hand, ...], patience: tuple[float, float]) -> int:
    """Play a round as `arena.playstats.baseline` says, turn by turn."""
    now = open_round(standing)
    while (bid := next_bid(now, hands, patience[now.to_act])) is not None:
        now = place(now, bid)
    lost = dudo(now, hands).loser
    assert lost is not None
    return lost


def next_bid(now: Round, hands: tuple[Hand, ...], patience: float) -> Bid | None:
    own, unseen = hands[now.to_act], len(hands[1 - now.to_act])

    def chance(bid: Bid) -> float:
        return bid_holds(bid, own, unseen, now.standing.wild)

    lowest = [Bid(one.min, one.face) for one in raises(now)]
    if not lowest:
        return None
    surest = max(lowest, key=chance)
    if now.bid is None:
        return surest
    survives = chance(surest) + (1 - chance(surest)) * patience
    return None if 1 - chance(now.bid) > survives else surest


def losses(standing: Standing, hands: tuple[Hand, ...]) -> float:
    """How often the opener loses, over all choices of patience."""
    choices = product(PATIENCE, repeat=2)
    return fmean(loser(standing, hands, (a, b)) == standing.opener for a, b in choices)


@each_standing
@given(standings(), st.integers(0, 2**32))
def test_baseline_bots_bid_and_doubt_by_the_engine(standing: Standing, seed: int) -> None:
    rng, opener = Random(seed), standing.opener
    found = outcomes(standing)
    for _ in range(20):
        hands = tuple(tuple(rng.choices(range(1, FACES + 1), k=n)) for n in standing.dice)
        assert found.of(hands[opener], hands[1 - opener]) == losses(standing, hands)


def deals(standing: Standing) -> Iterator[tuple[Hand, ...]]:
    rolls = [list(product(range(1, FACES + 1), repeat=dice)) for dice in standing.dice]
    return product(*rolls)


@each_standing
@given(standings(most=2))
def test_the_mean_is_over_all_deals_as_dice_fall(standing: Standing) -> None:
    opener, found = standing.opener, outcomes(standing)
    lost = [found.of(hands[opener], hands[1 - opener]) for hands in deals(standing)]
    assert found.mean == pytest.approx(fmean(lost))


@each_standing
@given(standings())
def test_chances_to_win_are_the_others_turned_round(standing: Standing) -> None:
    assert win_chance(standing) == pytest.approx(1 - win_chance(mirrored(standing)))


def mirrored(standing: Standing) -> Standing:
    palifico = standing.palifico_seat
    return replace(
        standing,
        dice=standing.dice[::-1],
        palifico_used=standing.palifico_used[::-1],
        opener=1 - standing.opener,
        palifico_seat=None if palifico is None else 1 - palifico,
    )


@pytest.mark.parametrize("book", VARIANTS)
def test_a_die_more_is_a_better_chance_to_win(book: str) -> None:
    rules = VARIANTS[book]
    for opener, (mine, other) in product(range(2), product(range(1, 6), repeat=2)):
        table = Standing(rules, (mine, other), (True, True), opener)
        if mine < rules.starting_dice:
            richer = replace(table, dice=(mine + 1, other))
            assert win_chance(richer) > win_chance(table)


def test_the_last_dice_are_worth_a_game() -> None:
    start = RoundStarted(0, 0, None, ((6,), (5,)))
    record = GameRecord(0, (2, 1), [start, BidMade(0, 1, 6), CallMade(1, "dudo", 1, 1, None)])
    rules = variant("bga", {}, starting_dice=1)
    table = first_standing(rules, 2, 0)
    lost = losses(table, start.dice) - fmean(losses(table, hands) for hands in deals(table))
    assert luck_of(record, rules) == pytest.approx(-lost)


# ---------------------------------------------------------------- luck of games

Policy = Callable[[Turn, Random], Answer | Fault]


def random_moves(turn: Turn, rng: Random) -> Answer:
    one = rng.choice(turn.raises) if turn.raises else None
    if one is None or (turn.dudo and rng.random() < 0.3):
        return Answer(id=0, action="dudo")
    return Answer(id=0, action="bid", quantity=one.min, face=one.face)


def doubts_all(turn: Turn, _: Random) -> Answer:
    one = turn.raises[0] if turn.raises else None
    if turn.dudo or one is None:
        return Answer(id=0, action="dudo")
    return Answer(id=0, action="bid", quantity=one.min, face=one.face)


def bids_its_best_face(turn: Turn, _: Random) -> Answer:
    best = max(turn.raises, key=lambda one: turn.dice.count(one.face) - one.min, default=None)
    if best is None or (turn.dudo and best.min > turn.dice.count(best.face) + 2):
        return Answer(id=0, action="dudo")
    return Answer(id=0, action="bid", quantity=best.min, face=best.face)


def crashes_on_bad_dice(turn: Turn, rng: Random) -> Answer | Fault:
    if len(set(turn.dice)) == len(turn.dice):
        return Fault(Cause.CRASH, "")
    return bids_its_best_face(turn, rng)


POLICIES = (random_moves, doubts_all, bids_its_best_face, crashes_on_bad_dice)


def play(rules: Rules, policies: tuple[Policy, Policy], game: int) -> GameRecord:
    rng = Random(game)

    def choose(seat: int, turn: games.Request) -> Answer | Fault:
        assert isinstance(turn, Turn)
        return policies[seat](turn, rng)

    return games.play_out(Referee(rules, 2, "luck", game), choose)


@pytest.mark.parametrize(("first", "second"), paired(POLICIES, POLICIES, "luck of two"))
def test_luck_is_even_on_average_however_bots_play(first: Policy, second: Policy) -> None:
    for book in VARIANTS:
        rules = variant(book, {}, starting_dice=3)
        found = [luck_of(play(rules, (first, second), game), rules) for game in range(150)]
        assert abs(fmean(found)) < 4 * stdev(found) / sqrt(len(found))


@pytest.mark.parametrize("rules", [*VARIANTS.values(), VETERANS], ids=[*VARIANTS, "veterans"])
def test_one_seats_luck_is_the_others_bad_luck(rules: Rules) -> None:
    palificos = 0
    for game in range(30):
        record = games.play(replace(rules, calza=True), 2, "seed", game)
        palificos += any(
            isinstance(e, RoundStarted) and e.palifico_seat is not None for e in record.events
        )
        found = luck_of(record, replace(rules, calza=True))
        assert found != 0
        assert luck_of(turned(record), replace(rules, calza=True)) == pytest.approx(-found)
    assert bool(palificos) == rules.palifico_with_two_left


def turned(record: GameRecord) -> GameRecord:
    """The same game with the seats exchanged."""

    def other(seat: int | None) -> int | None:
        return None if seat is None else 1 - seat

    def exchanged(event: Event) -> Event:
        if isinstance(event, RoundStarted):
            return RoundStarted(
                event.number, 1 - event.opener, other(event.palifico_seat), event.dice[::-1]
            )
        if isinstance(event, CallMade):
            return replace(
                event, seat=1 - event.seat, loser=other(event.loser), gainer=other(event.gainer)
            )
        return replace(event, seat=1 - event.seat)

    return replace(record, places=record.places[::-1], events=list(map(exchanged, record.events)))


# ---------------------------------------------------------------- summaries


def test_a_summary_has_the_luck_of_each_game() -> None:
    rules = VARIANTS["bga"]
    one = games.fixture(0, "bga", rules, SEATS, 3)
    assert any(isinstance(event, Faulted) for event in one.games[1].events)
    expected = tuple([round(1000 * luck_of(record, rules)) for record in one.games])
    assert summarize_fixture(one, rules).luck == expected


def test_a_result_has_luck_unless_other_fixtures_share_the_dice() -> None:
    rules = VARIANTS["bga"]
    one = games.fixture(0, "bga", rules, SEATS, 3)
    luck = summarize_fixture(one, rules).luck
    assert summarize_fixture(one, rules).rated.luck == rated_luck(one, rules) == luck
    shared = replace(one, fixture=replace(one.fixture, dice="of a block"))
    summary = summarize_fixture(shared, rules)
    assert (summary.luck, summary.rated.luck, rated_luck(shared, rules)) == (luck, (), ())


def test_a_game_without_rounds_has_no_luck() -> None:
    rules = VARIANTS["bga"]
    one = games.fixture(0, "bga", rules, SEATS, 1)
    empty = replace(one, games=[GameRecord(0, (1, 2), [])])
    assert summarize_fixture(empty, rules).luck == (0,)


@pytest.mark.parametrize(("players", "dice"), [(3, 5), (2, MOST_DICE + 1)])
def test_luck_is_not_measured_at_other_tables(players: int, dice: int) -> None:
    rules = variant("bga", {}, starting_dice=dice)
    assert not has_luck(rules, players)
    one = games.fixture(0, "bga", rules, ("a", "b", "c")[:players], 2)
    assert summarize_fixture(one, rules).luck == rated_luck(one, rules) == ()
