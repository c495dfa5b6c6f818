"""What a rival that knows a bot's play wins against it at best, in games for two."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from arena.game.rules.books import Rules
from arena.game.rules.dice import Hand
from arena.game.rules.round import Bid
from arena.lab.equilibrium.bid_tree import RoundGame, round_game
from arena.lab.equilibrium.exact_solver import Choices, Strategy, TreeGame
from arena.lab.equilibrium.states_between_rounds import State, after
from arena.lab.equilibrium.strategy_tables import DUDO, code

LEAST_REACH = 1e-3
"""How likely a bot must be to make the bids of a position with a hand for it to be asked there."""


class Rival:
    """A best response to a bot, from state to state: those with fewer dice come first."""

    def __init__(self, rules: Rules, chances: dict[tuple[State, int], float]) -> None:
        self._rules = rules
        self._chances = chances
        """By state and the bot's seat, 0 the opener, the rival's chance to win the game."""

    def game(self, state: State, bot: int) -> RoundGame:
        """Return the round of a state, played by the rival for all that comes after it."""

        def wins(loser: int) -> float:
            coming, opener = after(state, self._rules, loser)
            bot_opens = opener == bot
            if not coming.other:
                return float(not bot_opens)
            return self._chances[coming, 0 if bot_opens else 1]

        lost, won = wins(0), wins(1)
        stakes = (1 - lost, 1 - won) if bot == 0 else (lost, won)
        return round_game(state, self._rules, stakes)

    def chance(self, state: State, bot: int, fitted: Strategy, measured: Strategy) -> float:
        """Return and keep the rival's chance to win against a strategy.

        Its play is the best response to another strategy, or to the same.
        """
        tree = TreeGame(self.game(state, bot))
        return self.keep(state, bot, tree.response(1 - bot, fitted, measured))

    def keep(self, state: State, bot: int, chance: float) -> float:
        """Take a chance for granted in the states that come before."""
        self._chances[state, bot] = chance
        return chance


class Question(Struct, frozen=True):
    """A position in which a bot is asked."""

    hand: Hand
    bids: tuple[Bid, ...]


Ask = Callable[[Sequence[Question]], Iterator[bytes]]
"""Asks a bot; yields its actions at each question, one for each time it was asked."""


class Play(Struct, frozen=True):
    """A bot's play in a state, as it was asked."""

    whole: Strategy
    halves: tuple[Strategy, Strategy]
    """The same by the first half of its answers, and by the second."""
    positions: int


def learn(tree: TreeGame, bot: int, ask: Ask) -> Play:
    """Ask a bot in every position that its play reaches, a level of the tree at a time."""
    plays = [tree.blank() for _ in range(3)]
    said: list[tuple[int, ...]] = [()]
    positions = 0
    for at, level in enumerate(tree.levels):
        if at:
            edges = zip(level.parent.tolist(), level.bid.tolist(), strict=True)
            said = [(*said[up], bid) for up, bid in edges]
        for play in plays:
            play[at].dudo[:] = 1
        if at % 2 == bot:
            reached = tree.reach(bot, plays[0])[at] / tree.game.chances[bot]
            asked = np.argwhere(reached >= LEAST_REACH)
            positions += len(asked)
            _note(tree, at, asked, said, ask, plays)
    return Play(plays[0], (plays[1], plays[2]), positions)


def _note(
    tree: TreeGame,
    at: int,
    asked: np.ndarray,
    said: Sequence[tuple[int, ...]],
    ask: Ask,
    plays: Sequence[Sequence[Choices]],
) -> None:
    bids, hands = tree.game.bids, tree.game.hands[at % 2]
    questions = [
        Question(hands[hand], tuple([bids[one] for one in said[place]]))
        for place, hand in asked.tolist()
    ]
    last = at + 1 == len(tree.levels)
    first = None if last else np.searchsorted(tree.levels[at + 1].parent, range(len(said)))
    numbers = {code(bid): number for number, bid in enumerate(bids)}
    for (place, hand), answers in zip(asked.tolist(), ask(questions), strict=True):
        middle = len(answers) // 2
        parts = (answers, answers[:middle], answers[middle:])
        above = tree.game.raises[said[place][-1] if said[place] else -1]
        for play, part in zip(plays, parts, strict=True):
            choices = play[at]
            choices.dudo[place, hand] = 0
            for action in part:
                share = 1 / len(part)
                if action == DUDO:
                    choices.dudo[place, hand] += share
                elif numbers.get(action, -1) in above and first is not None:
                    choices.raises[first[place] + above.index(numbers[action]), hand] += share
                else:
                    if choices.lies is None:
                        choices.lies = np.zeros_like(choices.dudo)
                    choices.lies[place, hand] += share


class Exploiter:
    """Exploits a bot from state to state, those with fewer dice first."""

    def __init__(self, rules: Rules) -> None:
        self._low, self._high = Rival(rules, {}), Rival(rules, {})

    def exploit(self, state: State, bot: int, ask: Ask) -> tuple[float, float, int]:
        """Return the rival's chance to win at least and at most, and the positions asked in."""
        play = learn(TreeGame(self._high.game(state, bot)), bot, ask)
        high = self._high.chance(state, bot, play.whole, play.whole)
        one, two = play.halves
        lows = [self._low.chance(state, bot, *pair) for pair in ((one, two), (two, one))]
        low = self._low.keep(state, bot, sum(lows) / 2)
        return low, high, play.positions
