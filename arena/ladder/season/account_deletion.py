"""An author who leaves: their name and what is theirs alone go, the results stay."""

import shutil
from collections.abc import Sequence

from arena.ladder.book.book import Book
from arena.ladder.book.tables import PLAYING, WAITING, Order, State, Version
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder

_WHY = "its author left"


def delete_account(order: Order, folder: Folder, door: Door, book: Book) -> None:
    """Let the versions of an author who left rest under the pseudonym that the door gave them.

    The door knows their submissions by the pseudonym alone; the book still has the name.
    """
    ids = {upload.id for upload in door.uploads() if upload.author == order.author}
    versions = [version for version in book.versions() if version.id in ids]
    names = {version.author for version in versions} - {order.author}
    with book.together():
        for version in versions:
            _end(version._replace(author=order.author), book)
        for name in names:
            book.rename_author(name, order.author)
        book.answer(order, "an author left: results stay under a pseudonym", done=True)
    for name in names:
        shutil.rmtree(folder.private / name, ignore_errors=True)
    _remove_files(folder, book, versions)


def _end(version: Version, book: Book) -> None:
    if version.state in WAITING:
        book.set_state(version, State.REFUSED, _WHY)
    elif version.state in PLAYING | {State.AWAITING}:
        book.set_state(version, State.RESTING, _WHY, held=True)


def _remove_files(folder: Folder, book: Book, versions: Sequence[Version]) -> None:
    """Remove what was submitted, but for files that others submitted, too."""
    left = {version.id for version in versions}
    others = [version for version in book.versions() if version.id not in left]
    kept = {version.digest for version in others} | {version.sha256 for version in others}
    for version in versions:
        if version.digest and version.digest not in kept:
            folder.version(version.digest).unlink(missing_ok=True)
        if version.sha256 not in kept:
            folder.upload(version.sha256, version.ending).unlink(missing_ok=True)
