"""How a season that is to be closed comes to its end, also while language models fail."""

import threading
from collections.abc import Callable, Sequence
from functools import partial

from arena.io.shortage import shortage_of
from arena.ladder.season.season import Season
from arena.league.play.dispatcher import RunListener


class Notes:
    """Says what is wrong once, not each time that it is tried again."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said: set[str] = set()

    def note(self, text: str) -> None:
        """Say it, unless it was said."""
        if text not in self._said:
            self._said.add(text)
            self._say(text)

    def unless_short(self, play: Callable[[], bool]) -> bool:
        """Play; False if the machine lacked something for it, which is said."""
        try:
            return play()
        except Exception as error:
            if not (shortage := shortage_of(error)):
                raise
            self.note(str(shortage))
            return False

    def clear(self) -> None:
        """Take note that nothing is wrong."""
        self._said.clear()


class _Until(RunListener):
    """Plays until the ladder is told to stop."""

    def __init__(self, stop: threading.Event, notes: Notes) -> None:
        self._stop = stop
        self._notes = notes

    def note(self, text: str) -> None:
        """Say why fixtures are put off."""
        self._notes.note(text)

    def stop_requested(self) -> bool:
        """Tell whether the ladder is told to stop."""
        return self._stop.is_set()


def play_to_its_end(
    season: Season,
    field: Sequence[str],
    struck: Sequence[str],
    stop: threading.Event,
    notes: Notes,
) -> bool:
    """Play what was begun, and begin no more; False if the ladder was told to stop.

    Bots whose language models fail play no more: a season is not kept open by somebody's server.
    """
    until = _Until(stop, notes)
    while not stop.is_set():
        if notes.unless_short(partial(season.end, field, struck, until)):
            return True
        if left_out := season.put_off():
            names = ", ".join(sorted(left_out))
            notes.note(f"the season is closed without the tables that are left of {names}")
            field = [name for name in field if name not in left_out]
    return False
