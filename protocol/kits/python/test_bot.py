"""Your bot's tests: python3 test_bot.py"""

import unittest
from contextlib import redirect_stdout
from io import StringIO

from bot import choose
from perudo import legal, positions

VIEWS = positions("positions.jsonl")


class TestChoose(unittest.TestCase):
    def test_every_move_is_legal(self) -> None:
        for view in VIEWS:
            move = choose(view)
            self.assertTrue(legal(view, move), f"{move} in {view.turn}")
        print("passed: every move is legal")

    def test_bid_of_more_dice_than_there_are_is_doubted(self) -> None:
        for view in VIEWS:
            if view.last and view.last.quantity > sum(view.left):
                self.assertEqual(choose(view), {"action": "dudo"})
        print("passed: a bid of more dice than there are is doubted")

    def test_nothing_is_printed_but_answers(self) -> None:
        with redirect_stdout(StringIO()) as printed:
            for view in VIEWS:
                choose(view)
        self.assertEqual(printed.getvalue(), "", "print with file=sys.stderr, or not at all")
        print("passed: nothing is printed but answers")


if __name__ == "__main__":
    unittest.main()
