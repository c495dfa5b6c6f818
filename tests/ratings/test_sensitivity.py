"""How ratings would move without one bot: as if everything were rated again."""

import numpy as np
import pytest

from arena.ratings.maths.arrays import Floats
from arena.ratings.model.games import Games, as_arrays
from arena.ratings.model.head_to_head import Pairs, pairs
from arena.ratings.model.posterior import distinct, inverse_mills_ratio, posterior
from arena.ratings.model.trueskill import BETA, SIGMA
from arena.ratings.variance.sensitivity import shifts
from tests.support.ratings import rated_board
from tests.support.simulated_leagues import Moment, Shape, play


def league(bots: int, players: int, games: int, spread: float) -> Games:
    draw = np.random.default_rng(bots)
    return as_arrays(play(Shape(bots, players, games), draw.normal(size=bots) * spread, draw))


def rated(games: Games) -> tuple[Floats, Pairs]:
    mu = posterior(distinct(games)).mu
    return mu, pairs(games, mu)


def without(games: Games, bot: int) -> Floats:
    """Rate everything again without the games of a bot."""
    return posterior(distinct(games.only((games.order != bot).all(1)))).mu


def moved(before: Floats, after: Floats, bot: int) -> Floats:
    """Return the shifts relative to the mean of those that remain."""
    change = after - before
    change -= np.delete(change, bot).mean()
    change[bot] = 0
    return change


@pytest.mark.parametrize(
    ("bots", "games", "spread", "error"), [(3, 20, 2, 0.1), (8, 10, 2, 0.02), (20, 3, 3, 0.05)]
)
def test_shifts_at_tables_of_two_are_those_of_rating_again(
    bots: int, games: int, spread: float, error: float
) -> None:
    played = league(bots, 2, games, spread)
    mu, met = rated(played)
    found = shifts(mu, met)
    again = np.array([moved(mu, without(played, bot), bot) for bot in range(bots)]).T
    assert np.abs(again).max() > 5 * error
    assert found == pytest.approx(again, abs=error)


def fitted(ahead: Floats) -> Floats:
    """Return the skills that explain best who was ahead of whom, by Newton's method."""
    scale, mu = 2**0.5 * BETA, np.zeros(len(ahead))
    for _ in range(20):
        z = (mu[:, None] - mu) / scale
        v = inverse_mills_ratio(z)
        pull, bend = ahead * v / scale, ahead * v * (v + z) / scale**2
        bend = bend + bend.T
        precision = np.diag(bend.sum(1) + 1 / SIGMA**2) - bend
        mu = mu + np.linalg.solve(precision, (pull - pull.T).sum(1) - mu / SIGMA**2)
    return mu


@pytest.mark.parametrize("players", [3, 6])
def test_at_larger_tables_the_order_of_the_others_counts_on(players: int) -> None:
    bots = 9
    played = league(bots, players, 6, 2.0)
    met = rated(played)[1]
    mu = fitted(met.ahead)
    found = shifts(mu, pairs(played, mu))
    for bot in range(bots):
        rest = met.ahead.copy()
        rest[bot] = rest[:, bot] = 0
        assert found[:, bot] == pytest.approx(moved(mu, fitted(rest), bot), abs=0.02)


def test_bot_that_lets_one_other_win_is_named() -> None:
    def gift(moment: Moment, shown: Floats) -> Floats:
        if set(moment.table) == {0, 7}:
            shown[:, moment.table.index(7)] -= 100
        return shown

    shape, draw = Shape(8, 2, 20, blocks=4), np.random.default_rng(1)
    rows = rated_board("bga", 2, play(shape, np.zeros(8), draw, gift)).rows
    [row] = [row for row in rows if row.bot == "bot00"]
    assert (row.shift_without, row.sensitive) == ("bot07", True)
    assert row.shift is not None
    assert row.shift < 0


def test_no_bot_of_an_ordinary_field_is_named() -> None:
    shape, draw = Shape(8, 2, 20), np.random.default_rng(1)
    rows = rated_board("bga", 2, play(shape, draw.normal(size=8), draw)).rows
    assert not any(row.sensitive for row in rows)
    assert all(row.shift for row in rows)


def test_two_bots_leave_nothing_to_compare() -> None:
    shape, draw = Shape(2, 2, 10), np.random.default_rng(2)
    for row in rated_board("bga", 2, play(shape, np.zeros(2), draw)).rows:
        assert (row.shift, row.shift_without, row.sensitive) == (None, None, False)
