"""A new ladder: its folder with all that it needs to run, and one with sample bots to try."""

import getpass
import re
from pathlib import Path
from typing import Any

from arena.bots.manifest import SAMPLE
from arena.bots.sandboxes.registry import AUTO, isolation_here, make_sandbox
from arena.io.errors import ArenaError
from arena.io.files import os_errors, write_file
from arena.ladder.book.book_file import BookFile
from arena.ladder.book.quota import Quotas
from arena.ladder.book.schema import DOOR, LADDER
from arena.ladder.config import Intervals, LadderFile, text_of
from arena.ladder.door.door import Door
from arena.ladder.door.submit import submit
from arena.ladder.folder import Folder, make_private

ADMINISTRATOR = "administrator"
DEMO_BOTS = ("random", "honest", "odds", "bluffer")
_DEMO_KEYS: dict[str, Any] = {
    "quotas": Quotas(uploads=100, refused=100),
    "intervals": Intervals(publish=5.0),
    "guests": 4,
    "humans": True,
}
"""What the ladder.yaml of a demo says beside the usual."""


def make_ladder(root: Path, sandbox: str | None, *, trusted: bool, **keys: Any) -> LadderFile:
    """Make the folder of a ladder; its sandbox is fixed now: the strongest, if none is named.

    `keys` are other keys of ladder.yaml. Raises ArenaError if something is there, or if the sandbox
    does not isolate bots that are not trusted.
    """
    chosen = make_sandbox(sandbox or AUTO)
    if not chosen.isolates and not trusted:
        what = f"the sandbox '{chosen.name}' does not isolate bots"
        hint = (
            f"{isolation_here().hint}, or --trust-bots if you trust every author with your account"
        )
        raise ArenaError(what, str(root), hint)
    folder = Folder(root)
    name = root.absolute().name or "ladder"
    file = LadderFile(name=name, sandbox=chosen.name, trust_bots=trusted, **keys)
    with os_errors("it cannot be made", root):
        root.mkdir(parents=True, exist_ok=True)
        if any(root.iterdir()):
            raise ArenaError("the folder is not empty", str(root), "name a new one")
        inside = (folder.inbox, folder.versions, folder.seasons, folder.private)
        for private in (folder.door.parent, *inside):
            make_private(private)
        write_file(folder.config, text_of(file).encode(), 0o644, durable=True)
        BookFile.create(folder.door, DOOR)
        with Door(folder, writes=True) as door:
            me = operator()
            door.invite(me, ADMINISTRATOR)
            door.note_deed(me, me, "made the ladder")
        BookFile.create(folder.ladder, LADDER)
    return file


def operator() -> str:
    """Return the name of whoever runs this, as an author's name may be written."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in a container
        user = ""
    return re.sub(r"[^A-Za-z0-9_-]", "-", user)[:32].lstrip("-_") or "operator"


def make_demo(root: Path) -> Folder:
    """Make a ladder and submit sample bots to it; raises ArenaError if something is there.

    Where no sandbox isolates bots it trusts them: who looks at it submits their own.
    """
    sandbox = make_sandbox(AUTO)
    trusted = not sandbox.isolates
    make_ladder(root, sandbox.name, trusted=trusted, **_DEMO_KEYS)
    folder = Folder(root)
    for bot in DEMO_BOTS:
        submit(folder, Path(f"{SAMPLE}{bot}"), operator())
    return folder
