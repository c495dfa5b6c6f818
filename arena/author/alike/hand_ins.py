"""The bots that are compared: those that are named, or all in a folder of hand-ins."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.archives.unpack import ENDINGS, is_archive
from arena.bots.bot import Bot
from arena.bots.folder import is_ignored, refuse_link
from arena.bots.manifest import MANIFEST, bot_sources, load_bot
from arena.io.errors import ArenaError


class HandIn(Struct, frozen=True):
    """A bot, by the name of its folder or archive: copies may have the same name in bot.yaml."""

    name: str
    bot: Bot


class LeftOut(Struct, frozen=True):
    """What is in a folder of hand-ins and cannot be compared."""

    name: str
    why: str


def find_hand_ins(patterns: Sequence[str], base: Path) -> tuple[list[HandIn], list[LeftOut]]:
    """Return the bots of all patterns, and what in folders of hand-ins is none.

    A pattern is a bot's folder or archive, `sample:NAME`, or a folder with many of them. Raises
    ArenaError for a bot that is named and cannot be read, for a folder without bots, and for fewer
    than two bots.
    """
    sources: dict[Path, Path] = {}
    found: list[HandIn] = []
    left_out: list[LeftOut] = []
    for pattern in patterns:
        for source in bot_sources(pattern, base, "BOT"):
            if source.resolve() in sources:
                continue
            if _is_bot(source):
                sources[source.resolve()] = source
                found.append(_named(source))
            else:
                bots, others = _in_folder(source)
                found += bots
                left_out += others
    if len(found) < 2:
        raise ArenaError(
            "it takes two bots to be alike", "BOT", "name another, or a folder of them"
        )
    return _with_own_names(found), left_out


def _is_bot(source: Path) -> bool:
    return source.is_file() or (source / MANIFEST).is_file()


def _named(source: Path) -> HandIn:
    name = source.resolve().name
    if source.is_file():
        name = name[: -len(max((end for end in ENDINGS if name.lower().endswith(end)), key=len))]
    return HandIn(name, load_bot(source))


def _in_folder(folder: Path) -> tuple[list[HandIn], list[LeftOut]]:
    found: list[HandIn] = []
    left_out: list[LeftOut] = []
    for source in sorted(folder.iterdir()):
        may_be_bot = source.is_symlink() or source.is_dir() or is_archive(source)
        if is_ignored(source.name) or not may_be_bot:
            continue
        try:
            refuse_link(source)
            found.append(_named(source))
        except ArenaError as error:
            left_out.append(LeftOut(source.name, error.what))
    if not found:
        why = f": {left_out[0].name}: {left_out[0].why}" if left_out else ""
        hint = f"give a folder with a {MANIFEST} in it, or one with folders and archives of bots"
        raise ArenaError(f"no bots in this folder{why}", str(folder), hint)
    return found, left_out


def _with_own_names(found: Sequence[HandIn]) -> list[HandIn]:
    """Name bots by their whole path whose folders have the same name."""
    times = Counter(one.name for one in found)
    return [replace(one, name=str(one.bot.source)) if times[one.name] > 1 else one for one in found]
