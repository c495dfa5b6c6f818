"""A new ladder: its folder with everything that it needs to run."""

import getpass
import re
from pathlib import Path
from typing import Any

from arena.bots.sandboxes.registry import AUTO, isolation_here, make_sandbox
from arena.io.errors import ArenaError
from arena.io.files import os_errors, write_file
from arena.ladder.book.book_file import BookFile
from arena.ladder.book.schema import DOOR, LADDER
from arena.ladder.config import LadderFile, text_of
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, make_private

ADMINISTRATOR = "administrator"


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
            door.invite(operator(), ADMINISTRATOR)
        BookFile.create(folder.ladder, LADDER)
    return file


def operator() -> str:
    """Return the name of whoever runs this, as an author's name may be written."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in a container
        user = ""
    return re.sub(r"[^A-Za-z0-9_-]", "-", user)[:32].lstrip("-_") or "operator"
