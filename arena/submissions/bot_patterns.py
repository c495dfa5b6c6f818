"""From names and patterns of bot folders to bots."""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from arena import shipped
from arena.errors import ArenaError
from arena.submissions.archives.unpack import is_archive
from arena.submissions.manifest import MANIFEST, Bot, load_bot

SAMPLE = "sample:"
"""Names a bot that came with the arena: `sample:odds`, `sample:*`."""


def find_bots(patterns: Iterable[tuple[str, str]], base: Path) -> tuple[Bot, ...]:
    """Return the bots of all patterns, each once, by name.

    A pattern comes with where it stands, for errors; relative ones start at the folder `base`.
    Raises ArenaError where a pattern names no bot, or two bots have one name.
    """
    found: dict[Path, Bot] = {}
    for pattern, spot in patterns:
        for folder in bot_folders(pattern, base, spot):
            found.setdefault(folder.resolve(), load_bot(folder))
    bots = sorted(found.values(), key=lambda bot: bot.name)
    for one, other in pairwise(bots):
        if one.name == other.name:
            what = f"two bots are called '{one.name}'"
            raise ArenaError(what, f"{one.folder}, {other.folder}", "rename one in its bot.yaml")
    return tuple(bots)


def bot_folders(pattern: str, base: Path, spot: str) -> list[Path]:
    """Return the folders and archives that a pattern names; raises ArenaError without any."""
    try:
        return _folders(pattern, base, spot)
    except (ValueError, RuntimeError) as error:
        # `**` inside a word, the home of a user who is not here.
        raise ArenaError(f"'{pattern}' names no folder: {error}", spot) from None


def _folders(pattern: str, base: Path, spot: str) -> list[Path]:
    sample = pattern.startswith(SAMPLE)
    base = shipped.folder("sample_bots") if sample else base
    path = Path(pattern.removeprefix(SAMPLE)).expanduser()
    if not any(sign in pattern for sign in "*?["):
        folder = base / path
        if not folder.is_dir() and not is_archive(folder):
            hint = _samples() if sample else "a folder with a bot.yaml in it, or an archive"
            raise ArenaError(f"no such bot folder: {folder}", spot, hint)
        return [folder]
    if path.is_absolute():
        base, path = Path(path.anchor), path.relative_to(path.anchor)
    folders = [found.parent for found in base.glob(f"{path}/{MANIFEST}")]
    archives = [file for file in base.glob(str(path)) if is_archive(file)]
    if not folders and not archives:
        raise ArenaError(f"no bot folder matches '{pattern}'", spot)
    return sorted([*folders, *archives])


def _samples() -> str:
    names = sorted(path.parent.name for path in shipped.folder("sample_bots").glob(f"*/{MANIFEST}"))
    return f"sample bots: {', '.join(names)}"
