"""Thousands of games at a time as numpy arrays, for policies that learn by playing themselves.

Legal actions come from tables that the engine fills (`arena.game.rules.round`). The outcome of a
call is written again for arrays; tests compare it with the engine's. Rules with a switch that the
arrays do not follow are refused.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from arena.game.rules.books import Rules, unknown_switch
from arena.game.rules.round import Bid, Round, Standing, left_of, raises
from arena.lab.env.game import Setting, setting
from arena.lab.env.perudo_policy import CALZA, DUDO, FACES, FIRST_BID, Array

Numbers = npt.NDArray[np.int64]
NOBODY = -1
NORMAL, LOCKED, VETERAN = range(3)
"""The rounds in which raises differ: a normal one, a palifico round, that for a veteran."""

_FOLLOWED = frozenset(
    {
        "name",
        "first_opener",
        "raise_quantity_and_face",
        "raise_to_lower_face",
        "palifico_once",
        "palifico_with_two_left",
        "veteran_may_raise_face",
        "calza_by_next",
        "calza_beats_turn",
        "calza_in_palifico",
        "calza_with_two_left",
        "reveal",
        "calza",
        "lost_dice_visible",
        "starting_dice",
    }
)
"""The fields of Rules that `VectorEnv` plays by; tests compare it with the engine."""


class Tables:
    """The tables of one setting; raises ValueError for a rule switch that arrays do not follow.

    `masks`, `legal` and `actions` have a row for each kind of round and each bid on the table, in
    the order of the actions and last no bid, and at the end one for an offer of calza: the mask of
    legal actions, their number, and the actions. Sets of seats are bits.
    """

    def __init__(self, setting: Setting) -> None:
        if switch := unknown_switch(setting.rules, _FOLLOWED):
            raise ValueError(f"VectorEnv does not follow the rule switch '{switch}'")
        players = setting.players
        self.masks = _masks(setting)
        self.legal = self.masks.sum(1, dtype=np.int64)
        # Legal actions come first, in their order.
        self.actions = np.argsort(self.masks == 0, 1, kind="stable")
        sets = [[bool(bits >> seat & 1) for seat in range(players)] for bits in range(1 << players)]
        self.least, self.most = _ranges(self.masks, setting)
        """The lowest and the highest legal quantity, by row and face; 0 if none is legal."""
        self.seats = np.array([sum(seats) for seats in sets])
        """The number of seats of each set."""
        self.left = _left(sets)
        """The next seat of a set to the left, by set and seat."""
        self.next_offer = _next_offer(self.left, sets, by_next=setting.rules.calza_by_next)
        """By the seats alive, the bidder and the seat offered calza last (the bidder at first): the
        seat that is offered it next."""
        seats = np.arange(players)
        self.order = (seats[:, None] + seats) % players
        """All seats in the order in which each seat counts them."""
        self.who = 1 + ((seats[:, None] - seats) % players).astype(np.int8)
        """The bidder as an observing seat counts it, by bidder and that seat."""
        places = [0.0, *(setting.reward(place) for place in range(1, players + 1))]
        self.rewards = np.array(places, np.float32)
        """The reward of each finishing place; 0 for place 0, as there is no such place."""


def _masks(setting: Setting) -> Array:
    table, rules = setting.table, setting.rules
    dice, nobody = (1,) * setting.players, (False,) * setting.players
    normal = Standing(rules, dice, nobody, 0)
    locked = Standing(rules, dice, nobody, 0, 1)
    # Seat 0 has one die, and had its palifico round before.
    veteran = Standing(rules, dice, (True, *nobody[1:]), 0, 1)
    bids = [Bid(n // FACES + 1, n % FACES + 1) for n in range(FACES * table.cap)]
    rows = []
    for standing in (normal, locked, veteran):
        for bid in (*bids, None):
            legal = raises(Round(standing, 0, bid, 1 if bid else None))
            ranges = [(bids.face, bids.min, bids.max) for bids in legal]
            rows.append(table.mask(ranges, dudo=bid is not None))
    assert len(rows[0]) == FIRST_BID + len(bids)  # noqa: S101 - only a programming error breaks it
    return np.stack([*rows, table.offer_mask()])


def _ranges(masks: Array, setting: Setting) -> tuple[Numbers, Numbers]:
    bids = masks[:, FIRST_BID:].reshape(len(masks), setting.table.cap, FACES)
    least, most = bids.argmax(1) + 1, setting.table.cap - bids[:, ::-1].argmax(1)
    some = bids.any(1)
    return least * some, most * some


def _left(sets: list[list[bool]]) -> Numbers:
    left = np.full((len(sets), len(sets[0])), NOBODY)
    for bits, alive in enumerate(sets[1:], 1):
        for seat in range(len(alive)):
            left[bits, seat] = left_of(tuple(map(int, alive)), seat)
    return left


def _next_offer(left: Numbers, sets: list[list[bool]], *, by_next: bool) -> Numbers:
    seats = range(len(sets[0]))
    next_offer = np.full((len(sets), len(seats), len(seats)), NOBODY)
    for bits, alive in enumerate(sets):
        for bidder in (seat for seat in seats if alive[seat]):
            others = [(bidder + step) % len(seats) for step in range(1, len(seats))]
            offered = [s for s in others if alive[s] and (by_next or s != left[bits, bidder])]
            for last, following in zip([bidder, *offered], offered, strict=False):
                next_offer[bits, bidder, last] = following
    return next_offer


Flags = npt.NDArray[np.bool_]
Rewards = npt.NDArray[np.float32]
_FACES = np.arange(FACES, dtype=np.int8)


def _rows(games: Numbers | None) -> Numbers | slice:
    """Return what indexes a row of each of these games, or of all."""
    return slice(None) if games is None else games


class VectorEnv:
    """Games of one table that are played at a time; one that is over is begun anew at once.

    In every game `seat` acts next: `masks` has its legal actions, `observations` its view, both in
    the layout of `table`. `step` takes an action for each game. All three also take the numbers of
    some games, without repetition. The other attributes of type array are the state, one row per
    game, to be read only. Dice come from `seed`; without one they are other dice in each run.
    """

    def __init__(
        self,
        games: int,
        variant: str | Rules = "bga",
        players: int = 2,
        starting_dice: int | None = None,
        *,
        calza: bool = False,
        seed: int | None = None,
    ) -> None:
        """Begin the games; raises ValueError for unknown rules or switches, or a wrong size."""
        if games < 1:
            raise ValueError(f"at least 1 game is played, not {games}")
        self.setting = setting(variant, players, starting_dice, calza=calza)
        self.table = self.setting.table
        self.games = games
        self._tables = Tables(self.setting)
        self._random = np.random.default_rng(seed)
        self._no_bid = FACES * self.table.cap
        self._all = np.arange(games)
        self.seat = np.zeros(games, np.int64)
        self.to_act = np.zeros(games, np.int64)
        """The seat whose turn it is, also while others are asked whether they call calza."""
        self.opener = np.zeros(games, np.int64)
        self.bid = np.full(games, self._no_bid)
        """The bid on the table, as its action less the calls; more than all for none."""
        self.bidder = np.zeros(games, np.int64)
        self.offering = np.zeros(games, np.bool_)
        """Whether `seat` is asked if it calls calza."""
        self.caller = np.full(games, NOBODY)
        """The nearest seat that called calza so far."""
        self.palifico = np.full(games, NOBODY)
        """The seat whose palifico round it is."""
        self.round = np.zeros(games, np.int64)
        self.alive = np.zeros(games, np.int64)
        """The seats that have dice left, as bits."""
        self.dice = np.zeros((games, players), np.int8)
        self.palifico_used = np.zeros((games, players), np.bool_)
        self.places = np.zeros((games, players), np.int8)
        """The finishing places so far; 0 for those still in."""
        self.hands = np.zeros((games, players, FACES), np.int8)
        """How many dice of each seat show 1, 2, ..., 6."""
        self._matching = np.zeros((games, FACES), np.int64)
        self._said = np.zeros((games, players, self._no_bid), np.int8)
        """The bidder of each bid in each seat's observation."""
        self.begin(self._all)

    def masks(self, games: Numbers | None = None) -> Array:
        """Return the legal actions of the seats that act: a row per game."""
        return self._tables.masks[self._state(games)]

    def ranges(self, games: Numbers | None = None) -> tuple[Numbers, Numbers]:
        """Return the lowest and the highest legal quantity of each face; 0 where there is none."""
        state = self._state(games)
        return self._tables.least[state], self._tables.most[state]

    def sample(self) -> Numbers:
        """Return a random legal action for each game."""
        state = self._state(None)
        drawn = self._random.random(self.games) * self._tables.legal[state]
        actions: Numbers = self._tables.actions[state, drawn.astype(np.int64)]
        return actions

    def observations(self, games: Numbers | None = None) -> Array:
        """Return the observations of the seats that act: a row per game."""
        table, some = self.table, _rows(games)
        games = self._all[some]
        seat, bid = self.seat[some], self.bid[some]
        order = self._tables.order[seat]
        seen = np.zeros((len(games), table.size), np.int8)
        seen[:, table.hand] = self.hands[games, seat]
        seen[:, table.dice] = np.take_along_axis(self.dice[some], order, 1)
        seen[:, table.palifico] = order == self.palifico[some][:, None]
        seen[:, table.palifico_used] = np.take_along_axis(self.palifico_used[some], order, 1)
        said = bid < self._no_bid
        last = seen[:, table.last_bid]
        last[:, 0] = (bid // FACES + 1) * said
        last[:, 1] = (bid % FACES + 1) * said
        last[:, 2] = (self.bidder[some] - seat) % table.players * said
        seen[:, table.offer.start] = self.offering[some]
        seen[:, table.bids] = self._said[games, seat]
        return seen

    def legal(self, actions: npt.NDArray[Any], games: Numbers | None = None) -> Flags:
        """Tell for each game whether an action is legal there."""
        within = (actions >= 0) & (actions < self.table.actions)
        mask = self._tables.masks[self._state(games), np.where(within, actions, 0)]
        legal: Flags = mask.astype(np.bool_) & within
        return legal

    def step(self, actions: npt.ArrayLike, games: Numbers | None = None) -> tuple[Rewards, Flags]:
        """Take an action in each game; returns the rewards by seat, and which games ended.

        With `games` only these act, and the others wait; what is returned has a row for each game
        all the same. A seat is rewarded when it is out, as in the other environments. Raises
        ValueError for actions that are not legal, and takes none then.
        """
        chosen = self._checked(actions, games)
        rewards = np.zeros((self.games, self.table.players), np.float32)
        over = np.zeros(self.games, np.bool_)
        some = _rows(games)
        acting, offering = self._all[some], self.offering[some]
        bids = chosen >= FIRST_BID
        doubted, offered = acting[~offering & (chosen == DUDO)], acting[offering]
        called_exact = self._answer_offers(offered, chosen[offering])
        self._bid(acting[bids], chosen[bids] - FIRST_BID)
        for settle, called in ((self._dudo, doubted), (self._calza, called_exact)):
            if len(called):
                before = self.places[called]
                settle(called)
                rewards[called], over[called] = self._go_on(called, before)
        return rewards, over

    def _state(self, games: Numbers | None) -> Numbers:
        """Return each game's row in the tables."""
        some = _rows(games)
        state = self.bid[some].copy()
        palifico = self.palifico[some]
        locked = palifico != NOBODY
        state[locked] += (self._no_bid + 1) * LOCKED
        if self.setting.rules.veteran_may_raise_face:
            at = self._all[some], self.seat[some]
            veteran = locked & (self.dice[at] == 1) & self.palifico_used[at]
            state[veteran & (at[1] != palifico)] += (self._no_bid + 1) * (VETERAN - LOCKED)
        state[self.offering[some]] = len(self._tables.masks) - 1
        return state

    def _checked(self, actions: npt.ArrayLike, games: Numbers | None) -> Numbers:
        chosen = np.asarray(actions)
        count = self.games if games is None else len(games)
        if chosen.shape != (count,) or chosen.dtype.kind not in "iu":
            raise ValueError(f"{count} whole numbers are {count} actions")
        legal = self.legal(chosen, games)
        if not legal.all():
            wrong = int(np.argmin(legal))
            game = wrong if games is None else games[wrong]
            raise ValueError(f"action {chosen[wrong]} is not legal in game {game}: see the masks")
        return chosen.astype(np.int64)

    def _bid(self, games: Numbers, bids: Numbers) -> None:
        """Put bids on the table; offer calza to the first seat that may call it, if any."""
        rules = self.setting.rules
        seat = self.seat[games]
        self.bid[games] = bids
        self.bidder[games] = seat
        self._said[games, :, bids] = self._tables.who[seat]
        left = self._tables.left[self.alive[games], seat]
        self.seat[games] = self.to_act[games] = left
        if not rules.calza:
            return
        first = self._tables.next_offer[self.alive[games], seat, seat]
        offered = first != NOBODY
        if not rules.calza_in_palifico:
            offered &= self.palifico[games] == NOBODY
        if not rules.calza_with_two_left:
            offered &= self._tables.seats[self.alive[games]] > 2
        games = games[offered]
        self.seat[games] = first[offered]
        self.offering[games] = True
        self.caller[games] = NOBODY

    def _answer_offers(self, games: Numbers, answers: Numbers) -> Numbers:
        """Take the answers and offer calza to the next; returns the games with a caller."""
        seat = self.seat[games]
        first = (answers == CALZA) & (self.caller[games] == NOBODY)
        self.caller[games[first]] = seat[first]
        following = self._tables.next_offer[self.alive[games], self.bidder[games], seat]
        more = following != NOBODY
        self.seat[games[more]] = following[more]
        done = games[~more]
        self.offering[done] = False
        self.seat[done] = self.to_act[done]
        called: Numbers = done[self.caller[done] != NOBODY]
        return called

    def _dudo(self, games: Numbers) -> None:
        quantity, face = np.divmod(self.bid[games], FACES)
        true = self._matching[games, face] > quantity
        loser = np.where(true, self.seat[games], self.bidder[games])
        self._lose(games, loser)

    def _calza(self, games: Numbers) -> None:
        quantity, face = np.divmod(self.bid[games], FACES)
        caller = self.caller[games]
        right = self._matching[games, face] == quantity + 1
        self._lose(games[~right], caller[~right])
        games = games[right]
        caller = caller[right]
        self._end_palifico(games)
        dice = self.dice[games, caller] + 1
        self.dice[games, caller] = np.minimum(dice, self.table.starting_dice)
        self.opener[games] = caller

    def _lose(self, games: Numbers, loser: Numbers) -> None:
        """Take a die from the losers; decide who opens next, and whether as palifico."""
        rules = self.setting.rules
        seats = self._tables.seats
        self._end_palifico(games)
        self.dice[games, loser] -= 1
        left = self.dice[games, loser]
        out = left == 0
        self.places[games[out], loser[out]] = seats[self.alive[games[out]]]
        self.alive[games[out]] &= ~(1 << loser[out])
        following = self._tables.left[self.alive[games], loser]
        self.opener[games] = np.where(out, following, loser)
        falls = left == 1
        if rules.palifico_once:
            falls &= ~self.palifico_used[games, loser]
        if not rules.palifico_with_two_left:
            falls &= seats[self.alive[games]] > 2
        self.palifico[games[falls]] = loser[falls]

    def _end_palifico(self, games: Numbers) -> None:
        locked = games[self.palifico[games] != NOBODY]
        self.palifico_used[locked, self.palifico[locked]] = True
        self.palifico[games] = NOBODY

    def _go_on(self, games: Numbers, before: Array) -> tuple[Rewards, Flags]:
        """Begin the next rounds, and new games for those that end.

        `before` are the places before this round ended. Returns the rewards by seat, which seats
        get when they are out, and which of the games ended.
        """
        self.round[games] += 1
        alive = self.alive[games]
        won = self._tables.seats[alive] == 1
        winners = games[won]
        self.places[winners, self._tables.left[alive[won], 0]] = 1
        late = ~won & (self.round[games] == self.setting.max_rounds)
        for game in games[late]:
            self._rank_by_dice(int(game))
        places = self.places[games]
        rewards: Rewards = np.where(places != before, self._tables.rewards[places], 0)
        ended = won | late
        if ended.any():
            self.begin(games[ended])
        self.deal(games[~ended])
        return rewards, ended

    def _rank_by_dice(self, game: int) -> None:
        """End a game at the limit of rounds: most dice first, those with as many in any order."""
        seats = np.flatnonzero(self.dice[game])
        lots = self._random.random(len(seats))
        order = np.lexsort((lots, -self.dice[game, seats]))
        self.places[game, seats[order]] = np.arange(1, len(seats) + 1)

    def begin(self, games: Numbers) -> None:
        """Begin new games in place of these.

        A drawn seat opens, which equals the highest of single dice.
        """
        self.dice[games] = self.table.starting_dice
        self.palifico_used[games] = False
        self.palifico[games] = NOBODY
        self.places[games] = 0
        self.round[games] = 0
        self.alive[games] = (1 << self.table.players) - 1
        self.opener[games] = self._random.integers(self.table.players, size=len(games))
        self.deal(games)

    def deal(self, games: Numbers) -> None:
        """Roll all dice, and open the round."""
        players, most = self.table.players, self.table.starting_dice
        faces = self._random.integers(FACES, size=(len(games), players, most), dtype=np.int8)
        hidden = np.arange(most) >= self.dice[games][:, :, None]
        faces[hidden] = FACES
        hands = (faces[..., None] == _FACES).sum(2, dtype=np.int8)
        self.hands[games] = hands
        matching = hands.sum(1, dtype=np.int64)
        wild = self.palifico[games] == NOBODY
        matching[:, 1:] += matching[:, :1] * wild[:, None]
        self._matching[games] = matching
        self._said[games] = 0
        self.bid[games] = self._no_bid
        self.bidder[games] = 0
        self.seat[games] = self.to_act[games] = self.opener[games]
