"""One row per request to a language model, for `arena export`."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from arena.game.exchanges import Exchange
from arena.game.records import Fixture


class ExchangeRow(Struct, frozen=True):
    """One answer of a model, or the first refusal in a game because a cap was reached."""

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
