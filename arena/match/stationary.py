"""A live bot that is asked the same questions again and again: how it plays, in games for two."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Self

from arena.equilibrium.rival import Question
from arena.equilibrium.states import State
from arena.equilibrium.tables import DUDO, code
from arena.errors import FindingError
from arena.match.seats import hello_to
from arena.perudo.dice import Hand
from arena.perudo.round import (
    Bid,
    Round,
    Standing,
    first_standing,
    is_among,
    lose_die,
    place,
    raises,
)
from arena.perudo.rules import Rules
from arena.perudo.view import SeatBid
from arena.records import Fault, Fixture, LimitsInfo
from arena.sandboxes.base import Program, Sandbox
from arena.sessions.multiplexer import Multiplexer
from arena.wire.codec import encode
from arena.wire.messages import Answer, GameEnd, Ready, RoundEnd, Turn

BOT = 0
"""The seat of the bot."""
_GAMES = 10_000
"""Games that are announced."""
_AT_ONCE = 64
"""The most questions that are open at a time."""
_LIMITS = LimitsInfo(game=1e6, fixture=1e6)
"""A game has far more questions than one that is played."""


class AskedBot:
    """A live bot; a context manager that leaves no process behind.

    Each game comes to its state by rounds that the bot is told of. Then it is asked in round after
    round, so that a bot which draws lots by round, as the protocol says, draws anew.
    """

    def __init__(self, program: Program, sandbox: Sandbox, rules: Rules, seed: str) -> None:
        self._rules = rules
        self._live = Multiplexer([program], sandbox, _LIMITS)
        self._hello = hello_to(
            BOT, Fixture(seed, 0, rules.name, ("bot", "rival"), seed, _GAMES), rules, _LIMITS
        )
        self._ids = count(1)
        self._next_game = 0
        self._games: range = range(0)
        self._round = 0
        self._standing = first_standing(rules, 2, BOT)
        self.asked = 0

    def __enter__(self) -> Self:
        try:
            self._greet()
        except BaseException:
            self._live.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__()

    def _greet(self) -> None:
        if fault := self._live.start(BOT, encode(self._hello)):
            raise FindingError(f"the bot does not start: {fault.detail}")
        [ready] = self._replies()
        self._concurrent = ready.concurrent_games if isinstance(ready, Ready) else 1

    def begin(self, state: State, opener: int) -> None:
        """Begin games that come to a state, opened by a seat."""
        for game in self._games:
            self._live.tell(0, encode(GameEnd(game=game, places=(1, 2))))
        most = min(self._concurrent, _AT_ONCE)
        self._games = range(self._next_game, self._next_game + most)
        self._next_game += most
        losers = [1 - opener] * (self._rules.starting_dice - state.other)
        losers += [opener] * (self._rules.starting_dice - state.opener)
        standing = first_standing(self._rules, 2, losers[0])
        for number, loser in enumerate(losers):
            for game in self._games:
                self._live.tell(0, encode(_lost_by(standing, loser, game, number)))
            standing = lose_die(standing, loser)
        self._standing, self._round = standing, len(losers)

    def ask(self, questions: Sequence[Question], times: int) -> Iterator[bytes]:
        """Ask each question so often; yield its actions, as tables write them."""
        answers = bytearray()
        asked = [question for question in questions for _ in range(times)]
        for first in range(0, len(asked), len(self._games)):
            answers += self._ask_at_once(asked[first : first + len(self._games)])
            while len(answers) >= times:
                yield bytes(answers[:times])
                del answers[:times]

    def _ask_at_once(self, questions: Sequence[Question]) -> bytes:
        """Ask one question in each game."""
        self._round += 1
        turns = {}
        for game, question in zip(self._games, questions, strict=False):
            turn = self._turn(question, game)
            turns[turn.id] = turn
            self._live.ask(0, turn.id, encode(turn), game)
        actions: dict[int, int] = {}
        while len(actions) < len(turns):
            for reply in self._replies():
                if isinstance(reply, Answer):
                    actions[reply.id] = _action(reply, turns[reply.id])
        self.asked += len(turns)
        return bytes([actions[id_] for id_ in turns])

    def _turn(self, question: Question, game: int) -> Turn:
        now = Round(self._standing, self._standing.opener)
        bids = []
        for bid in question.bids:
            bids.append(SeatBid(now.to_act, bid.quantity, bid.face))
            now = place(now, bid)
        return Turn(
            seat=BOT,
            dice=question.hand,
            bids=bids,
            alive=(0, 1),
            dice_counts=self._standing.dice if self._rules.lost_dice_visible else None,
            palifico_seat=self._standing.palifico_seat,
            id=next(self._ids),
            game=game,
            round=self._round,
            raises=raises(now),
            dudo=bool(bids),
        )

    def _replies(self) -> list[Answer | Ready]:
        replies = []
        for _, _, reply in self._live.wait():
            if isinstance(reply, Fault):
                raise FindingError(f"{reply.cause}: {reply.detail}", hint="try it: arena check")
            replies.append(reply)
        return replies


def _action(answer: Answer, turn: Turn) -> int:
    """Return the byte of a legal answer; raises FindingError for another."""
    bid = Bid(answer.quantity, answer.face)
    if answer.action == "dudo" and turn.dudo:
        return DUDO
    if answer.action == "bid" and is_among(turn.raises, bid):
        return code(bid)
    said = f"{answer.action}, quantity {answer.quantity}, face {answer.face}"
    raise FindingError(f"an illegal answer: {said}", hint="try it: arena check")


def _lost_by(standing: Standing, loser: int, game: int, number: int) -> RoundEnd:
    """Return the end of a round that a seat lost: a bid that was true, or one that was not."""
    opener = standing.opener
    true = loser != opener
    hands: list[Hand] = [(2,) * dice for dice in standing.dice]
    return RoundEnd(
        game=game,
        round=number,
        palifico_seat=standing.palifico_seat,
        bids=[SeatBid(opener, 1, 2 if true else 3)],
        caller=1 - opener,
        call="dudo",
        dice=tuple(hands),
        count=sum(standing.dice) if true else 0,
        loser=loser,
        gainer=None,
    )
