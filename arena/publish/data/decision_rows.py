"""Decisions of recorded games as rows: what a seat knew, what it did, how that went."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Literal

from msgspec import Struct

from arena.game.records import BidMade, CallMade, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.rules.dice import Hand, count_face
from arena.game.rules.odds import at_least, bid_exact, unknown
from arena.game.rules.round import Bid, Raises, Round, place, raises
from arena.game.walk import PlayedRound, walk
from arena.ratings.columns import doc

SeatBid = tuple[int, int, int]
Range = tuple[int, int, int]


class DecisionRow(Struct, frozen=True, gc=False):
    """One bid or call of a recorded game; counts are from 0."""

    variant: Annotated[str, doc("The league's label of the rules in force.")]
    players: Annotated[int, doc("How many sit at the table.")]
    fixture: Annotated[str, doc('The id of the fixture; "" if anonymous.')]
    index: Annotated[int, doc("The fixture's index in the schedule.")]
    block: Annotated[int, doc("Its block within the variant and table size.")]
    counts: Annotated[bool, doc("Whether the fixture is still in the schedule.")]
    game: Annotated[int, doc("The game's number in the fixture.")]
    round: Annotated[int, doc("The round's number in the game; void rounds count, too.")]
    step: Annotated[int, doc("The place of the decision among the events of the game.")]
    seat: Annotated[int, doc("The seat that decided; play goes 0, 1, 2, ...")]
    bot: Annotated[str, doc("The bot in that seat.")]
    dice: Annotated[Hand, doc("Its own dice; 1 is a paco.")]
    dice_counts: Annotated[tuple[int, ...], doc("The dice that each seat has left, shown or not.")]
    palifico_seat: Annotated[
        int | None, doc("The seat whose palifico round it is; none in a normal round.")
    ]
    bids: Annotated[
        Sequence[SeatBid], doc("The bids of the round so far: seat, quantity and face.")
    ]
    raises: Annotated[
        Sequence[Range],
        doc("The legal bids: face, least and greatest quantity. Empty for a calza out of turn."),
    ]
    dudo: Annotated[bool, doc("Whether it could doubt.")]
    action: Annotated[Literal["bid", "dudo", "calza"], doc("What it did.")]
    quantity: Annotated[int | None, doc("Of its bid; none for a call.")]
    face: Annotated[int | None, doc("Of its bid; none for a call.")]
    chance: Annotated[
        float,
        doc(
            "By its own dice alone, the chance that the bid is true which it makes or calls;"
            " for a calza, that it is exact."
        ),
    ]
    true: Annotated[bool, doc("Whether it is.")]
    dice_lost: Annotated[
        int, doc("The dice that the round cost it: 1, 0, or -1 for one gained; 0 if it is void.")
    ]
    place: Annotated[int, doc("Its finishing place in the game; 1 is the winner.")]


class _Game(Struct, frozen=True):
    """The columns that all decisions of a game share."""

    head: tuple[str, int, str, int, int, bool, int]
    """The first columns."""
    seats: tuple[str, ...]
    places: tuple[int, ...]


def decision_rows(played: PlayedFixture, rules: Rules, *, counts: bool) -> Iterator[DecisionRow]:
    """Yield the decisions of a fixture's games in their order.

    Whether a seat passed when it could call calza is not recorded, so there is no row for that.
    Raises ForbiddenEventError at an event that the rules forbid.
    """
    fixture = played.fixture
    head = fixture.variant, len(fixture.seats), fixture.id, fixture.index, fixture.block, counts
    for record in played.games:
        game = _Game((*head, record.game), fixture.seats, record.places)
        for round_ in walk(record, rules, fixture.max_rounds):
            yield from _of_round(game, round_)


def _of_round(game: _Game, played: PlayedRound) -> Iterator[DecisionRow]:
    standing, said = played.now.standing, tuple[SeatBid, ...]()
    now = Round(standing, standing.opener)
    for step, event in enumerate(played.bids, played.step + 1):
        bid = Bid(event.quantity, event.face)
        yield _row(game, played, event, step, said, now, bid)
        said = (*said, (event.seat, bid.quantity, bid.face))
        now = place(now, bid)
    if played.call and now.bid:
        yield _row(game, played, played.call, played.end, said, now, now.bid)


def _row(
    game: _Game,
    played: PlayedRound,
    event: BidMade | CallMade,
    step: int,
    said: tuple[SeatBid, ...],
    now: Round,
    bid: Bid,
) -> DecisionRow:
    seat, call = event.seat, played.call
    own, unseen, wild = played.seen_by(seat)
    count = count_face(played.hands, bid.face, wild)
    calza = isinstance(event, CallMade) and event.call == "calza"
    on_turn = seat == now.to_act
    bids = isinstance(event, BidMade)
    return DecisionRow(
        *game.head,
        played.number,
        step,
        seat,
        game.seats[seat],
        own,
        now.standing.dice,
        now.standing.palifico_seat,
        said,
        _ranges(raises(now)) if on_turn else (),
        on_turn and now.bid is not None,
        event.call if isinstance(event, CallMade) else "bid",
        bid.quantity if bids else None,
        bid.face if bids else None,
        bid_exact(bid, own, unseen, wild)
        if calza
        else at_least(*unknown(bid.quantity, bid.face, own, unseen, wild)),
        count == bid.quantity if calza else count >= bid.quantity,
        (call.loser == seat) - (call.gainer == seat) if call else 0,
        game.places[seat],
    )


@lru_cache(maxsize=1 << 14)
def _ranges(legal: tuple[Raises, ...]) -> tuple[Range, ...]:
    return tuple([(range_.face, range_.min, range_.max) for range_ in legal])
