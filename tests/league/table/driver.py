"""Drive a referee without bots: moves by hand, and whole games of random seats that may fault."""

from random import Random

from hypothesis import strategies as st
from msgspec import Struct

from arena.game.records import Cause, Fault, Faulted, Fixture, GameRecord, RoundStarted
from arena.game.referee import Referee
from arena.game.rules.books import Rules, variant
from arena.game.rules.round import ROUNDS_PER_DIE, max_rounds, raises
from arena.game.wire.codec import encode
from arena.game.wire.messages import Answer, CalzaOffer, Turn
from tests.support import records
from tests.support.random_games import rules

SEED = "a seed"
PASS = Answer(id=0, action="pass")
CALZA = Answer(id=0, action="calza")
DUDO = Answer(id=0, action="dudo")
GONE = Fault(Cause.CRASH, "gone")
MANY_MOMENTS = 20_000


def bid(quantity: int, face: int) -> Answer:
    return Answer(id=0, action="bid", quantity=quantity, face=face)


def table(
    players: int, book: str = "bga", calza_seats: tuple[int, ...] = (), **options: int
) -> Referee:
    """Begin a game; calza is played if there are `calza_seats`."""
    chosen = variant(book, {}, calza=bool(calza_seats), **options)
    return Referee(chosen, players, SEED, 0, frozenset(calza_seats))


def left_of(seat: int, players: int, steps: int = 1) -> int:
    return (seat + steps) % players


def rounds(referee: Referee) -> list[RoundStarted]:
    return [event for event in referee.events if isinstance(event, RoundStarted)]


def faults(record: GameRecord) -> list[Faulted]:
    return [event for event in record.events if isinstance(event, Faulted)]


# ---------------------------------------------------------------- random games


class Driven(Struct):
    """A finished random game, and who was still in after each moment in which seats faulted."""

    fixture: Fixture
    rules: Rules
    record: GameRecord
    fault_moments: list[tuple[set[int], set[int]]]
    """The seats that faulted, those that were still in after that."""


@st.composite
def driven_games(draw: st.DrawFn, *, some_fault: bool = True) -> Driven:
    """A game by any rules of seats that play at random, some of which fault in the middle."""
    book, players = draw(rules()), draw(st.integers(2, 6))
    calza_seats = draw(st.frozensets(st.integers(0, players - 1)))
    rng = Random(draw(st.integers(0, 2**32)))
    risk = draw(st.sampled_from([0.0, 0.02, 0.2, 0.6, 1.0])) if some_fault else 0.0
    seats = tuple(f"bot{seat}" for seat in range(players))
    limit = max_rounds(book, players, draw(st.sampled_from([1, 2, ROUNDS_PER_DIE])))
    fixture = records.fixture(
        seats, variant=book.name, seed=f"seed {rng.random()}", max_rounds=limit
    )
    number = draw(st.integers(0, 9))
    referee = Referee(book, players, fixture.seed, number, calza_seats, max_rounds=limit)
    moments: list[tuple[set[int], set[int]]] = []
    _be_absent(referee, players, risk, rng, moments)
    for _ in range(MANY_MOMENTS):
        if not referee.waiting:
            return Driven(fixture, book, referee.record, moments)
        _play_moment(referee, risk, rng, moments)
    raise AssertionError("the game does not end")


def play_on(referee: Referee, moments: int, rng: Random) -> None:
    """Play random legal moments, fewer if the game ends first."""
    for _ in range(moments):
        _play_moment(referee, 0.0, rng, [])


def _be_absent(
    referee: Referee,
    players: int,
    risk: float,
    rng: Random,
    moments: list[tuple[set[int], set[int]]],
) -> None:
    absent = {seat: GONE for seat in range(players) if rng.random() < risk / 2}
    if absent:
        referee.forfeit(absent)
        moments.append((set(absent), referee.alive - set(absent)))


def _play_moment(
    referee: Referee, risk: float, rng: Random, moments: list[tuple[set[int], set[int]]]
) -> None:
    """Answer for every waiting seat, in any order."""
    faulted = set()
    waiting = rng.sample(referee.waiting, len(referee.waiting))
    for seat in waiting:
        request = referee.request(seat, 0)
        assert referee.request_line(seat, 0) == encode(request)
        if isinstance(request, Turn):
            assert request.raises == raises(referee._now)
        reply = _strange(rng) if rng.random() < risk else _legal(request, rng)
        if referee.take(seat, reply):
            faulted.add(seat)
    if faulted:
        moments.append((faulted, referee.alive - faulted))


def _strange(rng: Random) -> Answer | Fault:
    """Return a reply that is always a fault."""
    if rng.random() < 0.5:
        return Fault(rng.choice(list(Cause)), "why")
    return rng.choice([bid(10_000, 2), bid(1, 9), bid(0, 2)])


def _legal(request: Turn | CalzaOffer, rng: Random) -> Answer:
    if isinstance(request, CalzaOffer):
        return CALZA if rng.random() < 0.1 else PASS
    if not request.raises or (request.dudo and rng.random() < 0.2):
        return DUDO
    chosen = rng.choice(request.raises)
    return bid(rng.randint(chosen.min, min(chosen.max, chosen.min + 2)), chosen.face)
