"""The one bot in a hand-in, however it was packed.

What was handed in becomes a tree (`Node`), in which the `Reader` opens archives in their places,
under limits; `look_inside` finds the bot in it.
"""

import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice
from pathlib import Path, PurePath, PurePosixPath

from msgspec import Struct

from arena.bots.archives.entry import (
    ENVIRONMENT,
    LEAVE_OUT,
    MAX_DEPTH,
    MAX_PATH,
    ArchiveError,
    Entry,
    TooLargeError,
    check_characters,
    check_part,
    folded,
    instead_of_link,
)
from arena.bots.archives.unpack import ENDINGS, PACK, kind_of, reading, shown
from arena.bots.folder import BOT_LIMITS, BotLimits, check_size, digest, is_ignored
from arena.bots.manifest import MANIFEST
from arena.bots.sandboxes.base import MIB
from arena.io.errors import ArenaError, first_of
from arena.io.files import reason

_JUNK = {
    *("thumbs.db", "desktop.ini", ".svn", ".hg", ".idea", ".vscode", ".venv", "venv"),
    *(".pytest_cache", ".mypy_cache", ".ruff_cache"),
}
"""Files and folders of programs, in lower case; `is_ignored` knows others."""
_PACKAGES = "node_modules"
_ENVIRONMENT_FILE = "pyvenv.cfg"
HAND_IN_LIMITS = BotLimits(4 * BOT_LIMITS.entries, 4 * BOT_LIMITS.size)
"""The limits of a hand-in, unpacked and with what is passed over: an environment of Python or the
history of a repository is often larger than the bot."""
_MAX_ARCHIVES = 16
"""The most archives that are opened in one hand-in."""
_MAX_DEPTH = 2 * MAX_DEPTH
_MAX_PATH = 2 * MAX_PATH
"""The deepest and the longest path in a hand-in: a bot may lie as deep in it as a file in a bot."""
_HOLDS = "the hand-in holds"
_MAX_LEVEL = 2
"""The most archives around a bot, one within the other."""
_MEANT = 0.75
"""The likeness, from 0 to 1, from which on a file's name is a misspelt bot.yaml."""
_MAX_IGNORED = 20
"""The most files and folders that are named of those that were passed over."""
_MAX_FOUND = 3
"""The most files that are named if there is no bot."""
_COMPRESSED = {"", ".gz", ".bz2", ".xz", ".rar", ".7z", ".zipx"}
"""Endings of files that are probably meant to be archives."""


