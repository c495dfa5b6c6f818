"""A bot's folder, or the archive of one, and its bot.yaml."""

import hashlib
import os
import re
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from msgspec import Struct

from arena import shipped
from arena.config_files.yaml_file import load_yaml
from arena.errors import ArenaError
from arena.records import BotInfo
from arena.sandboxes.base import Program
from arena.submissions.archives.unpack import ENDINGS, is_archive, unpack
from arena.submissions.folder import MAX_ENTRIES, walk

MANIFEST = "bot.yaml"
MAX_NAME = 40
MAX_TAGS = 8
MAX_FOLDER_BYTES = 64 * 1024 * 1024
_IGNORED = frozenset({".git", "__pycache__", "__MACOSX", ".DS_Store"})
_TAG = re.compile(r"\w[\w .+#-]{0,31}")
_MAC = "._"
"""How the names of files begin in which macOS keeps attributes of others."""


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of bot.yaml (`protocol/README.md`)."""

    name: str
    command: str | list[str]
    runtime: Literal["python", "node", "c", "any"] = "any"
    author: str = ""
    version: str = ""
    tags: list[str] = []
    build: str | list[str] | None = None


class Bot(Struct, frozen=True):
    """A bot that can be started: what it is called, where it lives, what to run."""

    info: BotInfo
    folder: Path
    """The bot's folder, or the archive that holds it; what is staged is always a folder."""
    command: tuple[str, ...]
    build: tuple[str, ...] | None

    @property
    def name(self) -> str:
        """The name in bot.yaml, unlike every other bot's in a league."""
        return self.info.name

    @property
    def program(self) -> Program:
        """What is started to play."""
        return Program(self.folder, self.command, self.info.runtime)

    @property
    def shipped(self) -> bool:
        """Whether the bot came with the arena and so needs no sandbox to be trusted."""
        return self.folder.is_relative_to(shipped.folder("sample_bots").resolve())


def load_bot(where: Path) -> Bot:
    """Read a bot's folder or archive; raises ArenaError where it or its bot.yaml is wrong."""
    with opened(where) as folder, places_named(folder, where):
        path = folder / MANIFEST
        if not path.is_file():
            what = f"no {MANIFEST} in the bot's {'folder' if folder == where else 'archive'}"
            raise ArenaError(what, str(folder), "see protocol/README.md")
        manifest = load_yaml(path, Manifest)
        if not 1 <= len(manifest.name) <= MAX_NAME:
            raise ArenaError(f"a bot's name has 1 to {MAX_NAME} characters", str(path))
        _check_tags(manifest.tags, path)
        command = _words(manifest.command, path, "command")
        build = None if manifest.build is None else _words(manifest.build, path, "build")
        return Bot(_info(manifest, folder), where.resolve(), command, build)


@contextmanager
def opened(where: Path, inside: Path | None = None) -> Iterator[Path]:
    """Yield the folder of a bot: `where` itself, or what that archive holds while it is needed.

    An archive is unpacked below `inside`, else where temporary files go.
    """
    if where.is_dir():
        yield where
    elif is_archive(where):
        with TemporaryDirectory(prefix="perudo-arena-", dir=inside) as unpacked:
            unpack(where, Path(unpacked), MAX_ENTRIES, MAX_FOLDER_BYTES)
            yield _top(Path(unpacked))
    elif where.exists():
        hint = f"give a folder, or an archive named {', '.join(ENDINGS)}"
        raise ArenaError("neither a bot's folder nor an archive of one", str(where), hint)
    else:
        hint = f"give a folder with a {MANIFEST} in it, or an archive of one"
        raise ArenaError("no such bot folder", str(where), hint)


def files_of(folder: Path) -> list[Path]:
    """Return the bot's files, sorted; raises ArenaError for a link and for too many bytes."""
    files = []
    total = 0
    for path, info in walk(folder, _is_ignored):
        if stat.S_ISLNK(info.st_mode):
            raise ArenaError("a bot's folder may hold no links", str(path), "copy the file instead")
        if stat.S_ISREG(info.st_mode):
            files.append(path)
            total += info.st_size
    check_size(total, folder)
    return sorted(files)


def check_size(total: int, folder: Path) -> None:
    """Refuse a bot's folder with too many bytes in it."""
    if total > MAX_FOLDER_BYTES:
        limit = MAX_FOLDER_BYTES // (1024 * 1024)
        raise ArenaError(f"a bot's folder may hold {limit} MiB at most", str(folder))


def digest(folder: Path) -> str:
    """Return the SHA-256 over the names and contents of the bot's files, hexadecimal."""
    total = hashlib.sha256()
    for path in files_of(folder):
        try:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            raise ArenaError(f"cannot be read: {error.strerror}", str(path)) from None
        name = os.fsencode(path.relative_to(folder).as_posix())
        total.update(b"%b\0%b\n" % (name, content.encode()))
    return total.hexdigest()


def _info(manifest: Manifest, folder: Path) -> BotInfo:
    return BotInfo(
        name=manifest.name,
        author=manifest.author,
        version=manifest.version,
        runtime=manifest.runtime,
        digest=digest(folder),
        tags=tuple(manifest.tags),
    )


def _check_tags(tags: list[str], path: Path) -> None:
    if len(tags) > MAX_TAGS:
        raise ArenaError(f"a bot has {MAX_TAGS} tags at most, not {len(tags)}", str(path))
    for tag in tags:
        if not _TAG.fullmatch(tag):
            what = f"{tag[:40]!a} is no tag"
            hint = (
                "a tag has 1 to 32 letters, digits, spaces and . + # - _, as in [python, baseline]"
            )
            raise ArenaError(what, str(path), hint)
        if tags.count(tag) > 1:
            raise ArenaError(f"the tag '{tag}' stands twice", str(path))


def _top(unpacked: Path) -> Path:
    """Return where bot.yaml is: at the top of an archive, or in its only folder."""
    found = [path for path in unpacked.iterdir() if not _is_ignored(path.name)]
    if len(found) == 1 and (found[0] / MANIFEST).is_file():
        return found[0]
    return unpacked


@contextmanager
def places_named(folder: Path, where: Path) -> Iterator[None]:
    """Have errors name the archive that a person gave, not the folder it was unpacked to."""
    try:
        yield
    except ArenaError as error:
        what, place = (text.replace(str(folder), str(where)) for text in (error.what, error.where))
        raise ArenaError(what, place, error.hint) from None


def _is_ignored(name: str) -> bool:
    return name in _IGNORED or name.startswith(_MAC)


def _words(value: str | list[str], path: Path, key: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(value) if isinstance(value, str) else value)
    except ValueError as error:
        raise ArenaError(f"{key} cannot be read: {error}", str(path)) from None
    if not words:
        raise ArenaError(f"{key} is empty", str(path), f"for example `{key}: python3 bot.py`")
    if any("\0" in word for word in words):
        raise ArenaError(f"{key} holds a NUL character", str(path))
    return words
