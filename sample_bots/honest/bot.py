"""Believes nothing but its own dice: bids what it holds, and doubts what it does not.

Of all raises it makes the one that its dice back best, as high as they go. When they back none, nor
the bid on the table, it doubts. Good enough against nonsense; but the others have dice, too, and on
average a third of those match any bid: see `odds`.
"""

import json
import sys


def choose(turn):
    """Return the answer to a turn."""
    dice, wild = turn["dice"], turn["palifico_seat"] is None

    def held(face):
        return sum(die == face or (die == 1 and wild) for die in dice)

    best = max(turn["raises"], key=lambda r: held(r["face"]) - r["min"], default=None)
    backed = best and held(best["face"]) >= best["min"]
    proven = turn["dudo"] and held(turn["bids"][-1]["face"]) >= turn["bids"][-1]["quantity"]
    if best is None or (turn["dudo"] and not backed and not proven):
        return {"id": turn["id"], "action": "dudo"}
    quantity = min(max(held(best["face"]), best["min"]), best["max"])
    return {"id": turn["id"], "action": "bid", "quantity": quantity, "face": best["face"]}


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        # It remembers nothing, so any number of games and fixtures can share the process.
        print('{"type":"ready","concurrent_games":64,"reusable":true}', flush=True)
    elif message["type"] == "turn":
        print(json.dumps(choose(message)), flush=True)
