"""What a hand-in is: the program that plays, and whether it is one that all were given."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import msgspec

from arena.author.alike.by_text import LEAST
from arena.author.alike.sources import arenas_kgrams, kgrams_of, read_source
from arena.bots.bot import Bot
from arena.bots.folder import files_of
from arena.bots.manifest import MANIFEST
from arena.course.lock import Given
from arena.io.errors import ArenaError

_MOSTLY = 0.8
"""The share of its source that a bot has from elsewhere which has next to none of its own."""


class GivenOut:
    """Everything that a student can hand in without having written it."""

    def __init__(self, starter: Mapping[str, Path]) -> None:
        """Take the folders that were given out, by name, beside what came with the arena."""
        self._kgrams = {**arenas_kgrams(), **{name: kgrams_of(at) for name, at in starter.items()}}
        self._all = frozenset().union(*self._kgrams.values())

    def of(self, bot: Bot) -> Given | None:
        """Return what a bot is made of that has next to no source of its own; None for others.

        Names, numbers, texts and comments make no difference, nor does the order of the parts.
        """
        try:
            source = read_source(bot.folder, self._all)
        except ArenaError:
            return None
        own = kgrams_of(bot.folder)
        if len(source.chosen) >= LEAST or len(own & self._all) < _MOSTLY * max(1, len(own)):
            return None
        shares = {name: len(own & theirs) / len(own) for name, theirs in self._kgrams.items()}
        name = max(shares, key=lambda name: shares[name])
        return Given(name, shares[name])


def program_of(bot: Bot) -> str:
    """Return the SHA-256 over what plays: all of a bot but what its bot.yaml calls it."""
    manifest = bot.folder / MANIFEST
    files = {
        path.relative_to(bot.folder).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in files_of(bot.folder)
        if path != manifest
    }
    decisive = [files, bot.command, bot.build, bot.info.runtime]
    return sha256(msgspec.json.encode(decisive, order="deterministic")).hexdigest()
