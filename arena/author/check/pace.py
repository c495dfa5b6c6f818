"""What makes a check take long, said as soon as it is known."""

from collections.abc import Callable

from arena.bots.sandboxes.base import MIB
from arena.bots.sessions.session import MAX_STDERR

STEP_SECONDS = 60.0
"""A step puts positions to a slow bot for so long; then it is over without a fault."""
_ENOUGH, _LONG = 20, 5.0
"""Answers, or seconds that they took, after which slow ones are told."""
_SLOW_ANSWER, _SLOW_START = 0.2, 1.0
"""Seconds from which on an answer and a start are slow."""
_POSITIONS = 100
"""Positions of most steps."""
_STOP = "Ctrl-C ends the check and prints what was found"


class Pace:
    """Counts what a bot takes, and warns of each thing once.

    `steps_left` are the steps of the check that are not over.
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        self.steps_left = 0
        self._warn = warn
        self._said: set[str] = set()
        self._answers, self._seconds, self._written = 0, 0.0, 0

    def started(self, seconds: float, starts: int) -> None:
        """Note how long the bot took to start, and how often it will be started, one by one."""
        if seconds > _SLOW_START:
            said = f"it took {seconds:.1f} s to start, and may be started {starts} times"
            self._say("start", f"{said}: about {_time(seconds * starts)}; {_STOP}")

    def waited(self, answers: int, seconds: float, written: int) -> None:
        """Note so many answers after a wait, and the bytes of standard error that came with it."""
        self._written += written
        if answers:
            self._answers += answers
            self._seconds += seconds
        self._look()

    def _look(self) -> None:
        each = self._written / max(self._answers, _ENOUGH)
        if each > MAX_STDERR:
            written = f"{self._written / MIB:.0f} MiB to standard error"
            self._say("stderr", f"it wrote {written} so far: that takes time, and 64 KiB are kept")
        if self._answers < _ENOUGH and self._seconds < _LONG:
            return
        mean = self._seconds / self._answers
        if mean > _SLOW_ANSWER:
            left = self.steps_left * min(STEP_SECONDS, _POSITIONS * mean)
            said = f"an answer takes {mean:.1f} s: the check may take {_time(left)} more"
            self._say("answers", f"{said}; {_STOP}")

    def _say(self, kind: str, text: str) -> None:
        if kind not in self._said:
            self._said.add(kind)
            self._warn(text)


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
