"""Knows the exact odds: doubts when that is likelier to succeed than its best raise is to survive.

A die that it cannot see matches a bid with chance 1/3, or 1/6 when pacos are not wild or the bid is
on pacos. So the number of hidden dice that match is binomial, and the chance that a bid holds is a
tail of that distribution. A raise survives when it holds, and sometimes when it does not, because
nobody doubts it. How many dice are hidden is not always shown: `Count` keeps it from what the arena
announces.
"""

import json
import sys
from functools import cache
from math import comb

UNDOUBTED = 0.4  # how often a raise that does not hold goes undoubted; found by trying
CALZA = 0.5  # a right calza regains a die, a wrong one loses a die: call when right is likelier


class Count:
    """How many dice each seat has left, by game."""

    def __init__(self, hello):
        self.start = hello["rules"]["starting_dice"]
        self.seats = hello["seats"]
        self.games = {}

    def left(self, game):
        return self.games.setdefault(game, [self.start] * self.seats)

    def hear(self, message):
        """Take in a message that is not a request."""
        if message["type"] == "round_end":
            for who, change in (("loser", -1), ("gainer", 1)):
                if message[who] is not None:
                    self.left(message["game"])[message[who]] += change
        elif message["type"] == "fault":
            self.left(message["game"])[message["seat"]] = 0
        elif message["type"] == "game_end":
            self.games.pop(message["game"], None)

    def hidden(self, request):
        """Return how many dice on the table are not one's own."""
        left = request["dice_counts"] or self.left(request["game"])
        return sum(left) - len(request["dice"])


@cache
def at_least(needed, dice, sides):
    """Return the chance that `needed` of `dice` dice or more show one of `sides` given sides."""
    hits = range(max(needed, 0), dice + 1)
    return sum(comb(dice, k) * sides**k * (6 - sides) ** (dice - k) for k in hits) / 6**dice


def holds(request, hidden, quantity, face):
    """Return the chance that a bid holds, for one who knows only its own dice."""
    own, sides = request["dice"].count(face), 1
    if face != 1 and request["palifico_seat"] is None:
        own, sides = own + request["dice"].count(1), 2
    return at_least(quantity - own, hidden, sides)


def choose(turn, hidden):
    """Return the answer to a turn."""
    best, chance = None, -1.0
    for r in turn["raises"]:
        holding = holds(turn, hidden, r["min"], r["face"])  # a higher bid is never safer
        if holding > chance:
            best, chance = r, holding
    if turn["dudo"]:
        bid = turn["bids"][-1]
        false = 1 - holds(turn, hidden, bid["quantity"], bid["face"])
        if best is None or false > chance + (1 - chance) * UNDOUBTED:
            return {"id": turn["id"], "action": "dudo"}
    return {"id": turn["id"], "action": "bid", "quantity": best["min"], "face": best["face"]}


def call(offer, hidden, start):
    """Return the answer to a calza offer.

    Few bid a face that they do not hold, so one of the bidder's dice is taken to match: without
    that, calza would be called far too often on bids that are low for good reason.
    """
    bid, others = offer["bids"][-1], hidden - 1
    quantity, face = bid["quantity"] - 1, bid["face"]
    exact = holds(offer, others, quantity, face) - holds(offer, others, quantity + 1, face)
    gains = len(offer["dice"]) < start
    return {"id": offer["id"], "action": "calza" if gains and exact > CALZA else "pass"}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            count = Count(message)
            # What it knows is kept by game, so many games can share the pipe.
            print('{"type":"ready","calza":true,"concurrent_games":64,"reusable":true}', flush=True)
        elif message["type"] == "turn":
            print(json.dumps(choose(message, count.hidden(message))), flush=True)
        elif message["type"] == "calza":
            print(json.dumps(call(message, count.hidden(message), count.start)), flush=True)
        else:
            count.hear(message)


main()
