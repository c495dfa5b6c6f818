"""Your bot's tests: python3 test_bot.py"""

import unittest
from copy import copy
from unittest.mock import patch

import bot
from bot import choose
from perudo import bid, dudo, legal, positions
from words import history, position

VIEWS = positions("positions.jsonl")


class TestChoose(unittest.TestCase):
    def setUp(self) -> None:
        self.asked: list = []
        bot.COUNTS = dict.fromkeys(bot.COUNTS, 0)

    def says(self, *answers: str):
        """Return a model that gives these answers, one after another, and then no more."""
        left = list(answers)

        def ask(messages):
            self.asked.append([one["content"] for one in messages])
            if not left:
                raise OSError("it is down")
            return left.pop(0)

        return patch.object(bot, "ask", ask)

    def test_every_move_is_legal(self) -> None:
        with self.says():
            for view in VIEWS:
                move = choose(view)
                self.assertTrue(legal(view, move), f"{move} in {view.turn}")
        self.assertEqual(bot.COUNTS["fallback"], len(VIEWS))
        print("passed: every move is legal")

    def test_bid_of_more_dice_than_there_are_is_doubted(self) -> None:
        with self.says():
            for view in VIEWS:
                if view.last and view.last.quantity > sum(view.left):
                    self.assertEqual(choose(view), {**dudo(), "by": "fallback"})
        print("passed: a bid of more dice than there are is doubted")

    def test_last_move_in_brackets_is_played(self) -> None:
        view = next(view for view in VIEWS if view.last)
        with self.says("Not [bid 9 fives], that is mad: [Dudo]"):
            self.assertEqual(choose(view), {**dudo(), "by": "model"})
        self.assertEqual(bot.COUNTS["model"], 1)
        print("passed: the last move in brackets is played")

    def test_illegal_answer_is_asked_once_more(self) -> None:
        view = next(view for view in VIEWS if not view.last)
        with self.says("[dudo]", "[bid 1 twos]"):
            self.assertEqual(choose(view), {**bid(1, 2), "by": "retry"})
        self.assertEqual(self.asked[1][2], "[dudo]")
        self.assertTrue(self.asked[1][3].startswith("[dudo] is illegal."))
        self.assertEqual(bot.COUNTS["retry"], 1)
        print("passed: an illegal answer is asked once more")

    def test_two_useless_answers_are_enough(self) -> None:
        with self.says("[bid 0 sixes]", "Hm.", "[bid 1 twos]"):
            self.assertTrue(legal(VIEWS[0], choose(VIEWS[0])))
        self.assertEqual(bot.COUNTS["fallback"], 1)
        print("passed: two useless answers are enough")

    def test_bot_that_forfeits_makes_no_move_of_its_own(self) -> None:
        with self.says(), patch.object(bot, "FALLBACK", "forfeit"):
            self.assertRaises(SystemExit, choose, VIEWS[0])
        print("passed: a bot that forfeits makes no move of its own")

    def test_prompt_has_the_rules_and_what_is_seen(self) -> None:
        with self.says("[bid 1 twos]"):
            choose(VIEWS[0])
        system, seen = self.asked[0]
        self.assertIn("- the end: the last player with a die wins", system)
        self.assertIn(str(VIEWS[0].dice), seen)
        print("passed: the prompt has the rules and what is seen")

    def test_prompt_has_earlier_rounds_and_games_within_the_budget(self) -> None:
        view = copy(next(view for view in VIEWS if view.rounds[2:]))
        view.results = {0: [2, 1]}
        told = history(view, 1000)
        self.assertIn(f"Round {view.rounds[-1].number}: player ", told)
        self.assertIn(f"player 0 had {view.rounds[-1].dice[0]}", told)
        self.assertIn("Game 0, places: player 0: 2, player 1: 1.", told)
        short = history(view, 60)
        self.assertLessEqual(len(short), 240)
        self.assertTrue(told.endswith(short))
        self.assertEqual(history(view, 0), "")
        with self.says("[dudo]", "[dudo]"):
            choose(view)
        self.assertEqual(self.asked[0][1], told + position(view))
        print("passed: the prompt has earlier rounds and games within the budget")


if __name__ == "__main__":
    unittest.main(buffer=False)