class Node(Struct, eq=False):
    """A file, a folder or an archive."""

    name: str
    parent: "Node | None" = None
    is_file: bool = False
    """Whether it is a file, such as an archive, and not a folder."""
    children: dict[str, "Node"] = {}
    """What is in a folder or an open archive."""
    content: Path = Path()
    """The path of a file on the disk; not set if it is passed over or has a `problem`."""
    size: int = 0
    """The size of a file in bytes."""
    executable: bool = False
    level: int = 0
    """The number of archives around it."""
    is_junk: bool = False
    """Whether its name is that of no student's work; what is in it is not kept."""
    is_only: bool = False
    """Whether it is all that was handed in: then places in it are told without its name."""
    problem: ArchiveError | None = None
    """Why it must not be in a hand-in; that does not matter in what is passed over."""
    unread: str = ""
    """Why an archive could not be opened."""

    @property
    def is_archive(self) -> bool:
        """Whether it is a file that is called like an archive."""
        is_one = self.is_file and not self.problem
        return is_one and self.name.lower().endswith(ENDINGS)

    @property
    def is_environment(self) -> bool:
        """Whether it is a virtual environment of Python."""
        return self.file(_ENVIRONMENT_FILE) is not None

    @property
    def is_passed_over(self) -> bool:
        """Whether it holds no part of a bot."""
        return self.is_junk or self.is_environment

    @property
    def is_for_packages(self) -> bool:
        """Whether it holds packages of other authors, and so not the bot of a hand-in."""
        return not self.is_file and self.name == _PACKAGES

    @property
    def place(self) -> str:
        """The path in the hand-in, as its student sees it; "" for the top."""
        return shown(self._path)

    @property
    def title(self) -> str:
        """The path in the hand-in, or the name of the only file or folder."""
        return self.place or shown(self.name)

    @property
    def _path(self) -> str:
        if self.parent is None or self.is_only:
            return ""
        return self.parent.beside(self.name)

    def beside(self, name: str) -> str:
        """Return the path in the hand-in of an entry of this folder or archive."""
        if not (outer := self._path):
            return name
        return f"{outer}{': ' if self.is_file else '/'}{name}"

    def child(self, name: str) -> "Node | None":
        """Return the entry of a name; in an archive, case and Unicode form make no difference."""
        return self.children.get(self._key(name))

    def add(self, name: str, *, is_file: bool) -> "Node":
        """Add a file or a folder to this folder or archive."""
        is_junk = is_ignored(name) or name.lower() in _JUNK
        is_junk = is_junk or (name == ".bin" and self.is_for_packages)
        level = self.level + self.is_file
        node = Node(name, self, is_file, level=level, is_junk=is_junk)
        self.children[self._key(name)] = node
        return node

    def _key(self, name: str) -> str:
        return folded(name) if self.level or self.is_file else name

    def file(self, name: str) -> "Node | None":
        """Return the file of exactly this name; None if there is none."""
        found = self.child(name)
        return found if found and found.name == name and found.is_file else None

    def own(self) -> Iterator["Node"]:
        """Yield the entries that may be the student's work."""
        return (child for child in self.children.values() if not child.is_passed_over)

    def everything(self, *, packages: bool = True) -> Iterator["Node"]:
        """Yield all entries at any depth that may be the student's work.

        Without `packages`, what is in a folder for packages is left out.
        """
        for child in self.own():
            yield child
            if packages or not child.is_for_packages:
                yield from child.everything(packages=packages)


class Reader:
    """Reads a hand-in under `HAND_IN_LIMITS`, and unpacks its archives into a private folder.

    Its methods raise OSError, and ArchiveError with the place in the hand-in for what must be
    refused.
    """

    def __init__(self, work: Path) -> None:
        self._work = work / "files"
        self._work.mkdir()
        self._entries = HAND_IN_LIMITS.entries
        """Files and folders that may still be read."""
        self._bytes = HAND_IN_LIMITS.size
        """Bytes that may still be read."""
        self._archives = 0
        self._stored = 0

    def read(self, files: Mapping[str, Path]) -> Node:
        """Return the tree of files, folders and archives, which are not opened yet."""
        top = Node("")
        folders: list[tuple[Node, Path]] = []
        with _places_in(top):
            for name, path in sorted(files.items()):
                node = self._take_path(top, name, path, path.lstat())
                if path.is_dir() and not path.is_symlink():
                    # Files in a folder that is passed over are counted, too.
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
        """Add the entries of an archive to the tree, or note why it cannot be read."""
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
        """Add a file or a folder on the disk, without what is in it."""
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
        """Add an entry of an archive; the bytes of what is passed over are counted, not kept."""
        node = self._placed(archive, entry)
        if node and entry.refusal:
            node.problem = entry.refusal
        if entry.refusal or entry.is_folder:
            return
        content = self._counted(entry)
        if node:
            self._stored += 1
            node.content = self._work / str(self._stored)
            node.executable = entry.executable
            with node.content.open("xb") as file:
                node.size = sum(map(file.write, content))
        for _ in content:
            pass

    def _counted(self, entry: Entry) -> Iterator[bytes]:
        """Yield the content of an entry, within the limits."""
        for chunk in entry.content:
            self._spend_bytes(len(chunk), entry.name)
            yield chunk

    def _placed(self, within: Node, entry: Entry) -> Node | None:
        """Return the new place of an entry in the tree; None if it is passed over, or taken."""
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
    """Change errors in a folder or an archive, so that they name the place in the hand-in."""
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
    """Return the names in the path of an entry; raises ArchiveError if it is too long or empty."""
    parts = entry.loose_parts()
    if len(parts) > _MAX_DEPTH:
        raise ArchiveError(f"more than {_MAX_DEPTH} folders within one another", entry.name)
    if len(entry.name.encode("utf-8", "surrogateescape")) > _MAX_PATH:
        raise ArchiveError(f"a path of more than {_MAX_PATH:,} bytes", entry.name)
    if not parts and not entry.is_folder:
        raise ArchiveError("a file without a name", entry.name)
    return parts


