"""One table at which a visitor plays, in a thread of its own."""

import logging
from collections.abc import Callable
from threading import Thread

from arena.author.quick_table import TableRequest, TableResult, play_table
from arena.author.web_table.page import table_html
from arena.author.web_table.person import WebPerson
from arena.io.errors import ArenaError
from arena.ladder.door.guest_spool import GuestPage, GuestSpool
from arena.league.play.dispatcher import RunListener
from arena.league.table.person import LeftError
from arena.publish.report import ReportRequest, report

_PATIENCE = 300.0
"""Seconds without a request of its page after which a table ends."""
_LEFT = "You left the table, or were away for long."
_BROKEN = "The table broke; it is not your fault. Ask for another one."


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
    ) -> None:
        self._id, self._request, self._spool = id_, request, spool
        self._on_result, self._trusted = on_result, trusted
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
        self._take()
        if over:
            self._spool.show(self._id, GuestPage(why=self._why or _LEFT, replay=self._replay))
            return False
        shown = self.person.shown(self._page.number, visit=False)
        if shown:
            replay = f"/played/{self._id}/replay.html" if self._replay else ""
            html = table_html(shown, public=True, replay=replay)
            self._page = GuestPage(number=shown.number, html=html, replay=self._replay)
            self._spool.show(self._id, self._page)
        return True

    def _take(self) -> None:
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

    def _play(self) -> None:
        request = self._request
        try:
            results = play_table(request, RunListener(), self.person, trusted=self._trusted)
            self._on_result(results)
            site = request.folder / "site"
            report(ReportRequest(request.league, request.store, site, replays="all"))
            self._replay = True
            self.person.stay()
        except LeftError:
            return
        except ArenaError as error:
            self._why = f"The table cannot be played: {error.what}."
        except Exception:
            self._why = _BROKEN
            logging.exception("a table with a visitor broke")
