"""Files of older versions, brought up to date by made-up steps: after a copy, all or nothing."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from arena.io.sqlite.file import SqliteFile
from arena.io.sqlite.guarded import connect
from arena.io.sqlite.versions import Migrated, Migration, Schema, migrate
from tests.support.refusals import refused

FIRST = ("CREATE TABLE notes (text TEXT)",)
SECOND = ("CREATE TABLE notes (text TEXT, author TEXT)",)
THIRD = (*SECOND, "CREATE TABLE authors (name TEXT)")
NAMES = ("logs", "rows")


def add_author(file: SqliteFile) -> None:
    file.execute("ALTER TABLE notes RENAME TO old")
    file.execute(SECOND[0])
    file.execute("INSERT INTO notes SELECT text, 'ann' FROM old")
    file.execute("DROP TABLE old")


def add_authors(file: SqliteFile) -> None:
    file.execute(THIRD[1])
    file.execute("INSERT INTO authors SELECT DISTINCT author FROM notes")


def fail(file: SqliteFile) -> None:
    add_authors(file)
    raise KeyboardInterrupt


TO_SECOND = Migration(1, FIRST, add_author)
SCHEMA = Schema(3, THIRD, migrations=[TO_SECOND, Migration(2, SECOND, add_authors)])
FAILS = SCHEMA._replace(migrations=[TO_SECOND, Migration(2, SECOND, fail)])
INSERTS = {
    1: "INSERT INTO notes VALUES ('hello')",
    2: "INSERT INTO notes VALUES ('hello', 'ann')",
}


def opened(path: Path) -> SqliteFile:
    return SqliteFile(path, partial(connect, path, "mode=rwc"))


def copy_of(folder: Path, name: str) -> Path:
    return folder / f"{name}.old.sqlite"


def make(folder: Path, version: int) -> None:
    for name in NAMES:
        with opened(folder / f"{name}.sqlite") as file:
            file.create_tables(SCHEMA.tables_by_version()[version], version)
            file.execute(INSERTS[version])


def update(folder: Path, schemas: Sequence[Schema] = (SCHEMA, SCHEMA)) -> None:
    with ExitStack() as stack:
        files = [stack.enter_context(opened(folder / f"{name}.sqlite")) for name in NAMES]
        copies = [copy_of(folder, name) for name in NAMES]
        migrate([Migrated(*each) for each in zip(files, schemas, copies, strict=True)])


def contents(path: Path) -> tuple[int | None, list[tuple[str, ...]]]:
    """Return the version of a file, and its notes."""
    with opened(path) as file:
        return file.version(), [*file.rows("SELECT * FROM notes")]


OLD = (1, [("hello",)])
NEW = (3, [("hello", "ann")])


@pytest.mark.parametrize("version", [1, 2])
def test_each_older_version_goes_through_all_its_steps(tmp_path: Path, version: int) -> None:
    make(tmp_path, version)
    before = contents(tmp_path / "rows.sqlite")
    update(tmp_path)
    for name in NAMES:
        assert contents(tmp_path / f"{name}.sqlite") == NEW
        assert contents(copy_of(tmp_path, name)) == before
        with opened(tmp_path / f"{name}.sqlite") as file:
            file.check_tables(THIRD)
            assert file.value("SELECT name FROM authors") == "ann"


def test_step_that_fails_undoes_those_before_it_in_the_same_file(tmp_path: Path) -> None:
    make(tmp_path, 1)
    with pytest.raises(KeyboardInterrupt):
        update(tmp_path, (SCHEMA, FAILS))
    assert contents(tmp_path / "logs.sqlite") == NEW
    assert contents(tmp_path / "rows.sqlite") == OLD


def test_next_run_completes_what_was_cut_short_and_keeps_the_copies(tmp_path: Path) -> None:
    make(tmp_path, 1)
    with pytest.raises(KeyboardInterrupt):
        update(tmp_path, (SCHEMA, FAILS))
    update(tmp_path)
    for name in NAMES:
        assert contents(tmp_path / f"{name}.sqlite") == NEW
        assert contents(copy_of(tmp_path, name)) == OLD


def test_remains_of_a_copy_are_replaced_before_anything_changes(tmp_path: Path) -> None:
    make(tmp_path, 1)
    for name in NAMES:
        copy_of(tmp_path, name).write_bytes(b"half a copy")
    update(tmp_path)
    assert [contents(copy_of(tmp_path, name)) for name in NAMES] == [OLD, OLD]


@pytest.mark.parametrize("name", NAMES)
def test_file_that_cannot_be_copied_first_stays_as_it_is(tmp_path: Path, name: str) -> None:
    make(tmp_path, 1)
    copy_of(tmp_path, name).mkdir()
    with refused("it cannot be copied before it is brought up to date", copy_of(tmp_path, name)):
        update(tmp_path)
    assert [contents(tmp_path / f"{name}.sqlite") for name in NAMES] == [OLD, OLD]


def test_known_tables_are_those_since_the_oldest_version() -> None:
    schema = SCHEMA._replace(optional=("CREATE TABLE more (x)",))
    newest = (*THIRD, "CREATE TABLE more (x)")
    assert schema.tables_by_version() == {1: FIRST, 2: SECOND, 3: newest}
    assert schema.tables_by_version(2) == {2: SECOND, 3: newest}
    assert schema.tables_by_version(3) == {3: newest}
