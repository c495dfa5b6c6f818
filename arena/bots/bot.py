"""A bot as its author submits it, and what it needs of the machine that plays it."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from arena.bots.archives.unpack import UnpackedArchive
from arena.bots.command import missing_program
from arena.bots.sandboxes.base import Program
from arena.game.records import BotInfo
from arena.io import shipped


class _Named(Struct, frozen=True):
    info: BotInfo

    @property
    def name(self) -> str:
        """The name in bot.yaml, unique in a league."""
        return self.info.name


class Bot(_Named, frozen=True):
    """A bot as it was submitted; it must be staged before it plays."""

    source: Path
    """Its folder or archive, as a person names it."""
    folder: Path
    """Its files: the folder itself, or what its archive was unpacked to."""
    command: tuple[str, ...]
    build: tuple[str, ...] | None
    archive: UnpackedArchive | None = None
    """Keeps the unpacked files; they are removed with the last bot that refers to them."""
    humans: bool | None = None
    """Whether it plays against visitors of a ladder; None leaves that to the operator."""

    @property
    def shipped(self) -> bool:
        """Whether the bot came with the arena, and so is trusted without a sandbox."""
        return self.source.is_relative_to(shipped.folder("sample_bots").resolve())

    @property
    def first_command(self) -> tuple[str, ...]:
        """The command that is run first: the build, or else the bot."""
        return self.build or self.command

    @property
    def missing_program(self) -> str:
        """The program that the bot needs if this machine lacks it, else ""."""
        return missing_program(self.first_command, self.folder)


class StagedBot(_Named, frozen=True):
    """A copy of a bot, built and ready to play."""

    folder: Path
    command: tuple[str, ...]
    """The command that starts it, with the packages that it asked for."""

    @property
    def program(self) -> Program:
        """The program that plays."""
        return Program(self.folder, self.command, self.info.runtime, self.info.models)


def runtimes_of(bots: Iterable[Bot | StagedBot]) -> frozenset[str]:
    """Return the runtimes that bots are written for, as bot.yaml names them."""
    return frozenset(bot.info.runtime for bot in bots)
