"""Reading what a student handed in, and unpacking its archives, under limits."""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PurePath

from arena.bots.archives.entry import (
    LEAVE_OUT,
    MAX_DEPTH,
    MAX_PATH,
    ArchiveError,
    Entry,
    TooLargeError,
    instead_of_link,
)
from arena.bots.archives.unpack import reading, shown
from arena.bots.folder import BOT_LIMITS, BotLimits
from arena.bots.sandboxes.base import MIB
from arena.course.intake.tree import Node

HAND_IN_LIMITS = BotLimits(4 * BOT_LIMITS.entries, 4 * BOT_LIMITS.size)
"""The limits of everything handed in at one time, unpacked and with its junk: an environment of
Python or the history of a repository is often larger than the bot."""
_MAX_ARCHIVES = 16
"""Archives that are opened in one hand-in."""
_MAX_DEPTH, _MAX_PATH = 2 * MAX_DEPTH, 2 * MAX_PATH
"""The deepest and the longest path in a folder or an archive: a bot may lie as deep in it as files
may lie in a bot."""
_HOLDS = "the hand-in holds"


class Reader:
    """Reads what was handed in under `HAND_IN_LIMITS`, and unpacks it into a private folder.

    Its methods raise ArchiveError for what must be refused, with the place in the hand-in, and
    OSError.
    """

    def __init__(self, work: Path) -> None:
        self._work = work / "files"
        self._work.mkdir()
        self._entries, self._bytes = HAND_IN_LIMITS.entries, HAND_IN_LIMITS.size
        """What is left of the limits."""
        self._archives = self._stored = 0

    def read(self, files: Mapping[str, Path]) -> Node:
        """Return the tree of files, folders and archives; these are not opened yet."""
        top = Node("")
        folders: list[tuple[Node, Path]] = []
        with _places_in(top):
            for name, path in sorted(files.items()):
                node = self._take_path(top, name, path, path.lstat())
                if path.is_dir() and not path.is_symlink():
                    # What is in junk is counted, too.
                    folders.append((node or Node(name, top, is_junk=True), path))
        own = list(top.own())
        if len(own) == 1 and (not own[0].is_file or own[0].is_archive):
            own[0].is_only = True
        for folder, path in folders:
            with _places_in(folder):
                for inner, each, info in _below(path):
                    self._take_path(folder, inner, each, info)
        return top

    def open(self, archive: Node) -> None:
        """Read what is in an archive, or note why it cannot be read."""
        self._archives += 1
        if self._archives > _MAX_ARCHIVES:
            raise TooLargeError(f"{_HOLDS} more than {_MAX_ARCHIVES} archives", "", LEAVE_OUT)
        limits = self._entries, self._bytes
        try:
            with (
                _places_in(archive),
                reading(archive.content, archive.name, *limits, loose=True) as entries,
            ):
                for entry in entries:
                    self._take(archive, entry)
        except TooLargeError:
            raise
        except ArchiveError as error:
            if error.where:
                raise
            archive.children, archive.unread = {}, error.what

    def _take_path(self, within: Node, name: str, path: Path, info: os.stat_result) -> Node | None:
        """Take a file or a folder on the disk, without what is in it."""
        is_folder, is_file = stat.S_ISDIR(info.st_mode), stat.S_ISREG(info.st_mode)
        node = self._placed(within, Entry(name, is_folder, False, iter(())))
        if is_file:
            self._spend_bytes(info.st_size, name)
        if node and is_file:
            node.content, node.size = path, info.st_size
            node.executable = bool(info.st_mode & 0o100)
        elif node and not is_folder:
            is_link = stat.S_ISLNK(info.st_mode)
            what = "a symbolic link" if is_link else "what is neither a file nor a folder"
            hint = instead_of_link(PurePath(name)) if is_link else "leave it out"
            node.problem = ArchiveError(what, "", hint)
        return node

    def _take(self, archive: Node, entry: Entry) -> None:
        """Take an entry of an archive; content that is passed over is counted, and not kept."""
        node = self._placed(archive, entry)
        if entry.refusal:
            if node:
                node.problem = entry.refusal
        elif not entry.is_folder:
            content = self._counted(entry)
            if node:
                self._stored += 1
                node.content, node.executable = self._work / str(self._stored), entry.executable
                with node.content.open("xb") as file:
                    node.size = sum(map(file.write, content))
            for _ in content:
                pass

    def _counted(self, entry: Entry) -> Iterator[bytes]:
        for chunk in entry.content:
            self._spend_bytes(len(chunk), entry.name)
            yield chunk

    def _placed(self, within: Node, entry: Entry) -> Node | None:
        """Return the place of an entry in the tree; None if it is passed over, or taken."""
        self._spend_entry(entry.name)
        parts = _parts(entry)
        node = within
        for number, part in enumerate(parts, 1):
            if node.is_junk:
                return None
            is_last = number == len(parts)
            child = node.child(part)
            if child is None:
                if not is_last:
                    self._spend_entry(entry.name)
                child = node.add(part, is_file=is_last and not entry.is_folder)
            elif clash := _clash(child, part, entry, is_last=is_last):
                child.problem = clash
                return None
            node = child
        return None if node.is_junk else node

    def _spend_entry(self, name: str) -> None:
        self._entries -= 1
        if self._entries < 0:
            raise TooLargeError(
                f"more than {HAND_IN_LIMITS.entries:,} files and folders", name, LEAVE_OUT
            )

    def _spend_bytes(self, size: int, name: str) -> None:
        self._bytes -= size
        if self._bytes < 0:
            raise TooLargeError(f"more than {HAND_IN_LIMITS.size // MIB} MiB", name, LEAVE_OUT)


