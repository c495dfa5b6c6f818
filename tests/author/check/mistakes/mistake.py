"""A row of the table of mistakes, and the files that its bot consists of."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from arena.game.records import LimitsInfo
from tests.author.check.bots import PATIENT

Make = Callable[[Path], object]
"""Writes the folder of a bot."""


class Mistake(NamedTuple):
    """A mistake, and what is said of it."""

    make: Make
    step: str
    """The step that finds it."""
    what: str
    """Words of what is wrong."""
    mend: str
    """Words of how to mend it."""
    limits: LimitsInfo = PATIENT


Table = dict[str, Mistake]


def folder_of(files: dict[str, str | bytes], manifest: str) -> Make:
    """Return what writes a bot's folder: its files, and more lines of its bot.yaml."""

    def make(folder: Path) -> None:
        for name, content in {**files, "bot.yaml": f"name: new\n{manifest}"}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    return make
