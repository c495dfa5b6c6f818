"""Perudo as games of OpenSpiel, for its algorithms: one round, or whole small games.

Needs OpenSpiel: pip install open_spiel. Importing this registers the game `python_perudo`, with the
parameters `variant`, `players` and `starting_dice`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
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
from arena.game.rules.view import SeatBid
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
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"variant": "bga", "players": 2, "starting_dice": 1},
)


class PerudoGame(pyspiel.Game):
    """Whole games without calza, or one round; actions are those of `arena.lab.env`.

    Each seat's hand is a chance node. In a whole game the first chance node is the opener, and the
    utility that of the other environments: 1 for the winner to -1 for the last.

    `observation_tensor` has the numbers of `Table.observation`, each divided by its highest value;
    `information_state_tensor` those of `RoundsSeen`.
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
        rounds = 1 if standing else games.players * games.rules.starting_dice
        self.frame = _Frame(games, games.table, standing, values, rounds)
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

    def make_py_observer(self, kind: Any = None, params: Any = None) -> "PresentSeen | RoundsSeen":
        """Return what OpenSpiel asks for observations, or for information states."""
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        alone = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if params or not kind.public_info or not alone:
            raise ValueError("there are observations of what one seat knows, without parameters")
        return (RoundsSeen if kind.perfect_recall else PresentSeen)(self.frame)


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
    rounds: int
    """The most rounds that there may be."""


class _Shown(_Shared, frozen=True):
    """A round that ended, as everybody saw it."""

    now: Round
    """Before the call."""
    bids: tuple[SeatBid, ...]
    hands: tuple[Hand, ...]


class _Position(_Shared, frozen=True):
    """The position of a game."""

    places: tuple[int, ...]
    """The finishing places so far; 0 for those still in."""
    now: Round | None = None
    """None before the opener is drawn."""
    hands: tuple[Hand, ...] = ()
    """The dice dealt so far in this round."""
    bids: tuple[SeatBid, ...] = ()
    """The bids of this round, oldest first."""
    shown: tuple[_Shown, ...] = ()
    """The rounds that ended, oldest first."""
    public: tuple[str, ...] = ()
    """The public events, oldest first."""
    utility: tuple[float, ...] = ()
    """The return of each seat, once the game is over."""

    def opened(self, standing: Standing) -> "_Position":
        """Return the position when a round begins."""
        event = f"{standing.opener} opens {standing.dice} {standing.palifico_seat}"
        public = (*self.public, event)
        return replace(self, now=open_round(standing), hands=(), bids=(), public=public)

    def hand(self, seat: int) -> Hand:
        """Return the dice that a seat was dealt in this round; none yet before."""
        return self.hands[seat] if len(self.hands) > seat else ()

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

    @property
    def position(self) -> _Position:
        """The position, which copies share."""
        return self._at

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
                bid = Bid(answer["quantity"], answer["face"])
                bids = (*at.bids, SeatBid(at.now.to_act, bid.quantity, bid.face))
                self._at = replace(self._at, now=place(at.now, bid), bids=bids)

    def _settle(self, outcome: Outcome, now: Round) -> None:
        frame, at = self._frame, self._at
        after = outcome.after
        if frame.values is not None:
            self._at = replace(at, utility=tuple(frame.values(after)))
            return
        places = list(at.places)
        if outcome.loser is not None and not after.dice[outcome.loser]:
            places[outcome.loser] = now.standing.alive
        shown = (*at.shown, _Shown(now, at.bids, at.hands))
        public = (*at.public, str(at.hands))
        at = replace(at, places=tuple(places), public=public, shown=shown)
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
        return f"{player} {self._at.hand(player)} {' '.join(self._at.public)}"

    def __str__(self) -> str:
        return f"{self._at.hands} {' '.join(self._at.public)}"


class PresentSeen:
    """Observations: what a seat sees of the round under way, laid out as `Table.observation`."""

    def __init__(self, frame: _Frame) -> None:
        self._table = table = frame.table
        self._highest = table.highest.astype(np.float32)
        self.tensor = np.zeros(table.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: PerudoState, player: int) -> None:
        """Write what a seat sees to the tensor; zeros before the opener is drawn."""
        at = state.position
        self.tensor.fill(0)
        if at.now:
            self.tensor[:] = self._round(player, at.now, at.hand(player), at.bids)

    def string_from(self, state: PerudoState, player: int) -> str:
        """Return what a seat sees, in words."""
        at = state.position
        said = " ".join(f"{one.seat}:{one.quantity}x{one.face}" for one in at.bids)
        opened = f"{at.now.standing.dice} {at.now.standing.palifico_seat}" if at.now else ""
        return f"{player} {at.hand(player)} {opened} {said}"

    def _round(
        self, player: int, now: Round, hand: Hand, bids: Sequence[SeatBid]
    ) -> npt.NDArray[np.float32]:
        standing = now.standing
        palifico = standing.palifico_seat, standing.palifico_used
        said = [(bid.seat, bid.quantity, bid.face) for bid in bids]
        seen = self._table.observation(player, hand, standing.dice, palifico, said, offer=False)
        return (seen / self._highest).astype(np.float32)


class RoundsSeen(PresentSeen):
    """Information states: the seat, and all that it saw of each round, the present one first.

    A row of `rounds` has `Table.observation`, the seat to act (in earlier rounds the one that
    doubted), and the dice of each seat that were shown. Seats are counted from the one that sees.
    """

    def __init__(self, frame: _Frame) -> None:
        super().__init__(frame)
        players, size = frame.table.players, frame.table.size
        self._dice = frame.table.starting_dice
        width = size + players + FACES * players
        self.tensor = np.zeros(players + frame.rounds * width, np.float32)
        rounds = self.tensor[players:].reshape(frame.rounds, width)
        self._seen, self._to_act = rounds[:, :size], rounds[:, size : size + players]
        self._hands = rounds[:, size + players :].reshape(frame.rounds, players, FACES)
        self.dict: dict[str, npt.NDArray[np.float32]]
        self.dict = {"player": self.tensor[:players], "rounds": rounds}

    def set_from(self, state: PerudoState, player: int) -> None:
        """Write what a seat knows to the tensor."""
        at, players = state.position, self._table.players
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if not at.now:
            return
        self._seen[0] = self._round(player, at.now, at.hand(player), at.bids)
        self._to_act[0, (at.now.to_act - player) % players] = 1
        for row, past in enumerate(reversed(at.shown), 1):
            self._seen[row] = self._round(player, past.now, past.hands[player], past.bids)
            self._to_act[row, (past.now.to_act - player) % players] = 1
            for seat, hand in enumerate(past.hands):
                for face in hand:
                    self._hands[row, (seat - player) % players, face - 1] += 1 / self._dice

    def string_from(self, state: PerudoState, player: int) -> str:
        """Return what a seat knows, in words."""
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
