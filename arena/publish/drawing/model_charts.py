"""Strength against cost: a chart for each leaderboard of a league with language models."""

from collections.abc import Callable, Sequence

from arena.publish.data.model_rows import ModelsRow
from arena.publish.drawing.axis import round_axis
from arena.publish.drawing.charts import SQUARE, Chart, Dot, across, level, numbers, ticks, upwards
from arena.publish.output.text import fixed, grouped, signed


def cost_chart(rows: Sequence[ModelsRow]) -> Chart:
    """Draw mu with its interval over money per game, or tokens where nothing costs money."""
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
        numbers=numbers(rows, _COLUMNS),
    )


def money(row: ModelsRow) -> float:
    """Return what a game cost."""
    return row.money


def tokens(row: ModelsRow) -> float:
    """Return the tokens of a game, in and out."""
    return row.tokens_in + row.tokens_out


def _interval(row: ModelsRow) -> str:
    if row.low is None or row.high is None:
        return "-"
    return f"{signed(row.low)} to {signed(row.high)}"


_COLUMNS: dict[str, Callable[[ModelsRow], str]] = {
    "Bot": lambda row: row.bot,
    "μ": lambda row: signed(row.mu),
    "95 % interval": _interval,
    "Games": lambda row: grouped(row.games),
    "Requests": lambda row: grouped(row.requests),
    "Tokens in": lambda row: fixed(row.tokens_in, 1),
    "Tokens out": lambda row: fixed(row.tokens_out, 1),
    "Seconds": lambda row: fixed(row.seconds, 2),
    "Money": lambda row: f"{row.money:.4g}",
    "Capped from": lambda row: row.capped or "-",
}
"""Of the table; tokens, seconds and money are per game; a cap is by fixture and game."""
