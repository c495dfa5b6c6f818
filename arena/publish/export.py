"""The rows that `arena export` writes of a store.

Games, pairs, decisions, requests to models, and conversations with these.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, Literal, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

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
    starting_dice: Annotated[int, doc("The dice with which each began the game.")]
    fixture: Annotated[str, doc('The id of the fixture; "" if anonymous.')]
    index: Annotated[int, doc("The fixture's index in the schedule.")]
    block: Annotated[int, doc("Its block within the variant and table size.")]
    counts: Annotated[bool, doc("Whether the fixture is still in the schedule.")]
    game: Annotated[int, doc("The game's number in the fixture.")]
    round: Annotated[int, doc("The round's number in the game; void rounds count, too.")]
    step: Annotated[int, doc("The place of the decision among the events of the game.")]
    key: Annotated[
        str,
        doc(
            "Names the decision, also in rows of `models`: index, game, round, the number of bids"
            " before it, seat."
        ),
    ]
    seat: Annotated[int, doc("The seat that decided; play goes 0, 1, 2, ...")]
    bot: Annotated[str, doc("The bot in that seat.")]
    dice: Annotated[Hand, doc("Its own dice; 1 is a paco.")]
    dice_counts: Annotated[tuple[int, ...], doc("The dice that each seat has left, shown or not.")]
    palifico_seat: Annotated[
        int | None, doc("The seat whose palifico round it is; none in a normal round.")
    ]
    palifico_used: Annotated[
        tuple[int, ...], doc("The seats that had their palifico round before.")
    ]
    shown: Annotated[
        str,
        doc(
            "The dice that were shown in the earlier rounds of the game, with a space between"
            " rounds and / between seats: `1356/224 356/24`."
        ),
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

    head: tuple[str, int, int, str, int, int, bool, int]
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
    size = len(fixture.seats), rules.starting_dice
    head = fixture.variant, *size, fixture.id, fixture.index, fixture.block, counts
    decided = defaultdict[int, dict[tuple[int, int, int], DecidedBy]](dict)
    for one in played.decisions_by:
        decided[one.game][one.round, one.bids, one.seat] = one.by
    for record in played.games:
        made = decided[record.game]
        game = _Game((*head, record.game), fixture.seats, record.places, made)
        shown = ""
        for played_round in walk(record, rules, fixture.max_rounds):
            standing = played_round.now.standing
            said = tuple[SeatBid, ...]()
            now = Round(standing, standing.opener)
            for step, event in enumerate(played_round.bids, played_round.step + 1):
                bid = Bid(event.quantity, event.face)
                yield _row(game, played_round, event, step, shown, said, now, bid)
                said = (*said, (event.seat, bid.quantity, bid.face))
                now = place(now, bid)
            if (call := played_round.call) and now.bid:
                yield _row(game, played_round, call, played_round.end, shown, said, now, now.bid)
                hands = ("".join(map(str, hand)) for hand in played_round.hands)
                shown = f"{shown} {'/'.join(hands)}".lstrip()


def _row(
    game: _Game,
    played: PlayedRound,
    event: BidMade | CallMade,
    step: int,
    shown: str,
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
        key_of(game.head[4], game.head[7], played.number, len(said), seat),
        seat,
        game.seats[seat],
        own,
        now.standing.dice,
        now.standing.palifico_seat,
        _with_palifico(now.standing.palifico_used),
        shown,
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


@lru_cache(maxsize=1 << 6)
def _with_palifico(used: tuple[bool, ...]) -> tuple[int, ...]:
    return tuple([seat for seat, had in enumerate(used) if had])


@lru_cache(maxsize=1 << 14)
def _ranges(legal: tuple[Raises, ...]) -> tuple[Range, ...]:
    return tuple([(range_.face, range_.min, range_.max) for range_ in legal])


def key_of(index: int, game: int, round_: int, bids: int, seat: int) -> str:
    """Return the key of a decision."""
    return f"{index}.{game}.{round_}.{bids}.{seat}"


class ChatMessage(Struct, frozen=True, omit_defaults=True):
    """A message of a conversation with a model."""

    role: str
    content: str
    reasoning_content: str = ""
    """What the model thought before its answer, if the server says it."""


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of an answer of a model. `DecisionRow` says what the decision's columns mean."""

    key: str
    decided_by: str
    legal: bool | None
    """Whether it is a legal move, by what the bot says and the gateway confirms.

    The last answer before a move of the model is; those before a retry are not, nor any before a
    move of the bot's own program. None if the bot does not say.
    """
    action: str | None
    """What the bot did then; None if it passed, or faulted."""
    quantity: int | None
    face: int | None
    true: bool | None
    dice_lost: int | None
    place: int


class ExchangeRow(Outcome, frozen=True, kw_only=True):
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
    seat: int
    bot: str
    model: str
    prompt: str
    """A hash of the system prompt, "" for none."""
    system: str
    """The system prompt, in the first row that has it; "" in all others."""
    request: str
    """All but the model and the system prompt, as JSON; empty under pseudonyms, as the answer."""
    answer: str
    reasoning: str
    """What the model thought before its answer, if the server says it."""
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


