"""A TextArena agent as a policy: it reads and writes what it does in TextArena's LiarsDice."""

import re
from collections.abc import Callable, Iterator
from random import Random

import numpy as np

from arena.game.rules.books import BGA, Rules
from arena.game.rules.clauses import in_force
from arena.lab.env.perudo_policy import DUDO, FACES, FIRST_BID, PASS, Observation, Policy, Table

Agent = Callable[[str], str]
"""Any agent of TextArena: it gets what it sees as text, and returns its action as text."""
_CALL = re.compile(r"\[call\]", re.IGNORECASE)
_BID = re.compile(r"\[bid\s*:?\s*(\d{1,3})[,\s]+(\d{1,3})\]", re.IGNORECASE)
_HOW_TO_ANSWER = (
    "Answer '[Bid: 3, 4]' to bid three dice of face 4, or '[Call]' to doubt the last bid."
)


def policy(agent: Agent, rules: Rules = BGA) -> Policy:
    """Return a policy that asks an agent, and tells it the rules in force clause by clause.

    As in TextArena, an illegal answer is asked once more, with the reason; after a second one the
    policy raises ValueError. Offers of calza are passed.
    """
    clauses = "\n".join(f"- {line}" for line in in_force(rules))

    def choose(observation: Observation, _: Random) -> int:
        if observation["action_mask"][PASS]:
            return PASS
        table = Table.of(observation)
        seen = f"{_prompt(table, clauses)}\n{_seen(table, observation)}"
        for _attempt in range(2):
            said = agent(seen)
            action = _action(table, said)
            if action is not None and observation["action_mask"][action]:
                return action
            reason = f"{said[:200]!r} is no legal action."
            seen += (
                f"\n[GAME] Player 0 attempted an invalid move. Reason: {reason} Please resubmit."
            )
        raise ValueError(reason)

    return choose


def _prompt(table: Table, clauses: str) -> str:
    players = table.players
    return (
        f"[GAME] You are Player 0 in an {players}-player Liar's Dice game.\n"
        f"Rules:\n{clauses}\n{_HOW_TO_ANSWER}"
    )


def _seen(table: Table, observation: Observation) -> str:
    seen = observation["observation"]
    hand = [str(face) for face in range(1, FACES + 1) for _ in range(seen[table.hand][face - 1])]
    dice = [f"\tPlayer {seat}: {left}" for seat, left in enumerate(seen[table.dice])]
    wild = "not wild" if seen[table.palifico].any() else "wild"
    lines = [
        f"New round - Remaining dice: {'; '.join(dice)}",
        f"Your current Dice are: {', '.join(hand)}",
        f"Ones are {wild} in this round.",
        *_bids(table, observation),
        f"Legal: {', '.join(_legal(observation))}",
    ]
    return "\n".join(f"[GAME] {line}" for line in lines)


def _bids(table: Table, observation: Observation) -> Iterator[str]:
    """Say the bids of the round, oldest first: each is higher than the one before."""
    seen = observation["observation"]
    palifico = seen[table.palifico].any()

    def height(bid: tuple[int, int, int]) -> tuple[float, int]:
        quantity, face, _ = bid
        # By every rule book, n wild pacos stand between 2n dice of a number and one more.
        return (2 * quantity + 0.5 if face == 1 and not palifico else quantity, face)

    bids = [
        (place // FACES + 1, place % FACES + 1, int(who) - 1)
        for place, who in enumerate(seen[table.bids])
        if who
    ]
    for quantity, face, bidder in sorted(bids, key=height):
        yield f"Player {bidder} bids {quantity} of face {face}."


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
    found = _BID.search(bracketed)
    if not found:
        return None
    quantity, face = map(int, found.groups())
    within = 1 <= quantity <= table.cap and 1 <= face <= FACES
    return table.bid(quantity, face) if within else None
