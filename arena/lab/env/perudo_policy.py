"""Observations and actions of a trained policy, and the loop that plays it, with numpy alone.

The same file lies in the folder of a trained bot (`arena new --kit policy`), so that a policy gets
the same arrays in training and in play. It imports nothing of the arena.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import index
from random import Random
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int8]
Observation = dict[str, Array]
"""`observation`, as `Table` lays it out, and `action_mask`: 1 for each legal action."""
Policy = Callable[[Observation, Random], int]
"""Returns an action; what it draws from the generator can be drawn again.

If it has a method `hear`, that gets each message of the arena first, of every seat of the policy:
`hello`, the request that it is to answer, and notices. So it may remember earlier rounds.
"""
Message = dict[str, Any]
"""A message of the arena as a dictionary (`protocol/README.md`)."""

DUDO, CALZA, PASS = 0, 1, 2
_CALLS = ("dudo", "calza", "pass")
FIRST_BID = len(_CALLS)
"""From here on: 1 of face 1, ..., 1 of face 6, 2 of face 1, ..."""
FACES = 6


class Table:
    """The actions and observations at a table of `players` who start with `starting_dice` each.

    The attributes of type slice are the parts of an observation. Seats are counted to the left from
    the one that observes, which is 0.
    """

    def __init__(self, players: int, starting_dice: int) -> None:
        self.players = players
        self.starting_dice = starting_dice
        self.cap = players * starting_dice
        """The highest quantity that may be bid."""
        self.actions = FIRST_BID + FACES * self.cap
        self.hand = slice(0, FACES)
        """How many of its own dice show 1, 2, ..., 6."""
        self.dice = slice(FACES, FACES + players)
        """The dice that each seat has left."""
        self.palifico = slice(self.dice.stop, self.dice.stop + players)
        """1 for the seat whose palifico round it is."""
        self.palifico_used = slice(self.palifico.stop, self.palifico.stop + players)
        """1 for each seat that had its palifico round."""
        self.last_bid = slice(self.palifico_used.stop, self.palifico_used.stop + 3)
        """Quantity, face and seat of the bid on the table; zeros without one."""
        self.offer = slice(self.last_bid.stop, self.last_bid.stop + 1)
        """1 if it is asked whether it calls calza, 0 on its turn."""
        self.bids = slice(self.offer.stop, self.offer.stop + FACES * self.cap)
        """1 + the seat that made each bid in this round, or 0, in the order of the actions."""
        self.size = self.bids.stop
        """The length of an observation."""
        self._ones = bytes([1]) * self.cap

    @classmethod
    def of(cls, observation: Observation) -> "Table":
        """Return the table that an observation is of; its arrays have the lengths of no other."""
        actions, size = len(observation["action_mask"]), len(observation["observation"])
        # 10 places are the hand, the last bid and the offer; 3 actions are calls.
        players = (size - 10 - (actions - FIRST_BID)) // 3
        return _table(players, (actions - FIRST_BID) // (FACES * players))

    @property
    def highest(self) -> Array:
        """The highest value of each entry of an observation; the lowest is 0."""
        high = np.ones(self.size, np.int8)
        high[self.hand] = high[self.dice] = self.starting_dice
        high[self.last_bid] = self.cap, FACES, self.players - 1
        high[self.bids] = self.players
        return high

    def bid(self, quantity: int, face: int) -> int:
        """Return the action that bids `quantity` dice of `face`."""
        return FIRST_BID + (quantity - 1) * FACES + face - 1

    def action(self, verb: str, quantity: int = 0, face: int = 0) -> int:
        """Return the action that is a bot's answer: its verb and, of a bid, what it says."""
        return self.bid(quantity, face) if verb == "bid" else _CALLS.index(verb)

    def answer(self, action: int) -> Message:
        """Return an action as bots say it, without the id."""
        if action < FIRST_BID:
            return {"action": _CALLS[action]}
        quantity, face = divmod(action - FIRST_BID, FACES)
        return {"action": "bid", "quantity": quantity + 1, "face": face + 1}

    def mask(self, raises: Iterable[tuple[int, int, int]], dudo: bool) -> Array:
        """Return the legal actions on a turn: bids by face, least and most, and perhaps dudo."""
        mask = bytearray(self.actions)
        mask[DUDO] = dudo
        for face, least, most in raises:
            first = FIRST_BID + (least - 1) * FACES + face - 1
            mask[first : first + (most - least) * FACES + 1 : FACES] = self._ones[least - 1 : most]
        return np.frombuffer(mask, np.int8)

    def offer_mask(self) -> Array:
        """Return the legal actions of a seat that may call calza."""
        mask = np.zeros(self.actions, np.int8)
        mask[[CALZA, PASS]] = 1
        return mask

    def observation(
        self,
        seat: int,
        hand: Sequence[int],
        dice: Sequence[int],
        palifico: tuple[int | None, Sequence[bool]],
        bids: Sequence[tuple[int, int, int]],
        offer: bool,
    ) -> Array:
        """Return the observation of a seat.

        `palifico` is the seat whose palifico round it is, and who had one; `bids` are seats,
        quantities and faces, oldest first.
        """
        players = self.players
        seen = bytearray(self.size)
        for face in hand:
            seen[face - 1] += 1
        seen[self.dice] = bytes([*dice[seat:], *dice[:seat]])
        whose, used = palifico
        if whose is not None:
            seen[self.palifico.start + (whose - seat) % players] = 1
        seen[self.palifico_used] = bytes([*used[seat:], *used[:seat]])
        if bids:
            first = self.bids.start - FACES - 1
            for bidder, quantity, face in bids:
                seen[first + quantity * FACES + face] = 1 + (bidder - seat) % players
            bidder, quantity, face = bids[-1]
            seen[self.last_bid] = bytes([quantity, face, (bidder - seat) % players])
        seen[self.offer.start] = offer
        return np.frombuffer(seen, np.int8)


