"""Whose a bot's name is on a ladder: the author's whose version passed its check first."""

from collections.abc import Mapping

from arena.bots.names import looks_like
from arena.io.errors import ArenaError
from arena.ladder.book.book_file import BookFile
from arena.ladder.book.tables import WAITING, State

_UNDECIDED = (*WAITING, State.REFUSED)
"""States in which a version may be that never passed a check."""
_OWNERS = """SELECT DISTINCT bot, author FROM versions WHERE state NOT IN (?, ?, ?) OR EXISTS (
    SELECT 1 FROM checks
    WHERE version = versions.id AND json_extract(CAST(result AS TEXT), '$.ok')
)"""
_HINT = "choose another in bot.yaml"


def owners(ladder: BookFile) -> Mapping[str, str]:
    """Return the author of each bot of which a version passed its check."""
    return dict(ladder.rows(_OWNERS, *_UNDECIDED))


def check_owner(author: str, bot: str, owners: Mapping[str, str]) -> None:
    """Raise ArenaError if a bot's name is another author's, or looks like one that is."""
    if owners.get(bot) == author:
        return
    others = [name for name, owner in owners.items() if owner != author]
    if twin := looks_like(bot, others):
        is_same = twin.lower() == bot.lower()
        what = "is taken" if is_same else f"looks like '{twin}', which is taken"
        raise ArenaError(f"the name '{bot}' {what}", "bot.yaml", _HINT)
    for name in owners:
        check_spelling(bot, name)


def check_spelling(bot: str, name: str) -> None:
    """Raise ArenaError if a bot's name is another of its author's names in another case."""
    if bot != name and bot.lower() == name.lower():
        raise ArenaError(f"'{bot}' is written '{name}' here", "bot.yaml", "write it so")
