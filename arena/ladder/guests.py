"""Tables at which visitors play against versions of the field; nothing of them is rated.

All are in one process of their own, which dies with the ladder.
"""

import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock, Thread

import msgspec

from arena.author.quick_table import PERSON, TableRequest, TableResult, play_table
from arena.author.web_table.page import table_html
from arena.author.web_table.person import WebPerson
from arena.io.errors import ArenaError
from arena.io.files import changed_at, remove_tree, write_file
from arena.io.job import Job, JobKeeper
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
from arena.league.play.dispatcher import RunListener
from arena.league.table.person import LeftError
from arena.publish.report import ReportRequest, report

_PAUSE = 5.0
"""Seconds between two starts of the process."""
_PATIENCE = 300.0
"""Seconds without a request of its page after which a table ends."""
_LEFT = "You left the table, or were away for long."
_BEFORE = "The ladder was started again."
_BROKEN = "The table broke; it is not your fault. Ask for another one."
_LOOK = 0.05
"""Seconds between looks at what was clicked."""
_IDLE = 0.5
"""The same while nobody plays."""
_KEPT_GAMES = 200
"""Games that have a replay."""
_MOST_RIVALS = 5


class GuestKeeper(JobKeeper):
    """Begins the process if ladder.yaml has places for visitors, and again if it ends."""

    def __init__(self, folder: Folder, config: Config, book: Book) -> None:
        self.config = config
        self._folder = folder
        self._book = book

    def step(self) -> None:
        """See that the process is there."""
        now = time.monotonic()
        if not self.config.file.guests or now < self._not_before:
            return
        if self._job is None or self._job.is_over():
            self.stop()
            self._not_before = now + _PAUSE
            cores = self.config.spare_cores
            self._job = Job(partial(run_tables, self._folder), cores=cores)

    def offer(self, humans: Mapping[str, bool | None]) -> None:
        """Note which versions play against people, by what their bot.yaml says; None if nothing."""
        if self.config.file.guests:
            default = self.config.file.humans
            names = [name for name, said in humans.items() if (default if said is None else said)]
            self._book.set_fact(FACT, msgspec.json.encode(names).decode())


class GuestTable:
    """Plays a game, shows its page as it changes, and takes what was clicked."""

    def __init__(
        self,
        id_: str,
        request: TableRequest,
        spool: GuestSpool,
        on_result: Callable[[list[TableResult]], None],
        *,
        trusted: bool,
        entered: tuple[str, ...],
        ladder: str,
    ) -> None:
        self._ladder = ladder
        self._id = id_
        self._entered = entered
        self._request = request
        self._spool = spool
        self._on_result = on_result
        self._trusted = trusted
        self.person = WebPerson(lambda: None, patience=_PATIENCE, settles=0.0)
        self._page = GuestPage()
        self._why = ""
        self._replay = False
        self._read = 0
        self._visited = 0
        self._thread = Thread(target=self._play, daemon=True)
        self._thread.start()

    def step(self) -> bool:
        """Take clicks and show the page if it changed; returns whether the table is still there."""
        over = not self._thread.is_alive()
        visited = self._spool.visited(self._id)
        if visited != self._visited:
            self._visited = visited
            self.person.visit()
        clicks, self._read = self._spool.clicks(self._id, self._read)
        for number, move in clicks:
            if move == "leave":
                self.person.leave()
            else:
                self.person.act(number, move)
        if over:
            self._spool.show(self._id, GuestPage(why=self._why or _LEFT, replay=self._replay))
            return False
        shown = self.person.shown(self._page.number, visit=False)
        if shown:
            replay = f"../../played/{self._id}/replay.html" if self._replay else ""
            html = table_html(shown, ladder=self._ladder, replay=replay, entered=self._entered)
            self._page = GuestPage(number=shown.number, html=html, replay=self._replay)
            self._spool.show(self._id, self._page)
        return True

    def _play(self) -> None:
        request = self._request
        try:
            results = play_table(request, RunListener(), self.person, trusted=self._trusted)
            self._on_result(results)
            site = request.folder / "site"
            report(
                ReportRequest(
                    request.league, request.store, site, replays="all", entered=self._entered
                )
            )
            self._replay = True
            self.person.stay()
        except LeftError:
            return
        except ArenaError as error:
            self._why = f"The table cannot be played: {error.what}."
        except Exception:
            self._why = _BROKEN
            logging.exception("a table with a visitor broke")


def run_tables(folder: Folder) -> None:
    """Let visitors play until the process is ended."""
    GuestTables(folder, load_config(folder.config)).run()


class GuestTables:
    """Opens tables that are asked for, as many as there are places."""

    def __init__(self, folder: Folder, config: Config) -> None:
        self._folder = folder
        self._config = config
        self._spool = GuestSpool(folder)
        self._tables: dict[str, GuestTable] = {}
        self._known = set[str]()
        self._began = time.time()
        self._counting = Lock()
        self._spool.begin()

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
            if asked is None:
                ids.discard(id_)  # it is being written
            elif asked.at < self._began:
                self._spool.show(id_, GuestPage(why=_BEFORE))
            else:
                self._open(id_, asked)
        self._known = ids
        self._tables = {id_: table for id_, table in self._tables.items() if table.step()}

    def _open(self, id_: str, asked: Asked) -> None:
        try:
            request = self._request(id_, asked)
            with Book(self._folder) as book:
                entered = tuple(version.name for version in book.versions())
        except ArenaError as error:
            self._spool.show(id_, GuestPage(why=f"There is no such table: {error.what}."))
            return
        count = partial(self.count, asked.versions)
        trusted = self._config.file.trust_bots
        self._tables[id_] = GuestTable(
            id_,
            request,
            self._spool,
            count,
            trusted=trusted,
            entered=entered,
            ladder=self._config.file.name,
        )

    def _request(self, id_: str, asked: Asked) -> TableRequest:
        if len(self._tables) >= self._config.file.guests:
            raise ArenaError("all places are taken")
        with Book(self._folder) as book:
            agree = msgspec.json.decode(book.facts().get(FACT, "[]"))
            if not 1 <= len(asked.versions) <= _MOST_RIVALS or not {*asked.versions} <= {*agree}:
                raise ArenaError("these versions do not play against people")
            bots = [self._folder.version(book.version(name).digest) for name in asked.versions]
        games = self._folder.guests / "games"
        kept = sorted(games.iterdir(), key=changed_at) if games.is_dir() else []
        for old in kept[: max(0, len(kept) - _KEPT_GAMES + 1)]:
            if old.name not in self._tables:
                remove_tree(old)
        rules = next(iter(self._config.league.variants.values()))
        return TableRequest(
            bots=tuple(map(str, bots)),
            folder=games / id_,
            rules=rules,
            sandbox=self._config.file.sandbox,
            packages=self._config.league.packages,
            images=self._config.file.images,
            paths=self._config.file.sandbox_paths,
        )

    def count(self, versions: tuple[str, ...], results: list[TableResult]) -> None:
        """Count how a person did against each version; never in ratings; for any thread."""
        places = {result.name: result.mean_place for result in results}
        with self._counting:
            counted = strength(self._folder)
            for version in versions:
                games, won = counted.get(version, (0, 0))
                ahead = places[PERSON] < places.get(version.partition("@")[0], 0)
                counted[version] = games + 1, won + ahead
            write_file(strength_file(self._folder), msgspec.json.encode(counted), 0o640)
