"""How often two bots decide alike, also if they draw at random or do not answer."""

import numpy as np
import pytest

from arena.author.alike.by_behaviour import Answers, BotAnswers, compare_behaviour

SIZE = 2000


def drawn(seed: int, actions: int = 3) -> Answers:
    return np.random.default_rng(seed).integers(0, actions, SIZE, dtype=np.int32)


def fixed(seed: int) -> BotAnswers:
    """Return a bot that decides the same whenever it is asked."""
    return BotAnswers(drawn(seed), drawn(seed))


def test_a_bot_that_draws_nothing_is_wholly_like_its_copy() -> None:
    found = compare_behaviour(fixed(1), fixed(1))
    assert found
    assert (found.alike, found.one_itself, found.other_itself, found.most) == (1, 1, 1, 1)


def test_without_chance_it_is_the_share_of_positions() -> None:
    one, other = fixed(1), fixed(2)
    found = compare_behaviour(one, other)
    assert found
    assert found.most == found.alike == np.mean(one.first == other.first)


def test_a_copy_of_a_bot_that_draws_is_like_it_with_the_same_numbers() -> None:
    bot = BotAnswers(drawn(1), drawn(2))
    found = compare_behaviour(bot, bot)
    assert found
    assert found.alike == found.one_itself < 0.4
    assert found.most == pytest.approx(1)


def test_a_copy_that_draws_other_numbers_is_like_it_but_for_chance() -> None:
    found = compare_behaviour(BotAnswers(drawn(1), drawn(2)), BotAnswers(drawn(3), drawn(4)))
    assert found
    assert found.alike < 0.4
    assert found.most > 0.9


def test_bots_that_draw_otherwise_are_not_alike() -> None:
    often = BotAnswers(drawn(1), drawn(2))
    other = BotAnswers(drawn(3) + 10, drawn(4) + 10)
    found = compare_behaviour(often, other)
    assert found
    assert found.most == 0


def test_positions_that_either_did_not_answer_do_not_count() -> None:
    one, other = fixed(1), fixed(1)
    other.first[:500], other.again[500:600] = -1, -1
    found = compare_behaviour(one, other)
    assert found
    assert (found.positions, found.most) == (SIZE - 600, 1)


@pytest.mark.parametrize("answered", [0, 99])
def test_too_few_answers_are_not_compared(answered: int) -> None:
    one, other = fixed(1), fixed(1)
    other.first[answered:] = -1
    assert compare_behaviour(one, other) is None
