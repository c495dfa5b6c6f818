"""A ladder that an older arena made, brought up to date."""

import shutil
from contextlib import ExitStack

from arena.io.files import os_errors
from arena.io.sqlite.versions import Migrated, migrate
from arena.ladder.book.book_file import BookFile
from arena.ladder.book.schema import DOOR, LADDER
from arena.ladder.folder import Folder, make_private


def bring_up_to_date(folder: Folder) -> None:
    """Bring both files of a ladder up to date, after a copy, which stays beside each.

    Only the process that holds the ladder's lock may do it. Raises ArenaError.
    """
    if not folder.door.exists():
        _move_door(folder)
    files = ((folder.door, DOOR), (folder.ladder, LADDER))
    if all(_is_current(BookFile(path, schema, older=True)) for path, schema in files):
        return
    with ExitStack() as stack:
        migrated = list[Migrated]()
        for path, schema in files:
            file = stack.enter_context(BookFile(path, schema, writes=True, older=True))
            copy = path.with_name(f"{path.stem}.version-{file.version()}{path.suffix}")
            migrated.append(Migrated(file, schema, copy))
        migrate(migrated)


def _is_current(file: BookFile) -> bool:
    with file:
        return file.version() == file.schema.version


def _move_door(folder: Folder) -> None:
    """Give the door of a ladder of version 1 a folder of its own.

    The pages of its authors go, which no list names as the ladder's; they are written anew.
    """
    with BookFile(folder.first_door, DOOR, writes=True, older=True) as door:
        door.execute("PRAGMA journal_mode = DELETE")
    hint = "run it as the user who owns the ladder"
    with os_errors("it cannot be brought up to date", folder.root, hint):
        for author in folder.private.iterdir():
            shutil.rmtree(author)
        make_private(folder.door.parent)
        folder.first_door.rename(folder.door)
