"""Which pairs stand out, and in what order."""

from itertools import combinations

import numpy as np
import pytest

from arena.author.alike.by_behaviour import BotAnswers
from arena.author.alike.pairs import Pair, compare_all
from arena.author.alike.sources import Source


def source(*fingerprints: int) -> Source:
    """Return a source without files: places are not looked at if nothing is shared."""
    return Source([], dict.fromkeys(fingerprints, (0, 0)), 100, {})


def apart(number: int) -> Source:
    return source(*range(100 * number, 100 * number + 50))


def asked(seed: int, like: int | None = None, share: float = 0.0) -> BotAnswers:
    """Return what a bot decided: in a share of the positions what another one did."""
    answers = np.random.default_rng(seed).integers(0, 10, 1000, dtype=np.int32)
    if like is not None:
        same = int(1000 * share)
        answers[:same] = asked(like).first[:same]
    return BotAnswers(answers, answers)


def compared(
    behaviours: dict[str, BotAnswers], sources: dict[str, Source] | None = None
) -> list[Pair]:
    numbered = {name: apart(number) for number, name in enumerate(behaviours)}
    others = [asked(1000 + number) for number in range(8)]
    return compare_all(sources or numbered, behaviours, others).pairs


def test_bots_that_were_written_apart_do_not_stand_out() -> None:
    pairs = compared({f"bot-{number}": asked(number) for number in range(6)})
    assert len(pairs) == 15
    assert not any(pair.stands_out for pair in pairs)


def test_pairs_are_in_the_order_of_how_unusual_they_are() -> None:
    bots = {f"bot-{number}": asked(number) for number in range(6)}
    bots |= {"exact": asked(0), "nearly": asked(7, like=1, share=0.97)}
    out = [(one.one, one.other) for one in compared(bots) if one.stands_out]
    assert out == [("bot-0", "exact"), ("bot-1", "nearly")]


@pytest.mark.parametrize("size", [3, 10])
def test_a_ring_of_copies_does_not_hide_itself(size: int) -> None:
    bots = {f"bot-{number}": asked(number) for number in range(20)}
    ring = {f"copy-{number}": asked(99) for number in range(size)}
    pairs = compared({**bots, **ring})
    out = {(one.one, one.other) for one in pairs if one.stands_out}
    assert out == set(combinations(ring, 2))
    assert {one.unusual for one in pairs if one.stands_out} == {1}


def test_if_all_decide_nearly_alike_that_is_not_unusual() -> None:
    bots = {f"bot-{number}": asked(number, like=99, share=0.96) for number in range(20)}
    assert not any(pair.stands_out for pair in compared(bots))


def test_a_bot_with_nothing_of_its_own_is_in_no_pair() -> None:
    bots = {name: asked(1) for name in ("one", "other", "kit")}
    sources = {"one": apart(1), "other": apart(2), "kit": source()}
    assert [(one.one, one.other) for one in compared(bots, sources)] == [("one", "other")]


def test_a_bot_without_source_is_compared_by_what_it_decides() -> None:
    bots = {"one": asked(1), "packed": asked(1)}
    [pair] = compared(bots, {"one": apart(1), "packed": Source([], {}, 0, {})})
    assert pair.text is None
    assert pair.unusual == 1


def test_pairs_that_were_not_compared_do_not_stand_out() -> None:
    [pair] = compared({}, {"one": apart(1), "packed": Source([], {}, 0, {})})
    assert (pair.text, pair.behaviour, pair.stands_out) == (None, None, False)
