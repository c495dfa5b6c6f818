"""What a bot's misbehaviour leads to, and the limits that it is tried with."""

from msgspec import Struct

from arena.bots.sandboxes.child_process import process_trees
from arena.game.records import Cause, LimitsInfo

_trees = process_trees()
CGROUPS = _trees is not None and _trees.caps_memory
"""Whether control groups limit bots on this machine."""
PATIENT = LimitsInfo(start=20.0, answer=20.0, game=60.0, restarts=1)
"""For bots that answer at once."""
HASTY = LimitsInfo(start=20.0, answer=0.5, game=5.0, wall=1.0, restarts=1)
"""For bots that do not answer."""
LATE = LimitsInfo(start=3.0, answer=20.0, game=60.0, restarts=1)
"""For bots that are never ready."""
CROWDED = LimitsInfo(start=20.0, answer=1.0, game=10.0, wall=1.0, restarts=1)
"""For bots that do not answer and keep the machine busy."""
DRAWN_OUT = LimitsInfo(start=20.0, answer=20.0, game=60.0, restarts=1, fixture=4.0)
"""For bots that answer slowly."""


class Outcome(Struct, frozen=True):
    """What happens in one sandbox."""

    cause: Cause | None = None
    """The fault; None if the bot plays on."""
    detail: str = ""
    """Must be part of the fault's detail, which its author reads."""
    works: bool = False
    """Whether its attempt works."""
    survives: bool = False
    """Whether something that it started survives the match."""
    tried: bool = True
    """Whether the tests try it: not if it would hurt the machine or does not apply."""
    not_promised: str = ""
    """What the sandbox does not prevent; "" if it holds."""


class Misbehaviour(Struct, frozen=True):
    """One misbehaviour."""

    default: Outcome
    limits: LimitsInfo = PATIENT
    attempt: bool = False
    """Whether the bot reports on standard error what it managed."""
    exceptions: dict[str, Outcome] = {}
    """Other outcomes, by sandbox."""

    @property
    def games(self) -> int:
        """Two, unless games take time: whether the bot is started again for the second shows."""
        return 2 if self.limits in (PATIENT, DRAWN_OUT) else 1

    def outcome(self, sandbox: str) -> Outcome:
        """Return what happens in a sandbox."""
        return self.exceptions.get(sandbox, self.default)
