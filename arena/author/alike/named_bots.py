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


class NamedBot(Struct, frozen=True):
    """A bot, by the name of its folder or archive: copies may have the same name in bot.yaml."""

    name: str
    bot: Bot


class LeftOut(Struct, frozen=True):
    """A file or folder among hand-ins that cannot be compared."""

    name: str
    why: str


def find_hand_ins(patterns: Sequence[str], base: Path) -> tuple[list[NamedBot], list[LeftOut]]:
    """Return the bots of all patterns, and the files and folders among hand-ins that are none.

    A pattern is a bot's folder or archive, `sample:NAME`, or a folder with many of them. Raises
    ArenaError for a bot that is named and cannot be read, for a folder without bots, and for fewer
    than two bots.
    """
    sources: dict[Path, Path] = {}
    hand_ins: list[NamedBot] = []
    left_out: list[LeftOut] = []
    for pattern in patterns:
        for source in bot_sources(pattern, base, "BOT"):
            if source.resolve() in sources:
                continue
            if _is_bot(source):
                sources[source.resolve()] = source
                hand_ins.append(_named(source))
            else:
                bots, others = _in_folder(source)
                hand_ins += bots
                left_out += others
    if len(hand_ins) < 2:
        raise ArenaError(
            "it takes two bots to be alike", "BOT", "name another, or a folder of them"
        )
    return _with_own_names(hand_ins), left_out


def _is_bot(source: Path) -> bool:
    return source.is_file() or (source / MANIFEST).is_file()


def _named(source: Path) -> NamedBot:
    name = source.resolve().name
    if source.is_file():
        name = name[: -len(max((end for end in ENDINGS if name.lower().endswith(end)), key=len))]
    return NamedBot(name, load_bot(source))


def _in_folder(folder: Path) -> tuple[list[NamedBot], list[LeftOut]]:
    hand_ins: list[NamedBot] = []
    left_out: list[LeftOut] = []
    for source in sorted(folder.iterdir()):
        may_be_bot = source.is_symlink() or source.is_dir() or is_archive(source)
        if is_ignored(source.name) or not may_be_bot:
            continue
        try:
            refuse_link(source)
            hand_ins.append(_named(source))
        except ArenaError as error:
            left_out.append(LeftOut(source.name, error.what))
    if not hand_ins:
        why = f": {left_out[0].name}: {left_out[0].why}" if left_out else ""
        hint = f"give a folder with a {MANIFEST} in it, or one with folders and archives of bots"
        raise ArenaError(f"no bots in this folder{why}", str(folder), hint)
    return hand_ins, left_out


def _with_own_names(hand_ins: Sequence[NamedBot]) -> list[NamedBot]:
    """Name bots by their whole path whose folders have the same name."""
    times = Counter(hand_in.name for hand_in in hand_ins)
    return [
        replace(hand_in, name=str(hand_in.bot.source)) if times[hand_in.name] > 1 else hand_in
        for hand_in in hand_ins
    ]
