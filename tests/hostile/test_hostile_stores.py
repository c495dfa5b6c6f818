"""A store of somebody who wants to harm its reader: one line, nothing run, no memory, no end."""

import os
import shutil
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path

import pytest

from arena.io.sqlite_file import ENDS
from arena.league.store.files import logs_path
from arena.league.store.rows import GAMES, log_hash
from tests.cli.command import Ran, error_line, league, run
from tests.league.store import edit, hostile
from tests.publish.pages import tree
from tests.support.depth import depth
from tests.support.sampling import paired, random, sample

READERS = {
    "status": (),
    "export": (),
    "verify": (),
    "report": ("--replays", "none"),
    "prune": ("--logs", "0"),
}
COMMANDS = {
    **READERS,
    "mend": (),
    "backup": ("copy.sqlite",),
    "run": (),
}
MEMORY = 400 << 20
"""Bytes that a command may hold at once; the logs here unpack to many times that."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    league(folder, bots=["sample:odds", "sample:honest"], games=8, blocks=1, sandbox="process")
    assert run("run", "league.yaml", "--replays", "none", cwd=folder).code == 0
    return folder


@pytest.fixture
def store(whole: Path, tmp_path: Path) -> Path:
    """The store of a sound league, in a folder of its own."""
    return again(whole, tmp_path / "copy")


def again(whole: Path, folder: Path) -> Path:
    """Copy a league anew; returns its store."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(whole / "league.yaml", folder)
    return edit.copied(whole / "league.sqlite", folder / "league.sqlite")


def called(name: str, store: Path) -> Ran:
    return run(name, "league.yaml", *COMMANDS[name], cwd=store.parent)


def assert_refused(name: str, store: Path) -> None:
    """Check that a command ends with one line, or with findings, and publishes nothing."""
    assert_one_line(called(name, store))
    assert not (store.parent / "site").exists()


def assert_one_line(ran: Ran) -> None:
    """Check that a command ended with findings or with one line of error, the last of its lines."""
    assert ran.code in (1, 2), ran
    if "NOT verified" not in ran.out:
        assert (ran.err.count("error: "), ran.err.splitlines()[-1][:7]) == (1, "error: "), ran


@contextmanager
def at_most(memory: int) -> Iterator[None]:
    """Check that what is done inside holds no more bytes at any time."""
    tracemalloc.start()
    try:
        yield
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < memory


FOREIGN = [*product(hostile.TABLES, hostile.statements("pair"))]


@pytest.mark.parametrize(("table", "kind"), sample(FOREIGN, 5, "foreign SQL"))
def test_sql_of_others_is_neither_run_nor_kept_silent(store: Path, table: str, kind: str) -> None:
    file = hostile.file_of(store, table)
    hostile.script(file, hostile.statements(table)[kind])
    before = tree(store.parent)
    for name in sample(COMMANDS, 3, f"readers of {kind} in {table}"):
        error_line(called(name, store), "the arena did not make its '", f" / {file.name} / ")
        assert tree(store.parent) == before


@pytest.mark.parametrize("table", hostile.TABLES)
def test_table_that_was_altered_is_the_arenas_own(whole: Path, store: Path, table: str) -> None:
    file, *_, last = hostile.file_of(store, table), *hostile.names(hostile.TABLES[table])
    for name in sample(("status", "export", "verify", "prune"), 1, f"reads altered {table}"):
        expected = called(name, again(whole, store.parent))
        assert expected.code == 0
        again(whole, store.parent)
        edit.execute(file, f"ALTER TABLE {table} RENAME TO other")
        edit.execute(file, f"ALTER TABLE other RENAME TO {table}")
        edit.execute(file, f"ALTER TABLE {table} RENAME COLUMN {last} TO other")
        edit.execute(file, f"ALTER TABLE {table} RENAME COLUMN other TO {last}")
        assert f'CREATE TABLE "{table}"' in file.read_bytes().decode("latin-1")
        assert called(name, store) == expected


@pytest.mark.slow
@pytest.mark.parametrize("column", ["log", "texts"])
def test_log_of_gibibytes_takes_no_memory(store: Path, column: str) -> None:
    huge = hostile.unpacking(4096)
    for one in edit.stored(store):
        logs = [
            log._replace(log=huge, hash=log_hash(one.id, log.key % GAMES, huge)) for log in one.logs
        ]
        changed = one._replace(stderr=huge) if column == "texts" else one._replace(logs=logs)
        edit.put(store, one.position, changed.with_hashes())
    for name in sample(("verify", "report", "prune"), 1, f"reads a huge {column}"):
        with at_most(MEMORY):
            assert_refused(name, store)
    with at_most(MEMORY):
        assert called("mend", store).code == 0


