"""Page model of language models: what bots used, beside their strength."""

from collections.abc import Sequence

from msgspec import Struct

from arena.publish.data.model_rows import ModelsRow, model_rows
from arena.publish.data.schema import DataTable, LeagueHead
from arena.publish.drawing.charts import Chart
from arena.publish.drawing.model_charts import cost_chart
from arena.publish.site_state import BotModels
from arena.ratings.leaderboard_rows import Leaderboard


class ModelChart(Struct, frozen=True):
    """The chart of a division."""

    variant: str
    players: int
    chart: Chart


class ModelsPage(Struct, frozen=True):
    """The page of language models."""

    model_charts: Sequence[ModelChart]


def models_page(
    boards: Sequence[Leaderboard], used: BotModels, head: LeagueHead
) -> tuple[ModelsPage, DataTable]:
    """Return the page, and the data table of all leaderboards."""
    known = [(board, model_rows(board, used)) for board in boards]
    charts = [ModelChart(*board.division, cost_chart(rows)) for board, rows in known if rows]
    table = DataTable(ModelsRow, head, [row for _, rows in known for row in rows])
    return ModelsPage(charts), table
