"""The lines of a bot's results by opponent."""

from markupsafe import Markup

from arena.publish.data.results import HeadToHeadRow
from arena.publish.links import links
from arena.publish.pages.bot import Opponent, opponent_rows
from arena.publish.pages.leaderboard import PairVerdict
from tests.ratings.simulated import league
from tests.support import factory
from tests.support.ratings import rated_board
from tests.support.simulated_leagues import Shape


def test_signs_of_html_in_a_line_are_escaped() -> None:
    board = rated_board("bga", 2, league(Shape(4, 2, 4)))
    bots = [row.bot for row in board.rows]
    result = HeadToHeadRow(bots[0], bots[1], 1, 1000, 0.001, 0.0002, 0.9999)
    rows = [Opponent(result, PairVerdict("worse", 0.9999))]
    linked = {bot: Markup("<b>{}</b>").format(bot) for bot in bots}
    found = opponent_rows(rows, board, links(factory.league(tuple(bots)), [board]), linked, "../")
    cells = f"<b>{bots[1]}</b>", "&lt;1\u202f% to &gt;99\u202f%", ">99\u202f%</td></tr>"
    assert all(cell in found for cell in cells)
    assert f'<a href="../fixtures.html#bot={bots[0]}&amp;with={bots[1]}&amp;table=' in found
    assert ">worse</td>" in found
