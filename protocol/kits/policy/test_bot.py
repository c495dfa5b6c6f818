"""Your bot's tests: python3 test_bot.py"""

import json
import unittest
from contextlib import redirect_stdout
from io import StringIO

from bot import choose
from perudo_policy import Player


def recorded(path):
    """Return the messages of a file, one a line."""
    found = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                found.append(json.loads(line))
            except ValueError:
                raise SystemExit(f"{path}, line {number} is damaged") from None
    return found


MESSAGES = recorded("positions.jsonl")


class TestChoose(unittest.TestCase):
    def test_every_action_is_legal(self) -> None:
        player = Player(choose)
        for message in MESSAGES:
            player.take(message)
        print("passed: every move is legal")

    def test_bid_of_more_dice_than_there_are_is_doubted(self) -> None:
        player = Player(choose)
        for message in MESSAGES:
            if message["type"] == "hello":
                cap = message["seats"] * message["rules"]["starting_dice"]
            if "id" not in message:  # nothing is asked
                player.take(message)
            elif message["type"] == "turn" and message["bids"]:
                bids = [*message["bids"][:-1], {**message["bids"][-1], "quantity": cap}]
                answer = player.take({**message, "bids": bids, "raises": []})
                self.assertEqual(answer["action"], "dudo")
        print("passed: a bid of more dice than there are is doubted")

    def test_nothing_is_printed_but_answers(self) -> None:
        with redirect_stdout(StringIO()) as printed:
            player = Player(choose)
            for message in MESSAGES:
                player.take(message)
        self.assertEqual(printed.getvalue(), "", "print with file=sys.stderr, or not at all")
        print("passed: nothing is printed but answers")


if __name__ == "__main__":
    unittest.main()
