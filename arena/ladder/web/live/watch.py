"""The ladder as it is now: read once for all who listen."""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from arena.io.errors import ArenaError
from arena.ladder.book.book import Book
from arena.ladder.book.tables import Event
from arena.ladder.folder import Folder
from arena.ladder.web.live.snapshot import Snapshot, look

_POLL = 0.5
"""Seconds between looks."""
_KEPT = 2_000
"""Lines of the log that are kept for listeners."""


class Watch:
    """Looks at the ladder and wakes those who listen when something changed."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.now: Snapshot = look(folder, None)
        self._lines = deque[Event](maxlen=_KEPT)
        self._since = self.now.last_event
        """The line of the log after which all are kept."""
        self._changed = asyncio.Event()
        self.stopped = False

    async def run(self) -> None:
        """Look until it is cancelled."""
        while True:
            # What cannot be read now, is later: pages show what was read last.
            with suppress(ArenaError):
                await self._step()
            await asyncio.sleep(_POLL)

    async def _step(self) -> None:
        before = self.now
        now = await asyncio.to_thread(look, self._folder, before)
        if now is before:
            return
        # The log may have grown since the last look: what was read then is not read again.
        last = self._lines[-1].n if self._lines else before.last_event
        lines = await asyncio.to_thread(self._read, last)
        self._lines.extend(lines)
        if len(self._lines) == _KEPT:
            self._since = self._lines[0].n
        self.now = now
        self._wake()

    def stop(self) -> None:
        """Wake those who listen for the last time."""
        self.stopped = True
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def look_again(self) -> Snapshot:
        """Return how the ladder is at this moment, for what cannot wait for the next look."""
        return look(self._folder, self.now)

    async def changed(self, seen: Snapshot, seconds: float) -> None:
        """Wait until the ladder is otherwise than it was seen, or for some seconds."""
        if self.now is seen and not self.stopped:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), seconds)

    async def lines(self, version: str, after: int) -> Sequence[Event]:
        """Return the log of a version after a line."""
        if after < self._since:
            return await asyncio.to_thread(self._read, after, version)
        return [line for line in self._lines if line.n > after and line.version == version]

    def _read(self, after: int, version: str = "") -> Sequence[Event]:
        with Book(self._folder) as book:
            return book.events(version, after)
