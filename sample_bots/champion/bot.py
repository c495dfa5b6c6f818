"""Plays by a network that was trained by playing itself and the other sample bots.

The network sees numbers: chances of bids, who bid what, who has how many dice, the rules. It gives
each of its answers a chance, and one is drawn, so that nobody can read its dice from its bids
alone. A second network guesses from what a rival did in earlier rounds of the game, with the dice
that it turned out to have, which of the bots that it was trained with the rival plays like.
Against `equilibrium`, which plays by tables, it looks up what beats these tables.
`view.py` makes the numbers, `policy.py` has the networks, `responses.py` the look-up;
docs/guides/champion.md tells how weights and responses were made.
"""

import json
import os
import random
from pathlib import Path

import numpy as np
from policy import Policy, draw, softmax
from responses import EQUILIBRIUM, RULES, SURE, Responses, Round
from view import (
    CALZA,
    DUDO,
    FACES,
    FIRST_SLOT,
    KINDS,
    PASS,
    SEATS,
    SWITCHES,
    Positions,
    bids,
    likelier,
    tells,
    view,
)

WEIGHTS = Path(__file__).with_name("weights.npz")
RESPONSES = Path(__file__).with_name("responses.npz")
CALLS = {DUDO: "dudo", CALZA: "calza", PASS: "pass"}


class Game:
    """What is known of a game: the dice left, palificos used, what seats play like."""

    def __init__(self, seats, start):
        self.left = [start] * seats
        self.used = [False] * seats
        self.evidence = np.zeros((seats, KINDS), np.float32)
        self.guesses = np.full((seats, KINDS), 1 / KINDS, np.float32)

    def hear(self, message):
        """Take in a message that is not a request."""
        if message["type"] == "fault":
            self.left[message["seat"]] = 0
        elif message["type"] == "round_end":
            for who, change in (("loser", -1), ("gainer", 1)):
                if message[who] is not None:
                    self.left[message[who]] += change
            if message["palifico_seat"] is not None:
                self.used[message["palifico_seat"]] = True


