"""The first and the last day of a season."""

from collections.abc import Callable

from arena.ladder.book.book import Book
from arena.ladder.book.tables import Order, State
from arena.ladder.config import Config, check_terms
from arena.ladder.folder import Folder
from arena.ladder.pages.site import publish_closed
from arena.ladder.season.season import commitment_of, reveal


def begin_season(
    folder: Folder, book: Book, config: Config, say: Callable[[str], None], *, closing: bool
) -> int:
    """Return the number of the season that is open, or of a new one.

    Raises ArenaError if ladder.yaml changed what decides games, unless the season is to be closed.
    """
    seasons = book.seasons()
    if seasons and seasons[-1].closed_at is None:
        if not closing:
            check_terms(config, seasons[-1].terms)
        return seasons[-1].number
    number = len(seasons) + 1
    commitment = commitment_of(folder.season(number))
    book.open_season(number, config.file.terms(), commitment)
    say(f"season {number}: SHA-256 of its master seed: {commitment}")
    for version in book.versions({State.RATED}):
        book.set_state(version, State.PROVISIONAL, f"season {number} begins")
    return number


def close_season(
    folder: Folder,
    book: Book,
    number: int,
    order: Order,
    replays: int,
    say: Callable[[str], None],
) -> None:
    """Publish a season with its seed and its root, and answer the order to close it."""
    season = folder.season(number)
    seed, root = reveal(season)
    publish_closed(folder, number, replays)
    season.chmod(0o755)
    with book.together():
        book.close_season(number, seed, root)
        book.answer(order, f"season {number} is closed; its root: {root}", done=True)
    say(f"season {number} is closed; its root: {root}")
