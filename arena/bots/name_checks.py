"""Names, authors, versions and tags of bots: each is as it looks, and like no other."""

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path

from arena.bots.bot import Bot
from arena.bots.names import acceptable, flaw, skeleton
from arena.game.records import BotInfo
from arena.io.errors import ArenaError

_SHOWN = 60
"""Characters of a text that an error shows."""
_ROOM = 36
"""Characters of a name that is suggested with a number."""


def check_info(info: BotInfo, path: Path) -> None:
    """Refuse a bot.yaml with a name, author, version or tag that is not as it looks."""
    texts = [("name", info.name), ("author", info.author), ("version", info.version)]
    for key, text in [*texts, *(("tag", tag) for tag in info.tags)]:
        if text and (what := flaw(text)):
            hint = f"for example {acceptable(text[:_SHOWN])!r}"
            raise ArenaError(f"the {key} {text[:_SHOWN]!a} {what}", str(path), hint)


def check_distinct(bots: Sequence[Bot]) -> None:
    """Refuse bots of a league whose names, authors or tags are different and look alike."""
    _check_distinct("bots", bots, lambda info: [info.name])
    _check_distinct("authors", bots, lambda info: [info.author])
    _check_distinct("tags", bots, lambda info: info.tags)


def _check_distinct(
    kind: str, bots: Sequence[Bot], texts_of: Callable[[BotInfo], Iterable[str]]
) -> None:
    seen: dict[str, tuple[str, Bot]] = {}
    for bot in bots:
        for text in texts_of(bot.info):
            other, owner = seen.setdefault(skeleton(text), (text, bot))
            if other != text:
                taken = {skeleton(text) for bot in bots for text in texts_of(bot.info)}
                numbered = (f"{text[:_ROOM]}-{number}" for number in count(2))
                free = next(name for name in numbered if skeleton(name) not in taken)
                what = f"the {kind} {other!a} and {text!a} look alike"
                where = f"{owner.source}, {bot.source}"
                raise ArenaError(
                    what, where, f"change one in its bot.yaml, for example to {free!r}"
                )
