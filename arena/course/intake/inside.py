"""The one bot in what a student handed in, however it was packed."""

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from msgspec import Struct

from arena.bots.archives.entry import (
    ENVIRONMENT,
    LEAVE_OUT,
    MAX_DEPTH,
    MAX_PATH,
    ArchiveError,
    check_characters,
    check_part,
)
from arena.bots.archives.kinds import kind_of
from arena.bots.archives.unpack import PACK, shown
from arena.bots.folder import BOT_LIMITS, check_size, digest
from arena.bots.manifest import MANIFEST
from arena.course.intake.reader import Reader
from arena.course.intake.tree import Node
from arena.io.errors import ArenaError, first_of
from arena.io.files import reason

_MAX_LEVEL = 2
"""Archives around a bot: one within another."""
_MEANT = 0.75
"""How near a file's name is to that of a manifest if that is probably meant, from 0 to 1."""
_MAX_IGNORED, _MAX_FOUND = 20, 3
"""What is named of what was passed over, and of what was found."""
_COMPRESSED = {"", ".gz", ".bz2", ".xz", ".rar", ".7z", ".zipx"}
"""Endings of names of files that are meant to be archives."""


class Inside(Struct, frozen=True):
    """What was found in a hand-in."""

    bot: Path | None
    """A folder with the bot's files and nothing else; None unless there is exactly one bot."""
    where: str = ""
    """The bot's path in the hand-in, as the student would name it; "" for the top."""
    why: str = ""
    """Why there is no bot, with what was found and where; "" if there is one."""
    hint: str = ""
    """How to mend that."""
    ignored: tuple[str, ...] = ()
    """What was passed over, a folder as one entry, and how many more there are."""
    is_unclear: bool = False
    """Whether a person may find the bot: there are several, or an archive cannot be read."""


class _NoBotError(Exception):
    """Why there is no bot that could be taken."""

    def __init__(self, why: str, hint: str, *, is_unclear: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.hint = hint
        self.is_unclear = is_unclear


def look_inside(files: Mapping[str, Path], work: Path) -> Inside:
    """Find the one bot in what a student handed in at a time, and copy it to a folder of its own.

    `files` are files, archives and folders by the student's names for them. `work` is an empty
    folder for what is unpacked; the caller removes it. Raises ArenaError if the machine is at
    fault, as when the disk is full, but for nothing that was handed in.
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
    """Yield the folders and archives that hold a bot, and open archives that may.

    What is in a bot's folder belongs to the bot; only beside loose files an archive may be another.
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
    """Return a folder with the files of a bot; raises _NoBotError if there are different ones."""
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
    """Write the files of a bot to a new folder; raises ArchiveError if no bot may have them."""
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
    """Yield the files of a bot, by their paths in it: without archives that hold a bot."""
    for node in folder.own():
        if not node.is_file:
            yield from _files(node, inner / node.name)
        elif not _holds_bot(node):
            yield inner / node.name, node


def _holds_bot(node: Node) -> bool:
    inside = [node, *node.everything(packages=False)]
    return node.is_archive and any(each.file(MANIFEST) for each in inside)


def _check(bot: Node, files: Mapping[PurePosixPath, Node]) -> None:
    """Refuse what a bot's folder may not hold, as it is refused in a tidy hand-in."""
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
    """Refuse a name from an archive that not every system can store."""
    try:
        check_characters(str(path))
        for part in path.parts:
            check_part(part, str(path))
    except ArchiveError as error:
        raise ArchiveError(f"the bot's folder holds {error.what}", node.place, error.hint) from None


def _no_bot(top: Node) -> _NoBotError:
    """Return why there is no bot: what is nearly one, else what cannot be read, else all."""
    nodes = list(top.everything(packages=False))
    files = [node for node in nodes if node.is_file and not node.children]
    inside = (child for node in [top, *nodes] for child in node.children.values())
    for environment in (node for node in [top, *inside] if node.is_environment):
        if environment.file(MANIFEST) or not files:
            why = f"{environment.title or 'the hand-in'} is a virtual environment of Python"
            return _NoBotError(why, ENVIRONMENT)
    if misnamed := [node.place for node in files if _is_meant(node.name)]:
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


def _is_meant(name: str) -> bool:
    return bool(get_close_matches(MANIFEST, [name.lower()], cutoff=_MEANT))


def _unread(node: Node) -> tuple[str, str] | None:
    """Return why a file is no archive that is read, and a hint; None for other files."""
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
    """Return the first places in words, and how many more there are."""
    more = len(places) - _MAX_FOUND
    if more > 0:
        return f"{', '.join(places[:_MAX_FOUND])} and {more:,} more"
    return " and ".join(filter(None, [", ".join(places[:-1]), *places[-1:]]))
