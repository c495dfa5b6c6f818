"""TextArena's agents at our tables, and our bots in its LiarsDice. Needs the extra `textarena`.

policy(agent)                    a policy: a rival in training, or a bot by `arena.lab.env.bot`
with bot_agent("my-bot") as agent:
    agent(observation)           a bot as an agent of textarena.make("LiarsDice-v0")

LiarsDice has other rules: ones are no jokers, nobody is palifico, and a raise may name more dice
and a higher face at once, but neither less. A bot plays by these rules if it takes its bids from
`raises` and its odds from `palifico_seat`, as the protocol has them: every round is shown to it as
a palifico round with the raises that are legal there.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from random import Random

import numpy as np
import textarena
from msgspec import Struct

from arena.bots.sandboxes.registry import AUTO
from arena.game.records import Fault
from arena.game.rules.books import BGA, Rules, variant
from arena.game.rules.clauses import in_force
from arena.game.rules.round import Bid, Raises, height, wild_face
from arena.game.rules.view import SeatBid
from arena.game.wire.messages import Answer, Turn
from arena.lab.env.game import setting
from arena.lab.env.live_rivals import live_bots
from arena.lab.env.perudo_policy import (
    DUDO,
    FACES,
    FIRST_BID,
    PASS,
    Message,
    Observation,
    Table,
)

Agent = Callable[[str], str]
"""Any agent of TextArena: it gets what it sees as text, and returns its action as text."""
_CALL = re.compile(r"\[call\]", re.IGNORECASE)
_BID_IN_ANSWER = re.compile(r"\[bid\s*:?\s*(\d{1,3})[,\s]+(\d{1,3})\]", re.IGNORECASE)
_HOW_TO_ANSWER = (
    "Answer '[Bid: 3, 4]' to bid three dice of face 4, or '[Call]' to doubt the last bid."
)


class AgentPolicy:
    """An agent of TextArena as a policy. It may sit in several seats, and play several games.

    As in TextArena, an illegal answer is asked once more, with the reason; after a second one the
    policy raises ValueError. Offers of calza are passed.
    """

    def __init__(self, agent: Agent, rules: Rules) -> None:
        self._agent = agent
        self._rules = rules
        self._clauses = "\n".join(f"- {line}" for line in in_force(rules))
        self._games: dict[int, list[Message]] = {}
        """The notices of each game that is under way; those of rounds that ended, and of faults."""
        self._request: Message | None = None

    def hear(self, message: Message) -> None:
        """Hear of a request before it is to be answered, and of what everyone is told."""
        kind = message["type"]
        if kind == "hello":
            self._games.clear()
        elif kind == "turn":
            self._request = message
        elif kind in ("round_end", "fault"):
            told = self._games.setdefault(message["game"], [])
            if told[-1:] != [message]:  # every seat of this agent hears of it
                told.append(message)
        elif kind == "game_end":
            self._games.pop(message["game"], None)

    def __call__(self, observation: Observation, _: Random) -> int:
        """Return the agent's action."""
        if observation["action_mask"][PASS]:
            return PASS
        table = Table.of(observation)
        seen = (
            f"[GAME] You are Player 0 in an {table.players}-player Liar's Dice game.\n"
            f"Rules:\n{self._clauses}\n{_HOW_TO_ANSWER}\n"
            + "\n".join(f"[GAME] {line}" for line in self._told(table, observation))
        )
        for _attempt in range(2):
            said = self._agent(seen)
            action = _action(table, said)
            if action is not None and observation["action_mask"][action]:
                return action
            reason = f"{said[:200]!r} is no legal action."
            seen += (
                f"\n[GAME] Player 0 attempted an invalid move. Reason: {reason} Please resubmit."
            )
        raise ValueError(reason)

    def _told(self, table: Table, observation: Observation) -> Iterator[str]:
        """Say what happened so far in the game, and what may be done."""
        seen = observation["observation"]
        request, self._request = self._request, None
        if request:
            for notice in self._games.get(request["game"], []):
                yield from self._earlier(notice, request["seat"], table.players)
        hand = [face for face in range(1, FACES + 1) for _ in range(seen[table.hand][face - 1])]
        palifico = bool(seen[table.palifico].any())
        yield from self._opening(seen[table.dice].tolist(), hand, palifico=palifico)
        yield from self._bids(table, observation, palifico=palifico)
        yield f"Legal: {', '.join(_legal(observation))}"

    def _earlier(self, notice: Message, own: int, players: int) -> Iterator[str]:
        """Say how an earlier round went; players are counted from the agent."""

        def name(seat: int) -> str:
            return f"Player {(seat - own) % players}"

        if notice["type"] == "fault":
            yield f"{name(notice['seat'])} was eliminated by invalid move."
            return
        hands = [*notice["dice"][own:], *notice["dice"][:own]]
        palifico = notice["palifico_seat"] is not None
        yield from self._opening([*map(len, hands)], hands[0], palifico=palifico)
        for bid in notice["bids"]:
            yield f"{name(bid['seat'])} bids {bid['quantity']} of face {bid['face']}."
        last, count = notice["bids"][-1], notice["count"]
        call = "calls" if notice["call"] == "dudo" else "calls calza"
        which = (
            f">= {last['quantity']}"
            if count >= last["quantity"]
            else f"LESS than {last['quantity']}"
        )
        counted = f"The actual count of face {last['face']} is {count}, which is {which}."
        ends = [(notice["loser"], "loses"), (notice["gainer"], "regains")]
        dice = "".join(f" {name(seat)} {verb} one die." for seat, verb in ends if seat is not None)
        yield f"{name(notice['caller'])} {call}! {counted}{dice}"
        shown = (f"\tPlayer {seat}: {_listed(hand)}" for seat, hand in enumerate(hands) if hand)
        yield f"The dice were: {';'.join(shown)}"

    def _opening(
        self, left: Sequence[int], hand: Sequence[int], *, palifico: bool
    ) -> Iterator[str]:
        dice = "; ".join(f"\tPlayer {seat}: {count}" for seat, count in enumerate(left))
        yield f"New round - Remaining dice: {dice}"
        yield f"Your current Dice are: {_listed(hand)}"
        wild = wild_face(self._rules, 0 if palifico else None)
        yield f"Ones are {'wild' if wild else 'not wild'} in this round."

    def _bids(self, table: Table, observation: Observation, *, palifico: bool) -> Iterator[str]:
        """Say the bids of the round, oldest first: each is higher than the one before."""
        wild = wild_face(self._rules, 0 if palifico else None)
        bidders = {
            Bid(place // FACES + 1, place % FACES + 1): int(who) - 1
            for place, who in enumerate(observation["observation"][table.bids])
            if who
        }
        for bid in sorted(bidders, key=partial(height, self._rules, wild)):
            yield f"Player {bidders[bid]} bids {bid.quantity} of face {bid.face}."


def policy(agent: Agent, rules: Rules = BGA) -> AgentPolicy:
    """Return a policy that asks an agent, and tells it the rules in force clause by clause.

    It is told what TextArena would tell it: the game from its first round on. In earlier rounds it
    also sees the dice, which our rules show.
    """
    return AgentPolicy(agent, rules)


def _listed(dice: Sequence[int]) -> str:
    return ", ".join(map(str, dice))


def _legal(observation: Observation) -> Iterator[str]:
    mask = observation["action_mask"]
    if mask[DUDO]:
        yield "[Call]"
    for action in np.flatnonzero(mask[FIRST_BID:]):
        yield f"[Bid: {action // FACES + 1}, {action % FACES + 1}]"


def _action(table: Table, said: str) -> int | None:
    """Return the action that TextArena would read from an answer; None if there is none."""
    bracketed = said if "[" in said or "]" in said else f"[{said}]"
    if _CALL.search(bracketed):
        return DUDO
    found = _BID_IN_ANSWER.search(bracketed)
    if not found:
        return None
    quantity, face = map(int, found.groups())
    within = 1 <= quantity <= table.cap and 1 <= face <= FACES
    return table.bid(quantity, face) if within else None


_SWITCHES: dict[str, object] = {"raise_quantity_and_face": True, "raise_to_lower_face": False}
_FACES = range(1, 7)
_SENDER = re.compile(r"\n\[(GAME|Player \d+)\] ")
_PROMPT = re.compile(r"You are Player (\d+) in an (\d+)-player Liar's Dice game")
_ROUND = re.compile(
    r"New round - Remaining dice: (.*)\nYour current Dice are: ([\d, ]*)", re.MULTILINE
)
_LEFT = re.compile(r"Player \d+: (\d+)")
_BID_IN_OBSERVATION = re.compile(r"Player (\d+) bids (\d+) of face (\d)\.")


class Seen(Struct, frozen=True):
    """What an observation says."""

    seat: int
    dice: tuple[int, ...]
    """The dice under its own cup."""
    left: tuple[int, ...]
    """The dice of each player."""
    bids: tuple[SeatBid, ...]
    """The bids of this round, oldest first."""
    round: int
    """How many rounds began before this one, in all that the observation holds."""

    @property
    def table(self) -> tuple[int, int]:
        """The players, and the dice of each if the game begins now."""
        return len(self.left), max(self.left)


def read(observation: str) -> Seen:
    """Return what an observation says; raises ValueError if it is not of LiarsDice."""
    told = _by_the_game(observation)
    prompts, rounds = _PROMPT.findall(told), [*_ROUND.finditer(told)]
    if not prompts or not rounds:
        raise ValueError("this is no observation of TextArena's LiarsDice")
    last = rounds[-1]
    return Seen(
        int(prompts[-1][0]),
        tuple(int(die) for die in last[2].split(",") if die.strip()),
        tuple(map(int, _LEFT.findall(last[1]))),
        tuple(SeatBid(*map(int, bid)) for bid in _BID_IN_OBSERVATION.findall(told[last.end() :])),
        len(rounds) - 1,
    )


def _by_the_game(observation: str) -> str:
    """Return what the game itself says: what players write might look like its words."""
    first, *parts = _SENDER.split(f"\n{observation}")
    if not parts:
        return first
    said = zip(parts[::2], parts[1::2], strict=True)
    return "\n".join(text for sender, text in said if sender == "GAME")


def raises(last: Bid | None, most: int) -> Iterator[Raises]:
    """Yield the bids that are legal there, up to `most` dice."""
    for face in _FACES:
        least = 1 if last is None else last.quantity + (face == last.face)
        if (last is None or face >= last.face) and least <= most:
            yield Raises(face, least, most)


class BotAgent(textarena.Agent):  # type: ignore[misc]
    """A live bot; at a fault it gives an invalid answer, for which TextArena has rules.

    One agent may sit in several seats: it starts the bot for each.
    """

    def __init__(self, pattern: str, sandbox: str, *, trust_bots: bool) -> None:
        super().__init__()
        self._start = partial(_Seat, pattern, sandbox, trust_bots=trust_bots)
        self._seats: dict[int, _Seat] = {}

    def __call__(self, observation: str) -> str:
        """Return the bot's action; raises ArenaError if it is wrong, ValueError for other games."""
        seen = read(observation)
        seat = self._seats.get(seen.seat)
        if seat is None or (seat.is_over(seen) and seat.table != seen.table):
            if seat:
                seat.close()
            seat = self._seats[seen.seat] = self._start(seen)
        reply = seat.answer(seen)
        if isinstance(reply, Fault):
            return f"{reply.cause}: {reply.detail}"
        if reply.action == "bid":
            return f"[Bid: {reply.quantity}, {reply.face}]"
        return "[Call]" if reply.action == "dudo" else reply.action

    def close(self) -> None:
        """End the bot, if it runs."""
        for seat in self._seats.values():
            seat.close()
        self._seats.clear()


class _Seat:
    """The bot in one seat, one game after another at tables of one size."""

    def __init__(self, pattern: str, sandbox: str, seen: Seen, *, trust_bots: bool) -> None:
        """Start the bot for the game that is seen."""
        self.table = players, dice = seen.table
        self._game = -1
        self._asked = count(1)
        self._dice = 0
        rules = variant("bga", _SWITCHES, lost_dice_visible=True, starting_dice=dice)
        seats = {seen.seat: pattern}
        live = live_bots(setting(rules, players), seats, sandbox, trust_bots=trust_bots)
        self._ends = ExitStack()
        self._bots = self._ends.enter_context(live)

    def is_over(self, seen: Seen) -> bool:
        """Tell whether what is seen belongs to another game than what was seen before."""
        return sum(seen.left) > self._dice

    def answer(self, seen: Seen) -> Answer | Fault:
        """Return the bot's answer to what is seen."""
        if self.is_over(seen):
            self._game += 1
            self._bots.begin("textarena")
        self._dice = sum(seen.left)
        return self._bots.reply(seen.seat, self._turn(seen))

    def close(self) -> None:
        """End the bot's process, if it runs."""
        self._ends.close()

    def _turn(self, seen: Seen) -> Turn:
        """Return the request of the arena for what is seen."""
        players, dice = self.table
        bids = seen.bids
        last = Bid(bids[-1].quantity, bids[-1].face) if bids else None
        return Turn(
            seat=seen.seat,
            dice=seen.dice,
            bids=bids,
            alive=[seat for seat, left in enumerate(seen.left) if left],
            dice_counts=seen.left,
            # Ones are no jokers.
            palifico_seat=bids[0].seat if bids else seen.seat,
            id=next(self._asked),
            game=self._game,
            round=seen.round,
            raises=tuple(raises(last, players * dice)),
            dudo=bool(bids),
        )


@contextmanager
def bot_agent(pattern: str, sandbox: str = AUTO, *, trust_bots: bool = False) -> Iterator[BotAgent]:
    """Yield a bot (its folder, its archive, `sample:NAME`) as an agent of TextArena's LiarsDice.

    It starts when it is first asked, and plays one game after another, of 2 to 6 players who begin
    with 10 dice at most. Nobody tells it what was under the cups: TextArena does not show it.
    """
    agent = BotAgent(pattern, sandbox, trust_bots=trust_bots)
    try:
        yield agent
    finally:
        agent.close()


__all__ = ["AgentPolicy", "BotAgent", "bot_agent", "policy"]
