"""What beats the tables of `equilibrium`: computed from them, state by state."""

import pytest

from arena.game.rules.books import BGA, PRESSMAN, Rules
from arena.lab.equilibrium.response_tables import Responses
from arena.lab.equilibrium.sample_bot import equilibrium_tables
from arena.lab.equilibrium.states_between_rounds import EndgameState, states
from arena.lab.equilibrium.strategy_tables import WHOLE
from arena.playstats.baseline import every_hand


@pytest.mark.parametrize("rules", [BGA, PRESSMAN])
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