class Champion:
    """Answers requests, any number of them at a time."""

    def __init__(self, policy, responses):
        self.policy, self.responses = policy, responses
        self.start = self.seats = self.seed = 0
        self.rules, self.responds = "", False
        self.switches, self.games, self.asked = [], {}, []

    def hear(self, message):
        """Take in a message; requests wait for `answers`."""
        kind = message["type"]
        if kind == "hello":
            rules = message["rules"]
            self.start, self.seats = rules["starting_dice"], message["seats"]
            self.seed, self.games = message["seed"], {}
            self.switches = [int(rules[switch]) for switch in SWITCHES]
            self.rules = "".join(str(int(rules[switch])) for switch in RULES)
            self.responds = self.seats == 2 and not rules["calza"]
        elif kind in ("turn", "calza"):
            self.asked.append(message)
        elif kind in ("round_end", "fault"):
            if kind == "round_end":
                self.guess(message)
            self.game(message).hear(message)
        elif kind == "game_end":
            self.games.pop(message["game"], None)

    def guess(self, shown):
        """Note what a round tells of the seats, now that all dice were shown."""
        game, done = self.game(shown), actions(shown)
        alive = [seat for seat, dice in enumerate(game.left) if dice]
        asked = {"type": "turn", "dice_counts": None, "alive": alive}
        rows = [
            self.row({**shown, **asked, "seat": seat, "dice": shown["dice"][seat], "bids": before})
            for seat, before, _, _ in done
        ]
        _, _, quantities, faces = zip(*done, strict=True)
        told = tells(positions(rows), np.array(quantities), np.array(faces))
        for (seat, *_), logs in zip(done, likelier(self.policy.kinds, told), strict=True):
            game.evidence[seat] += logs
        game.guesses = softmax(game.evidence)

    def game(self, message):
        """Return what is known of the game of a message."""
        return self.games.setdefault(message["game"], Game(self.seats, self.start))

    def answers(self):
        """Return the answers to all requests that wait."""
        if not self.asked:
            return []
        requests, self.asked = self.asked, []
        rows = [self.row(request) for request in requests]
        seen = view(positions(rows))
        lots = np.array([self.lot(request) for request in requests])
        chosen = draw(self.policy.chances(seen.numbers, seen.legal), lots)
        quantities, faces = bids(seen, chosen)
        answers = list(zip(chosen.tolist(), quantities.tolist(), faces.tolist(), strict=True))
        if self.responds:
            for n in np.flatnonzero(seen.numbers[:, EQUILIBRIUM - KINDS] > SURE):
                answers[n] = self.response(requests[n], rows[n]) or answers[n]
        return [answer(request, *said) for request, said in zip(requests, answers, strict=True)]

    def response(self, request, at):
        """Return what beats `equilibrium`, as `answer` takes it; None where that is not known."""
        hand, bids = sorted(request["dice"]), [code(bid) for bid in request["bids"]]
        palifico = request["palifico_seat"] is not None
        found = self.responses.find(
            Round(self.rules, hand, at.dice[1], bids, palifico, at.least, at.most)
        )
        if found is None:
            return None
        return (
            (FIRST_SLOT, (found - 1) // FACES + 1, (found - 1) % FACES) if found else (DUDO, 0, 0)
        )

    def lot(self, request):
        """Draw from the position, so that its games can be repeated."""
        key = (self.seed, request["game"], request["round"], len(request["bids"]), request["type"])
        return random.Random(str(key)).random()

    def row(self, request):
        """Return a position, as `Positions` has it."""
        game, seat, made = self.game(request), request["seat"], request["bids"]
        left = request["dice_counts"] or game.left
        around = [(seat + step) % self.seats for step in range(self.seats)]
        order = [other for other in around if other in request["alive"]]
        place = {other: number for number, other in enumerate(order)}
        said = [[0] * FACES for _ in range(SEATS)]
        for bid in made:
            said[place[bid["seat"]]][bid["face"] - 1] = bid["quantity"]
        last = made[-1] if made else {"quantity": 0, "face": 1, "seat": seat}
        least, most = [0] * FACES, [0] * FACES
        for bid in request.get("raises", []):
            least[bid["face"] - 1], most[bid["face"] - 1] = bid["min"], bid["max"]
        return Positions(
            hand=[request["dice"].count(face) for face in range(1, FACES + 1)],
            dice=padded(left[other] for other in order),
            used=padded(int(game.used[other]) for other in order),
            palifico=place.get(request["palifico_seat"], -1),
            said=said,
            quantity=last["quantity"],
            face=last["face"] - 1,
            bidder=place[last["seat"]],
            offer=request["type"] == "calza",
            least=least,
            most=most,
            start=self.start,
            switches=self.switches,
            guesses=[*game.guesses[order], *np.zeros((SEATS - len(order), KINDS), np.float32)],
        )


def positions(rows):
    """Return rows, as `Champion.row` makes them, as arrays."""
    return Positions(*(np.array(part, order="F") for part in zip(*rows, strict=True)))


def actions(shown):
    """Return the bids of a round and dudo: seat, bids before, quantity (0 is dudo), face."""
    made = [
        (bid["seat"], shown["bids"][:n], bid["quantity"], bid["face"] - 1)
        for n, bid in enumerate(shown["bids"])
    ]
    dudo = [(shown["caller"], shown["bids"], 0, 0)]
    return made + dudo if shown["call"] == "dudo" else made


def padded(numbers):
    numbers = list(numbers)
    return numbers + [0] * (SEATS - len(numbers))


def code(bid):
    return FACES * (bid["quantity"] - 1) + bid["face"]


def answer(request, chosen, quantity, face):
    """Return an answer as the arena reads it."""
    if chosen < FIRST_SLOT:
        return {"id": request["id"], "action": CALLS[chosen]}
    return {"id": request["id"], "action": "bid", "quantity": quantity, "face": face + 1}


def chunks():
    """Yield the lines that came together."""
    rest = b""
    while True:
        new = os.read(0, 1 << 16)
        if not new:
            return
        *lines, rest = (rest + new).split(b"\n")
        yield lines


def main():
    with np.load(WEIGHTS) as weights:
        policy = Policy(weights)
    # Its arrays are read when they are needed.
    champion = Champion(policy, Responses(np.load(RESPONSES)))
    for lines in chunks():
        for line in lines:
            message = json.loads(line)
            champion.hear(message)
            if message["type"] == "hello":
                print(
                    '{"type":"ready","calza":true,"concurrent_games":64,"reusable":true}',
                    flush=True,
                )
        said = [json.dumps(each) for each in champion.answers()]
        if said:
            print("\n".join(said), flush=True)


if __name__ == "__main__":
    main()
