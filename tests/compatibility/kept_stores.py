"""Stores that are kept as files, one of each kind: whatever changes, they verify with their roots.

`python -m tests.compatibility.kept_stores KIND` adds one of another kind; those that are there
stay.
"""

import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace

from arena.game.records import Exchange, MachineInfo, PlayoffInfo
from arena.game.rules.books import variant
from arena.league.keeping.prune import prune, used
from arena.league.play.stored_league import StoredLeague
from arena.league.store.files import logs_path
from arena.league.store.store import Store
from tests.league.store import edit
from tests.support import factory
from tests.support.restless import BROKEN, play_next

FOLDER = Path(__file__).with_name("stores")
ROOTS = FOLDER / "roots.json"
_MACHINE = MachineInfo("Zuse Z3", 1, 176, "relays", "none")
_PAGE = 512
"""Bytes of a page of SQLite's: the least, so that the files are small."""


def finish(path: Path) -> str:
    """Play all that is left of a store; returns its root."""
    with Store(path, create=True) as store:
        league = StoredLeague(store)
        while play_next(league):
            pass
        return store.root()


def copied(kind: str, folder: Path) -> tuple[Path, str]:
    """Return a copy of a store of a kind, and its root."""
    store = edit.copied(FOLDER / f"{kind}.sqlite", folder / "league.sqlite")
    return store, json.loads(ROOTS.read_text())[kind]


def _league(store: Store, **terms: Any) -> StoredLeague:
    start = factory.league(("a", "b", "c"), games=2, sandbox="process", machine=_MACHINE)
    store.begin(replace(start, **terms))
    return StoredLeague(store)


def _whole(store: Store) -> None:
    """All rule books, tables of two and three, standard error."""
    books = ("bga", "classic", "pressman", "italian")
    variants = {name: variant(name, {}, calza=name != "bga") for name in books}
    league = _league(store, variants=variants, blocks=1)
    while play_next(league, stderr=("a line\n", "")):
        pass


def _changed(store: Store) -> None:
    """A league whose bots and terms changed."""
    league = _league(store, players=(2,))
    for change in (
        {"joined": [factory.bot("d")]},
        {"rested": ["a"], "games": 3},
        {"struck": ["b"], "resumed": ["a"], "variants": {"bga": variant("bga", {}, calza=True)}},
        {"joined": [factory.bot("a@2")], "rested": ["a"], "players": (2, 3)},
    ):
        for _ in range(4):
            play_next(league)
        league.change(**change)
    while play_next(league):
        pass


def _until(store: Store) -> None:
    """A league that ends once its bots are told apart."""
    bots = (factory.bot("a"), factory.bot(BROKEN))
    league = _league(store, bots=bots, until=0.9, blocks=30, players=(2,))
    while play_next(league):
        pass


def _playoff(store: Store) -> None:
    """A league with a playoff, and with dice that no two fixtures share."""
    terms = PlayoffInfo(confidence=0.95, games=60)
    league = _league(store, playoff=terms, shared_dice=False, players=(2,))
    while play_next(league):
        pass


def _ladder(store: Store) -> None:
    """A season of a ladder: a version meets its predecessor, and the season is closed."""
    league = _league(store, players=(2,), endless=True, blocks=0)
    for change in (
        {"joined": [factory.bot("a@2")], "rested": ["a"], "twins": {"a@2": "a"}},
        {"struck": ["b"]},
        {"endless": False},
    ):
        for _ in range(8):
            play_next(league)
        league.change(**change)
    while play_next(league):
        pass


def _pruned(store: Store) -> None:
    """A league of which some logs were pruned."""
    league = _league(store, shared_dice=False)
    while play_next(league, stderr=("a line\n", "")):
        pass
    prune(store, used(store) // 2)


def _models(store: Store) -> None:
    """A league whose bots ask language models and remember what happened at other tables."""
    league = _league(store, models={"small": "tiny"}, memory_across_fixtures=True, players=(2,))
    exchange = Exchange(0, 0, 0, 1, 0, "small", "{}", "two fives", "stop", 3, 2, 40, 5)
    while play_next(league, exchanges=(exchange,)):
        pass


def _begun(store: Store) -> None:
    """A league at tables of six that was stopped, and will be gone on with."""
    league = _league(store, bots=tuple(map(factory.bot, "abcdefg")), players=(6,), blocks=2)
    for _ in range(5):
        play_next(league)


FINISHED = "begun, and finished later"
"""What its root stands under in `roots.json`."""
KINDS: dict[str, Callable[[Store], None]] = {
    "whole": _whole,
    "changed": _changed,
    "until": _until,
    "playoff": _playoff,
    "ladder": _ladder,
    "pruned": _pruned,
    "models": _models,
    "begun": _begun,
}


def make(kind: str) -> None:
    """Add a store of a kind."""
    path = FOLDER / f"{kind}.sqlite"
    if path.exists():
        sys.exit(f"{path} is kept as it is")
    with Store(path, create=True) as store:
        KINDS[kind](store)
        root = store.root()
    for file in (path, logs_path(path)):
        with closing(sqlite3.connect(file)) as database:
            database.execute(f"PRAGMA page_size = {_PAGE}")
            database.execute("VACUUM")
    roots = json.loads(ROOTS.read_text()) if ROOTS.exists() else {}
    ROOTS.write_text(json.dumps(roots | {kind: root}, indent=1) + "\n")
    if kind == "begun":
        with TemporaryDirectory() as folder:
            later = finish(copied(kind, Path(folder))[0])
        ROOTS.write_text(json.dumps(roots | {kind: root, FINISHED: later}, indent=1) + "\n")
    shutil.rmtree(path.with_suffix(".models"), ignore_errors=True)


if __name__ == "__main__":
    make(*sys.argv[1:])
