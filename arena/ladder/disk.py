"""What a ladder takes of the disk: logs are pruned to their caps, and play needs free space."""

from collections.abc import Callable, Iterable
from pathlib import Path

from arena.io.text import size_text
from arena.ladder.book.caps import Caps
from arena.ladder.folder import Folder
from arena.ladder.season.season import STORE
from arena.league.keeping import prune as pruning
from arena.league.keeping.prune import prune
from arena.league.store.failures import free_space
from arena.league.store.files import logs_path
from arena.league.store.store import Store

_SLACK = 16 << 20
_PARTS = 8
"""Logs are pruned when they grew by this many bytes, or by this part of their cap if it is less."""


def lacks_space(folder: Folder, caps: Caps) -> str:
    """Return why nothing may be played, "" if there is room."""
    free = free_space(folder.config)
    if free >= caps.free:
        return ""
    return f"only {size_text(free)} are free, disk.free is {size_text(caps.free)}: play is stopped"


class Room:
    """Whether the disk has room for more games, which is said when it changes."""

    def __init__(self, folder: Folder, say: Callable[[str], None]) -> None:
        self._folder, self._say = folder, say
        self.lacks = ""
        """Why nothing is played, "" if something is."""

    def look(self, caps: Caps) -> None:
        """See how much is free."""
        lacks = lacks_space(self._folder, caps)
        if bool(lacks) != bool(self.lacks):
            self._say(lacks or "there is room on the disk again: play goes on")
        self.lacks = lacks


def logs_size(folder: Folder) -> int | None:
    """Return the bytes that the logs of all seasons take; None for a user who may not look."""
    try:
        return _size(season / STORE for season in folder.seasons.iterdir())
    except PermissionError:
        return None


class Pruner:
    """Keeps the logs of a ladder within their caps while a season is played."""

    def __init__(self, folder: Folder, caps: Caps, store: Store) -> None:
        """Prune this store, which is open for writing, and those of earlier seasons."""
        self._folder = folder
        self._caps = caps
        self._store = store
        self._before = 0
        """What the logs took after the last pruning."""

    def step(self, *, wait: bool) -> None:
        """Prune if the logs grew by enough: those of earlier seasons first.

        With `wait` that is put off until they grew twice as much. Raises FindingError if something
        is damaged.
        """
        if self._store.last_position() < 0:
            return
        slack = min(_SLACK, self._caps.logs // _PARTS) * (2 if wait else 1)
        used = pruning.used(self._store)
        if used - self._before < slack:
            return
        folders = sorted(self._folder.seasons.iterdir(), key=lambda season: int(season.name))
        earlier = [season / STORE for season in folders if season != self._store.path.parent]
        for path in earlier:
            over = used + _size(earlier) - self._caps.logs
            if over > 0 and logs_path(path).exists():
                with Store(path, create=True) as store:
                    prune(store, max(0, pruning.used(store) - over), self._caps.stderr)
        room = self._caps.logs - _size(earlier)
        prune(self._store, max(0, room), self._caps.stderr)
        self._before = pruning.used(self._store)


def _size(stores: Iterable[Path]) -> int:
    logs = map(logs_path, stores)
    return sum(file.stat().st_size for file in logs if file.exists())
