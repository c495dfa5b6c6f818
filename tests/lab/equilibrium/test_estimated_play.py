"""A rival finds what a bot gives away, and little of it in the tables of `equilibrium`."""

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random

import pytest
from msgspec.structs import asdict

from arena.game.rules.books import BGA, PRESSMAN, Rules
from arena.game.rules.round import Bid, Round, place, raises
from arena.lab.equilibrium.endgames import EndgameState, standing_of, states
from arena.lab.equilibrium.strategy_tables import DUDO, WHOLE, code
from arena.lab.exploit import Exploiter, Known, Question, estimate, known_states
from tests.lab.equilibrium.bot_module import bot_module
from tests.support.depth import FULL

PALIFICO = EndgameState(1, 1, palifico=True)
BOUNDS = {2: 0.001, 3: 0.001, 4: 0.005}
"""What a rival may win more than against an equilibrium, by the dice on the table."""


def ask_tables(
    rules: Rules, state: EndgameState, bot: int, questions: Sequence[Question]
) -> Iterator[bytes]:
    """Answer as often with each action as the sample bot's weights say."""
    module = bot_module()
    tables = module.Tables(asdict(rules))
    standing = standing_of(state, rules)
    for question in questions:
        now, bids = Round(standing, 0), []
        for bid in question.bids:
            bids.append({"seat": now.to_act, "quantity": bid.quantity, "face": bid.face})
            now = place(now, bid)
        turn = {
            "dice": question.hand,
            "bids": bids,
            "raises": [asdict(one) for one in raises(now)],
            "dudo": bool(bids),
            "palifico_seat": standing.palifico_seat,
        }
        hidden = state.total - len(question.hand)
        mix = module.mixed(turn, hidden, tables)
        yield bytes([action for action, weight in mix for _ in range(weight)])


def checked_states(rules: Rules, known: dict[str, Known]) -> list[EndgameState]:
    found = [one for one in states(rules, range(2, 5), 5) if str(one) in known]
    exact = [one for one in found if known[str(one)].recall == WHOLE]
    palifico = {(one.opener, one.other) for one in exact if one.palifico}
    played = [one for one in exact if one.palifico or (one.opener, one.other) not in palifico]
    return [one for one in played if FULL or one.total == 2]


@pytest.mark.parametrize("rules", [BGA, PRESSMAN], ids=["bga", "pressman"])
def test_rival_wins_little_against_the_tables(rules: Rules) -> None:
    known, exploiter = known_states(rules), Exploiter(rules)
    for state in checked_states(rules, known):
        entry = known[str(state)]
        for bot, said in ((0, entry.beaten_opening), (1, entry.beaten_answering)):
            play = estimate(state, rules, bot, partial(ask_tables, rules, state, bot))
            _, most = exploiter.exploit(state, bot, play)
            fair = entry.value if bot else 1 - entry.value
            assert most == pytest.approx(said, abs=1e-3)
            assert most - fair < BOUNDS[state.total]


@pytest.mark.parametrize("rules", [BGA, PRESSMAN], ids=["bga", "pressman"])
def test_stored_bounds_hold(rules: Rules) -> None:
    for name, entry in known_states(rules).items():
        total = sum(map(int, name.split("-")[:2]))
        if entry.recall != WHOLE or total not in BOUNDS:
            continue
        assert entry.beaten_opening is not None
        assert entry.beaten_answering is not None
        assert entry.beaten_opening - (1 - entry.value) < BOUNDS[total]
        assert entry.beaten_answering - entry.value < BOUNDS[total]


def test_exact_states_are_those_of_the_fewest_dice() -> None:
    assert known_states(PRESSMAN)["1-1"].recall == WHOLE
    assert known_states(BGA)["1-1"].recall == WHOLE


def always(action: int, questions: Sequence[Question]) -> Iterator[bytes]:
    return (bytes([action] * 4) for _ in questions)


def test_bid_above_the_dice_on_the_table_loses_every_time() -> None:
    lie = code(Bid(3, 6))
    play = estimate(PALIFICO, BGA, 0, partial(always, lie))
    low, high = Exploiter(BGA).exploit(PALIFICO, 0, play)
    assert low == high == pytest.approx(1.0)


def test_rival_of_a_bot_that_always_doubts_bids_what_it_holds() -> None:
    play = estimate(PALIFICO, BGA, 1, partial(always, DUDO))
    low, high = Exploiter(BGA).exploit(PALIFICO, 1, play)
    assert low == high == pytest.approx(1.0)
    assert play.positions == 6 * 12


@pytest.mark.slow
def test_luck_of_few_answers_is_between_the_bounds() -> None:
    """A bot that opens by lot seems to give its die away in four answers."""
    lot = Random(1)

    def draw(questions: Sequence[Question]) -> Iterator[bytes]:
        for one in questions:
            opening = [code(Bid(1, lot.randint(1, 6))) for _ in range(4)]
            yield bytes([DUDO] * 4 if one.bids else opening)

    plays = [estimate(PALIFICO, BGA, 0, draw) for _ in range(200)]
    bounds = [Exploiter(BGA).exploit(PALIFICO, 0, play) for play in plays]
    low, high = (sum(some) / len(bounds) for some in zip(*bounds, strict=True))
    true = (5 / 6) ** 2 + (1 / 6) ** 2
    assert low < high
    assert (low, high) == pytest.approx((true, true), abs=0.04)
