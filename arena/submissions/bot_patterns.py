"""Finding bots by names and patterns of their folders and archives."""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from arena import shipped
from arena.errors import ArenaError
from arena.submissions.archives.unpack import is_archive
from arena.submissions.bot import Bot
from arena.submissions.manifest import MANIFEST, load_bot

SAMPLE = "sample:"
"""The prefix of bots that came with the arena: `sample:odds`, `sample:*`."""


def find_bots(patterns: Iterable[tuple[str, str]], base: Path) -> tuple[Bot, ...]:
    """Return the bots of all patterns, each once, by name.

    Each pattern comes with its place in a file or on the command line, for errors; relative ones
    start at the folder `base`. Raises ArenaError if a pattern matches no bot, or two bots have the
    same name.
    """
    by_source: dict[Path, Bot] = {}
    for pattern, where in patterns:
        for source in bot_sources(pattern, base, where):
            if source.resolve() not in by_source:
                by_source[source.resolve()] = load_bot(source)
    bots = sorted(by_source.values(), key=lambda bot: bot.name)
    for first, second in pairwise(bots):
        if first.name == second.name:
            what = f"two bots are called '{first.name}'"
            raise ArenaError(what, f"{first.source}, {second.source}", "rename one in its bot.yaml")
    return tuple(bots)


def bot_sources(pattern: str, base: Path, where: str) -> list[Path]:
    """Return the folders and archives that a pattern matches; raises ArenaError if none do."""
    try:
        return _matches(pattern, base, where)
    except (ValueError, RuntimeError) as error:
        # `**` inside a word, the home of an unknown user.
        raise ArenaError(f"'{pattern}' names no folder: {error}", where) from None


def _matches(pattern: str, base: Path, where: str) -> list[Path]:
    sample = pattern.startswith(SAMPLE)
    base = shipped.folder("sample_bots") if sample else base
    path = Path(pattern.removeprefix(SAMPLE)).expanduser()
    if not any(sign in pattern for sign in "*?["):
        source = base / path
        if not source.is_dir() and not is_archive(source):
            hint = "give a folder with a bot.yaml in it, or an archive"
            if sample:
                names = sorted(manifest.parent.name for manifest in base.glob(f"*/{MANIFEST}"))
                hint = f"sample bots: {', '.join(names)}"
            raise ArenaError(f"no such bot folder: {source}", where, hint)
        return [source]
    if path.is_absolute():
        base, path = Path(path.anchor), path.relative_to(path.anchor)
    folders = [manifest.parent for manifest in base.glob(f"{path}/{MANIFEST}")]
    archives = [file for file in base.glob(str(path)) if is_archive(file)]
    if not folders and not archives:
        raise ArenaError(f"no bot folder matches '{pattern}'", where)
    return sorted([*folders, *archives])
