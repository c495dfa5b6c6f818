"""The folder of a ladder: where everything is, who may enter it, and its lock."""

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from stat import S_IMODE

from msgspec import Struct

from arena.io.errors import ArenaError
from arena.io.files import is_locked_exclusively, lock_exclusively, os_errors, stat_of
from arena.io.text import span

_PRIVATE = 0o700
_BEAT = 5.0
"""Seconds between two signs of life."""
SILENCE = 600.0
"""Seconds without one after which a ladder hangs: to close a large season takes minutes."""


class Folder(Struct, frozen=True):
    """The paths of a ladder."""

    root: Path

    @property
    def config(self) -> Path:
        """What the operator decides."""
        return self.root / "ladder.yaml"

    @property
    def door(self) -> Path:
        """The database of submissions and orders, in a folder that its writers may write to."""
        return self.root / "door" / "door.sqlite"

    @property
    def door_address(self) -> Path:
        """The address at which the door was opened last."""
        return self.root / "door" / "address"

    @property
    def ladder(self) -> Path:
        """The database that the ladder writes."""
        return self.root / "ladder.sqlite"

    @property
    def inbox(self) -> Path:
        """Submissions that were received and not checked."""
        return self.root / "inbox"

    @property
    def versions(self) -> Path:
        """Canonical archives, named by their SHA-256."""
        return self.root / "versions"

    @property
    def built(self) -> Path:
        """A cache of built bots (`BuildCache`)."""
        return self.root / "built"

    @property
    def seasons(self) -> Path:
        """A folder for each season's store."""
        return self.root / "seasons"

    @property
    def private(self) -> Path:
        """A folder for each author's pages."""
        return self.root / "private"

    def sent(self, author: str, version: str) -> Path:
        """Return the file from which an author has back what they submitted as a version."""
        return self.private / author / "sent" / f"{file_stem(version)}.tar"

    @property
    def site(self) -> Path:
        """The link to the site that is published now."""
        return self.root / "site"

    @property
    def guests(self) -> Path:
        """The pages and games of tables with visitors."""
        return self.root / "guests"

    @property
    def live(self) -> Path:
        """The standings as games are played (`arena/ladder/book/shown.py`)."""
        return self.root / "live" / "standings.json"

    @property
    def heartbeat(self) -> Path:
        """An empty file: its time is that at which a ladder that runs showed life."""
        return self.root / "heartbeat"

    @property
    def last_backup(self) -> Path:
        """An empty file: its time is that of the last backup."""
        return self.root / "last-backup"

    @property
    def last_verified(self) -> Path:
        """An empty file: its time is that when a backup was last read again and found whole."""
        return self.root / "last-verified"

    def season(self, number: int) -> Path:
        """Return the folder of a season."""
        return self.seasons / str(number)

    def in_inbox(self) -> dict[str, int]:
        """Return the bytes of each file in the inbox, without those that are being received."""
        found = ((path.name, stat_of(path)) for path in self.inbox.glob("[!.]*"))
        return {name: stat.st_size for name, stat in found if stat}

    def upload(self, sha256: str, ending: str) -> Path:
        """Return where a submission waits."""
        return self.inbox / f"{sha256}{ending}"

    def version(self, digest: str) -> Path:
        """Return the file of a version."""
        return self.versions / f"{digest}.tar"


def file_stem(version: str) -> str:
    """Return what the files of a version are called: `ann.mine@1` for `ann/mine@1`."""
    return version.replace("/", ".")


def existing(root: Path) -> Folder:
    """Return the folder of a ladder that is there; raises ArenaError otherwise."""
    folder = Folder(root)
    if not (folder.ladder.is_file() and folder.door.is_file()):
        raise ArenaError("it is no ladder", str(root), f"make one: arena ladder init {root}")
    return folder


def make_private(path: Path) -> None:
    """Make a folder that only its owner may enter."""
    path.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    path.chmod(_PRIVATE)


def make_shared(path: Path) -> None:
    """Create a folder with its parent's permissions."""
    path.mkdir(exist_ok=True)
    path.chmod(S_IMODE(path.parent.stat().st_mode))


def locked(folder: Folder) -> AbstractContextManager[None]:
    """Keep other ladders out; raises ArenaError if one runs here."""
    hint = "one is enough: arena ladder status says what it does"
    taken = ArenaError("another ladder runs in this folder", str(folder.root), hint)
    return held(folder.root, taken)


@contextmanager
def held(path: Path, taken: ArenaError) -> Iterator[None]:
    """Lock a folder; raises `taken` if another has. The kernel ends it with this process."""
    with _opened(path) as file:
        if not lock_exclusively(file):
            raise taken
        yield


def is_running(folder: Folder) -> bool:
    """Tell whether a ladder runs in a folder."""
    with _opened(folder.root) as file:
        return is_locked_exclusively(file)


class Heartbeat:
    """Shows that a ladder that runs does something."""

    def __init__(self, folder: Folder) -> None:
        self._file = folder.heartbeat
        self._next = 0.0

    def beat(self) -> None:
        """Show it now, unless that was seconds ago."""
        if (now := time.monotonic()) >= self._next:
            self._next = now + _BEAT
            with suppress(OSError):  # on a full disk an old file can be touched
                self._file.touch(0o644)


def hung(folder: Folder) -> str:
    """Say for how long a ladder that runs has shown no life; "" if it was not long."""
    found = stat_of(folder.heartbeat)
    silence = time.time() - found.st_mtime if found else 0.0
    if silence < SILENCE or not is_running(folder):
        return ""
    return f"it hangs: it has done nothing for {span(silence)}"


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    # Not a database: closing any descriptor of one drops SQLite's locks on it.
    with os_errors("it cannot be opened", path):
        file = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield file
    finally:
        os.close(file)
