"""The lookahead against a slow second version, exact values, and its own samples."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, product
from random import Random
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.rules.books import BGA, FACES, VARIANTS, variant
from arena.game.rules.dice import Hand
from arena.game.rules.odds import bid_holds
from arena.game.rules.round import Bid, Round, Standing, dudo, lose_die, open_round, place, raises
from arena.playstats.baseline import PATIENCE
from arena.playstats.coach import lookahead
from arena.playstats.coach.lookahead import FLOOR, Lookahead, win_chance
from tests.exact.openings import openings
from tests.exact.values import game_of, value
from tests.playstats.test_luck import next_bid, standings
from tests.support.depth import depth

few = settings(max_examples=depth(10, 25), deadline=None, database=None)
Heard = list[tuple[int, Bid]]


def some_bids(standing: Standing, rng: Random) -> tuple[Round, Heard]:
    """A round after a few legal bids, with room for one more."""
    now, heard = open_round(standing), Heard()
    for _ in range(rng.randrange(4)):
        one = rng.choice(raises(now))
        after = place(now, Bid(one.min, one.face))
        if not raises(after):
            break
        heard.append((now.to_act, Bid(one.min, one.face)))
        now = after
    return now, heard


def slow_value(now: Round, heard: Heard, hand: Hand, made: Bid | None) -> float:
    """The chance to win after a bid, or a dudo, hand by hand and turn by turn."""
    standing, seat = now.standing, now.to_act
    total = weights = 0.0
    for other in product(range(1, FACES + 1), repeat=standing.dice[1 - seat]):
        hands = (hand, other) if seat == 0 else (other, hand)
        weight = 1.0
        for bidder, bid in heard:
            if bidder != seat:
                weight *= (FLOOR + bid_holds(bid, other, len(hand), standing.wild)) ** 2
        for patience in product(PATIENCE, repeat=2):
            total += weight * after(now, hands, made, patience, seat)
            weights += weight
    return total / weights


def after(
    now: Round, hands: tuple[Hand, ...], made: Bid | None, patience: Sequence[float], seat: int
) -> float:
    while made is not None:
        now = place(now, made)
        made = next_bid(now, hands, patience[now.to_act])
    return win_chance(dudo(now, hands).after, seat)


@few
@given(standings(most=2), st.integers(0, 2**32))
def test_values_are_those_of_all_hidden_hands_one_by_one(standing: Standing, seed: int) -> None:
    rng = Random(seed)
    now, heard = some_bids(standing, rng)
    hand = tuple(rng.choices(range(1, FACES + 1), k=standing.dice[now.to_act]))
    look = Lookahead(standing, now.to_act, hand, "")
    weights = look.weights(heard)
    numbers = look.alternatives(now.bid)
    for number, found in zip(numbers, weights @ look.after_bids(numbers), strict=True):
        assert found == pytest.approx(slow_value(now, heard, hand, look.bid(number)))
    if now.bid:
        doubted = float(weights @ look.after_dudo(now.bid))
        assert doubted == pytest.approx(slow_value(now, heard, hand, None))


@few
@given(standings(most=3), st.integers(0, 2**32))
def test_alternatives_are_legal_and_not_far_too_unlikely(standing: Standing, seed: int) -> None:
    rng = Random(seed)
    now, _ = some_bids(standing, rng)
    hand = tuple(rng.choices(range(1, FACES + 1), k=standing.dice[now.to_act]))
    unseen = sum(standing.dice) - len(hand)
    legal = [Bid(n, one.face) for one in raises(now) for n in range(one.min, one.max + 1)]
    likely = {bid for bid in legal if bid_holds(bid, hand, unseen, standing.wild) >= 0.02}
    look = Lookahead(standing, now.to_act, hand, "")
    assert {look.bid(number) for number in look.alternatives(now.bid)} == likely
    unlikely = legal[-1]
    kept = {look.bid(number) for number in look.alternatives(now.bid, unlikely)}
    assert kept == likely | {unlikely}


# ---------------------------------------------------------------- exact values


STATED = {
    "normal 1 : 1": (0.12, 0.16),
    "palifico 1 : 1": (0.0, 0.0),
    "palifico 1 : 2": (0.0, 0.006),
    "palifico 1 : 3": (0.0, 0.006),
    "palifico 1 : 4": (0.01, 0.006),
    "palifico 1 : 5": (0.01, 0.006),
}
"""How far the value of opening, and on average the losses, are off at most: `guides/coach.md`."""


@pytest.mark.parametrize("name", STATED)
def test_solved_rounds_are_judged_within_the_error_that_is_stated(name: str) -> None:
    game = game_of(BGA, name)
    lost, kept = (win_chance(lose_die(game.standing, seat), 0) for seat in range(2))
    values, errors = list[float](), list[float]()
    for hand, of in groupby(openings(game), lambda one: one.hand):
        exact = list(of)
        look = Lookahead(game.standing, 0, hand, "")
        chances = look.weights([]) @ look.after_bids([look.number(one.bid) for one in exact])
        values.append((max(chances) - lost) / (kept - lost))
        best = max(one.keeps for one in exact)
        for one, chance in zip(exact, chances, strict=True):
            errors.append(abs(max(chances) - chance - (best - one.keeps) * (kept - lost)))
    of_value, of_losses = STATED[name]
    assert fmean(values) == pytest.approx(float(Fraction(value(BGA, name))), abs=of_value + 1e-9)
    assert fmean(errors) <= of_losses + 1e-9


@pytest.mark.parametrize("other", [1, 2, 3])
def test_truth_is_best_in_palifico_against_up_to_three_dice(other: int) -> None:
    """`docs/reference/rules.md` proves it."""
    standing = Standing(BGA, (1, other), (False, False), 0, 0)
    for face in range(1, FACES + 1):
        look = Lookahead(standing, 0, (face,), "")
        numbers = look.alternatives(None)
        values = look.weights([]) @ look.after_bids(numbers)
        assert look.bid(numbers[int(values.argmax())]) == Bid(1, face)


# ---------------------------------------------------------------- samples


def test_drawn_hands_give_the_values_of_all_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    standing = Standing(BGA, (3, 4), (False, False), 0)
    heard = [(1, Bid(2, 5))]
    exact = Lookahead(standing, 0, (1, 5, 6), "")
    numbers = exact.alternatives(Bid(2, 5))
    expected = exact.weights(heard) @ exact.after_bids(numbers)
    monkeypatch.setattr(lookahead, "MOST_DICE", 0)
    found = []
    for key in "abcdefgh":
        drawn = Lookahead(standing, 0, (1, 5, 6), key)
        assert drawn.deals.drawn
        found.append(drawn.weights(heard) @ drawn.after_bids(numbers))
    errors = np.std(found, axis=0) / len(found) ** 0.5
    assert np.all(abs(np.mean(found, axis=0) - expected) < 5 * errors + 1e-9)


def test_the_same_key_draws_the_same_hands() -> None:
    standing = Standing(variant("italian", {}), (5, 3, 4), (False,) * 3, 1)

    def drawn(key: str) -> list[list[int]]:
        deals = Lookahead(standing, 1, (2, 2, 6), key).deals
        return [hands.tolist() for hands in deals.hands]

    assert drawn("one") == drawn("one") != drawn("two")


# ---------------------------------------------------------------- chances to win


@pytest.mark.parametrize("book", VARIANTS)
def test_chances_to_win_add_up_to_one(book: str) -> None:
    for dice in [(5, 5, 5), (1, 4, 2, 0), (3, 0, 1), (2, 5), (0, 0, 4)]:
        rules = VARIANTS[book]
        opener = next(seat for seat, left in enumerate(dice) if left)
        standing = Standing(rules, dice, (True,) * len(dice), opener)
        chances = [win_chance(standing, seat) for seat in range(len(dice))]
        assert sum(chances) == pytest.approx(1)
        assert sorted(range(len(dice)), key=lambda seat: (dice[seat], chances[seat])) == sorted(
            range(len(dice)), key=lambda seat: chances[seat]
        )
