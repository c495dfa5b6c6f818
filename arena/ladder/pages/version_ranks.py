"""How a version stands, from the tables of the published site: ranks, curves, opponents."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from arena.publish.data.play_rows import HistoryRow
from arena.publish.data.result_rows import HeadToHeadRow
from arena.publish.drawing.charts import Chart, rating_history

_OPPONENTS = 5
"""Those that beat a version most often."""
_Row = TypeVar("_Row", bound=Struct)


class _Place(Struct, frozen=True):
    """What is read of a row of a leaderboard."""

    bot: str
    rank: int
    best: int
    worst: int
    games: int
    beats_average: float


class _Table(Struct, frozen=True):
    """A published table of a division; the type of its rows is known by its kind."""

    rows: Sequence[Any]
    variant: str = ""
    players: int = 0


class Standing(Struct, frozen=True):
    """How a version stands at the tables of a rule book and a size."""

    variant: str
    players: int
    place: _Place
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
    for path in sorted(site.glob("data/leaderboard-*.json")):
        division = path.stem.removeprefix("leaderboard-")
        table, places = _read(path, _Place)
        if table is None or not table.variant:  # of all divisions, or it is being replaced
            continue
        histories = _by_bot(site / f"data/history-{division}.json", HistoryRow)
        duels = _by_bot(site / f"data/head-to-head-{division}.json", HeadToHeadRow)
        for place in places:
            bot = place.bot
            found[bot].append(
                Standing(
                    variant=table.variant,
                    players=table.players,
                    place=place,
                    of=len(places),
                    history=histories[bot],
                    beaten_by=_worst(duels[bot]),
                )
            )
    return found


def _worst(duels: Sequence[HeadToHeadRow]) -> list[HeadToHeadRow]:
    lost = [duel for duel in duels if duel.share < 0.5]
    return sorted(lost, key=lambda duel: duel.share)[:_OPPONENTS]


def _by_bot(path: Path, kind: type[_Row]) -> dict[str, list[_Row]]:
    rows = defaultdict[str, list[_Row]](list)
    for row in _read(path, kind)[1]:
        rows[row.bot].append(row)  # type: ignore[attr-defined]
    return rows


def _read(path: Path, kind: type[_Row]) -> tuple[_Table | None, list[_Row]]:
    """Return a table and its rows; nothing if it cannot be read."""
    try:
        table = msgspec.json.decode(path.read_bytes(), type=_Table)
        return table, msgspec.convert(table.rows, list[kind])  # type: ignore[valid-type]
    except (OSError, msgspec.DecodeError):
        return None, []
