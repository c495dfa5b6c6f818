"""Real games: the referee's own records, of players without processes."""

from collections.abc import Callable
from random import Random

from arena.game.records import Cause, Fault, GameRecord, PlayedFixture
from arena.game.referee import Notice, Referee
from arena.game.rules.books import Rules
from arena.game.wire.messages import Answer, CalzaOffer, Turn
from tests.support import records

Request = Turn | CalzaOffer
Choose = Callable[[int, Request], Answer | Fault]
"""Answers for a seat."""


def play_out(
    referee: Referee, choose: Choose, hear: Callable[[Notice], object] = lambda _: None
) -> GameRecord:
    """Play a game to its end; returns its record. `hear` gets each notice to all seats."""
    heard = 0
    while referee.waiting:
        seat = referee.waiting[0]
        referee.take(seat, choose(seat, referee.request(seat, 0)))
        for notice in referee.notices[heard:]:
            hear(notice)
        heard = len(referee.notices)
    return referee.record


def legal_answer(request: Request, chance: Random, doubts: float = 0.3) -> Answer:
    """Answer at random, with bids near the smallest quantity; `doubts` is the share of dudos."""
    if not isinstance(request, Turn):
        return Answer(id=0, action="calza" if chance.random() < 0.05 else "pass")
    if request.dudo and (not request.raises or chance.random() < doubts):
        return Answer(id=0, action="dudo")
    bids = chance.choice(request.raises)
    quantity = min(bids.max, bids.min + chance.randrange(2))
    return Answer(id=0, action="bid", quantity=quantity, face=bids.face)


def faulting(choose: Choose, faults: dict[int, Fault]) -> Choose:
    """Return the same players, who fault instead of some decisions, by their number in the game."""
    decisions = iter(range(10**9))
    return lambda seat, request: faults.get(next(decisions)) or choose(seat, request)


def play(
    rules: Rules, players: int, seed: str, game: int, faults: dict[int, Fault] | None = None
) -> GameRecord:
    """Play one game, in which all seats may call calza."""
    chance = Random(f"{seed}/{game}")
    referee = Referee(rules, players, seed, game, frozenset(range(players)))
    return play_out(referee, faulting(lambda _, asked: legal_answer(asked, chance), faults or {}))


def fixture(
    index: int, label: str, rules: Rules, seats: tuple[str, ...], games: int, **kept: str
) -> PlayedFixture:
    """A fixture of real games; the second seat to decide in game 1 faults, saying `detail`."""
    plan = records.fixture(
        seats, games, id=f"{index:016x}", index=index, variant=label, seed=f"seed/{index}"
    )
    fault = {3: Fault(Cause.ILLEGAL_ACTION, kept.get("detail", "quantity must grow"))}
    played = [
        play(rules, len(seats), plan.seed, game, fault if game == 1 else None)
        for game in range(games)
    ]
    return records.played(plan, played, sandbox="bubblewrap", decisions=100, seconds=1.0)
