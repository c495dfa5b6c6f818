"""The versions of a ladder that can play a final: those that play, by their published rank."""

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.bot import Bot
from arena.bots.manifest import load_bot
from arena.game.records import Conditions
from arena.io.errors import ArenaError
from arena.io.files import read_json
from arena.ladder.book.book import Book
from arena.ladder.book.shown import published_boards
from arena.ladder.book.tables import State
from arena.ladder.folder import Folder
from arena.ladder.season.season import STORE
from arena.league.store.store import Store


class _Rank(Struct, frozen=True):
    bot: str


class _Ranks(Struct, frozen=True):
    rows: list[_Rank]


def finalists(folder: Folder) -> tuple[Conditions, list[Bot]]:
    """Return the conditions of the season and the rated versions that play, the best first.

    Raises ArenaError if nothing was played or published yet, or a version cannot be read.
    """
    with Book(folder) as book:
        seasons = book.seasons()
        rated = {version.name: version for version in book.versions({State.RATED})}
    store = folder.season(seasons[-1].number) / STORE if seasons else None
    if store is None or not store.exists():
        raise ArenaError("nothing was played yet", str(folder.root), "arena ladder run")
    with Store(store) as stored:
        conditions = stored.conditions()
    bots = []
    for name in _published_ranks(folder):
        if version := rated.get(name):
            bot = load_bot(folder.version(version.digest))
            bots.append(replace(bot, info=replace(bot.info, name=name, author=version.author)))
    return conditions, bots


def _published_ranks(folder: Folder) -> list[str]:
    """Return the names on the board of the front page, the best first."""
    if overall := read_json(folder.site / "data" / "overall.json", _Ranks):
        return [row.bot for row in overall.rows]
    boards = [board for _, board in published_boards(folder.site)]
    return [row.bot for row in boards[0].rows] if boards else []