def _clash(child: Node, part: str, entry: Entry, *, is_last: bool) -> ArchiveError | None:
    """Return why an entry cannot have the place of another one; None for the same folder."""
    if child.name != part:
        what = f"a name that differs only by case or Unicode form from {shown(part)}"
        return ArchiveError(what, "", "rename one of them")
    is_file = is_last and not entry.is_folder
    if is_file != child.is_file:
        return ArchiveError("a file and a folder of one name", "", "rename one of them")
    return ArchiveError("the same file twice", "", "archive it again") if is_file else None


def _below(folder: Path) -> Iterator[tuple[str, Path, os.stat_result]]:
    """Yield everything in a folder, with its path from there; a folder before its entries."""
    waiting = [("", folder)]
    while waiting:
        prefix, path = waiting.pop()
        with os.scandir(path) as items:
            # There may be millions; one more than the limit is enough to be refused.
            found = sorted(islice(items, HAND_IN_LIMITS.entries + 1), key=lambda item: item.name)
        for item in found:
            name = f"{prefix}{item.name}"
            yield name, Path(item), item.stat(follow_symlinks=False)
            if item.is_dir(follow_symlinks=False):
                waiting.append((f"{name}/", Path(item)))


class Inside(Struct, frozen=True):
    """The bot in a hand-in, or why there is none."""

    bot: Path | None
    """A folder with the files of the bot and nothing else; None unless there is one bot."""
    where: str = ""
    """The path of the bot in the hand-in, as its student sees it; "" for the top."""
    why: str = ""
    """Why there is no bot, with what was found instead; "" if there is one."""
    hint: str = ""
    """How the student can mend that."""
    ignored: tuple[str, ...] = ()
    """Files and folders that are not part of the bot, and the number of those not named."""
    is_unclear: bool = False
    """Whether the teacher may find the bot: there are several, or an archive is unreadable."""


