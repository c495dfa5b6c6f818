"""What a student handed in, as one tree: files, folders, and archives that are opened in place."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from arena.bots.archives.entry import ArchiveError, folded
from arena.bots.archives.unpack import ENDINGS, shown
from arena.bots.folder import is_ignored

_JUNK = {
    *("thumbs.db", "desktop.ini", ".svn", ".hg", ".idea", ".vscode", ".venv", "venv"),
    *(".pytest_cache", ".mypy_cache", ".ruff_cache"),
}
"""What programs leave beside what a student wrote, in lower case, besides `is_ignored`."""
_PACKAGES = "node_modules"
_ENVIRONMENT_FILE = "pyvenv.cfg"


class Node(Struct, eq=False):
    """A file, a folder or an archive."""

    name: str
    parent: "Node | None" = None
    is_file: bool = False
    """Whether it is no folder."""
    children: dict[str, "Node"] = {}
    """What is in a folder or an opened archive."""
    content: Path = Path()
    """Where a file lies, unless it is passed over or has a `problem`."""
    size: int = 0
    """Bytes of a file."""
    executable: bool = False
    level: int = 0
    """The archives around it."""
    is_junk: bool = False
    """Whether its name says that it is no student's work; what is in it is not kept."""
    is_only: bool = False
    """Whether it is all that was handed in, so that its name says nothing of where things are."""
    problem: ArchiveError | None = None
    """Why no hand-in may hold it, unless it is in a folder that is passed over."""
    unread: str = ""
    """Why an archive could not be opened."""

    @property
    def is_archive(self) -> bool:
        """Whether it is a file with the name of an archive."""
        is_one = self.is_file and not self.problem
        return is_one and self.name.lower().endswith(ENDINGS)

    @property
    def is_environment(self) -> bool:
        """Whether it is a virtual environment of Python."""
        return self.file(_ENVIRONMENT_FILE) is not None

    @property
    def is_passed_over(self) -> bool:
        """Whether nothing in it is part of a bot."""
        return self.is_junk or self.is_environment

    @property
    def is_for_packages(self) -> bool:
        """Whether it holds packages of others, and so no hand-in's bot."""
        return not self.is_file and self.name == _PACKAGES

    @property
    def place(self) -> str:
        """The path in the hand-in, as the student would name it; "" for the top."""
        return shown(self._path)

    @property
    def title(self) -> str:
        """The same, with a name for the only file or folder."""
        return self.place or shown(self.name)

    @property
    def _path(self) -> str:
        if self.parent is None or self.is_only:
            return ""
        return self.parent.beside(self.name)

    def beside(self, name: str) -> str:
        """Return the path of an entry in it."""
        if not (outer := self._path):
            return name
        return f"{outer}{': ' if self.is_file else '/'}{name}"

    def child(self, name: str) -> "Node | None":
        """Return what has this name, or in an archive one that some systems take for the same."""
        return self.children.get(self._key(name))

    def add(self, name: str, *, is_file: bool) -> "Node":
        """Add a file or a folder to a folder or an archive."""
        level = self.level + self.is_file
        node = Node(name, self, is_file, level=level, is_junk=_is_junk(name, self))
        self.children[self._key(name)] = node
        return node

    def _key(self, name: str) -> str:
        return folded(name) if self.level or self.is_file else name

    def file(self, name: str) -> "Node | None":
        """Return the file of a name in a folder or archive."""
        found = self.child(name)
        return found if found and found.name == name and found.is_file else None

    def own(self) -> Iterator["Node"]:
        """Yield what is in it and may be the student's work."""
        return (child for child in self.children.values() if not child.is_passed_over)

    def everything(self, *, packages: bool = True) -> Iterator["Node"]:
        """Yield what is in it, at any depth, that is not passed over, nor among packages."""
        for child in self.own():
            yield child
            if packages or not child.is_for_packages:
                yield from child.everything(packages=packages)


def _is_junk(name: str, parent: Node) -> bool:
    """Return whether a file or folder is never a student's work, by its name."""
    in_packages = name == ".bin" and parent.is_for_packages
    return is_ignored(name) or name.lower() in _JUNK or in_packages
