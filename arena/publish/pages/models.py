"""What bots used of language models: the data table, the charts, the page."""

from collections.abc import Callable, Container, Sequence
from typing import Annotated

from msgspec import Struct

from arena.game.records import DecidedBy
from arena.publish.charts import (
    SQUARE,
    Chart,
    Dot,
    across,
    level,
    numbers,
    round_axis,
    ticks,
    upwards,
)
from arena.publish.data.schema import TABLE_TYPES, DataTable, LeagueHead, TableRow, TableType, table
from arena.publish.site_state import BotModels, model_share
from arena.publish.text import fixed, grouped, percent, signed
from arena.ratings.columns import Bot, GamesPlayed, Players, Share, Variant, Whole, doc, shown
from arena.ratings.leaderboard_rows import Leaderboard

_MICROS = 1e6


@table("models")
class ModelsRow(TableRow, frozen=True, kw_only=True):
    """What bots used of language models."""

    variant: Variant
    players: Players
    bot: Bot
    games: GamesPlayed
    decisions: Annotated[Whole, doc("Decisions of a bot with language models.")]
    model_share: Annotated[
        Share | None,
        doc("The share of them that its models made, asked again or not; null without any."),
        shown("By the model", "model_share"),
    ]
    by_model: Annotated[Whole, doc("Decisions that a model made at once.")]
    by_retry: Annotated[Whole, doc("Decisions that a model made when it was asked again.")]
    by_fallback: Annotated[Whole, doc("Decisions that the bot's own program made.")]
    by_capped: Annotated[Whole, doc("Decisions that it made as a cap was reached.")]
    by_unsaid: Annotated[
        Whole, doc("Decisions for which a model was asked, and the bot does not say who made them.")
    ]
    not_the_models: Annotated[
        bool,
        doc(
            "Whether the bot is marked: over all divisions its models made a smaller share of its"
            " decisions than `ratings.model_share`."
        ),
    ]
    requests: Annotated[Whole, doc("Requests that models answered.")]
    failed: Annotated[
        Whole, doc("Requests that a server failed with, though it answered a probe of the arena's.")
    ]
    estimated: Annotated[
        Whole, doc("Answers whose tokens the arena estimated, as the server counted none.")
    ]
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


def model_rows(board: Leaderboard, used: BotModels, marked: Container[str]) -> list[ModelsRow]:
    """Return the rows of a leaderboard, best first; without bots of which nothing is known.

    `marked` are the bots that are no measure of their models.
    """
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
                failed=use.failed,
                estimated=use.estimated,
                tokens_in=use.tokens_in / use.games,
                tokens_out=use.tokens_out / use.games,
                seconds=use.milliseconds / 1000 / use.games,
                money=use.micros / _MICROS / use.games,
                capped="{}/{}".format(*use.capped) if use.capped else "",
                decisions=use.decided.total(),
                model_share=model_share(use.decided),
                by_model=use.decided[DecidedBy.MODEL],
                by_retry=use.decided[DecidedBy.RETRY],
                by_fallback=use.decided[DecidedBy.FALLBACK],
                by_capped=use.decided[DecidedBy.CAPPED],
                by_unsaid=use.decided[DecidedBy.UNSAID],
                not_the_models=row.bot in marked,
                mu=row.mu,
                low=row.low,
                high=row.high,
            )
        )
    return rows


def table_types(*, models: bool) -> list[TableType]:
    """Return all kinds of tables, that of language models only if there are any."""
    return [kind for row, kind in TABLE_TYPES.items() if models or row is not ModelsRow]


def cost_chart(rows: Sequence[ModelsRow]) -> Chart:
    """Draw mu with its interval over money per game, or tokens where nothing costs money.

    Bots that are no measure of their models have a line in the table alone.
    """
    table = numbers(rows, _COLUMNS)
    rows = [row for row in rows if not row.not_the_models]
    in_money = any(row.money for row in rows)
    cost = money if in_money else tokens
    name = "money per game" if in_money else "tokens per game"
    ends = [end for row in rows for end in (row.mu, row.low, row.high) if end is not None]
    x = across(round_axis([0.0, *map(cost, rows)]))
    y = upwards(round_axis([0.0, *ends]), SQUARE)
    return Chart(
        words=f"The strength of each bot, with 95 % intervals, over its {name}.",
        across=name,
        up="μ",
        height=SQUARE,
        x=ticks(x, lambda value: f"{value:.{x.digits}f}"),
        y=ticks(y, lambda mu: signed(mu, y.digits)),
        reference=level(y, 0),
        dots=tuple(
            Dot(
                x.at(cost(row)),
                y.at(row.mu),
                f"{row.bot}: {signed(row.mu)}",
                None if row.low is None else y.at(row.low),
                None if row.high is None else y.at(row.high),
            )
            for row in rows
        ),
        numbers=table,
    )


def money(row: ModelsRow) -> float:
    """Return what a game cost."""
    return row.money


def tokens(row: ModelsRow) -> float:
    """Return the tokens of a game, in and out."""
    return row.tokens_in + row.tokens_out


def _interval_of_mu(row: ModelsRow) -> str:
    if row.low is None or row.high is None:
        return "-"
    return f"{signed(row.low)} to {signed(row.high)}"


def _decided(row: ModelsRow, made: int) -> str:
    return percent(made / row.decisions) if row.decisions else "-"


def _marked(row: ModelsRow) -> str:
    return f"{row.bot} (not the model's play)" if row.not_the_models else row.bot


def _about(row: ModelsRow) -> str:
    return "≈ " if row.estimated else ""


_COLUMNS: dict[str, Callable[[ModelsRow], str]] = {
    "Bot": _marked,
    "μ": lambda row: signed(row.mu),
    "95 % interval": _interval_of_mu,
    "Games": lambda row: grouped(row.games),
    "Decisions": lambda row: grouped(row.decisions) if row.decisions else "-",
    "Model at once": lambda row: _decided(row, row.by_model),
    "Asked again": lambda row: _decided(row, row.by_retry),
    "Fallback": lambda row: _decided(row, row.by_fallback),
    "Capped": lambda row: _decided(row, row.by_capped),
    "Not said": lambda row: _decided(row, row.by_unsaid),
    "Requests": lambda row: grouped(row.requests),
    "Failed": lambda row: grouped(row.failed),
    "Tokens in": lambda row: _about(row) + fixed(row.tokens_in, 1),
    "Tokens out": lambda row: _about(row) + fixed(row.tokens_out, 1),
    "Seconds": lambda row: fixed(row.seconds, 2),
    "Money": lambda row: f"{row.money:.4g}",
    "Capped from": lambda row: row.capped or "-",
}
"""The columns of the table. Tokens, seconds and money are per game."""


class ModelChart(Struct, frozen=True):
    """The chart of a division."""

    variant: str
    players: int
    chart: Chart


class ModelsPage(Struct, frozen=True):
    """The page of language models."""

    model_charts: Sequence[ModelChart]


def models_page(
    boards: Sequence[Leaderboard], used: BotModels, marked: Container[str], head: LeagueHead
) -> tuple[ModelsPage, DataTable]:
    """Return the page, and the data table of all leaderboards."""
    known = [(board, model_rows(board, used, marked)) for board in boards]
    charts = [ModelChart(*board.division, cost_chart(rows)) for board, rows in known if rows]
    table = DataTable(ModelsRow, head, [row for _, rows in known for row in rows])
    return ModelsPage(charts), table
