"""What the solver leaves out changes no value, and its bounds hold."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from arena.game.rules.books import BGA, VARIANTS, Rules
from arena.game.rules.round import Standing, perft
from tests.exact.certify import Plan, certified, lower_bound, rounded, upper_bound
from tests.exact.game import Game, all_hands, normal, palifico, won_deals
from tests.exact.lp import sequences
from tests.exact.tree import ROOT
from tests.exact.values import ROUNDS, game_of, is_played
from tests.support.depth import depth, only_in_long
from tests.support.sampling import sample

PLAYED = [
    (variant, name)
    for variant, rules in VARIANTS.items()
    for name in ROUNDS
    if is_played(rules, name)
]


def honest(game: Game) -> Plan:
    """Open with one of the face that the palifico player's die shows, then doubt any raise."""
    plan: Plan = {}
    for at in game.tree.nodes[ROOT].children:
        node = game.tree.nodes[at]
        if node.bid is not None and node.bid.quantity == 1:
            said = [2 * at, *(2 * child + 1 for child in node.children)]
            plan |= {(edge, node.bid.face - 1): Fraction(1) for edge in said}
    return plan


@pytest.mark.parametrize("rules", depth([BGA], list(VARIANTS.values())), ids=lambda book: book.name)
def test_the_tree_holds_every_bid_where_no_lie_is_legal(rules: Rules) -> None:
    """Two players who start with one die each may bid at most two, the number of dice."""
    short = replace(rules, starting_dice=1)
    game = normal(short)
    assert not game.tree.lies
    assert len(game.tree.nodes) - 1 == perft(Standing(short, (1, 1), (False, False), 0))
    assert certified(game) == certified(normal(rules))


@pytest.mark.parametrize(("variant", "name"), PLAYED)
def test_bid_above_all_dice_loses_every_doubt(variant: str, name: str) -> None:
    """A player is never worse off to doubt it, so such bids may be left out."""
    game = game_of(VARIANTS[variant], name)
    deals = len(game.kinds[0]) * len(game.kinds[1])
    assert game.tree.lies
    for bid in game.tree.lies:
        assert len(won_deals(game, bid, doubter=0)) == deals
        assert not won_deals(game, bid, doubter=1)


@only_in_long
def test_lies_change_nothing_in_a_normal_round() -> None:
    assert certified(normal(BGA, lies=1)) == certified(normal(BGA))


@pytest.mark.parametrize("other", [1, 2, 3])
def test_lies_change_nothing_in_a_palifico_round(other: int) -> None:
    """Players who start with three dice each may bid at most six: the tree is complete."""
    short = replace(BGA, starting_dice=3)
    whole = palifico(short, other, lies=5 - other)
    assert not whole.tree.lies
    assert len(whole.tree.nodes) - 1 == perft(whole.standing)
    assert certified(whole) == certified(palifico(BGA, other))


@pytest.mark.parametrize("other", [1, 2, 3])
def test_counts_tell_seat_1_as_much_as_its_dice(other: int) -> None:
    game = palifico(BGA, other)
    distinguished = game._replace(kinds=(game.kinds[0], all_hands(other)))
    assert certified(distinguished) == certified(game)


@pytest.mark.parametrize("name", sample(ROUNDS, 2, "bounds of rounds"))
def test_any_two_plans_bound_the_value(name: str) -> None:
    """Both seats choose uniformly: far from optimal, and so are the bounds."""
    game = game_of(BGA, name)
    blind = [rounded(game, seat, dict.fromkeys(sequences(game, seat), 1.0)) for seat in (0, 1)]
    value = certified(game)
    assert value.low == value.high
    assert lower_bound(game, blind[0]) < value.low < upper_bound(game, blind[1])


@pytest.mark.parametrize("other", range(1, 6))
def test_honest_opening_brings_what_a_hand_computes(other: int) -> None:
    """The other seat wins only if one of its dice shows the face that the opener bid."""
    game = palifico(BGA, other)
    assert lower_bound(game, honest(game)) == Fraction(5, 6) ** other


@pytest.mark.parametrize(("other", "enough"), [(1, True), (2, True), (3, True), (4, False)])
def test_honest_opening_is_best_against_up_to_three_dice(other: int, enough: bool) -> None:
    assert (certified(palifico(BGA, other)).high == Fraction(5, 6) ** other) is enough
