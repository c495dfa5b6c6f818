"""How a version stands, from the tables of the published site: ranks, curves, opponents."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct

from arena.io.files import read_json
from arena.ladder.book.published_boards import PublishedRow, published_boards
from arena.publish.data.play_rows import HistoryRow
from arena.publish.data.result_rows import HeadToHeadRow
from arena.publish.drawing.charts import Chart, rating_history

_OPPONENTS = 5
"""Those that beat a version most often."""
_Row = TypeVar("_Row", bound=Struct)


class _Table(Struct, Generic[_Row], frozen=True):
    rows: list[_Row]


class Standing(Struct, frozen=True):
    """How a version stands at the tables of a rule book and a size."""

    variant: str
    players: int
    place: PublishedRow
    of: int
    """Bots at these tables."""
    history: Sequence[HistoryRow]
    beaten_by: Sequence[HeadToHeadRow]
    """Who finished ahead of it in more than half of their games, the worst first."""

    @property
    def chart(self) -> Chart | None:
        """The curve of its rating, if there are points enough."""
        return rating_history(self.history, "the mean of the field") if self.history else None


def standings(site: Path) -> dict[str, list[Standing]]:
    """Return how each version stands on a published site; what cannot be read is left out."""
    found = defaultdict[str, list[Standing]](list)
    for division, board in published_boards(site):
        histories = _by_bot(site / f"data/history-{division}.json", HistoryRow)
        duels = _by_bot(site / f"data/head-to-head-{division}.json", HeadToHeadRow)
        for place in board.rows:
            bot = place.bot
            lost = [duel for duel in duels[bot] if duel.share < 0.5]
            found[bot].append(
                Standing(
                    variant=board.variant,
                    players=board.players,
                    place=place,
                    of=len(board.rows),
                    history=histories[bot],
                    beaten_by=sorted(lost, key=lambda duel: duel.share)[:_OPPONENTS],
                )
            )
    return found


def _by_bot(path: Path, kind: type[_Row]) -> dict[str, list[_Row]]:
    rows = defaultdict[str, list[_Row]](list)
    table = read_json(path, _Table[kind])  # type: ignore[valid-type]
    for row in table.rows if table else ():
        rows[row.bot].append(row)  # type: ignore[attr-defined]
    return rows
