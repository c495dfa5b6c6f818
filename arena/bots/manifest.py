"""A bot's folder and its bot.yaml."""

import hashlib
import os
import shlex
from pathlib import Path
from typing import Literal

from msgspec import Struct

from arena import shipped
from arena.bots.sandbox import Program
from arena.bots.yamlfile import load_yaml
from arena.errors import ArenaError
from arena.records import BotInfo

MANIFEST = "bot.yaml"
MAX_NAME = 40
MAX_FOLDER_BYTES = 64 * 1024 * 1024
_IGNORED = frozenset({".git", "__pycache__"})


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of bot.yaml (`protocol/README.md`)."""

    name: str
    command: str | list[str]
    runtime: Literal["python", "node", "c", "any"] = "any"
    author: str = ""
    version: str = ""
    build: str | list[str] | None = None


class Bot(Struct, frozen=True):
    """A bot that can be started: what it is called, where it lives, what to run."""

    info: BotInfo
    folder: Path
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


def load_bot(folder: Path) -> Bot:
    """Read a bot's folder; raises ArenaError where it is missing or its bot.yaml is wrong."""
    if not folder.is_dir():
        raise ArenaError("no such bot folder", str(folder), "give a folder with a bot.yaml in it")
    path = folder / MANIFEST
    if not path.is_file():
        raise ArenaError(
            f"no {MANIFEST} in the bot's folder", str(folder), "see protocol/README.md"
        )
    manifest = load_yaml(path, Manifest)
    if not 1 <= len(manifest.name) <= MAX_NAME:
        raise ArenaError(f"a bot's name has 1 to {MAX_NAME} characters", str(path))
    command = _words(manifest.command, path, "command")
    build = None if manifest.build is None else _words(manifest.build, path, "build")
    info = BotInfo(
        name=manifest.name,
        author=manifest.author,
        version=manifest.version,
        runtime=manifest.runtime,
        digest=digest(folder),
    )
    return Bot(info, folder.resolve(), command, build)


def files_of(folder: Path) -> list[Path]:
    """Return the bot's files, sorted; raises ArenaError for a link and for too many bytes."""
    everything = sorted(folder.rglob("*"))
    found = [path for path in everything if not _IGNORED & set(path.relative_to(folder).parts)]
    for path in found:
        if path.is_symlink():
            raise ArenaError("a bot's folder may hold no links", str(path), "copy the file instead")
    files = [path for path in found if path.is_file()]
    if sum(path.stat().st_size for path in files) > MAX_FOLDER_BYTES:
        limit = MAX_FOLDER_BYTES // (1024 * 1024)
        raise ArenaError(f"a bot's folder may hold {limit} MiB at most", str(folder))
    return files


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
