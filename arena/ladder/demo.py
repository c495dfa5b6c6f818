"""A ladder to look at: the sample bots that play on every machine, and no long waits."""

from pathlib import Path

from arena.bots.manifest import SAMPLE
from arena.bots.sandboxes.registry import AUTO, make_sandbox
from arena.ladder.book.quota import Quotas
from arena.ladder.config import Intervals
from arena.ladder.door.submit import submit
from arena.ladder.folder import Folder
from arena.ladder.new import make_ladder, operator

BOTS = ("random", "honest", "odds", "bluffer")
_QUOTAS = Quotas(uploads=100, refused=100)
_INTERVALS = Intervals(publish=5.0)


def make_demo(root: Path) -> Folder:
    """Make a ladder and submit sample bots to it; raises ArenaError if something is there.

    Where no sandbox isolates bots it trusts them: who looks at it submits their own.
    """
    sandbox = make_sandbox(AUTO)
    trusted = not sandbox.isolates
    make_ladder(root, sandbox.name, trusted=trusted, quotas=_QUOTAS, intervals=_INTERVALS)
    folder = Folder(root)
    for bot in BOTS:
        submit(folder, Path(f"{SAMPLE}{bot}"), operator())
    return folder
