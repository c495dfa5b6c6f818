"""Remembers how the others bid, over all games of a fixture, and shifts the odds by it.

For `odds` a hidden die matches a bid with the plain chance, whoever holds it. But a bid says
something about the bidder's dice. All dice are shown when a round ends; so this bot counts, for
each seat and number of dice, how many of them matched the seat's own last bid. When that seat bids
again, its dice are expected to match as often as before, and only the others' by plain chance.
"""

import json
import sys
from functools import cache
from math import comb

CALZA = 0.5  # a right calza regains a die, a wrong one loses a die: call when right is likelier
DOUBT = 4  # rounds one must see of a seat before its habits outweigh what is usual


@cache
def exactly(dice, sides):
    """Return the chances that 0, 1, ... of `dice` dice show one of `sides` given sides."""
    return [comb(dice, k) * sides**k * (6 - sides) ** (dice - k) / 6**dice for k in range(dice + 1)]


@cache
def at_least(needed, dice, sides):
    return sum(exactly(dice, sides)[max(needed, 0) :])


def matching(dice, face, sides):
    return dice.count(face) + (dice.count(1) if sides == 2 else 0)


def last_bids(message):
    return {bid["seat"]: bid for bid in message["bids"]}


class Memory:
    """What this process has seen: dice left by game, and each seat's habits over all games."""

    def __init__(self, hello):
        self.start = hello["rules"]["starting_dice"]
        self.seats = hello["seats"]
        self.games = {}
        self.habits = {}

    def left(self, game):
        return self.games.setdefault(game, [self.start] * self.seats)

    def habit(self, seat, dice, sides):
        """Return how often 0, 1, ... of a seat's dice matched its bid.

        Before anything is seen, one die matches for sure and the rest by chance.
        """
        key = seat, dice, sides
        if key not in self.habits:
            self.habits[key] = [0.0] + [DOUBT * p for p in exactly(dice - 1, sides)]
        return self.habits[key]

    def hear(self, message):
        """Take in a message that is not a request."""
        if message["type"] == "round_end":
            self.learn(message)
            for who, change in (("loser", -1), ("gainer", 1)):
                if message[who] is not None:
                    self.left(message["game"])[message[who]] += change
        elif message["type"] == "fault":
            self.left(message["game"])[message["seat"]] = 0
        elif message["type"] == "game_end":
            self.games.pop(message["game"], None)

    def learn(self, message):
        """Note how many of each bidder's dice matched its own last bid."""
        hands = message["dice"]
        wild = message["palifico_seat"] is None
        for seat, bid in last_bids(message).items():
            sides = 2 if wild and bid["face"] != 1 else 1
            found = matching(hands[seat], bid["face"], sides)
            self.habit(seat, len(hands[seat]), sides)[found] += 1


class Table:
    """A request, with what is known of the others' dice."""

    def __init__(self, request, memory):
        self.request, self.memory = request, memory
        left = request["dice_counts"] or memory.left(request["game"])
        self.others = {seat: left[seat] for seat in request["alive"] if seat != request["seat"]}
        self.bids = last_bids(request)

    def holds(self, quantity, face):
        """Return the chance that a bid holds."""
        sides = 2 if face != 1 and self.request["palifico_seat"] is None else 1
        plain, spread = 0, [1.0]
        for seat, dice in self.others.items():
            if seat in self.bids and self.bids[seat]["face"] == face:
                spread = add(spread, self.memory.habit(seat, dice, sides))
            else:
                plain += dice
        needed = quantity - matching(self.request["dice"], face, sides)
        return sum(p * at_least(needed - k, plain, sides) for k, p in enumerate(spread))


def add(spread, habit):
    """Return the distribution of a sum: one part is spread so, the other comes that often."""
    seen, total = sum(habit), [0.0] * (len(spread) + len(habit) - 1)
    for i, p in enumerate(spread):
        for k, times in enumerate(habit):
            total[i + k] += p * times / seen
    return total


def choose(turn, memory):
    """Return the answer to a turn: dudo, or the raise that is likeliest to hold."""
    table = Table(turn, memory)
    best, chance = None, -1.0
    for r in turn["raises"]:
        holding = table.holds(r["min"], r["face"])
        if holding > chance:
            best, chance = r, holding
    if turn["dudo"]:
        bid = turn["bids"][-1]
        if best is None or 1 - table.holds(bid["quantity"], bid["face"]) > chance:
            return {"id": turn["id"], "action": "dudo"}
    return {"id": turn["id"], "action": "bid", "quantity": best["min"], "face": best["face"]}


def call(offer, memory):
    """Return the answer to a calza offer."""
    table, bid = Table(offer, memory), offer["bids"][-1]
    exact = table.holds(bid["quantity"], bid["face"]) - table.holds(
        bid["quantity"] + 1, bid["face"]
    )
    gains = len(offer["dice"]) < memory.start
    return {"id": offer["id"], "action": "calza" if gains and exact > CALZA else "pass"}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            memory = Memory(message)
            print('{"type":"ready","calza":true,"reusable":true}', flush=True)
        elif message["type"] == "turn":
            print(json.dumps(choose(message, memory)), flush=True)
        elif message["type"] == "calza":
            print(json.dumps(call(message, memory)), flush=True)
        else:
            memory.hear(message)


main()