@pytest.mark.slow
def test_one_large_game_at_a_time_is_in_memory(store: Path) -> None:
    """Every log of a fixture is long: all together would take three times as much.

    Where they are as long as allowed, that is the end of a report.
    """
    of_allowed = depth(3, 1)
    one, *_ = edit.stored(store)
    logs = [log._replace(log=hostile.padded(log.log, 30 // of_allowed)) for log in one.logs]
    edit.put(store, one.position, edit.rehashed(one._replace(logs=logs)))
    with at_most(MEMORY // 3 // of_allowed):
        assert called("verify", store).code == 0
    if of_allowed == 1:
        with at_most(MEMORY):
            assert_refused("report", store)


@pytest.mark.slow
@pytest.mark.parametrize("table", sample(hostile.TABLES, 1, "endless tables"))
def test_table_whose_pages_lead_in_circles_is_not_read_for_ever(
    whole: Path, store: Path, table: str
) -> None:
    for name in sample(COMMANDS, 2, f"readers of endless {table}"):
        store = again(whole, store.parent)
        sound = called(name, store)
        store = again(whole, store.parent)
        hostile.endless(hostile.file_of(store, table), table)
        ran = called(name, store)
        if ran.code:
            assert_one_line(ran)
        elif name != "mend":
            assert ran.out == sound.out


VALUES = (
    None,
    7,
    -1,
    1 << 62,
    -(1 << 63),
    1e308,
    float("inf"),
    "seven",
    "",
    "\0",
    b"",
    b"\xff" * 9,
)
COLUMNS = [
    (table, column) for table, sql in hostile.TABLES.items() for column in hostile.names(sql)
]


@pytest.mark.slow
@pytest.mark.parametrize("forged", [False, True])
def test_value_of_any_type_in_any_column_ends_in_one_line(
    whole: Path, store: Path, *, forged: bool
) -> None:
    """Also where the hashes are right: whoever changed it knew of them.

    Where they are wrong, it matters little which value is there: some are enough.
    """
    sound = {name: (called(name, store), again(whole, store.parent))[0] for name in READERS}
    series = [*product(COLUMNS, VALUES)]
    count = depth(3, len(series) if forged else 100)
    for (table, column), value in random(f"odd values, {forged}").sample(series, count):
        for name in READERS:
            store = again(whole, store.parent)
            hostile.fill(hostile.file_of(store, table), table, column, value)
            if forged:
                with suppress(Exception):
                    edit.rehash(store)
            ran = called(name, store)
            where = (name, table, column, value, ran)
            if ran.code:
                assert_one_line(ran)
            elif not forged and name != "prune":
                assert ran.out == sound[name].out, where


@pytest.mark.parametrize("decisions", [-1, -(1 << 63), 1 << 62])
def test_decisions_that_no_fixture_can_have_are_refused(store: Path, decisions: int) -> None:
    hostile.fill(store, "fixtures", "decisions", decisions)
    edit.rehash(store)
    for name in ("export", "report"):
        assert_refused(name, store)


NUMBERS = (("games", 0), ("games", 1 << 60), ("blocks", 1 << 40), ("blocks", -1))


@pytest.mark.parametrize(
    "condition",
    [
        *({name: value} for name, value in NUMBERS),
        *({"players": [players]} for players in (-1, 0, 1, 7, 1 << 40)),
        {"changes": [{"begun": [1, 2, 3], "struck": ["nobody"]}]},
    ],
    ids=str,
)
def test_conditions_that_no_league_can_have_are_refused(
    store: Path, condition: dict[str, object]
) -> None:
    hostile.condition(store, condition)
    for name in sample(("status", "export", "verify", "report", "run"), 2, f"reads {condition}"):
        assert_refused(name, store)


def put_fifo(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def put_folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


def put_device(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


PLACES = [f"league.{logs}sqlite{end}" for logs in ("", "logs.") for end in ENDS]


@pytest.mark.parametrize(
    ("place", "put"), paired(PLACES, [put_fifo, put_folder, put_device], "odd files")
)
def test_file_of_another_kind_is_not_waited_for(
    store: Path, place: str, put: Callable[[Path], None]
) -> None:
    put(store.parent / place)
    for name in sample(COMMANDS, 3, f"readers of {put.__name__}"):
        error_line(called(name, store), f" / {place} / move it away")


@pytest.mark.parametrize(("name", "of"), paired(COMMANDS, [Path, logs_path], "journals"))
def test_journal_that_names_a_file_does_not_delete_it(
    store: Path, tmp_path: Path, of: Callable[[Path], Path], name: str
) -> None:
    victim = tmp_path / "precious"
    victim.write_text("mine")
    hostile.journal_naming(of(store), victim)
    error_line(called(name, store), "-journal / move it away")
    assert victim.read_text() == "mine"


def test_store_behind_links_is_read(whole: Path, tmp_path: Path) -> None:
    shutil.copy(whole / "league.yaml", tmp_path)
    for name in ("league.sqlite", "league.logs.sqlite"):
        (tmp_path / name).symlink_to(whole / name)
    for name in ("status", "export", "verify"):
        assert run(name, "league.yaml", cwd=tmp_path) == run(name, "league.yaml", cwd=whole)
