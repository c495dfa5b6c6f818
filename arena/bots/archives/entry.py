"""The entries of an archive, and which names they may have."""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import PurePath

from msgspec import Struct

from arena.io.errors import ArenaError

MAX_PART = 255
"""Longest name of a file or folder, in bytes: the limit of Linux."""
MAX_PATH = 1024
"""Longest path inside a bot's folder, in bytes."""
MAX_DEPTH = 32
"""Most folders inside one another."""
CHUNK = 65_536
"""Most bytes that a reader returns at a time."""
ENVIRONMENT = (
    "remove it; how to bring packages along: requirements.txt, or pip install --target"
    " (arena help languages)"
)
"""The hint for a virtual environment of Python in a bot's folder."""
LEAVE_OUT = "leave out what the bot does not need"
_LEADS_OUT = "a path that leads out of the archive"
_DRIVE = re.compile(r"[A-Za-z]:")


class ArchiveError(ArenaError):
    """Why an archive is refused; `where` is the name of an entry, "" for the whole archive."""


class TooLargeError(ArchiveError):
    """An archive that exceeds a limit."""


class Entry(Struct):
    """A file or a folder in an archive; `content` must be read before the next entry.

    `name` is what the archive says, and must not be trusted.
    """

    name: str
    is_folder: bool
    executable: bool
    content: Iterator[bytes]
    refusal: ArchiveError | None = None
    """Why the entry, a link, a device or a FIFO without `content`, may not be in a bot."""

    def parts(self) -> tuple[str, ...]:
        """Return the folders and the name in the entry's name, () for the top folder.

        Raises ArchiveError for a name that leads out of the archive, that some system cannot store,
        or that has invisible characters.
        """
        name = self.name
        check_characters(name)
        _check_relative(name, name)
        parts = name.split("/")
        if parts[0] == ".":
            del parts[0]
        if parts and self.is_folder and not parts[-1] and name:
            del parts[-1]
        for part in parts:
            check_part(part, name)
        # One more than in a bot's folder, as the archive may hold that folder itself.
        if len(parts) - (not self.is_folder) > MAX_DEPTH + 1:
            raise ArchiveError(f"more than {MAX_DEPTH + 1} folders within one another", name)
        if len(name.encode()) > MAX_PATH:
            raise ArchiveError(f"a path of more than {MAX_PATH} bytes", name)
        if not parts and not self.is_folder:
            raise ArchiveError("a file in place of the bot's folder", name)
        return tuple(parts)

    def loose_parts(self) -> tuple[str, ...]:
        r"""Return the same for a name that may have `\` between folders, and any characters.

        Raises ArchiveError for a name that leads out of the archive.
        """
        name = self.name.replace("\\", "/")
        _check_relative(name, self.name)
        parts = tuple(part for part in name.split("/") if part not in {"", "."})
        if ".." in parts:
            raise ArchiveError(_LEADS_OUT, self.name)
        return parts


def instead_of_link(path: PurePath) -> str:
    """Return the hint for a link at this path in a bot's folder."""
    if {".venv", "venv"} & set(path.parts):
        return ENVIRONMENT
    if "node_modules" in path.parts:
        return "make them without links: npm install --no-bin-links"
    return "put a copy of the file in its place"


def folded(part: str) -> str:
    """Return the same text for names that differ only by case or Unicode form."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", part).casefold())


def check_characters(name: str) -> None:
    """Raise ArchiveError for a path that some system cannot store, or that does not show."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ArchiveError("a name that is not UTF-8", name, "rename the file") from None
    if not name.isprintable():
        raise ArchiveError("a name with a character that does not show", name, "rename the file")
    if "\\" in name:
        hint = "archive it with a program that writes / between folders"
        raise ArchiveError("a name with a backslash", name, hint)


def _check_relative(name: str, where: str) -> None:
    if name.startswith("/") or _DRIVE.match(name):
        raise ArchiveError("an absolute path", where, "archive the bot's folder from beside it")


def check_part(part: str, name: str) -> None:
    """Raise ArchiveError for a part of the path `name` that not every system can store."""
    if part == "..":
        raise ArchiveError(_LEADS_OUT, name)
    if part in {"", "."}:
        raise ArchiveError("a path with an empty part", name)
    if ":" in part or part[-1] in ". ":
        hint = "no colon, no dot or space at the end"
        raise ArchiveError("a name that not every system can hold", name, hint)
    if len(part.encode()) > MAX_PART:
        raise ArchiveError(f"a name of more than {MAX_PART} bytes", name)
