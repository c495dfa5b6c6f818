"""Your bot's tests: python3 test_bot.py"""

import json
import unittest

from bot import choose
from perudo_policy import Player


class TestChoose(unittest.TestCase):
    def test_every_action_is_legal(self) -> None:
        player = Player(choose)
        with open("positions.jsonl", encoding="utf-8") as lines:
            for line in lines:
                player.take(json.loads(line))

    def test_bid_of_more_dice_than_there_are_is_doubted(self) -> None:
        player = Player(choose)
        with open("positions.jsonl", encoding="utf-8") as lines:
            for line in lines:
                message = json.loads(line)
                if message["type"] == "hello":
                    cap = message["seats"] * message["rules"]["starting_dice"]
                answer = player.take(message)
                if message["type"] == "turn" and message["bids"][-1:]:
                    message["bids"][-1]["quantity"] = cap
                    message["raises"] = []
                    answer = player.take(message)
                    self.assertEqual(answer["action"], "dudo")


if __name__ == "__main__":
    unittest.main()
