"""One round of bidding, as pure functions: whose turn it is, legal bids and calls, the outcome.

The limit on the rounds of a game is the arena's own: with calza, the rules alone do not end it.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha512
from operator import attrgetter
from typing import Final, Literal, Protocol, TypeVar

from msgspec import Struct

from arena.game.rules.books import FACES, PACO, Count, Face, Rules
from arena.game.rules.dice import Hand, count_face

T = TypeVar("T")
_POSITIONS = 4096
"""Size of the caches of ranges of raises."""


class BidBySeat(Protocol):
    """A bid and the seat that made it."""

    @property
    def seat(self) -> int:
        """The seat that made it."""

    @property
    def quantity(self) -> int:
        """How many dice show it, at least."""

    @property
    def face(self) -> int:
        """The face that it names."""


class Bid(Struct, frozen=True, gc=False):
    """At least `quantity` dice on the table show `face` (1 is a paco)."""

    quantity: int
    face: int


class Raises(Struct, frozen=True, gc=False):
    """The legal quantities of one face, from `min` to `max`, both included."""

    face: Face
    min: Count
    max: Count


class Standing(Struct, frozen=True, gc=False):
    """The state of the table between two rounds, seat 0 first."""

    rules: Rules
    dice: tuple[int, ...]
    """The dice each seat has left; 0 is out."""
    palifico_used: tuple[bool, ...]
    """Whether each seat has had a palifico round before the coming one."""
    opener: int
    """The seat that opens the coming round."""
    palifico_seat: int | None = None
    """The seat whose palifico round comes; None for a normal round."""

    @property
    def cap(self) -> int:
        """The highest quantity that may be bid: the dice the game started with (OVER-TOTAL)."""
        return len(self.dice) * self.rules.starting_dice

    @property
    def alive(self) -> int:
        """How many seats still have dice."""
        return len(self.dice) - self.dice.count(0)

    @property
    def winner(self) -> int | None:
        """The last seat with a die (WIN); None while the game goes on."""
        return next(s for s, n in enumerate(self.dice) if n) if self.alive == 1 else None

    @property
    def wild(self) -> int | None:
        """The wild face; None in a palifico round (PAL-WILD), or if there is none (WILD)."""
        return wild_face(self.rules, self.palifico_seat)


class Round(Struct, frozen=True, gc=False):
    """A round in progress: the bid on the table, who made it, who acts now."""

    standing: Standing
    to_act: int
    bid: Bid | None = None
    bidder: int | None = None


class Outcome(Struct, frozen=True, gc=False):
    """The result of a call, and the table after it."""

    call: Literal["dudo", "calza"]
    caller: int
    count: int
    """Dice on the table that matched the bid."""
    loser: int | None
    """The seat that lost a die; None after a right calza."""
    gainer: int | None
    """The seat that regained a die; None if nobody did."""
    after: Standing


def wild_face(rules: Rules, palifico_seat: int | None) -> int | None:
    """Return the wild face of a round, if one is wild (PAL-WILD, WILD)."""
    return PACO if palifico_seat is None and rules.pacos_wild else None


def height(rules: Rules, wild: int | None, bid: Bid) -> tuple[float, int]:
    """Return what orders the bids of a round: every raise is higher (FACES, TO-PACOS, FROM-PACOS).

    `wild` is the wild face of the round.
    """
    if wild is None:
        order = ONES_HIGH if rules.ones_high else ONES_LOW
        return bid.quantity, order.index(bid.face)
    if bid.face != wild:
        return bid.quantity, bid.face
    # n pacos stand beside 2n dice of a number: above them if these take one more.
    return 2 * bid.quantity + (0.5 if rules.from_pacos_one_more else -0.5), bid.face


def first_standing(rules: Rules, players: int, opener: int) -> Standing:
    """Set the table for a game of 2 to 6 players (SETUP)."""
    return Standing(rules, (rules.starting_dice,) * players, (False,) * players, opener)


def open_round(standing: Standing) -> Round:
    """Begin the coming round."""
    return Round(standing, standing.opener)


def left_of(dice: tuple[int, ...], seat: int) -> int:
    """Return the next seat to the left that still has dice (TURN, OUT)."""
    players = len(dice)
    seat = (seat + 1) % players
    while not dice[seat]:
        seat = (seat + 1) % players
    return seat


def raises(now: Round) -> tuple[Raises, ...]:
    """Return every legal bid of the seat on turn: a range for each face that has one."""
    return _raises_over(now.standing, now.to_act, now.bid)


def is_legal(now: Round, bid: Bid) -> bool:
    """Return whether the seat on turn may make this bid."""
    return is_among(raises(now), bid)


def is_among(ranges: tuple[Raises, ...], bid: Bid | BidBySeat) -> bool:
    """Return whether a bid is in one of the ranges."""
    for legal in ranges:
        if legal.face == bid.face:
            return legal.min <= bid.quantity <= legal.max
    return False


def is_veteran(standing: Standing, seat: int) -> bool:
    """Return whether a seat has one die and had its palifico round before (PAL-VETERAN)."""
    return (
        standing.dice[seat] == 1 and standing.palifico_used[seat] and seat != standing.palifico_seat
    )


def may_raise_face(standing: Standing, seat: int) -> bool:
    """Return whether a seat may raise the face of a palifico round (PAL-VETERAN, PAL-LOCK)."""
    if seat == standing.palifico_seat:
        return standing.rules.palifico_opener_may_raise_face
    return standing.rules.veteran_may_raise_face and is_veteran(standing, seat)


def raises_depend_on_seat(standing: Standing) -> bool:
    """Return whether raises over a bid depend on the seat on turn in this round."""
    rules = standing.rules
    free = rules.veteran_may_raise_face or rules.palifico_opener_may_raise_face
    return standing.palifico_seat is not None and free


def place(now: Round, bid: Bid) -> Round:
    """Put a legal bid on the table; the turn passes to the left."""
    return Round(now.standing, left_of(now.standing.dice, now.to_act), bid, now.to_act)


def place_all(standing: Standing, bids: Iterable[BidBySeat]) -> Round | None:
    """Put the bids of a round on the table, oldest first; None if one of them is not legal."""
    to_act, last = standing.opener, None
    for bid in bids:
        if bid.seat != to_act or not is_among(_raises_over(standing, to_act, last), bid):
            return None
        last, to_act = bid, left_of(standing.dice, to_act)
    if last is None:
        return open_round(standing)
    return Round(standing, to_act, Bid(last.quantity, last.face), last.seat)


def calza_seats(now: Round) -> list[int]:
    """Return the seats that may call calza now, the nearest after the bidder first (CALZA-MANY)."""
    standing, bidder = now.standing, now.bidder
    rules = standing.rules
    if not rules.calza or bidder is None:
        return []
    if standing.palifico_seat is not None and not rules.calza_in_palifico:
        return []
    if standing.alive == 2 and not rules.calza_with_two_left:
        return []
    players = len(standing.dice)
    around = [(bidder + step) % players for step in range(1, players + rules.calza_by_bidder)]
    return [
        seat
        for seat in around
        if standing.dice[seat]
        and (rules.calza_by_next or seat != now.to_act)
        and (not rules.calza_needs_lost_die or may_gain(standing, seat))
    ]


def dudo(now: Round, hands: tuple[Hand, ...]) -> Outcome:
    """Settle a doubt by the seat on turn; raises ValueError without a bid (DUDO, TIE)."""
    bid, bidder = on_table(now)
    count = count_face(hands, bid.face, now.standing.wild)
    loser, winner = (now.to_act, bidder) if count >= bid.quantity else (bidder, now.to_act)
    return Outcome("dudo", now.to_act, count, loser, None, lose_die(now.standing, loser, winner))


def calza(now: Round, hands: tuple[Hand, ...], caller: int) -> Outcome:
    """Settle a call that the bid is exact (CALZA-RIGHT, CALZA-WRONG, CALZA-START)."""
    bid, bidder = on_table(now)
    standing = now.standing
    count = count_face(hands, bid.face, standing.wild)
    if count != bid.quantity:
        return Outcome("calza", caller, count, caller, None, lose_die(standing, caller, bidder))
    gainer = caller if may_gain(standing, caller) else None
    after = after_right_calza(standing, caller)
    return Outcome("calza", caller, count, None, gainer, after)


def after_right_calza(standing: Standing, caller: int) -> Standing:
    """Return the table after a right calza (CALZA-RIGHT, CALZA-START)."""
    dice = _with(standing.dice, caller, standing.dice[caller] + may_gain(standing, caller))
    opener = _next_opener(standing, dice, caller, caller)
    return Standing(standing.rules, dice, _palificos_played(standing), opener)


def may_gain(standing: Standing, seat: int) -> bool:
    """Tell whether a right calza gives the seat a die: never above its first number."""
    return standing.dice[seat] < standing.rules.starting_dice


def lose_die(standing: Standing, loser: int, winner: int | None = None) -> Standing:
    """Take one die from a seat; return the table with the next opener, perhaps as palifico.

    `winner` won the call; it matters only if the rules let the winner open. Clauses STARTER and
    OUT.
    """
    dice = _with(standing.dice, loser, standing.dice[loser] - 1)
    used = _palificos_played(standing)
    if dice[loser] == 1 and has_palifico(standing.rules, dice, used, loser):
        return Standing(standing.rules, dice, used, loser, loser)
    opener = _next_opener(standing, dice, loser, loser if winner is None else winner)
    return Standing(standing.rules, dice, used, opener)


def _next_opener(standing: Standing, dice: tuple[int, ...], loser: int, winner: int) -> int:
    """Return who opens the next round: by the rules, or the next who has dice (STARTER, OUT)."""
    rule = standing.rules.next_opener
    if rule == "left":
        return left_of(dice, standing.opener)
    first = winner if rule == "winner" else loser
    return first if dice[first] else left_of(dice, first)


def has_palifico(rules: Rules, dice: tuple[int, ...], used: tuple[bool, ...], seat: int) -> bool:
    """Return whether a seat that fell to one die gets a palifico round.

    Clauses PAL-TRIGGER, PAL-ONCE and PAL-TWO.
    """
    if not rules.palifico or (used[seat] and rules.palifico_once):
        return False
    return rules.palifico_with_two_left or len(dice) - dice.count(0) > 2


def leave(standing: Standing, seat: int) -> Standing:
    """Take a faulted seat out of the game; the round is void and is played again.

    The replayed round has the same opener and kind, unless the opener left: then the left neighbour
    opens a normal round, as after any elimination (OUT).
    """
    dice = _with(standing.dice, seat, 0)
    used, palifico = standing.palifico_used, standing.palifico_seat
    if seat == standing.opener:
        return Standing(standing.rules, dice, used, left_of(dice, seat))
    still = palifico is not None and has_palifico(standing.rules, dice, used, palifico)
    return Standing(standing.rules, dice, used, standing.opener, palifico if still else None)


def _raises_over(standing: Standing, seat: int, bid: Bid | BidBySeat | None) -> tuple[Raises, ...]:
    rules, cap = standing.rules, len(standing.dice) * standing.rules.starting_dice
    wild = standing.palifico_seat is None and rules.pacos_wild
    if bid is None:
        return _openings(cap, not wild or rules.open_with_pacos)
    both = rules.raise_quantity_and_face
    if wild:
        more = rules.from_pacos_one_more
        return _raises(cap, bid.quantity, bid.face, rules.raise_to_lower_face, both, more)
    order = ONES_HIGH if rules.ones_high else ONES_LOW
    if standing.palifico_seat is None:
        return _raises_plain(cap, bid.quantity, bid.face, rules.raise_to_lower_face, both, order)
    return _raises_locked(cap, bid.quantity, bid.face, may_raise_face(standing, seat), both, order)


ONES_LOW: Final = (1, 2, 3, 4, 5, 6)
ONES_HIGH: Final = (2, 3, 4, 5, 6, 1)
"""The faces from the lowest to the highest where no face is wild (FACES)."""


@lru_cache(_POSITIONS)
def _openings(cap: int, pacos: bool) -> tuple[Raises, ...]:
    """Return any number of any face, or of any but pacos."""
    return tuple([Raises(face, 1, cap) for face in range(PACO + (not pacos), FACES + 1)])


@lru_cache(_POSITIONS)
def _raises_locked(
    cap: int, quantity: int, face: int, free: bool, both: bool, order: tuple[int, ...]
) -> tuple[Raises, ...]:
    """Return more of the same face (PAL-LOCK), and higher faces if the seat is free to."""
    ranges = [Raises(face, quantity + 1, cap)] if quantity < cap else []
    if free:
        high = cap if both else quantity
        ranges += [Raises(other, quantity, high) for other in order[order.index(face) + 1 :]]
    return tuple(sorted(ranges, key=_face))


@lru_cache(_POSITIONS)
def _raises_plain(
    cap: int, quantity: int, face: int, lower: bool, both: bool, order: tuple[int, ...]
) -> tuple[Raises, ...]:
    """Return the raises of a normal round in which no face is wild (WILD)."""
    at = order.index(face)
    high = cap if both else quantity
    ranges = [Raises(higher, quantity, high) for higher in order[at + 1 :]]
    if quantity < cap:
        more = order[: at + 1] if lower else (face,)
        ranges += [Raises(other, quantity + 1, cap) for other in more]
    return tuple(sorted(ranges, key=_face))


@lru_cache(_POSITIONS)
def _raises(
    cap: int, quantity: int, face: int, lower: bool, both: bool, one_more: bool
) -> tuple[Raises, ...]:
    """Return the raises of a normal round over a bid, from pacos up."""
    if face == PACO:
        # More pacos (PACOS-UP), or twice as many and one more of a number (FROM-PACOS).
        ranges = [Raises(PACO, quantity + 1, cap)] if quantity < cap else []
        least = least_from_pacos(quantity, one_more=one_more)
        if least <= cap:
            ranges += [Raises(other, least, cap) for other in range(PACO + 1, FACES + 1)]
        return tuple(ranges)
    # Half as many pacos (TO-PACOS), more dice (RAISE-QTY), a higher face (RAISE-FACE).
    ranges = [Raises(PACO, least_pacos(quantity, one_more=one_more), cap)]
    if quantity < cap:
        first = PACO + 1 if lower else face
        ranges += [Raises(other, quantity + 1, cap) for other in range(first, face + 1)]
    high = cap if both else quantity
    ranges += [Raises(higher, quantity, high) for higher in range(face + 1, FACES + 1)]
    return tuple(ranges)


def least_from_pacos(pacos: int, *, one_more: bool) -> int:
    """Return how many dice of a number follow so many pacos, at least (FROM-PACOS)."""
    return 2 * pacos + one_more


def least_pacos(quantity: int, *, one_more: bool) -> int:
    """Return how many pacos follow so many dice of a number, at least (TO-PACOS)."""
    return (quantity + 1) // 2 if one_more else quantity // 2 + 1


_face = attrgetter("face")


def _palificos_played(standing: Standing) -> tuple[bool, ...]:
    if standing.palifico_seat is None:
        return standing.palifico_used
    return _with(standing.palifico_used, standing.palifico_seat, True)


def _with(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    changed = list(values)
    changed[seat] = value
    return tuple(changed)


def on_table(now: Round) -> tuple[Bid, int]:
    """Return the bid on the table and who made it; raises ValueError if there is none."""
    if now.bid is None or now.bidder is None:
        msg = "a call needs a bid on the table"
        raise ValueError(msg)
    return now.bid, now.bidder


ROUNDS_PER_DIE = 50
"""Without calza a game has fewer rounds than dice at the start, and one more per fault. With calza
two sample bots had at most 13 per die in 500 games (`benchmarks/rounds.py`), and 2 on average."""


def max_rounds(rules: Rules, players: int, per_die: int = ROUNDS_PER_DIE) -> int:
    """Return the most rounds of a game, void ones among them."""
    return per_die * players * rules.starting_dice


def order_by_dice(dice: Sequence[int], seed: str, game: int) -> list[int]:
    """Return the seats that have dice left, most dice first.

    Seats with as many are ordered by SHA-512("seed/game/end/seat"), the lowest first: each is
    equally likely to be first, and nothing that it does can change that.
    """

    def digest(seat: int) -> bytes:
        return sha512(f"{seed}/{game}/end/{seat}".encode()).digest()

    seats = sorted((seat for seat, left in enumerate(dice) if left), key=digest)
    return sorted(seats, key=dice.__getitem__, reverse=True)


def perft(standing: Standing) -> int:
    """Count all non-empty bid sequences of the coming round, without calls.

    Sequences that reach the same bid with the same seat on turn have the same futures, which are
    counted once.
    """
    known: dict[tuple[int, Bid | None], int] = {}

    def futures(now: Round) -> int:
        key = (now.to_act, now.bid)
        if key not in known:
            bids = [Bid(n, r.face) for r in raises(now) for n in range(r.min, r.max + 1)]
            known[key] = sum(1 + futures(place(now, bid)) for bid in bids)
        return known[key]

    return futures(open_round(standing))
