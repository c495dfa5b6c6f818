"""Plays for two what no rival can use against it, as well as tables of a few megabytes allow.

In an equilibrium neither player can do better by playing otherwise. To be hard to read, it often
takes one of several actions at random, by odds that were computed beforehand (`docs/equilibrium.md`
tells how): exactly where there are few dice on the table, roughly where there are many. Where the
tables say nothing, and with more players, it plays by the odds as `odds` does.
"""

import json
import random
import sys
import zlib
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from pathlib import Path

UNDOUBTED = 0.4  # how often a raise that does not hold goes undoubted; found by trying
CALZA = 0.5  # a right calza regains a die, a wrong one loses a die: call when right is likelier
SWITCHES = ("raise_quantity_and_face", "raise_to_lower_face", "palifico_with_two_left")
DUDO = 0


class Tables:
    """What to do for two, by the kind of round, the dice of both, the bids and one's own hand."""

    def __init__(self, rules):
        name = "".join(str(int(rules[switch])) for switch in SWITCHES)
        path = Path(__file__).with_name("tables") / f"{name}.bin"
        self.blocks, self.states, self.body = {}, {}, b""
        if path.exists():
            crc, _, lines = path.read_bytes().partition(b"\n")
            if crc != b"%d" % zlib.crc32(lines):
                print(f"{path}: the table is damaged: copy it anew", file=sys.stderr)
                sys.exit(2)
            states, _, self.body = lines.partition(b"\n")
            self.states = json.loads(states)

    def find(self, turn, hidden):
        """Return the actions and their weights at a turn; None if the tables do not say."""
        bids, own = turn["bids"], len(turn["dice"])
        acts = len(bids) % 2
        opener, other = (hidden, own) if acts else (own, hidden)
        name = f"{opener}-{other}"
        if turn["palifico_seat"] is not None:
            name += "-palifico"
        if name not in self.states:
            return None
        recall, block = self.block(name, (opener, other))
        said = [6 * (bid["quantity"] - 1) + bid["face"] for bid in bids][-recall:]
        if said and max(said) > 255:
            return None
        key = bytes([acts, *said])
        # Where nothing is known after these bids, the likeliest ones before the last may do.
        actions, weights = block.get(key) or block.get(key[:1] + key[-1:]) or (b"", b"")
        start = place(own)[tuple(sorted(turn["dice"]))] * len(actions)
        mix = [(action, weights[start + at]) for at, action in enumerate(actions)]
        return mix if any(weight for _, weight in mix) else None

    def block(self, name, dice):
        """Return the recall and the positions of a state."""
        if name not in self.blocks:
            start, length, recall = self.states[name][:3]
            self.blocks[name] = recall, read(self.body[start : start + length], dice)
        return self.blocks[name]


def read(block, dice):
    """Unpack a block: actions and weights by the position's key."""
    text, at, found = zlib.decompress(block), 0, {}
    while at < len(text):
        acts, end = text[at + 1], at + 1 + text[at]
        key, many = text[at + 1 : end], text[end]
        actions, at = text[end + 1 : end + 1 + many], end + 1 + many
        size = many * len(place(dice[acts]))
        found[key] = actions, text[at : at + size]
        if len(key) > 2:
            found.setdefault(key[:1] + key[-1:], found[key])
        at += size
    return found


@cache
def place(dice):
    """Return the number of each hand."""
    hands = combinations_with_replacement(range(1, 7), dice)
    return {hand: number for number, hand in enumerate(hands)}


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


def by_odds(turn, hidden):
    """Return the action that `odds` takes, and its bid."""
    best, chance = None, -1.0
    for r in turn["raises"]:
        holding = holds(turn, hidden, r["min"], r["face"])  # a higher bid is never safer
        if holding > chance:
            best, chance = r, holding
    if turn["dudo"]:
        bid = turn["bids"][-1]
        false = 1 - holds(turn, hidden, bid["quantity"], bid["face"])
        if best is None or false > chance + (1 - chance) * UNDOUBTED:
            return DUDO
    return 6 * (best["min"] - 1) + best["face"]


def mixed(turn, hidden, tables):
    """Return the actions of an equilibrium at a turn, and their weights."""
    mix = tables.find(turn, hidden) if tables else None
    legal = {r["face"]: r for r in turn["raises"]}

    def may(action):
        if action == DUDO:
            return turn["dudo"]
        quantity, face = (action - 1) // 6 + 1, (action - 1) % 6 + 1
        return face in legal and legal[face]["min"] <= quantity <= legal[face]["max"]

    mix = [(action, weight) for action, weight in mix or [] if weight and may(action)]
    return mix or [(by_odds(turn, hidden), 1)]


def choose(turn, hidden, tables, seed):
    """Return the answer to a turn: the same for the same seed, game and position."""
    mix = mixed(turn, hidden, tables)
    key = "{}/{game}/{round}/{bids}".format(seed, **{**turn, "bids": len(turn["bids"])})
    chance = random.Random(key)
    [action] = chance.choices([action for action, _ in mix], [weight for _, weight in mix])
    if action == DUDO:
        return {"id": turn["id"], "action": "dudo"}
    quantity, face = (action - 1) // 6 + 1, (action - 1) % 6 + 1
    return {"id": turn["id"], "action": "bid", "quantity": quantity, "face": face}


def call(offer, hidden, start):
    """Return the answer to a calza offer, as `odds` does.

    Few bid a face that they do not hold, so one of the bidder's dice is taken to match.
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
            count, seed = Count(message), message["seed"]
            tables = Tables(message["rules"]) if message["seats"] == 2 else None
            # What it knows is kept by game, so many games can share the pipe.
            print('{"type":"ready","calza":true,"concurrent_games":64,"reusable":true}', flush=True)
        elif message["type"] == "turn":
            answer = choose(message, count.hidden(message), tables, seed)
            print(json.dumps(answer), flush=True)
        elif message["type"] == "calza":
            print(json.dumps(call(message, count.hidden(message), count.start)), flush=True)
        else:
            count.hear(message)


if __name__ == "__main__":
    main()
