"""Perudo as games of OpenSpiel, for its algorithms: one round, or whole small games.

Needs OpenSpiel: pip install open_spiel. Importing this registers the game `python_perudo`, with the
parameters `variant`, `players` and `starting_dice`.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any, Self

import pyspiel
from msgspec import Struct
from msgspec.structs import replace

from arena.game.rules.dice import Hand
from arena.game.rules.round import (
    Bid,
    Outcome,
    Round,
    Standing,
    dudo,
    first_standing,
    open_round,
    place,
    raises,
)
from arena.lab.env.game import Setting, setting
from arena.lab.env.perudo_policy import DUDO, FACES, Table

Values = Callable[[Standing], Sequence[float]]
"""The utility of each seat once a round has led to a table; they must add up to 0."""
_KIND = pyspiel.GameType(
    short_name="python_perudo",
    long_name="Python Perudo",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=6,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
    parameter_specification={"variant": "bga", "players": 2, "starting_dice": 1},
)


class PerudoGame(pyspiel.Game):
    """Whole games without calza, or one round; actions are those of `arena.lab.env`.

    Each seat's hand is a chance node. In a whole game the first chance node is the opener, and the
    utility that of the other environments: 1 for the winner to -1 for the last.
    """

    def __init__(
        self,
        params: dict[str, Any] | None = None,
        standing: Standing | None = None,
        values: Values | None = None,
    ) -> None:
        """Set up a whole game, or the round that begins at a standing and ends with its values."""
        chosen = {**_KIND.parameter_specification, **(params or {})}
        games = setting(chosen["variant"], chosen["players"], chosen["starting_dice"])
        if standing is not None:
            games = setting(standing.rules, len(standing.dice))
        if games.rules.calza:
            raise ValueError("the games of OpenSpiel are without calza")
        self.frame = _Frame(games, games.table, standing, values)
        rounds = 1 if standing else games.players * games.rules.starting_dice
        length = rounds * (games.players + FACES * self.frame.table.cap + 1) + 1
        hands = len(hand_classes(games.rules.starting_dice))
        info = pyspiel.GameInfo(
            num_distinct_actions=self.frame.table.actions,
            max_chance_outcomes=max(hands, games.players),
            num_players=games.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=length,
        )
        super().__init__(_KIND, info, params or {})

    def new_initial_state(self) -> "PerudoState":
        """Return the state before anything was drawn."""
        return PerudoState(self)

    def make_py_observer(self, _kind: Any = None, _params: Any = None) -> "_Observer":
        """Return the observer that OpenSpiel asks for information states."""
        return _Observer()


def one_round(standing: Standing, values: Values) -> PerudoGame:
    """Return the round that begins at a standing as a game; `values` are the utilities of its ends.

    Raises ValueError for rules with calza.
    """
    return PerudoGame(standing=standing, values=values)


class _Shared(Struct, frozen=True):
    """Data that copies of a state share: OpenSpiel makes deep copies of states, and many."""

    def __deepcopy__(self, _memo: object) -> Self:
        return self


class _Frame(_Shared, frozen=True):
    """The constants of a whole game."""

    setting: Setting
    table: Table
    standing: Standing | None
    values: Values | None


class _Position(_Shared, frozen=True):
    """The position of a game."""

    places: tuple[int, ...]
    """The finishing places so far; 0 for those still in."""
    now: Round | None = None
    """None before the opener is drawn."""
    hands: tuple[Hand, ...] = ()
    """The dice dealt so far in this round."""
    public: tuple[str, ...] = ()
    """The public events, oldest first."""
    utility: tuple[float, ...] = ()
    """The return of each seat, once the game is over."""

    def opened(self, standing: Standing) -> "_Position":
        """Return the position when a round begins."""
        event = f"{standing.opener} opens {standing.dice} {standing.palifico_seat}"
        public = (*self.public, event)
        return replace(self, now=open_round(standing), hands=(), public=public)

    @property
    def to_deal(self) -> int | None:
        """How many dice the next seat is dealt; None if all seats have their hands."""
        if self.now is None or len(self.hands) == len(self.now.standing.dice):
            return None
        return self.now.standing.dice[len(self.hands)]


class PerudoState(pyspiel.State):
    """A state of a game; players are seats."""

    def __init__(self, game: PerudoGame) -> None:
        super().__init__(game)
        self._frame = frame = game.frame
        self._at = _Position((0,) * frame.setting.players)
        if frame.standing is not None:
            self._at = self._at.opened(frame.standing)

    def current_player(self) -> int:
        """Return the player that acts next."""
        if self._at.utility:
            return int(pyspiel.PlayerId.TERMINAL)
        if self._at.now is None or self._at.to_deal is not None:
            return int(pyspiel.PlayerId.CHANCE)
        return self._at.now.to_act

    def _legal_actions(self, _player: int) -> list[int]:
        table, now = self._frame.table, self._at.now
        assert now is not None  # noqa: S101 - narrows the type: OpenSpiel asks only the one to act
        bids = [
            table.bid(quantity, legal.face)
            for legal in raises(now)
            for quantity in range(legal.min, legal.max + 1)
        ]
        return ([DUDO] if now.bid else []) + sorted(bids)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the possible draws: the opener of the game, or a hand."""
        dice = self._at.to_deal
        if dice is None:
            players = self._frame.setting.players
            return [(seat, 1 / players) for seat in range(players)]
        return [(number, chance) for number, (_, chance) in enumerate(hand_classes(dice))]

    def _apply_action(self, action: int) -> None:
        at, dice = self._at, self._at.to_deal
        if at.now is None:
            setting_ = self._frame.setting
            self._at = at.opened(first_standing(setting_.rules, setting_.players, action))
        elif dice is not None:
            self._at = replace(at, hands=(*at.hands, hand_classes(dice)[action][0]))
        else:
            event = self._action_to_string(at.now.to_act, action)
            self._at = replace(at, public=(*at.public, event))
            if action == DUDO:
                self._settle(dudo(at.now, at.hands), at.now)
            else:
                answer = self._frame.table.answer(action)
                now = place(at.now, Bid(answer["quantity"], answer["face"]))
                self._at = replace(self._at, now=now)

    def _settle(self, outcome: Outcome, now: Round) -> None:
        frame, at = self._frame, self._at
        after = outcome.after
        if frame.values is not None:
            self._at = replace(at, utility=tuple(frame.values(after)))
            return
        places = list(at.places)
        if outcome.loser is not None and not after.dice[outcome.loser]:
            places[outcome.loser] = now.standing.alive
        at = replace(at, places=tuple(places), public=(*at.public, str(at.hands)))
        if after.winner is None:
            self._at = at.opened(after)
            return
        places[after.winner] = 1
        self._at = replace(at, utility=tuple(map(frame.setting.reward, places)))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"drawn {action}"
        if action == DUDO:
            return "dudo"
        answer = self._frame.table.answer(action)
        return f"{answer['quantity']}x{answer['face']}"

    def is_terminal(self) -> bool:
        """Tell whether it is over."""
        return bool(self._at.utility)

    def returns(self) -> list[float]:
        """Return the utilities, by seat."""
        return list(self._at.utility or (0.0,) * self._frame.setting.players)

    def information_state_string(self, player: int | None = None) -> str:
        """Return a seat's knowledge: its hand, and the public events.

        OpenSpiel's own method asks the observer, which takes ten times as long.
        """
        if player is None:
            player = self.current_player()
        hand = self._at.hands[player] if len(self._at.hands) > player else ()
        return f"{player} {hand} {' '.join(self._at.public)}"

    def __str__(self) -> str:
        return f"{self._at.hands} {' '.join(self._at.public)}"


class _Observer:
    """The observer that OpenSpiel asks for information states."""

    def __init__(self) -> None:
        self.tensor = None
        self.dict: Mapping[str, Any] = {}

    def set_from(self, _state: PerudoState, _player: int) -> None:
        """Do nothing: there is no tensor."""

    def string_from(self, state: PerudoState, player: int) -> str:
        """Return the information state."""
        return state.information_state_string(player)


@cache
def hand_classes(dice: int) -> list[tuple[Hand, float]]:
    """Return every hand of so many dice, in the order of faces, and how likely it is."""
    classes = []
    for hand in combinations_with_replacement(range(1, FACES + 1), dice):
        same = prod(factorial(times) for times in Counter(hand).values())
        classes.append((hand, factorial(dice) // same / FACES**dice))
    return classes


pyspiel.register_game(_KIND, PerudoGame)
