"""Copies of a ladder, made while it runs, from which it goes on elsewhere."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from arena.io.errors import ArenaError, FindingError
from arena.io.files import os_errors, part_of, write_file
from arena.ladder.book.book import Book
from arena.ladder.book.book_file import BookFile
from arena.ladder.book.schema import DOOR, LADDER
from arena.ladder.folder import Folder, existing, make_private
from arena.ladder.season.season import SEED_FILE, STORE
from arena.league.store.backup import backup as copy_store
from arena.league.store.store import Store


def backup(folder: Folder, target: Path, *, verify: bool = False) -> Folder:
    """Copy a ladder to a new folder, which only its owner may enter: it holds secrets.

    The ladder's database is copied first, and what it refers to after it: what came between is in
    the copies that are made later, and is done again. With `verify` the copy is read again before
    it gets its name. Raises ArenaError if it cannot be made, or is not whole.
    """
    with _new_folder(target) as part:
        copy = Folder(part)
        for private in (copy.door.parent, copy.inbox, copy.versions, copy.seasons, copy.private):
            make_private(private)
        with BookFile(folder.ladder, LADDER) as ladder:
            ladder.copy(copy.ladder)
        with BookFile(folder.door, DOOR) as door:
            door.copy(copy.door)
        for season in sorted(folder.seasons.iterdir()):
            _copy_season(season, copy.seasons / season.name)
        # A submission stays in the inbox for a while after it is among the versions.
        for source, to in ((folder.inbox, copy.inbox), (folder.versions, copy.versions)):
            _copy_files(source, to)
        shutil.copy2(folder.config, copy.config)
        if verify:
            _check_whole(copy)
            for path in sorted(copy.seasons.glob(f"*/{STORE}")):
                with Store(path) as store:
                    if any(store.damage()):
                        raise _damaged(path)
    folder.last_backup.touch()
    if verify:
        folder.last_verified.touch()
    return Folder(target)


def restore(source: Path, target: Path) -> Folder:
    """Make a ladder of a backup; raises ArenaError if that is damaged."""
    saved = existing(source)
    for path in source.rglob("*"):
        # Reading a FIFO or a device need not end.
        if path.exists() and not path.is_file() and not path.is_dir():
            what = "the backup holds what is neither a file nor a folder"
            raise ArenaError(what, str(path), "take another one")
    _check_whole(saved)
    with _new_folder(target) as part:
        shutil.copytree(source, part, dirs_exist_ok=True)
    return Folder(target)


def _check_whole(saved: Folder) -> None:
    """Read all of a backup but its games; raises ArenaError if something is damaged."""
    for path, schema in ((saved.ladder, LADDER), (saved.door, DOOR)):
        with BookFile(path, schema) as file:
            if any(file.damage()):
                raise _damaged(path)
    with Book(saved) as book:
        try:
            book.check_log()
        except FindingError:
            raise _damaged(saved.ladder) from None
    for path in saved.versions.iterdir():
        if sha256(path.read_bytes()).hexdigest() != path.stem:
            raise _damaged(path)


def _damaged(path: Path) -> ArenaError:
    return ArenaError("the backup is damaged", str(path), "take another one")


@contextmanager
def _new_folder(target: Path) -> Iterator[Path]:
    """Yield a folder that gets its name when it is whole; raises ArenaError if it cannot be."""
    if os.path.lexists(target):
        raise ArenaError("it is there already", str(target), "name a new folder")
    hint = "name a folder in one with room for it"
    with os_errors("it cannot be copied", target, hint), part_of(target) as part:
        make_private(part)
        yield part


def _copy_season(source: Path, target: Path) -> None:
    make_private(target)
    if (source / SEED_FILE).exists():
        write_file(target / SEED_FILE, (source / SEED_FILE).read_bytes(), durable=True)
    store = source / STORE
    if not store.exists():
        return
    with Store(store) as opened:
        was_played = opened.league is not None
    if was_played:
        copy_store(store, target / STORE)


def _copy_files(source: Path, target: Path) -> None:
    """Copy the files of a folder, those that are whole and stay."""
    for path in source.iterdir():
        if not path.name.startswith("."):
            with suppress(FileNotFoundError):
                shutil.copy2(path, target / path.name)
