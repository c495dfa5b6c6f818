"""Standings as a ladder writes them while games are played."""

import time
from typing import Any

from arena.ladder.book.book import Book
from arena.ladder.book.shown import Live, LiveResult, LiveRow, Winner, write_live
from arena.ladder.folder import Folder


def row(version: str, best: int, worst: int, share: float, games: int = 1_200) -> LiveRow:
    return LiveRow(
        version=version,
        best=best,
        worst=worst,
        may_be_first=best == 1,
        low=share - 0.05,
        share=share,
        high=share + 0.05,
        games=games,
        provisional=False,
    )


def standings(*rows: LiveRow, **fields: Any) -> Live:
    """Return standings of season 1."""
    two = (Winner("one@1", 7), Winner("two@1", 3))
    three = (Winner("one@1", 6), Winner("two@1", 3), Winner("mine@1", 1))
    now = time.time()
    result = LiveResult(at=now, variant="bga", players=2, games=10, seats=two)
    other = LiveResult(at=now, variant="classic", players=3, games=10, seats=three)
    names = ", ".join(row.version for row in rows)
    given: dict[str, Any] = {
        "season": 1,
        "at": now,
        "seconds": 0.1,
        "games": 1_200,
        "per_minute": 600,
        "rows": rows,
        "recent": (result, other),
        "sentence": f"{rows[0].version if rows else 'nobody'} leads",
        "verdict": f'<h1 id="verdict">{rows[0].version if rows else "nobody"} leads</h1>',
        "cards": "",
        "table": f"<p>the standings: {names}</p>",
    }
    return Live(**{**given, **fields})


def play(book: Book, folder: Folder, *rows: LiveRow, **fields: Any) -> None:
    """Write standings, of a season that has begun."""
    if not book.seasons():
        book.open_season(1, b"{}", "0" * 64)
    write_live(folder, standings(*rows or (row("mine@1", 1, 1, 0.7),), **fields))
