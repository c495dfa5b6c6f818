"""A fault: a row of the table of faults."""

from typing import Annotated

from msgspec import Struct

from arena.game.records import Cause
from arena.ratings.columns import (
    Bot,
    FixtureId,
    GameNumber,
    Index,
    Players,
    Positive,
    Variant,
    Whole,
    doc,
)


class FaultEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A fault, and where to find it."""

    cause: Annotated[Cause, doc("Why the bot is out of the game.")]
    bot: Bot
    variant: Variant
    players: Players
    fixture: FixtureId
    index: Index
    game: GameNumber
    round: Annotated[Whole, doc("From 0.")]
    step: Annotated[Whole, doc("The fault's place among the events of its game, from 0.")]
    seat: Annotated[Whole, doc("From 0.")]
    dice: Annotated[Positive, doc("Dice on the table.")]
    opponents: Annotated[tuple[str, ...], doc("Who else sat at the table, in the order of seats.")]
    detail: Annotated[str, doc("What exactly was wrong; it may quote the bot.")]
