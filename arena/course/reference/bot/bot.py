"""The reference of a course: it learns which bids are doubted, and how rounds end that go on.

A bid of its own is worth what follows it: if it is doubted, the chance that it holds; if not, how
often rounds went well after such a bid. Both are counted in the rounds that were shown, beginning
with a guess. So is how many dice a seat really holds of a face that it bids. What the guesses are,
and how many rounds they outweigh, is in parameters.json, which is drawn for each course.
"""

import json
import sys
from collections.abc import Iterator
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

Message = dict[str, Any]
Spread = list[float]
"""The chances of 0, 1, 2, ... dice."""
_FACES = 6
_LEVELS = 6
"""Bids are told apart by how plausible they are, in so many steps."""
_ABOVE_LEAST = 2
"""A bid may be so much higher than it has to be."""


@cache
def by_chance(dice: int, faces: int) -> Spread:
    """Return how many of some dice show one of `faces` faces."""
    p = faces / _FACES
    return [comb(dice, n) * p**n * (1 - p) ** (dice - n) for n in range(dice + 1)]


@cache
def tail(dice: int, faces: int, least: int) -> float:
    """Return the chance that `least` of some dice or more show one of `faces` faces."""
    return sum(by_chance(dice, faces)[max(least, 0) :])


def together(one: Spread, other: Spread) -> Spread:
    """Return the chances of a sum."""
    both = [0.0] * (len(one) + len(other) - 1)
    for few, p in enumerate(one):
        for more, q in enumerate(other):
            both[few + more] += p * q
    return both


class Reference:
    """What was seen in the games of one table."""

    def __init__(self, hello: Message, guess: dict[str, float]) -> None:
        """Begin with nothing but the guesses."""
        self.seat, self.guess = hello["seat"], guess
        self.full = [hello["rules"]["starting_dice"]] * hello["seats"]
        self.dice_left: dict[int, list[int]] = {}
        self.held: dict[tuple[Any, ...], Spread] = {}
        self.doubted: dict[tuple[int, bool], list[float]] = {}
        self.went_well: dict[tuple[int, bool], list[float]] = {}

    def see(self, message: Message) -> None:
        """Learn from a round that ended, and count the dice that are left."""
        game = message.get("game", 0)
        if message["type"] == "game_end":
            self.dice_left.pop(game, None)
        elif message["type"] == "fault":
            self.left(game)[message["seat"]] = 0
        elif message["type"] == "round_end":
            self.learn(message)
            for seat, change in ((message["loser"], -1), (message["gainer"], 1)):
                if seat is not None:
                    self.left(game)[seat] += change

    def left(self, game: int) -> list[int]:
        """Return how many dice each seat has left."""
        return self.dice_left.setdefault(game, [*self.full])

    def learn(self, shown: Message) -> None:
        """Count what the dice, and the end of the round, say about its bids."""
        bids, hands = shown["bids"], shown["dice"]
        total = sum(len(hand or ()) for hand in hands)
        last = {bid["seat"]: place for place, bid in enumerate(bids)}
        for seat, place in last.items():
            faces = faces_of(shown, bids[place]["face"])
            spread = self.holds_of(seat, len(hands[seat]), faces, kind_of(bids, place))
            spread[matching(hands[seat], bids[place]["face"], faces)] += 1
        for place, bid in enumerate(bids):
            if bid["seat"] == self.seat:
                bid_kind = self.kind(shown, bids[:place], bid, total)
                is_last = place == len(bids) - 1
                add(self.counts(self.doubted, bid_kind), happened=is_last)
                if not is_last and shown["loser"] is not None:
                    counts = self.counts(self.went_well, bid_kind)
                    add(counts, happened=shown["loser"] != self.seat)

    def holds_of(self, seat: int, dice: int, faces: int, kind: int) -> Spread:
        """Return how often a seat had 0, 1, ... dice of the face that it bid."""
        key = seat, dice, faces, kind
        if key not in self.held:
            rounds, bluffs = self.guess["rounds_held"], self.guess["bluffs"]
            anything, one_more = by_chance(dice, faces), [0.0, *by_chance(dice - 1, faces)]
            self.held[key] = [
                rounds * (bluffs * p + (1 - bluffs) * q)
                for p, q in zip(anything, one_more, strict=True)
            ]
        return self.held[key]

    def kind(
        self, table: Message, before: list[Message], bid: Message, total: int
    ) -> tuple[int, bool]:
        """Return how plausible a bid is to those who see no dice, and whether others bid its face.

        Whoever bids is taken to hold one such die.
        """
        plausible = tail(total - 1, faces_of(table, bid["face"]), bid["quantity"] - 1)
        level = min(int(plausible * _LEVELS), _LEVELS - 1)
        others = (one for one in before if one["seat"] != self.seat)
        return level, any(one["face"] == bid["face"] for one in others)

    def counts(
        self, of: dict[tuple[int, bool], list[float]], kind: tuple[int, bool]
    ) -> list[float]:
        """Return how often something happened after such a bid, and in how many rounds."""
        if kind not in of:
            rounds, share = self.guess["rounds_after"], self.guess["after"]
            if of is self.doubted:
                rounds, share = self.guess["rounds_doubted"], 1 - (kind[0] + 0.5) / _LEVELS
            of[kind] = [rounds * share, rounds]
        return of[kind]

    def answer(self, turn: Message) -> Message:
        """Return a bid, or dudo if that is likelier to win the round."""
        left = turn["dice_counts"] or self.left(turn["game"])
        total, bids = sum(left), turn["bids"]
        spreads: dict[int, Spread] = {}

        def holds(bid: Message) -> float:
            face = bid["face"]
            if face not in spreads:
                spreads[face] = self.hidden(turn, left, face)
            own = matching(turn["dice"], face, faces_of(turn, face))
            return sum(spreads[face][max(0, bid["quantity"] - own) :])

        def worth(bid: Message) -> float:
            kind = self.kind(turn, bids, bid, total)
            times, rounds = self.counts(self.doubted, kind)
            well, rounds_after = self.counts(self.went_well, kind)
            held, doubted = holds(bid), times / rounds
            # Who doubts has seen dice that make the bid less likely.
            if_doubted = held * (1 - self.guess["knows"] * (1 - held))
            return doubted * if_doubted + (1 - doubted) * well / rounds_after

        best = max(bids_of(turn), key=worth, default=None)
        if best is None or (turn["dudo"] and 1 - holds(bids[-1]) > worth(best)):
            return {"id": turn["id"], "action": "dudo"}
        return {"id": turn["id"], "action": "bid", **best}

    def hidden(self, turn: Message, left: list[int], face: int) -> Spread:
        """Return how many dice of others match a face, by what they bid."""
        bids, faces = turn["bids"], faces_of(turn, face)
        last = {bid["seat"]: place for place, bid in enumerate(bids)}
        unknown, found = 0, [1.0]
        for seat in turn["alive"]:
            if seat in last and seat != turn["seat"] and bids[last[seat]]["face"] == face:
                seen = self.holds_of(seat, left[seat], faces, kind_of(bids, last[seat]))
                rounds = sum(seen)
                found = together(found, [times / rounds for times in seen])
            elif seat != turn["seat"]:
                unknown += left[seat]
        return together(found, by_chance(unknown, faces))


