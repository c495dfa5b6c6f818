"""The bridge to OpenSpiel, whose algorithms confirm the exact values of small rounds."""

from collections.abc import Sequence

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no package for this machine")

from open_spiel.python import policy as policies  # noqa: E402
from open_spiel.python.algorithms import exploitability  # noqa: E402
from open_spiel.python.algorithms.expected_game_score import policy_value  # noqa: E402

from arena.game.rules.books import VARIANTS, variant  # noqa: E402
from arena.game.rules.round import Standing, perft  # noqa: E402
from arena.lab.env.openspiel import one_round  # noqa: E402
from arena.lab.env.perudo_policy import DUDO, Table  # noqa: E402
from tests.exact.certify import Plan, certified, rounded  # noqa: E402
from tests.exact.game import Edge, Game, before, edges, normal  # noqa: E402
from tests.exact.lp import solve  # noqa: E402
from tests.exact.tree import ROOT  # noqa: E402
from tests.support.depth import depth  # noqa: E402
from tests.support.sampling import random  # noqa: E402

BOOKS = ["bga"]
"""The same round as in classic and italian; pressman's has seven times as many sequences, which
OpenSpiel takes minutes for."""
CLOSE = 1e-9


def small(book: str) -> Game:
    """The round of one die against one, in a game that begins with them."""
    return normal(variant(book, {}, starting_dice=1))


def win(standing: Standing) -> Sequence[float]:
    return (1.0, -1.0) if standing.winner == 0 else (-1.0, 1.0)


class Ours(policies.Policy):  # type: ignore[misc]
    """The plans of `tests.exact` as a policy of OpenSpiel, for a round that seat 0 opens."""

    def __init__(self, spiel: object, game: Game, plans: tuple[Plan, Plan]) -> None:
        super().__init__(spiel, [0, 1])
        self._game, self._plans, self._table = game, plans, Table(2, 1)
        self._known: dict[tuple[int, ...], int] = {(): ROOT}
        """The node after what was said."""

    def action_probabilities(self, state: object, _player: int | None = None) -> dict[int, float]:
        seat, node, kind = self._at(state)
        plan = self._plans[seat]
        reach = plan.get((before(self._game, node), kind), 0)
        found = {
            self._action(edge): float(plan.get((edge, kind), 0) / reach) if reach else 0.0
            for edge in edges(self._game, node)
        }
        # A seat does not come here by its own plan: anything will do.
        return found if reach else {action: 1 / len(found) for action in found}

    def _at(self, state: object) -> tuple[int, int, int]:
        hands, said = state.history()[:2], state.history()[2:]  # type: ignore[attr-defined]
        node = self._node(tuple(said))
        seat = self._game.tree.nodes[node].seat
        return seat, node, hands[seat]

    def _node(self, said: tuple[int, ...]) -> int:
        if said not in self._known:
            children = self._game.tree.nodes[self._node(said[:-1])].children
            for child in children:
                self._known[*said[:-1], self._action(2 * child)] = child
        return self._known[said]

    def _action(self, edge: Edge) -> int:
        bid = self._game.tree.nodes[edge // 2].bid
        return DUDO if edge % 2 or bid is None else self._table.bid(bid.quantity, bid.face)


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
def test_exact_plans_cannot_be_exploited_and_have_the_exact_value(book: str) -> None:
    game = small(book)
    floats = solve(game).plans
    plans = rounded(game, 0, floats[0]), rounded(game, 1, floats[1])
    spiel = one_round(game.standing, win)
    ours = Ours(spiel, game, plans)
    assert exploitability.nash_conv(spiel, ours) == pytest.approx(0, abs=CLOSE)
    value = policy_value(spiel.new_initial_state(), [ours, ours])
    [bound] = {*certified(game)}
    assert value == pytest.approx([float(2 * bound - 1), float(1 - 2 * bound)], abs=CLOSE)


def test_whole_game_of_one_die_each_is_its_round() -> None:
    rng = random("whole")
    whole = pyspiel.load_game("python_perudo", {"variant": "bga"})
    single = one_round(small("bga").standing, win)
    for _ in range(depth(20, 200)):
        states = [whole.new_initial_state(), single.new_initial_state()]
        states[0].apply_action(0)
        while not states[1].is_terminal():
            both = [state.legal_actions() for state in states]
            assert both[0] == both[1]
            action = rng.choice(both[0])
            for state in states:
                state.apply_action(action)
        assert states[0].is_terminal()
        assert states[0].returns() == states[1].returns()


def test_round_ends_with_the_values_that_are_given() -> None:
    standing = Standing(variant("classic", {}, starting_dice=2), (2, 1), (False, False), 0)
    game = one_round(standing, lambda after: (after.dice[0] / 10, -after.dice[0] / 10))
    state = game.new_initial_state()
    for action in (0, 3, Table(2, 2).bid(4, 6), DUDO):  # 1 1, 4: a bid of four sixes is false
        state.apply_action(action)
    assert state.is_terminal()
    assert state.returns() == [0.1, -0.1]


@pytest.mark.parametrize("book", VARIANTS)
@pytest.mark.parametrize(("players", "dice"), [(2, 2), (3, 1)])
def test_random_games_pass_the_checks_of_openspiel(book: str, players: int, dice: int) -> None:
    params = {"variant": book, "players": players, "starting_dice": dice}
    game = pyspiel.load_game("python_perudo", params)
    pyspiel.random_sim_test(game, num_sims=depth(2, 20), serialize=False, verbose=False)


def test_sequences_are_those_of_perft() -> None:
    """With hands of one class each, histories are sequences of bids and a doubt after each."""
    game = small("pressman")
    state = one_round(game.standing, win).new_initial_state()
    state.apply_action(0)
    state.apply_action(0)
    assert count(state) == perft(game.standing)


def count(state: object) -> int:
    actions = [one for one in state.legal_actions() if one != DUDO]  # type: ignore[attr-defined]
    children = [state.child(action) for action in actions]  # type: ignore[attr-defined]
    return sum([1 + count(child) for child in children])


def test_rules_with_calza_are_refused() -> None:
    standing = Standing(variant("bga", {}, calza=True), (1, 1), (False, False), 0)
    with pytest.raises(ValueError, match="without calza"):
        one_round(standing, win)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"variant": "bgaa"}, r"unknown variant 'bgaa' / did you mean 'bga'\?"),
        ({"players": 7}, "2 to 6 play at a table, not 7"),
        ({"starting_dice": 11}, "1 to 10 dice"),
    ],
)
def test_table_that_there_is_not_is_refused(params: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pyspiel.load_game("python_perudo", params)


def test_action_that_is_not_legal_is_refused() -> None:
    state = pyspiel.load_game("python_perudo").new_initial_state()
    for drawn in (0, 0, 0):
        state.apply_action(drawn)
    with pytest.raises(ValueError, match="a call needs a bid on the table"):
        state.apply_action(DUDO)
