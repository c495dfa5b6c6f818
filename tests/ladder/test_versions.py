"""Ladders of other versions: brought up to date by `arena ladder run` and `restore`, or refused."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from stat import S_IMODE

import pytest

from arena.ladder.book import update
from arena.ladder.book.book import Book
from arena.ladder.book.schema import DOOR, LADDER, VERSION
from arena.ladder.book.tables import State
from arena.ladder.book.update import bring_up_to_date
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.web.access.secrets import Scope, Secrets
from tests.cli.command import error_line, run
from tests.ladder import club as clubs
from tests.ladder.club import running
from tests.support.refusals import refused

DOOR_2 = """
ALTER TABLE uploads RENAME TO later;
CREATE TABLE uploads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256 TEXT NOT NULL,
    ending TEXT NOT NULL,
    author TEXT NOT NULL,
    bot TEXT NOT NULL COLLATE NOCASE,
    number INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    received_at REAL NOT NULL,
    UNIQUE (bot, number),
    UNIQUE (bot, sha256)
);
INSERT INTO uploads SELECT id, sha256, ending, author, bot, number, bytes, received_at FROM later;
DROP TABLE later;
PRAGMA user_version = 2;
"""
SECRETS_2 = """
DROP TABLE IF EXISTS secrets;
CREATE TABLE secrets (
    sha256 TEXT PRIMARY KEY,
    author TEXT NOT NULL COLLATE NOCASE,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    made REAL NOT NULL,
    expires REAL NOT NULL,
    used REAL
);
"""
DOOR_1 = """
DROP TABLE IF EXISTS secrets;
ALTER TABLE orders RENAME TO later;
CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    version TEXT NOT NULL,
    why TEXT NOT NULL
);
INSERT INTO orders SELECT id, at, who, what, version, why FROM later;
DROP TABLE later;
PRAGMA user_version = 1;
"""
LADDER_2 = """
ALTER TABLE versions RENAME TO later;
CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    bot TEXT NOT NULL COLLATE NOCASE,
    number INTEGER NOT NULL,
    author TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    ending TEXT NOT NULL,
    digest TEXT NOT NULL,
    received_at REAL NOT NULL,
    state TEXT NOT NULL,
    since REAL NOT NULL,
    why TEXT NOT NULL,
    UNIQUE (bot, number)
);
INSERT INTO versions SELECT
    id, bot, number, author, sha256, ending, digest, received_at, state, since, why FROM later;