@contextmanager
def _places_in(node: Node) -> Iterator[None]:
    """Have errors name places in the hand-in, not in a folder or an archive of it."""
    try:
        yield
    except ArchiveError as error:
        if error.where:
            where = shown(node.beside(error.where))
            raise type(error)(f"{_HOLDS} {error.what}", where, error.hint) from None
        if isinstance(error, TooLargeError):
            raise TooLargeError(error.what, node.title, error.hint) from None
        raise


def _parts(entry: Entry) -> tuple[str, ...]:
    parts = entry.loose_parts()
    if len(parts) > _MAX_DEPTH:
        raise ArchiveError(f"more than {_MAX_DEPTH} folders within one another", entry.name)
    if len(entry.name.encode("utf-8", "surrogateescape")) > _MAX_PATH:
        raise ArchiveError(f"a path of more than {_MAX_PATH:,} bytes", entry.name)
    if not parts and not entry.is_folder:
        raise ArchiveError("a file without a name", entry.name)
    return parts


def _clash(child: Node, part: str, entry: Entry, *, is_last: bool) -> ArchiveError | None:
    """Return why an entry cannot have the place of what is there."""
    if child.name != part:
        what = f"a name that differs only by case or Unicode form from {shown(part)}"
        return ArchiveError(what, "", "rename one of them")
    is_file = is_last and not entry.is_folder
    if is_file != child.is_file:
        return ArchiveError("a file and a folder of one name", "", "rename one of them")
    return ArchiveError("the same file twice", "", "archive it again") if is_file else None


def _below(folder: Path) -> Iterator[tuple[str, Path, os.stat_result]]:
    """Yield everything in a folder, with its path from there; folders before what is in them."""
    waiting = [("", folder)]
    while waiting:
        prefix, path = waiting.pop()
        with os.scandir(path) as items:
            # One more than the limit is refused: there may be millions.
            found = sorted(islice(items, HAND_IN_LIMITS.entries + 1), key=lambda item: item.name)
        for item in found:
            name = f"{prefix}{item.name}"
            yield name, Path(item), item.stat(follow_symlinks=False)
            if item.is_dir(follow_symlinks=False):
                waiting.append((f"{name}/", Path(item)))
