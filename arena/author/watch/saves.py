"""Saves in a bot's folder, found by looking at its files again and again."""

import time
from pathlib import Path
from stat import S_ISDIR

from arena.bots.folder import BOT_LIMITS, is_ignored, walk
from arena.io.errors import ArenaError

_EVERY = 0.1
"""Seconds between looks."""
_SHARE = 20
"""A look may take this part of the time between looks: large folders are looked at less often."""


class Saves:
    """Tells whether something was saved in a folder since it was asked last.

    A look takes half a millisecond for the dozen files of a bot. The kernel could tell of saves
    (inotify), but not of those on a network, or on a host whose folder a container sees.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.interval = _EVERY
        """Seconds after which to ask again."""
        self._last = self._look()
        self._unsettled = False

    def came(self) -> bool:
        """Tell whether something was saved; not before two looks were the same again."""
        found = self._look()
        changed, self._last = found != self._last, found
        settled = self._unsettled and not changed
        self._unsettled = changed
        return settled

    def _look(self) -> object:
        """Return something that differs if a file of the bot does, or the reason against it."""
        began = time.monotonic()
        try:
            return [
                (path, info.st_mtime_ns, info.st_size, info.st_ino, info.st_mode)
                for path, info in walk(self._folder, BOT_LIMITS, is_ignored)
                if not S_ISDIR(info.st_mode)
            ]
        except ArenaError as error:
            return str(error)
        finally:
            self.interval = max(_EVERY, _SHARE * (time.monotonic() - began))
