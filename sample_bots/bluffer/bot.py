"""Bluffs at times: it plays by averages, but now and then pretends to hold dice that it does not.

Each round it draws a mood: how far above the average a bid may be before it doubts, and whether it
tells a story, which is a face that it will bid as if it held two more dice of it. The others cannot
tell a good hand from a story. All chance comes from hello.seed, so its games can be repeated.
"""

import json
import random
import sys

STORY = 0.25  # how often a round has a story
LIE = 2  # how many dice a story adds to one's own
NERVE = (0.2, 1.0)  # the least and the most that a bid may be above the average, in dice


class Mood:
    """What it makes up for a round."""

    def __init__(self, rng):
        self.nerve = rng.uniform(*NERVE)
        self.face = rng.randint(2, 6) if rng.random() < STORY else None


def margin(turn, quantity, face, lie=0):
    """Return by how many dice the average count of a face is above a bid.

    The others are taken to have as many dice each as oneself: roughly right, and nothing to keep.
    """
    dice = turn["dice"]
    hidden = len(dice) * (len(turn["alive"]) - 1)
    if face == 1 or turn["palifico_seat"] is not None:
        return dice.count(face) + lie + hidden / 6 - quantity
    return dice.count(face) + dice.count(1) + lie + hidden / 3 - quantity


def choose(turn, mood):
    """Return the answer to a turn."""

    def told(r):
        return margin(turn, r["min"], r["face"], LIE if r["face"] == mood.face else 0)

    if turn["dudo"]:
        bid = turn["bids"][-1]
        above = -margin(turn, bid["quantity"], bid["face"])
        if not turn["raises"] or above > mood.nerve:
            return {"id": turn["id"], "action": "dudo"}
    best = max(turn["raises"], key=told)
    return {"id": turn["id"], "action": "bid", "quantity": best["min"], "face": best["face"]}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            seed = message["seed"]
            print('{"type":"ready","concurrent_games":64,"reusable":true}', flush=True)
        elif message["type"] == "turn":
            # The same mood all round, and the same however many games share the pipe.
            mood = Mood(random.Random("{}/{game}/{round}".format(seed, **message)))
            print(json.dumps(choose(message, mood)), flush=True)


main()