_OF_EXCHANGE = {*ExchangeRow.__struct_fields__} & {*Exchange.__struct_fields__}


class ChatRow(Outcome, frozen=True, kw_only=True):
    """A conversation up to an answer of a model, in the form that is used for fine-tuning."""

    messages: tuple[ChatMessage, ...]
    """The answer is the last."""
    bot: str
    model: str
    variant: str
    players: int


class _Asked(NamedTuple):
    """What a bot asked a model."""

    system: str
    messages: list[ChatMessage]
    """Without the system prompt."""
    rest: str
    """All else and these messages, as JSON."""


def _asked(request: str) -> _Asked:
    fields = json.loads(request) if request else {}
    messages = fields.get("messages", [])
    system = ""
    if messages and messages[0]["role"] in ("system", "developer"):
        system = _text(messages[0]["content"])
        fields["messages"] = messages = messages[1:]
    told = [ChatMessage(one["role"], _text(one["content"])) for one in messages]
    return _Asked(system, told, json.dumps(fields, sort_keys=True) if request else "")


def _text(content: str | list[dict[str, str]]) -> str:
    parts = [part["text"] for part in content] if isinstance(content, list) else [content]
    return "".join(parts)


def _outcomes(
    played: PlayedFixture, rules: Rules, *, counts: bool
) -> Iterator[tuple[Exchange, Outcome]]:
    """Yield what bots asked models in a fixture, and what became of it."""
    made = {row.key: row for row in decision_rows(played, rules, counts=counts)}
    by = {(one.game, one.seat, one.turn): one.by for one in played.decisions_by}
    places = {record.game: record.places for record in played.games}
    answered = [one for one in played.exchanges if not one.refused]
    last = {(one.game, one.seat, one.turn): one for one in answered}
    for one in played.exchanges:
        turn = one.game, one.seat, one.turn
        key = key_of(played.fixture.index, one.game, one.round, one.bids, one.seat)
        decided, row = by.get(turn), made.get(key)
        yield (
            one,
            Outcome(
                key=key,
                decided_by=decided or "",
                legal=None if one.refused else _legal(decided, last=one is last[turn]),
                action=row.action if row else None,
                quantity=row.quantity if row else None,
                face=row.face if row else None,
                true=row.true if row else None,
                dice_lost=row.dice_lost if row else None,
                place=places[one.game][one.seat],
            ),
        )


def _legal(by: DecidedBy | None, *, last: bool) -> bool | None:
    """Tell whether an answer was legal, by who decided, and whether no other came after it."""
    match by:
        case DecidedBy.MODEL:
            # A bot may ask several times, and move by the last answer.
            return True if last else None
        case DecidedBy.RETRY:
            return last
        case DecidedBy.FALLBACK | DecidedBy.CAPPED:
            return False
    return None


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
    prompts = set[str]()
    for fixture, exchange, outcome in _exchanges(source):
        asked = _asked(exchange.request)
        prompt = sha256(asked.system.encode()).hexdigest()[:16] if asked.system else ""
        yield ExchangeRow(
            **asdict(outcome),
            index=fixture.index,
            variant=fixture.variant,
            players=len(fixture.seats),
            bot=fixture.seats[exchange.seat],
            prompt=prompt,
            system="" if prompt in prompts else asked.system,
            **{name: getattr(exchange, name) for name in _OF_EXCHANGE} | {"request": asked.rest},
        )
        prompts.add(prompt)


def _chats(source: _Source) -> Iterator[Struct]:
    for fixture, exchange, outcome in _exchanges(source):
        if exchange.refused:
            continue
        asked = _asked(exchange.request)
        system = [ChatMessage("system", asked.system)] if asked.system else []
        answer = ChatMessage("assistant", exchange.answer, exchange.reasoning)
        yield ChatRow(
            **asdict(outcome),
            messages=(*system, *asked.messages, answer),
            bot=fixture.seats[exchange.seat],
            model=exchange.model,
            variant=fixture.variant,
            players=len(fixture.seats),
        )


def _exchanges(source: _Source) -> Iterator[tuple[Fixture, Exchange, Outcome]]:
    for played in source.store.played(without_pruned=True):
        if not played.exchanges:
            continue
        id_ = played.fixture.id
        _, rules = source.rules[id_]
        shown = source.names.fixture(played.fixture) if source.names else played.fixture
        for exchange, outcome in _outcomes(played, rules, counts=id_ in source.counting):
            yield shown, without_words(exchange) if source.names else exchange, outcome


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
    "chats": (ChatRow, _chats),
}
"""By name: the type of a row, and the function that yields the rows."""
CHATS = "chats"
"""The rows that are written as JSON lines alone, and have words that no pseudonym hides."""
