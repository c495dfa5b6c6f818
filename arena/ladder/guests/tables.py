"""All tables with visitors, in a process of its own: it dies with the ladder."""

import time
from pathlib import Path

import msgspec

from arena.author.quick_table import PERSON, TableRequest, TableResult
from arena.io.errors import ArenaError
from arena.io.files import changed_at, remove_tree, write_file
from arena.ladder.book.book import Book
from arena.ladder.config import Config, load_config
from arena.ladder.door.guest_spool import (
    FACT,
    Asked,
    GuestPage,
    GuestSpool,
    strength,
    strength_file,
)
from arena.ladder.folder import Folder
from arena.ladder.guests.table import GuestTable
from arena.publish.drawing.font import font_css

_LOOK = 0.05
"""Seconds between looks at what was clicked."""
_IDLE = 0.5
"""The same while nobody plays."""
_KEPT = 200
"""Games that have a replay."""
_MOST_RIVALS = 5


def run_tables(folder: Folder) -> None:
    """Let visitors play until the process is ended."""
    GuestTables(folder, load_config(folder.config)).run()


class GuestTables:
    """Opens tables that are asked for, as many as there are places."""

    def __init__(self, folder: Folder, config: Config) -> None:
        self._folder, self._config = folder, config
        self._spool = GuestSpool(folder)
        self._tables: dict[str, GuestTable] = {}
        self._known = set[str]()
        self._began = time.time()
        self._spool.begin()
        write_file(folder.guests / "font.css", font_css().encode(), 0o640)

    def run(self) -> None:
        """Look after the tables."""
        while True:
            self.step()
            time.sleep(_LOOK if self._tables else _IDLE)

    def step(self) -> None:
        """Open and close tables, and hand clicks and pages over."""
        ids = self._spool.ids()
        for id_ in self._known - ids:
            self._spool.forget(id_)
        for id_ in ids - self._known:
            asked = self._spool.asked_for(id_)
            if asked and asked.at >= self._began:
                self._open(id_, asked)
            elif asked is None:
                ids.discard(id_)  # it is being written
        self._known = ids
        self._tables = {id_: table for id_, table in self._tables.items() if table.step()}

    def _open(self, id_: str, asked: Asked) -> None:
        try:
            request = self._request(id_, asked)
        except ArenaError as error:
            self._spool.show(id_, GuestPage(why=f"There is no such table: {error.what}."))
            return
        versions = asked.versions

        def count(results: list[TableResult]) -> None:
            self._count(versions, results)

        trusted = self._config.file.trust_bots
        self._tables[id_] = GuestTable(id_, request, self._spool, count, trusted=trusted)

    def _request(self, id_: str, asked: Asked) -> TableRequest:
        if len(self._tables) >= self._config.file.guests:
            raise ArenaError("all places are taken")
        with Book(self._folder) as book:
            agree = msgspec.json.decode(book.facts().get(FACT, "[]"))
            if not 1 <= len(asked.versions) <= _MOST_RIVALS or not {*asked.versions} <= {*agree}:
                raise ArenaError("these versions do not play against people")
            bots = [self._folder.version(book.version(name).digest) for name in asked.versions]
        games = self._folder.guests / "games"
        self._forget(games)
        rules = next(iter(self._config.league.variants.values()))
        return TableRequest(
            bots=tuple(map(str, bots)),
            folder=games / id_,
            variant=rules.name,
            calza=rules.calza,
            lost_dice_visible=rules.lost_dice_visible,
            starting_dice=rules.starting_dice,
            sandbox=self._config.file.sandbox,
            packages=self._config.league.packages,
            images=self._config.file.images,
        )

    def _forget(self, games: Path) -> None:
        """Remove the oldest games, so that one more can be kept."""
        kept = sorted(games.iterdir(), key=changed_at) if games.is_dir() else []
        for old in kept[: max(0, len(kept) - _KEPT + 1)]:
            if old.name not in self._tables:
                remove_tree(old)

    def _count(self, versions: tuple[str, ...], results: list[TableResult]) -> None:
        """Count how a person did against each version; never in ratings."""
        counted = strength(self._folder)
        places = {result.name: result.mean_place for result in results}
        for version in versions:
            games, won = counted.get(version, (0, 0))
            ahead = places[PERSON] < places.get(version.partition("@")[0], 0)
            counted[version] = games + 1, won + ahead
        write_file(strength_file(self._folder), msgspec.json.encode(counted), 0o640)