_table = lru_cache(maxsize=64)(Table)


def checked(action: Any, mask: Array) -> int:
    """Return a policy's action; raises ValueError if it is not an action, or not legal now."""
    try:
        number = index(action)
    except TypeError:
        raise ValueError(f"an action is a whole number, not {action!r}"[:200]) from None
    if not 0 <= number < len(mask):
        raise ValueError(f"an action is 0 to {len(mask) - 1}, not {number}")
    if not mask[number]:
        raise ValueError(f"action {number} is not legal now: see the mask")
    return number


class Memory:
    """Knowledge from the notices of a game: the dice left, palificos used."""

    def __init__(self, table: Table) -> None:
        self.dice = [table.starting_dice] * table.players
        self.palifico_used = [False] * table.players

    def round_end(self, notice: Message) -> None:
        """Take note of the end of a round."""
        for seat, change in ((notice["loser"], -1), (notice["gainer"], 1)):
            if seat is not None:
                self.dice[seat] += change
        if notice["palifico_seat"] is not None:
            self.palifico_used[notice["palifico_seat"]] = True

    def fault(self, notice: Message) -> None:
        """Take note of a seat that is out by a fault."""
        self.dice[notice["seat"]] = 0


class Player:
    """A policy at a table, as a bot: takes the arena's messages, one by one."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._hear = getattr(policy, "hear", None)
        self._table = Table(2, 1)
        self._seed = 0
        self._games: dict[int, Memory] = {}

    def take(self, message: Message) -> Message | None:
        """Return the answer to a message, None if it wants none; raises ValueError."""
        kind = message["type"]
        if self._hear:
            self._hear(message)
        if kind == "hello":
            rules = message["rules"]
            self._table = Table(message["seats"], rules["starting_dice"])
            self._seed, self._games = message["seed"], {}
            # What is known is kept by game, so many games can share the pipe.
            ready = {"type": "ready", "concurrent_games": 64, "reusable": True}
            return {**ready, "calza": True} if rules["calza"] else ready
        if kind in ("turn", "calza"):
            action = self._table.answer(self._act(message))
            return {"id": message["id"], **action}
        if kind == "round_end":
            self._memory(message).round_end(message)
        elif kind == "fault":
            self._memory(message).fault(message)
        elif kind == "game_end":
            self._games.pop(message["game"], None)
        return None

    def _memory(self, message: Message) -> Memory:
        return self._games.setdefault(message["game"], Memory(self._table))

    def _act(self, request: Message) -> int:
        table, memory, offer = self._table, self._memory(request), request["type"] == "calza"
        bids = [(bid["seat"], bid["quantity"], bid["face"]) for bid in request["bids"]]
        mask = table.offer_mask() if offer else table.mask(_ranges(request), request["dudo"])
        palifico = request["palifico_seat"], memory.palifico_used
        seen = table.observation(
            request["seat"], request["dice"], memory.dice, palifico, bids, offer
        )
        # Drawn from the request, not from the order of questions: games can be repeated.
        key = f"{self._seed} {request['game']} {request['round']} {len(bids)} {offer}"
        return checked(self._policy({"observation": seen, "action_mask": mask}, Random(key)), mask)


def bot(policy: Policy, lines: Iterable[str] = sys.stdin, out: TextIO = sys.stdout) -> None:
    """Play a policy as a bot: answer the arena's messages until it says goodbye.

    An invalid or illegal action ends the program with a line on standard error and exit
    code 2.
    """
    player = Player(policy)
    for line in lines:
        try:
            answer = player.take(json.loads(line))
        except ValueError as error:
            sys.stderr.write(f"the policy: {error}\n")
            sys.exit(2)
        if answer is not None:
            out.write(json.dumps(answer) + "\n")
            out.flush()


def _ranges(turn: Message) -> Iterator[tuple[int, int, int]]:
    return ((bids["face"], bids["min"], bids["max"]) for bids in turn["raises"])
