"""The rows that `arena export` writes of a store: games, pairs, decisions, requests to models."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import (
    BidMade,
    CallMade,
    DecidedBy,
    Exchange,
    Fixture,
    FixtureResult,
    PlayedFixture,
    without_words,
)
from arena.game.rules.books import Rules
from arena.game.rules.dice import Hand, count_face
from arena.game.rules.odds import at_least, bid_exact, unknown
from arena.game.rules.round import Bid, Raises, Round, place, raises
from arena.game.walk import PlayedRound, walk
from arena.io.errors import ArenaError
from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.publish.export_files import GameRow, PairRow, game_rows, pair_rows
from arena.publish.pseudonyms import Pseudonyms
from arena.publish.stored.stored_games import rated_results
from arena.ratings.columns import doc
from arena.ratings.league_ratings import by_division, rate_results

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
    quantity: Annotated[int | None, doc("The quantity of its bid; none for a call.")]
    face: Annotated[int | None, doc("The face of its bid; none for a call.")]
    decided_by: Annotated[
        str,
        doc(
            "In a bot with language models: model, retry (the model, asked again), fallback (its"
            " own program), capped (its own program, as a cap was reached) or unsaid."
        ),
    ]
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
    decided: Mapping[tuple[int, int, int], DecidedBy]
    """By round, bids that were made before, and seat; of bots with models alone."""


def decision_rows(played: PlayedFixture, rules: Rules, *, counts: bool) -> Iterator[DecisionRow]:
    """Yield the decisions of a fixture's games in their order.

    Whether a seat passed when it could call calza is not recorded, so there is no row for that.
    Raises ForbiddenEventError at an event that the rules forbid.
    """
    fixture = played.fixture
    head = fixture.variant, len(fixture.seats), fixture.id, fixture.index, fixture.block, counts
    decided = defaultdict[int, dict[tuple[int, int, int], DecidedBy]](dict)
    for one in played.decisions_by:
        decided[one.game][one.round, one.bids, one.seat] = one.by
    for record in played.games:
        made = decided[record.game]
        game = _Game((*head, record.game), fixture.seats, record.places, made)
        for played_round in walk(record, rules, fixture.max_rounds):
            standing = played_round.now.standing
            said = tuple[SeatBid, ...]()
            now = Round(standing, standing.opener)
            for step, event in enumerate(played_round.bids, played_round.step + 1):
                bid = Bid(event.quantity, event.face)
                yield _row(game, played_round, event, step, said, now, bid)
                said = (*said, (event.seat, bid.quantity, bid.face))
                now = place(now, bid)
            if (call := played_round.call) and now.bid:
                yield _row(game, played_round, call, played_round.end, said, now, now.bid)


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
        game.decided.get((played.number, len(said), seat), ""),
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


class ExchangeRow(Struct, frozen=True):
    """One answer of a model, or a request that got none (`Exchange`)."""

    index: int
    """The fixture's index in the schedule, from 0."""
    variant: str
    players: int
    game: int
    """Its number in the fixture, from 0."""
    round: int
    turn: int
    """The id of the request that the bot had to answer."""
    bot: str
    model: str
    request: str
    """All but the model, as JSON; empty under pseudonyms, as the answer."""
    answer: str
    finish: str
    tokens_in: int
    tokens_out: int
    milliseconds: int
    micros: int
    """The cost in millionths of a unit of money."""
    refused: str
    """The code of the refusal, "" for an answer."""
    estimated: bool
    """Whether the arena estimated the tokens, as the server counted none."""


def exchange_rows(fixture: Fixture, exchanges: Iterable[Exchange]) -> Iterator[ExchangeRow]:
    """Yield the rows of a fixture."""
    for one in exchanges:
        values = {name: getattr(one, name) for name in _OF_EXCHANGE}
        yield ExchangeRow(
            index=fixture.index,
            variant=fixture.variant,
            players=len(fixture.seats),
            bot=fixture.seats[one.seat],
            **values,
        )


_OF_EXCHANGE = {*ExchangeRow.__struct_fields__} & {*Exchange.__struct_fields__}


_Fixture = TypeVar("_Fixture", PlayedFixture, FixtureResult)


class _Source(NamedTuple):
    """Where rows come from."""

    store: Store
    counting: set[str]
    """The ids of the fixtures that are still in the schedule."""
    rules: Mapping[str, tuple[Fixture, Rules]]
    """Each fixture that was ever drawn, with its rules, by its id."""
    names: Pseudonyms | None


def table(
    rows: str, store: Store, schedule: Schedule, names: Pseudonyms | None = None
) -> tuple[type[Struct], Iterator[Struct]]:
    """Return what the rows of a table are, and the rows, under pseudonyms if there are any.

    `rows` is one of `ROWS`, `schedule` that of the store. Raises ArenaError if the store is
    damaged, perhaps after some rows.
    """
    kind, rows_of = ROWS[rows]
    counting = {id_ for id_ in schedule.drawn if schedule.counts(id_)}
    return kind, rows_of(_Source(store, counting, schedule.drawn, names))


def _games(source: _Source) -> Iterator[Struct]:
    for result in source.store.results():
        yield from game_rows(_shown(source, result), counts=result.fixture.id in source.counting)


def _pairs(source: _Source) -> Iterator[Struct]:
    results = rated_results(source.store, source.counting.__contains__)
    if source.names:
        results = map(source.names.result, results)
    for board in rate_results(by_division(results)).boards:
        yield from pair_rows(board)


def _decisions(source: _Source) -> Iterator[Struct]:
    source.store.check_complete()
    for played in source.store.played():
        id_ = played.fixture.id
        if id_ not in source.rules:
            what = f"fixture {id_} is not in the league's schedule"
            raise ArenaError(what, str(source.store.path), "arena verify says what else is wrong")
        _, rules = source.rules[id_]
        fixture = _shown(source, played)
        yield from decision_rows(fixture, rules, counts=id_ in source.counting)


def _models(source: _Source) -> Iterator[Struct]:
    for fixture, exchanges in source.store.exchanges():
        shown = source.names.fixture(fixture) if source.names else fixture
        texts = exchanges if source.names is None else map(without_words, exchanges)
        yield from exchange_rows(shown, texts)


def _shown(source: _Source, played: _Fixture) -> _Fixture:
    """Return a fixture, if need be under pseudonyms, without its id.

    The id is a hash over the names of the bots, which can be tried.
    """
    if source.names is None:
        return played
    fixture = replace(source.names.fixture(played.fixture), id="")
    return replace(played, fixture=fixture)


ROWS: dict[str, tuple[type[Struct], Callable[[_Source], Iterator[Struct]]]] = {
    "games": (GameRow, _games),
    "pairs": (PairRow, _pairs),
    "decisions": (DecisionRow, _decisions),
    "models": (ExchangeRow, _models),
}
"""By name: the type of a row, and the function that yields the rows."""