def faces_of(table: Message, face: int) -> int:
    """Return how many faces match a bid on a face: two if pacos are wild."""
    return 2 if face != 1 and table["palifico_seat"] is None else 1


def matching(dice: list[int], face: int, faces: int) -> int:
    """Return how many dice match a face."""
    return dice.count(face) + (dice.count(1) if faces == 2 else 0)


def kind_of(bids: list[Message], place: int) -> int:
    """Return whether a bid opened its round, raised a face or brought up a new one: 0 to 2."""
    if place == 0:
        return 0
    return 1 if any(bid["face"] == bids[place]["face"] for bid in bids[:place]) else 2


def bids_of(turn: Message) -> Iterator[Message]:
    """Yield the lowest legal bids of each face."""
    for one in turn["raises"]:
        for quantity in range(one["min"], min(one["max"], one["min"] + _ABOVE_LEAST) + 1):
            yield {"quantity": quantity, "face": one["face"]}


def add(counts: list[float], *, happened: bool) -> None:
    """Count one more round."""
    counts[0] += happened
    counts[1] += 1


def main() -> None:
    """Answer the arena until it ends the input."""
    guess = json.loads(Path(__file__).with_name("parameters.json").read_bytes())
    for line in sys.stdin:
        message = json.loads(line)
        answer: Message = {"type": "ready", "reusable": True}
        if message["type"] == "hello":
            bot = Reference(message, guess)
        elif message["type"] == "turn":
            answer = bot.answer(message)
        elif message["type"] == "bye":
            return
        else:
            bot.see(message)
            continue
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
