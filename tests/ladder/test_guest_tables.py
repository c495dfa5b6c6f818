"""Tables of visitors in the process that plays them, several at a time."""

import gc
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.author.quick_table import PERSON, TableResult
from arena.author.web_table.person import WebPerson
from arena.ladder.config import load_config
from arena.ladder.door.guest_spool import Asked, GuestSpool, strength
from arena.ladder.folder import Folder, make_shared
from arena.ladder.guests import GuestTable, GuestTables
from tests.e2e.live import wait_until
from tests.ladder import club as clubs
from tests.ladder.web.test_guests import moves_of, number_of, offered

PLACES = 3


class Guests:
    """The tables of a ladder that does not run, and visitors who play `ann@1` there."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        make_shared(folder.door.parent / "guests")
        self.tables = GuestTables(folder, load_config(folder.config))
        self._spool = GuestSpool(folder)

    def play(self, *ids: str) -> None:
        """Play a game at each table, all at a time, and leave when its replay is there."""
        for id_ in ids:
            self._spool.ask(id_, Asked(("ann@1",), time.time()))
        wait_until(lambda: False not in [self._is_over(id_) for id_ in ids])

    def _is_over(self, id_: str) -> bool:
        self.tables.step()
        page = self._spool.page(id_)
        if page is None:
            return False
        if page.why:
            assert page.replay, page.why
            return True
        moves = moves_of(page.html)
        if moves:
            move = next(
                (move for move in ("leave", "dudo", "skip", "pass") if move in moves), moves[0]
            )
            self._spool.click(id_, int(number_of(page.html)), move)
        return False


@pytest.fixture
def guests(tmp_path: Path) -> Guests:
    variants = [{"variant": "bga", "starting_dice": 1}]
    club = clubs.make(tmp_path, guests=PLACES, humans=True, variants=variants)
    clubs.admitted(club, "ann", clubs.REUSABLE)
    offered(Folder(club), "ann@1")
    return Guests(Folder(club))


@pytest.mark.slow
def test_games_of_visitors_leave_nothing_in_memory(guests: Guests) -> None:
    before = gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()
    guests.play("a", "b", "c")
    assert (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()) == before
    gc.collect()
    left = [each for each in gc.get_objects() if isinstance(each, GuestTable | WebPerson)]
    assert not left
    [(games, _)] = strength(guests.folder).values()
    assert games == PLACES


@pytest.mark.usefixtures("hasty")
def test_games_that_end_at_once_are_all_counted(guests: Guests) -> None:
    results = [TableResult(PERSON, 1, 1, 1.0, 0), TableResult("ann", 1, 0, 2.0, 0)]
    with ThreadPoolExecutor(8) as threads:
        for _ in range(100):
            threads.submit(guests.tables.count, ("ann@1",), results)
    assert strength(guests.folder) == {"ann@1": (100, 100)}
