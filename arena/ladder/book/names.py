"""How bots and authors are called on a ladder."""

import re
from enum import StrEnum

from arena.io.errors import ArenaError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_NAME_HINT = "1 to 32 letters of the English alphabet, digits, - and _"


def check_name(name: str, whose: str) -> None:
    """Raise ArenaError for a name that files, addresses and tables could not all have."""
    if not _NAME.fullmatch(name):
        raise ArenaError(f"{whose} cannot be {name[:40]!a}", hint=_NAME_HINT)


class Names(StrEnum):
    """Whose the name of a bot is on a ladder."""

    BY_BOT = "by_bot"
    """That author's whose version passed its check first."""
    BY_AUTHOR = "by_author"
    """Everybody's: the author's name stands before it."""

    def of(self, author: str, bot: str) -> str:
        """Return what the bot of an author is called; raises ArenaError for an impossible name."""
        check_name(bot, "on a ladder the name of a bot")
        return f"{author}/{bot}" if self is Names.BY_AUTHOR else bot


def is_called(name: str, bot: str) -> bool:
    """Tell whether a name is that of somebody's bot, given the author's own name for it."""
    author, slash, own = name.rpartition("/")
    return own.lower() == bot.lower() and (not slash or _NAME.fullmatch(author) is not None)


def own_name(bot: str) -> str:
    """Return the name that an author gave a bot."""
    return bot.rpartition("/")[2]
