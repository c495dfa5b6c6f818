"""The bridge to OpenSpiel, whose algorithms confirm the exact values of small rounds."""

from collections.abc import Sequence

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no package for this machine")

from open_spiel.python import policy as policies  # noqa: E402
from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import exploitability, tabular_qlearner  # noqa: E402
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


@pytest.mark.parametrize(("players", "dice"), [(2, 2), (3, 1)])
def test_tensors_tell_apart_what_strings_do(players: int, dice: int) -> None:
    """A learner that sees the tensor has the perfect recall of the information state."""
    game = pyspiel.load_game("python_perudo", {"players": players, "starting_dice": dice})
    rng, known, back = random("tensors"), dict[str, bytes](), dict[bytes, str]()
    for _ in range(depth(60, 600)):
        state = game.new_initial_state()
        while not state.is_terminal():
            for seat in range(players):
                said, seen = state.information_state_string(seat), tensor(state, seat)
                assert known.setdefault(said, seen) == seen
                assert back.setdefault(seen, said) == said
            actions = state.legal_actions()
            state.apply_action(rng.choice(actions[: rng.choice([2, 99])]))


def tensor(state: object, seat: int) -> bytes:
    numbers = np.array(state.information_state_tensor(seat))  # type: ignore[attr-defined]
    assert ((numbers >= 0) & (numbers <= 1)).all()
    return numbers.tobytes()


def test_observation_is_that_of_the_other_environments() -> None:
    table = Table(2, 2)
    state = pyspiel.load_game("python_perudo", {"starting_dice": 2}).new_initial_state()
    for action in (1, 0, 8, table.bid(2, 3), table.bid(3, 3)):  # seat 1 opens; 1 1 and 2 4
        state.apply_action(action)
    hand, bids = (2, 4), [(1, 2, 3), (0, 3, 3)]
    seen = table.observation(1, hand, (2, 2), (None, (False, False)), bids, offer=False)
    assert state.observation_tensor(1) == pytest.approx((seen / table.highest).tolist())
    assert state.observation_string(1) == "1 (2, 4) (2, 2) None 1:2x3 0:3x3"


@pytest.mark.parametrize("kind", rl_environment.ObservationType)
def test_learner_of_openspiel_learns(kind: rl_environment.ObservationType) -> None:
    env = rl_environment.Environment("python_perudo", observation_type=kind)
    agents = [
        tabular_qlearner.QLearner(seat, env.action_spec()["num_actions"]) for seat in range(2)
    ]
    for _ in range(20):
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.observations["current_player"]].step(step).action])
        for agent in agents:
            agent.step(step)
    size = env.observation_spec()["info_state"][0]
    assert len(step.observations["info_state"][0]) == size


def test_observations_that_there_are_not_are_refused() -> None:
    game = pyspiel.load_game("python_perudo")
    everything = pyspiel.PrivateInfoType.ALL_PLAYERS
    kind = pyspiel.IIGObservationType(perfect_recall=True, private_info=everything)
    with pytest.raises(ValueError, match="observations of what one seat knows"):
        game.make_py_observer(kind)


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
