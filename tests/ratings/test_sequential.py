"""When neighbours are separated: evidence that does not lie, however often one looks."""

from math import exp, inf, log, pi, sqrt
from random import Random
from statistics import fmean

import pytest

from arena.ratings.sequential import (
    FIRST_LOOK,
    TableMeans,
    adjusted_means,
    first_look,
    is_look,
    log_bayes_factor,
    ranking,
    separated,
    tied,
)


def duel(*place: float) -> list[TableMeans]:
    """Return a block of two bots in which `a` reached these mean places."""
    return [TableMeans(("a", "b"), (one, 3 - one)) for one in place]


def by_integration(differences: list[float]) -> float:
    """Return the Bayes factor from its definition, by sums over effects and spreads."""

    def likelihood(effect: float, sigma: float) -> float:
        squares = sum((one / sigma - effect) ** 2 for one in differences)
        return exp(-squares / 2) / sigma ** len(differences)

    spreads = [exp(step / 10) for step in range(-60, 40)]
    effects = [step / 10 for step in range(-60, 61)]
    density = {effect: exp(-effect * effect / 2) / sqrt(2 * pi) / 10 for effect in effects}
    null = sum(likelihood(0, sigma) for sigma in spreads)
    some = sum(density[e] * likelihood(e, sigma) for e in effects for sigma in spreads)
    return some / null


@pytest.mark.parametrize("differences", [[1.0, 0.5], [0.3, -0.2, 0.4, 0.1], [-1.0, -1.2, -0.9]])
def test_evidence_is_the_bayes_factor_of_its_definition(differences: list[float]) -> None:
    assert log_bayes_factor(differences) == pytest.approx(
        log(by_integration(differences)), abs=0.02
    )


def test_no_differences_are_no_evidence() -> None:
    assert log_bayes_factor([]) == log_bayes_factor([0.0] * 9) == 0
    assert log_bayes_factor([0.7]) == pytest.approx(0)


def test_evidence_does_not_depend_on_unit_or_sign() -> None:
    some = [0.2, 0.5, -0.1, 0.4]
    assert log_bayes_factor([-9 * one for one in some]) == pytest.approx(log_bayes_factor(some))


def test_error_rate_holds_when_looking_after_every_block() -> None:
    draw = Random(3)
    reached = 0
    for _ in range(300):
        differences: list[float] = []
        best = -inf
        for _ in range(60):
            differences.append(draw.gauss(0, 1))
            best = max(best, log_bayes_factor(differences))
        reached += best >= log(20)
    assert 0 < reached <= 0.05 * 300


def test_strong_differences_give_strong_evidence() -> None:
    draw = Random(4)
    assert log_bayes_factor([draw.gauss(1, 1) for _ in range(30)]) > log(1000)


def test_places_are_adjusted_for_the_strength_of_opponents() -> None:
    """`s` is strong, `a` and `b` are equal; in a single block only one of them meets `s`."""
    blocks = [
        [TableMeans(("a", "s"), (1.7, 1.3)), TableMeans(("b", "w"), (1.3, 1.7))],
        [TableMeans(("b", "s"), (1.7, 1.3)), TableMeans(("a", "w"), (1.3, 1.7))],
        [TableMeans(("a", "b"), (1.5, 1.5)), TableMeans(("s", "w"), (1.1, 1.9))],
    ]
    means = adjusted_means(blocks)
    raw = fmean([1.3, 1.3, 1.1])
    for block in means:
        assert block == pytest.approx({"a": 1.5, "b": 1.5, "s": raw, "w": 3 - raw})


def test_places_of_two_bots_are_not_adjusted() -> None:
    [first, second] = adjusted_means([duel(1.2), duel(1.9)])
    assert (first["a"], second["b"]) == pytest.approx((1.2, 1.1))


def test_ranking_is_best_first() -> None:
    assert ranking([{"a": 2, "b": 1}, {"a": 1, "b": 1.5}, {"c": 1.3}]) == ["b", "c", "a"]
    assert ranking([]) == []


def clear(count: int) -> list[list[TableMeans]]:
    return [duel(1.1 + 0.01 * (n % 3)) for n in range(count)]


def test_no_decision_before_the_first_look() -> None:
    assert not separated(clear(FIRST_LOOK - 1), 2, 0.95)
    assert separated(clear(FIRST_LOOK), 2, 0.95)
    assert first_look(64) == 63
    assert not separated(clear(FIRST_LOOK), 64, 0.95)


def test_bot_that_has_not_played_is_not_separated() -> None:
    assert separated(clear(20), 2, 0.95)
    assert not separated(clear(20), 3, 0.95)


def test_tied_neighbours_are_listed_best_first() -> None:
    draw = Random(5)
    blocks = [
        [TableMeans(("a", "b", "c"), (1.2 + draw.gauss(0, 0.1), 2.4 + draw.gauss(0, 0.1), 2.4))]
        for _ in range(12)
    ]
    [(one, other)] = tied(blocks, 3, 0.95)
    assert {one, other} == {"b", "c"}
    assert not separated(blocks, 3, 0.95)


def test_more_confidence_needs_more_blocks() -> None:
    draw = Random(6)
    blocks = [duel(1.45 + draw.gauss(0, 0.05)) for _ in range(200)]

    def needed(confidence: float) -> int:
        return next(n for n in range(200) if separated(blocks[:n], 2, confidence))

    assert needed(0.9) <= needed(0.99) < needed(0.9999)


def test_looks_are_after_every_block_and_later_after_every_2_percent() -> None:
    looks = [n for n in range(1000) if is_look(n, 4)]
    assert looks[0] == FIRST_LOOK
    assert looks[:92] == list(range(8, 100))
    assert looks[92:95] == [100, 102, 104]
    assert looks[-1] - looks[-2] == 19
