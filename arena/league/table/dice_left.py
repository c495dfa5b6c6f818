"""The dice that each seat has left, counted from what everyone hears; and the odds of a bid."""

from typing import NamedTuple

from arena.game.rules.books import PACO
from arena.game.rules.odds import bid_exact, bid_holds
from arena.game.rules.round import Bid
from arena.game.rules.view import View
from arena.game.wire.messages import FaultNotice, GameEnd, Hello, RoundEnd, ToBot


class Odds(NamedTuple):
    """Two probabilities of a bid, for someone who sees one hand."""

    holds: float
    exact: float


class DiceLeft:
    """Counts the dice of each seat; hear every message before you ask."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        """By seat; all dice again once a game is over."""
        self._at_start: list[int] = []

    def hear(self, message: ToBot) -> None:
        """Count what changed."""
        match message:
            case Hello():
                self._at_start = [message.rules.starting_dice] * message.seats
                self.counts = list(self._at_start)
            case RoundEnd():
                if message.loser is not None:
                    self.counts[message.loser] -= 1
                if message.gainer is not None:
                    self.counts[message.gainer] += 1
            case FaultNotice():
                self.counts[message.seat] = 0
            case GameEnd():
                self.counts = list(self._at_start)
            case _:
                pass

    def odds(self, bid: Bid, view: View) -> Odds:
        """Return the odds of a bid by the dice of a view alone."""
        unseen = sum(self.counts) - len(view.dice)
        wild = PACO if view.palifico_seat is None else None
        return Odds(
            holds=bid_holds(bid, view.dice, unseen, wild),
            exact=bid_exact(bid, view.dice, unseen, wild),
        )
