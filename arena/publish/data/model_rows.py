"""The data table of what bots used of language models, beside their strength."""

from typing import Annotated

from arena.publish.data.schema import TABLE_TYPES, TableRow, TableType, table
from arena.publish.site_state import BotModels
from arena.ratings.columns import Bot, GamesPlayed, Players, Variant, Whole, doc, shown
from arena.ratings.leaderboard_rows import Leaderboard

_MICROS = 1e6


@table("models")
class ModelsRow(TableRow, frozen=True, kw_only=True):
    """What bots used of language models."""

    variant: Variant
    players: Players
    bot: Bot
    games: GamesPlayed
    requests: Annotated[Whole, doc("Requests that models answered.")]
    tokens_in: Annotated[float, doc("Tokens of prompts per game."), shown("Tokens in", "tokens")]
    tokens_out: Annotated[float, doc("Tokens of answers per game."), shown("Tokens out", "tokens")]
    seconds: Annotated[
        float,
        doc("Seconds per game from requests to answers, queues included."),
        shown("Seconds", "seconds"),
    ]
    money: Annotated[
        float,
        doc("Money per game, in the currency of the league's prices."),
        shown("Money", "money"),
    ]
    capped: Annotated[
        str,
        doc("The index of the fixture and the game in which a cap was reached; or empty."),
    ]
    mu: Annotated[float, doc("As on the leaderboard.")]
    low: Annotated[float | None, doc("The lower end of its 95 % interval; null as there.")]
    high: Annotated[float | None, doc("The upper end; null as there.")]


def model_rows(board: Leaderboard, used: BotModels) -> list[ModelsRow]:
    """Return the rows of a leaderboard, best first; without bots of which nothing is known."""
    rows = []
    for row in board.rows:
        use = used.get((board.division, row.bot))
        if not use or not use.games:
            continue
        rows.append(
            ModelsRow(
                variant=board.variant,
                players=board.players,
                bot=row.bot,
                games=use.games,
                requests=use.requests,
                tokens_in=use.tokens_in / use.games,
                tokens_out=use.tokens_out / use.games,
                seconds=use.milliseconds / 1000 / use.games,
                money=use.micros / _MICROS / use.games,
                capped="{}/{}".format(*use.capped) if use.capped else "",
                mu=row.mu,
                low=row.low,
                high=row.high,
            )
        )
    return rows


def table_types(*, models: bool) -> list[TableType]:
    """Return all kinds of tables, that of language models only if there are any."""
    return [kind for row, kind in TABLE_TYPES.items() if models or row is not ModelsRow]
