"""Chooses among all its legal actions at random, each as likely as any other.

It looks at nothing but what is legal: a bot need not know the rules. Every legal bid counts as one
action, and dudo as one, so most of what it says is far too high. Any bot should beat it.
"""

import json
import random
import sys


def choose(turn, rng):
    """Return the answer to a turn: the bids of all faces stand in one long row, dudo after them."""
    row = sum(r["max"] - r["min"] + 1 for r in turn["raises"])
    pick = rng.randrange(row + turn["dudo"])
    for r in turn["raises"]:
        quantity = r["min"] + pick
        if quantity <= r["max"]:
            return {"id": turn["id"], "action": "bid", "quantity": quantity, "face": r["face"]}
        pick = quantity - r["max"] - 1
    return {"id": turn["id"], "action": "dudo"}


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        seed = message["seed"]  # so that its games can be repeated
        print('{"type":"ready","concurrent_games":64,"reusable":true}', flush=True)
    elif message["type"] == "turn":
        # Chance of its own for every turn: however many games share the pipe, each stays the same.
        turn = (seed, message["game"], message["round"], len(message["bids"]))
        print(json.dumps(choose(message, random.Random(str(turn)))), flush=True)