class _NoBotError(Exception):
    """There is no bot, or there are several."""

    def __init__(self, why: str, hint: str, *, is_unclear: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.hint = hint
        self.is_unclear = is_unclear


def look_inside(files: Mapping[str, Path], work: Path) -> Inside:
    """Find the one bot in a hand-in, and copy it to a folder of its own.

    `files` has files, archives and folders by the student's names for them. `work` is an empty
    folder for what is unpacked; the caller removes it. Raises ArenaError for faults of the machine,
    such as a full disk, and for no fault of the hand-in.
    """
    try:
        return _look_inside(files, work)
    except ArchiveError as error:
        where = f": {error.where}" if error.where else ""
        return Inside(None, why=f"{error.what}{where}", hint=error.hint)
    except OSError as error:
        name = Path(error.filename or work)
        if isinstance(error, PermissionError) and not name.is_relative_to(work):
            why = f"{shown(name.name)} cannot be read: {reason(error)}"
            return Inside(None, why=why, hint="let others read it")
        hint = "free some space, or set TMPDIR to a folder that has some"
        raise ArenaError(f"cannot be unpacked: {reason(error)}", str(work), hint) from None


def _look_inside(files: Mapping[str, Path], work: Path) -> Inside:
    reader = Reader(work)
    top = reader.read(files)
    bots = list(_bots(top, reader))
    for node in top.everything():
        if problem := node.problem:
            what = f"the hand-in holds {problem.what}"
            raise ArchiveError(what, node.place, problem.hint)
    try:
        if not bots:
            raise _no_bot(top)
        folder = _the_same(bots, work)
    except _NoBotError as error:
        ignored = _listed(_junk(top))
        return Inside(None, "", error.why, error.hint, ignored, error.is_unclear)
    return Inside(folder, bots[0].place, ignored=_listed(_passed_over(top, bots[0])))


def _bots(node: Node, reader: Reader) -> Iterator[Node]:
    """Yield the folders and archives with a bot, and open the archives that may have one.

    Everything in a bot's folder belongs to the bot. Only at the top, an archive beside the files of
    a bot may be another bot.
    """
    if node.is_passed_over:
        return
    is_bot = node.file(MANIFEST) is not None
    if is_bot:
        yield node
    is_loose = node.parent is None
    for child in list(node.own()):
        if child.is_archive and child.level < _MAX_LEVEL and (is_loose or not is_bot):
            reader.open(child)
            yield from _bots(child, reader)
        elif not (child.is_file or child.is_for_packages or is_bot):
            yield from _bots(child, reader)


def _the_same(bots: list[Node], work: Path) -> Path:
    """Copy the bot to a folder and return it; raises _NoBotError if there are different bots."""
    folders = [work / f"bot-{number}" for number in range(1, len(bots) + 1)]
    for bot, folder in zip(bots, folders, strict=True):
        _copy(bot, folder, work)
    if len(bots) > 1 and len({digest(folder) for folder in folders}) > 1:
        places = [bot.place or MANIFEST for bot in bots]
        count = "two" if len(bots) == 2 else str(len(bots))
        what = f"{count} bots: {_first(places)}"
        raise _NoBotError(what, "hand in one of them", is_unclear=True)
    return folders[0]


def _copy(bot: Node, target: Path, work: Path) -> None:
    """Copy the files of a bot to a new folder; raises ArchiveError if a bot must not have them."""
    files = dict(_files(bot, PurePosixPath()))
    _check(bot, files)
    target.mkdir(0o755)
    for inner, node in files.items():
        path = target / inner
        path.parent.mkdir(parents=True, exist_ok=True)
        if node.content.is_relative_to(work):
            node.content.rename(path)
        else:
            shutil.copyfile(node.content, path)
        path.chmod(0o755 if node.executable else 0o644)


def _files(folder: Node, inner: PurePosixPath) -> Iterator[tuple[PurePosixPath, Node]]:
    """Yield the files of a bot with their paths in it; archives of bots are left out."""
    for node in folder.own():
        if not node.is_file:
            yield from _files(node, inner / node.name)
        elif not _holds_bot(node):
            yield inner / node.name, node


def _holds_bot(node: Node) -> bool:
    inside = [node, *node.everything(packages=False)]
    return node.is_archive and any(each.file(MANIFEST) for each in inside)


def _check(bot: Node, files: Mapping[PurePosixPath, Node]) -> None:
    """Refuse what a bot's folder must not hold, as in a hand-in that is nothing but a bot."""
    for path, node in files.items():
        if node.level:
            _check_name(path, node)
        if len(path.parts) > MAX_DEPTH + 1:
            raise ArchiveError(
                f"a bot's folder may be {MAX_DEPTH} folders deep at most", node.place
            )
        if len(str(path).encode("utf-8", "surrogateescape")) > MAX_PATH:
            what = f"a path in a bot's folder may have {MAX_PATH:,} bytes at most"
            raise ArchiveError(what, node.place)
    folders = {folder for path in files for folder in path.parents}
    if len(files) + len(folders) - 1 > BOT_LIMITS.entries:
        what = f"a bot's folder may hold {BOT_LIMITS.entries:,} files and folders at most"
        raise ArchiveError(what, bot.place, LEAVE_OUT)
    try:
        check_size({str(path): node.size for path, node in files.items()}, Path(), BOT_LIMITS)
    except ArenaError as error:
        raise ArchiveError(error.what, bot.place, error.hint) from None


def _check_name(path: PurePosixPath, node: Node) -> None:
    """Refuse a name from an archive that some systems cannot store."""
    try:
        check_characters(str(path))
        for part in path.parts:
            check_part(part, str(path))
    except ArchiveError as error:
        raise ArchiveError(f"the bot's folder holds {error.what}", node.place, error.hint) from None


def _no_bot(top: Node) -> _NoBotError:
    """Return why there is no bot: what is nearly one, or cannot be read, or else all files."""
    nodes = list(top.everything(packages=False))
    files = [node for node in nodes if node.is_file and not node.children]
    inside = (child for node in [top, *nodes] for child in node.children.values())
    for environment in (node for node in [top, *inside] if node.is_environment):
        if environment.file(MANIFEST) or not files:
            why = f"{environment.title or 'the hand-in'} is a virtual environment of Python"
            return _NoBotError(why, ENVIRONMENT)
    misnamed = [
        node.place
        for node in files
        if get_close_matches(MANIFEST, [node.name.lower()], cutoff=_MEANT)
    ]
    if misnamed:
        return _NoBotError(f"{_first(misnamed)} must be called {MANIFEST}", "rename it")
    for words in (_unread, _too_deep):
        for node in files:
            if reasons := words(node):
                return _NoBotError(*reasons, is_unclear=True)
    hint = f"hand in the bot's folder with its {MANIFEST} (arena help protocol)"
    if not files:
        passed = _listed([*_junk(top), *(node for node in nodes if node.is_for_packages)])
        found = f"found only {_first(passed)}" if passed else "the hand-in is empty"
        return _NoBotError(f"no {MANIFEST}: {found}", hint)
    places = sorted((node.place for node in files), key=lambda place: (place.count("/"), place))
    return _NoBotError(f"no {MANIFEST}: found {_first(places)}", hint)


def _unread(node: Node) -> tuple[str, str] | None:
    """Return why an archive was not read, and a hint; None for other files."""
    kind = kind_of(node.content)
    if node.unread:
        if not node.size:
            return f"{node.title} is empty", PACK
        if kind is None or node.name.lower().endswith(kind.endings):
            return f"{node.title} cannot be read: {node.unread}", PACK
    elif kind is None or PurePosixPath(node.name.lower()).suffix not in _COMPRESSED:
        return None
    if not kind.endings:
        return f"{node.title} is {kind.words}, which cannot be read", PACK
    return f"{node.title} is {kind.words}: its name must end in {kind.endings[0]}", "rename it"


def _too_deep(node: Node) -> tuple[str, str] | None:
    """Return why an archive was not opened, and a hint."""
    if not node.is_archive or node.level < _MAX_LEVEL:
        return None
    return f"{node.place} is an archive within two others", "archive the bot's folder once"


def _junk(node: Node) -> Iterator[Node]:
    """Yield what is passed over in a folder or archive, at any depth."""
    for child in node.children.values():
        if child.is_passed_over:
            yield child
        else:
            yield from _junk(child)


def _passed_over(top: Node, bot: Node) -> Iterator[Node]:
    """Yield everything in a hand-in that is not part of the bot."""
    way = [bot]
    while way[-1].parent:
        way.append(way[-1].parent)
    for node in way[1:]:
        yield from (child for child in node.children.values() if child not in way)
    yield from _junk(bot)
    if bot is top:
        yield from filter(_holds_bot, bot.own())


def _listed(nodes: Iterable[Node]) -> tuple[str, ...]:
    places = sorted(f"{node.title}{'' if node.is_file else '/'}" for node in nodes)
    return tuple(first_of(places, _MAX_IGNORED))


def _first(places: Sequence[str]) -> str:
    """Return the first places in words, and the number of the others."""
    more = len(places) - _MAX_FOUND
    if more > 0:
        return f"{', '.join(places[:_MAX_FOUND])} and {more:,} more"
    return " and ".join(filter(None, [", ".join(places[:-1]), *places[-1:]]))
