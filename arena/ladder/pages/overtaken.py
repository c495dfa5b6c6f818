"""Versions that others overtook: said in the log, once a publication shows it beyond doubt."""

from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from arena.ladder.book.book import Book
from arena.ladder.book.published_boards import published_boards
from arena.ladder.book.tables import PLAYING, Version

OVERTAKEN = "overtaken"
"""How the lines in the log begin."""
_RANKS = "ranks"
"""The fact that has what the last publication showed, as JSON."""
_NAMED = 3
"""Of those who overtook a version."""


Ranks = Mapping[str, Mapping[str, tuple[int, int]]]
"""The best and the worst rank that each bot may have, by division and bot."""
_ranks = msgspec.json.Decoder(dict[str, dict[str, tuple[int, int]]]).decode


def note_overtaken(site: Path, book: Book) -> None:
    """Note which versions are clearly behind more others than at the last publication."""
    before, now = _ranks(book.facts().get(_RANKS, "{}")), published_ranks(site)
    versions = {version.name: version for version in book.versions(PLAYING)}
    with book.together():
        for version, text in overtaken(before, now, versions):
            book.note(text, version.author, version.name)
        book.set_fact(_RANKS, msgspec.json.encode(now).decode())


def published_ranks(site: Path) -> Ranks:
    """Return the ranks on a published site."""
    ranks: dict[str, dict[str, tuple[int, int]]] = {}
    for _, board in published_boards(site):
        name = f"{board.variant}, {board.players} players"
        ranks[name] = {row.bot: (row.best, row.worst) for row in board.rows}
    return ranks


def overtaken(
    before: Ranks, now: Ranks, versions: Mapping[str, Version]
) -> Collection[tuple[Version, str]]:
    """Return the versions that others overtook, and what is said of it.

    A bot's best rank grows by one for each other that comes to be clearly ahead of it.
    """
    said = []
    for division, ranks in now.items():
        earlier = before.get(division, {})
        for name, (best, worst) in ranks.items():
            version = versions.get(name)
            if version and name in earlier and best > earlier[name][0]:
                ahead = _newly_ahead(name, earlier, ranks, version.author, versions)
                if ahead:
                    place = f"rank {best} to {worst} of {len(ranks)}"
                    by = ", ".join(ahead[:_NAMED])
                    said.append((version, f"{OVERTAKEN}: by {by} at {division}: {place}"))
    return said


def _newly_ahead(
    name: str,
    before: Mapping[str, tuple[int, int]],
    now: Mapping[str, tuple[int, int]],
    author: str,
    versions: Mapping[str, Version],
) -> list[str]:
    """Return who is clearly ahead of a version and was not, but for its author's own."""
    was, is_ = (
        {bot for bot, (_, worst) in of.items() if worst < of[name][0]} for of in (before, now)
    )
    others = (bot for bot in now if bot in is_ - was)
    return [bot for bot in others if bot not in versions or versions[bot].author != author]
