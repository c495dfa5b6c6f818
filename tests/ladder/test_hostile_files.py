"""Files of a ladder that somebody made to harm whoever opens them: refused in one line."""

import os
from pathlib import Path

import pytest

from arena.ladder.folder import Folder
from tests.cli.command import error_line, run
from tests.ladder import club as clubs
from tests.league.store import hostile

RECURSING = f"{hostile.RECURSING} SELECT x FROM n"
FOREIGN = {
    "view": "ALTER TABLE {table} RENAME TO kept; CREATE VIEW {table} AS " + RECURSING,
    "trigger": "CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",
    "table": "CREATE TABLE foreign_table (body TEXT)",
    "generated column": "ALTER TABLE {table} ADD COLUMN more AS (hex(zeroblob(99)))",
}
COMMANDS = {
    "status": ("ladder", "status", "club"),
    "invite": ("ladder", "invite", "club", "ann"),
    "backup": ("ladder", "backup", "club", "copy"),
    "restore": ("ladder", "restore", "club", "new"),
    "run": ("ladder", "run", "club"),
}


@pytest.fixture
def club(tmp_path: Path) -> Folder:
    clubs.make(tmp_path)
    return Folder(tmp_path / "club")


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("of", ["ladder", "door"])
def test_sql_of_others_is_refused(club: Folder, kind: str, of: str) -> None:
    file, table = {"ladder": (club.ladder, "seasons"), "door": (club.door, "uploads")}[of]
    hostile.script(file, FOREIGN[kind].format(table=table))
    for name in ("restore", "invite" if of == "door" else "status", "run"):
        ran = run(*COMMANDS[name], cwd=club.root.parent)
        error_line(ran, "the arena did not make its '", f"{file.name} / ")
    assert not (club.root.parent / "new").exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_journal_that_names_a_file_does_not_delete_it(
    club: Folder, tmp_path: Path, name: str
) -> None:
    victim = tmp_path / "precious"
    victim.write_text("mine")
    for file in (club.ladder, club.door):
        hostile.journal_naming(file, victim)
    ran = run(*COMMANDS[name], cwd=tmp_path)
    error_line(ran, "-journal / move it away")
    assert victim.read_text() == "mine"


def test_backup_with_a_fifo_is_not_waited_for(club: Folder) -> None:
    os.mkfifo(club.versions / "fifo")
    ran = run(*COMMANDS["restore"], cwd=club.root.parent)
    error_line(ran, "neither a file nor a folder / club/versions/fifo / take another one")


@pytest.mark.parametrize("of", ["ladder", "door"])
def test_tables_that_were_altered_are_the_arenas_own(club: Folder, of: str) -> None:
    file, table = {"ladder": (club.ladder, "seasons"), "door": (club.door, "uploads")}[of]
    alter = f"ALTER TABLE {table} RENAME TO other; ALTER TABLE other RENAME TO {table}"
    hostile.script(file, alter)
    assert run(*COMMANDS["restore"], cwd=club.root.parent).code == 0
