"""What beats the tables of `equilibrium`: computed from them, state by state."""

import numpy as np
import pytest

from arena.game.rules.books import BGA, PRESSMAN, Rules
from arena.lab.equilibrium.endgames import EndgameState, states
from arena.lab.equilibrium.response_tables import Responses
from arena.lab.equilibrium.strategy_tables import WHOLE, equilibrium_tables, name_of
from arena.playstats.baseline import every_hand
from tests.cli.command import ROOT
from tests.support.depth import depth


def test_shipped_responses_are_to_the_shipped_tables() -> None:
    """Where rounds are solved, they are the likeliest actions of the tables."""
    with np.load(ROOT / "sample_bots" / "champion" / "responses.npz") as shipped:
        for rules, state in ((BGA, EndgameState(2, 2)), (PRESSMAN, EndgameState(2, 1))):
            for seat in (0, 1):
                answers = dict(Responses(rules).answers(state, 1 - seat))
                bids, actions = (
                    shipped[f"{name_of(rules)}/{state}/{seat}/{part}"]
                    for part in ("bids", "actions")
                )
                assert len(bids) == len(answers)
                for said, action in zip(bids, actions, strict=True):
                    assert (answers[said.tobytes().lstrip(b"\0")] == action).all()


@pytest.mark.parametrize("rules", depth([BGA], [BGA, PRESSMAN]))
def test_response_wins_more_than_an_equilibrium_where_this_is_approximated(rules: Rules) -> None:
    known = equilibrium_tables(rules)
    responses = Responses(rules, iterations=30)
    for state in (*states(rules, (2, 3, 4), 5), EndgameState(2, 3)):
        _, _, recall, value = known.states[str(state)][:4]
        for bot, fair in ((0, 1 - value), (1, value)):
            answers = dict(responses.answers(state, bot))
            won = responses.chances[state, bot]
            assert won == fair if recall == WHOLE else fair < won < fair + 0.05
            assert state.total < 5 or won > fair + 0.003
            assert all(set(bids) <= set(range(1, 6 * state.total + 1)) for bids in answers)
            hands = {len(actions) for actions in answers.values()}
            assert hands == {len(every_hand(state[1 - bot]))}