DROP TABLE later;
PRAGMA user_version = 2;
"""
LADDER_1 = f"{LADDER_2} DROP TABLE comparisons; DROP TABLE quotas; PRAGMA user_version = 1;"
LINE_2 = """
INSERT INTO secrets VALUES ('ab', 'ann', 'token', 'author', 1.0, 9e9, NULL);
"""
MAYBE_RUN = "arena ladder run brings it up to date"


def script(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.executescript(sql)


def first_version(club: Path) -> Folder:
    """Make a ladder what the first arena that had ladders would have made."""
    folder = Folder(club)
    script(folder.door, DOOR_2 + DOOR_1)
    script(folder.ladder, LADDER_1)
    folder.door.rename(folder.first_door)
    for beside in folder.door.parent.iterdir():
        beside.unlink()
    folder.door.parent.rmdir()
    (folder.private / "ann").mkdir(exist_ok=True)
    (folder.private / "ann/index.html").write_text("pages that no list names")
    return folder


@pytest.fixture
def older(tmp_path: Path) -> Folder:
    """Return a ladder of version 1, with a submission and an order, that never ran."""
    club = clubs.make(tmp_path)
    run("ladder", "invite", club, "ann", cwd=tmp_path)
    clubs.submitted(club, "one", author="ann")
    assert run("ladder", "season", "close", club, cwd=tmp_path).code == 0
    return first_version(club)


def rows(folder: Folder) -> tuple[list[str], list[str], int]:
    """Return the authors, the submissions and the number of orders of a ladder."""
    with Door(folder) as door, Book(folder) as book:
        authors = [author.name for author in door.authors()]
        uploads = [upload.version for upload in door.uploads()]
        assert book.comparisons() == {}
        return sorted(authors), uploads, len(door.orders())


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as file:
        [(version,)] = file.execute("PRAGMA user_version")
        return int(version)


def files(folder: Folder) -> list[Path]:
    return [folder.door, folder.ladder]


def copies(folder: Folder) -> list[Path]:
    return [path.with_name(f"{path.stem}.version-1.sqlite") for path in files(folder)]


@pytest.mark.slow
def test_ladder_of_version_1_goes_on_with_its_season(copy: Path) -> None:
    states = clubs.states(copy)
    folder = first_version(copy)
    with running(copy) as ladder:
        ladder.until(lambda: folder.ladder.exists() and version_of(folder.ladder) == VERSION)
        assert clubs.states(copy).items() >= states.items()
        clubs.submitted(copy, "one", author="ann", number=2)
        ladder.until(partial(clubs.is_in_state, copy, "one@2", "rated"))
        ladder.until(lambda: "one@2" in clubs.page(copy, "ann"))
        assert ladder.stop() == 0
    assert run("verify", "seasons/1/league.yaml", cwd=copy).code == 0
    assert [version_of(path) for path in copies(folder)] == [1, 1]


@pytest.mark.parametrize("command", ["status", "list", "log", "invite", "backup"])
def test_other_commands_ask_for_a_run_first(older: Folder, command: str) -> None:
    more = {"invite": ["bob"], "backup": ["copy"]}.get(command, [])
    before = older.first_door.read_bytes(), older.ladder.read_bytes()
    ran = run("ladder", command, older.root, *more, cwd=older.root.parent)
    error_line(ran, "an older arena made this ladder / ", f"club / {MAYBE_RUN}")
    assert (older.first_door.read_bytes(), older.ladder.read_bytes()) == before


def test_each_file_of_an_older_version_is_refused_by_readers(tmp_path: Path) -> None:
    folder = Folder(clubs.make(tmp_path))
    script(folder.door, DOOR_2 + DOOR_1)
    script(folder.ladder, LADDER_1)
    for opened, path in ((Door, folder.door), (Book, folder.ladder)):
        with refused(f"it has version 1, this arena reads version {VERSION}", path, MAYBE_RUN):
            opened(folder)


def test_rows_of_version_1_stay_and_copies_are_its_owners_alone(older: Folder) -> None:
    bring_up_to_date(older)
    authors, uploads, orders = rows(older)
    assert ("ann" in authors, uploads, orders) == (True, ["one@1"], 1)
    assert [version_of(path) for path in files(older)] == [VERSION, VERSION]
    for path in copies(older):
        assert (version_of(path), S_IMODE(path.stat().st_mode)) == (1, 0o600)
    assert not older.first_door.exists()
    assert list(older.private.iterdir()) == []


def test_ladder_of_version_2_keeps_its_tokens_and_what_an_operator_let_rest(
    tmp_path: Path,
) -> None:
    folder = Folder(clubs.make(tmp_path))
    clubs.submitted(folder.root, "one")
    clubs.submitted(folder.root, "two")
    with Door(folder) as door, Book(folder, writes=True) as book:
        for upload, why in zip(door.uploads(), ("ordered by root", "two@2 plays"), strict=True):
            book.add(upload, State.RESTING, why)
    script(folder.door, DOOR_2 + SECRETS_2 + LINE_2)
    script(folder.ladder, LADDER_2)
    bring_up_to_date(folder)
    with Secrets(folder) as secrets, Book(folder) as book:
        [token] = secrets.held("ann")
        assert (token.scope, token.name) == (Scope.SUBMIT, "")
        assert [(version.held, version.note) for version in book.versions()] == [(1, ""), (0, "")]


def test_later_orders_have_later_numbers_and_quotas(older: Folder) -> None:
    bring_up_to_date(older)
    with Door(older, writes=True) as door:
        [first] = door.orders()
        assert (first.author, first.uploads) == ("", None)
        assert door.order_quota("root", "ann", 7, "she asked") == first.id + 1
        assert [(order.author, order.uploads) for order in door.orders(first.id)] == [("ann", 7)]


def die(*_: object) -> None:
    raise KeyboardInterrupt


def first_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    *others, step = LADDER.migrations
    broken = LADDER._replace(migrations=[*others, step._replace(change=die)])
    monkeypatch.setattr(update, "LADDER", broken)


def no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "migrate", die)


def not_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "rename", die)


@pytest.mark.parametrize("stop", [first_file_alone, no_file, not_moved])
def test_update_that_is_cut_short_is_completed_by_the_next(
    older: Folder, monkeypatch: pytest.MonkeyPatch, stop: Callable[[pytest.MonkeyPatch], None]
) -> None:
    with monkeypatch.context() as patched:
        stop(patched)
        with pytest.raises(KeyboardInterrupt):
            bring_up_to_date(older)
    bring_up_to_date(older)
    assert rows(older)[1:] == (["one@1"], 1)
    assert [version_of(path) for path in copies(older)] == [1, 1]


def test_current_ladder_is_left_as_it_is(tmp_path: Path) -> None:
    folder = Folder(clubs.make(tmp_path))
    before = [path.read_bytes() for path in files(folder)]
    bring_up_to_date(folder)
    assert [path.read_bytes() for path in files(folder)] == before
    assert not any(path.exists() for path in copies(folder))


@pytest.mark.parametrize("command", ["run", "restore", "status"])
@pytest.mark.parametrize("of", [0, 1])
def test_newer_ladder_is_refused(tmp_path: Path, command: str, of: int) -> None:
    club = clubs.make(tmp_path)
    newer = files(Folder(club))[of]
    script(newer, "PRAGMA user_version = 41")
    more = ["new"] if command == "restore" else []
    ran = run("ladder", command, club, *more, cwd=tmp_path)
    hint = f"{newer} / use the arena that made it"
    error_line(ran, f"it has version 41, this arena reads version {VERSION} / ", hint)
    assert version_of(newer) == 41


def test_backup_of_version_1_is_restored_and_up_to_date(older: Folder) -> None:
    ran = run("ladder", "restore", older.root, "new", cwd=older.root.parent)
    assert ran.code == 0, ran.err
    assert rows(Folder(older.root.parent / "new"))[1:] == (["one@1"], 1)
    assert version_of(older.first_door) == 1


def test_foreign_table_in_a_file_of_version_1_is_refused(older: Folder) -> None:
    script(older.first_door, "CREATE TABLE secrets (word TEXT)")
    ran = run("ladder", "run", older.root, cwd=older.root.parent)
    error_line(ran, "the arena did not make its 'secrets'", f"{older.first_door} / ")
    assert not older.door.exists()


def test_every_version_since_the_oldest_has_a_step_of_both_files() -> None:
    steps = [[step.version for step in schema.migrations] for schema in (DOOR, LADDER)]
    assert steps == [list(range(1, VERSION))] * 2
