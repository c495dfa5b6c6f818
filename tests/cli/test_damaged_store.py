"""A store in which something was changed: whoever reads it says so once, and publishes nothing."""

import json
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import pytest

from arena.league.store.files import logs_path
from tests.cli.command import Ran, error_line, run
from tests.league.store import edit
from tests.publish.pages import tree
from tests.support.depth import depth
from tests.support.sampling import random, sample

COLUMNS = {
    "fixtures": (
        "id",
        "fixture",
        "sandbox",
        "clock",
        "decisions",
        "seconds",
        "stored_at",
        "content_hash",
        "hash",
        "rows_hash",
    ),
    "games": ("key", "id", "seats", "rounds", "bids", "events"),
    "league": ("info", "hash"),
    "logs": ("key", "log", "hash"),
    "stderr": ("position", "texts"),
}
OF_LOGS = ("logs", "stderr")
READERS = ("verify", "report", "status", "export")


@pytest.fixture
def whole(played_at_two_sizes: Path) -> Path:
    return played_at_two_sizes


def copied(whole: Path, folder: Path, *, cache: bool = False) -> Path:
    for old in folder.glob("league.*"):
        old.unlink()
    (folder / "league.yaml").write_text((whole / "league.yaml").read_text())
    if cache:
        summaries = "league.sqlite.summaries"
        (folder / summaries).write_bytes((whole / summaries).read_bytes())
    return edit.copied(whole / "league.sqlite", folder / "league.sqlite")


def other(value: object, draw: Random) -> object:
    """Return another value, as a person or a failing disk leaves it."""
    if isinstance(value, bytes) and value:
        changed = bytearray(value)
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
        return draw.choice([bytes(changed), b"", None, 7])
    if isinstance(value, str):
        return draw.choice([f"{value}x", "", 7])
    return draw.choice([int(value or 0) + 1, -1, "seven"])  # type: ignore[call-overload]


def change(store: Path, table: str, column: str, draw: Random) -> None:
    """Change a value somewhere in a column; a value that may not stand there changes nothing."""
    file = logs_path(store) if table in OF_LOGS else store
    with closing(sqlite3.connect(file)) as database, database:
        found = database.execute(f"SELECT rowid, {column} FROM {table}").fetchall()  # noqa: S608
        row, value = draw.choice(found)
        statement = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = ?"  # noqa: S608
        with suppress(sqlite3.IntegrityError):
            database.execute(statement, (other(value, draw), row))


def assert_one_line(ran: Ran) -> None:
    assert ran.code in (1, 2), ran
    assert ran.err.count("error: ") == 1, ran
    assert ran.err.count("\n") == 1, ran


@pytest.mark.slow
def test_changed_value_is_told_by_whoever_reads_it(whole: Path, tmp_path: Path) -> None:
    draw = random("changed values")
    expected = {name: run(name, "league.yaml", cwd=whole).out for name in ("status", "export")}
    columns = [(table, column) for table, names in COLUMNS.items() for column in names]
    for table, column in sample(columns, 5, "changed columns") * depth(1, 5):
        cache = draw.random() < 0.5
        store = copied(whole, tmp_path, cache=cache)
        before = store.read_bytes(), logs_path(store).read_bytes()
        change(store, table, column, draw)
        if (store.read_bytes(), logs_path(store).read_bytes()) == before:
            continue
        assert run("verify", "league.yaml", cwd=tmp_path).code in (1, 2)
        reported = run("report", "league.yaml", cwd=tmp_path)
        # Logs that were checked and summarized for an earlier report are not read again.
        if reported.code or not cache or table not in OF_LOGS:
            assert_one_line(reported)
            assert cache or not (tmp_path / "site").exists()
        for name in ("status", "export"):
            ran = run(name, "league.yaml", cwd=tmp_path)
            if table in OF_LOGS:
                assert (ran.code, ran.out) == (0, expected[name])
            else:
                assert_one_line(ran)
                assert set(ran.out.splitlines()) <= set(expected[name].splitlines())
        shutil.rmtree(tmp_path / "site", ignore_errors=True)


def test_report_of_what_is_cached_refuses_the_rows_that_others_refuse(
    whole: Path, tmp_path: Path
) -> None:
    store = copied(whole, tmp_path, cache=True)
    edit.execute(store, "UPDATE games SET rounds = rounds + 1 WHERE key = 0")
    expected = run("status", "league.yaml", cwd=tmp_path)
    assert_one_line(expected)
    assert run("report", "league.yaml", "--replays", "none", cwd=tmp_path) == expected
    assert not (tmp_path / "site").exists()


@pytest.mark.slow
def test_damaged_fixture_is_named_mended_and_played_again(whole: Path, tmp_path: Path) -> None:
    store = copied(whole, tmp_path)
    edit.execute(
        store,
        "UPDATE fixtures SET fixture = replace(fixture, 'bga', 'abg') WHERE id IN ("
        "SELECT id FROM fixtures ORDER BY position LIMIT 2)",
    )
    ids = [one.id for one in edit.stored(whole / "league.sqlite")[:2]]
    line = f"error: 2 stored fixtures are damaged: {ids[0]}, {ids[1]} / league.sqlite / arena mend "
    for name in ("report", "status", "export"):
        ran = run(name, "league.yaml", cwd=tmp_path)
        assert (ran.code, ran.err.startswith(line)) == (1, True), ran
    assert not (tmp_path / "site").exists()
    ran = run("mend", "league.yaml", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "10 fixtures are sound, 2 were damaged and 0 gone: play what is missing with arena run\n"
        f"dropped: {ids[0]}, {ids[1]}\n"
        "the damaged store is kept: league.damaged-1.sqlite\n"
    )
    assert run("run", "league.yaml", cwd=tmp_path).code == 0
    verified = [run("verify", "league.yaml", cwd=folder).out for folder in (whole, tmp_path)]
    assert verified[0] == verified[1]
    ran = run("mend", "league.yaml", "--json", cwd=tmp_path)
    assert json.loads(ran.out) == {"kept": 12, "dropped": [], "lost": 0, "aside": None}


def test_backup_is_a_store(whole: Path, tmp_path: Path) -> None:
    copied(whole, tmp_path)
    ran = run("backup", "league.yaml", "copy.sqlite", cwd=tmp_path)
    assert (ran.code, ran.out) == (0, "12 fixtures: copy.sqlite, copy.logs.sqlite\n")
    for name in (*READERS, "run"):
        assert run(name, "league.yaml", "--store", "copy.sqlite", cwd=tmp_path).code == 0
    before = tree(tmp_path)
    error_line(
        run("backup", "league.yaml", "copy.sqlite", cwd=tmp_path), "there is a file already / copy"
    )
    assert tree(tmp_path) == before


NAMES = [f"league.{name}sqlite{end}" for name in ("", "logs.") for end in ("", "-wal", "-journal")]


@pytest.mark.parametrize("name", sample(NAMES, 2, "folders in the place of files"))
def test_folder_in_the_place_of_a_file_is_named(whole: Path, tmp_path: Path, name: str) -> None:
    copied(whole, tmp_path)
    (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / name).mkdir()
    for command in (*READERS, "mend"):
        ran = run(command, "league.yaml", cwd=tmp_path)
        error_line(ran, f"a folder is in the place of a file / {name} / move it away")
    error_line(run("run", "league.yaml", cwd=tmp_path), f" / {name} / ")
