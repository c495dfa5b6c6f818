"""Best responses to a bot: the most that a rival who knows its play wins, in games for two."""

from arena.game.rules.books import Rules
from arena.lab.equilibrium.bid_tree import Keep, RoundGame, every_raise, round_game
from arena.lab.equilibrium.exact_solver import Strategy, TreeGame
from arena.lab.equilibrium.states_between_rounds import EndgameState, after


class Rival:
    """A best response to a bot in each state; states with fewer dice must come first."""

    def __init__(self, rules: Rules, chances: dict[tuple[EndgameState, int], float]) -> None:
        self._rules = rules
        self._chances = chances
        """By state and the bot's seat, 0 the opener, the rival's chance to win the game."""

    def game(self, state: EndgameState, bot: int, keep: Keep = every_raise) -> RoundGame:
        """Return the round of a state; its stakes are the rival's best chances afterwards."""

        def wins(loser: int) -> float:
            coming, opener = after(state, self._rules, loser)
            bot_opens = opener == bot
            if not coming.other:
                return float(not bot_opens)
            return self._chances[coming, 0 if bot_opens else 1]

        lost, won = wins(0), wins(1)
        stakes = (1 - lost, 1 - won) if bot == 0 else (lost, won)
        return round_game(state, self._rules, stakes, keep)

    def chance(self, state: EndgameState, bot: int, fitted: Strategy, measured: Strategy) -> float:
        """Return and keep the rival's chance to win against the strategy `measured`.

        The rival plays a best response to the strategy `fitted`.
        """
        tree = TreeGame(self.game(state, bot))
        return self.keep(state, bot, tree.response(1 - bot, fitted, measured))

    def keep(self, state: EndgameState, bot: int, chance: float) -> float:
        """Keep the rival's chance to win a state, for the states that come before it."""
        self._chances[state, bot] = chance
        return chance
