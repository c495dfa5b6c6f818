"""A cache of what bots' builds made: no start of a ladder waits for them again.

It holds what can be made again, on this machine as it is now: it may be removed at any time.
"""

from collections.abc import Collection
from hashlib import sha256
from pathlib import Path

import msgspec

from arena import __version__
from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.bundle import Bundle, pack, unpack
from arena.bots.builds.packages import wanted_by, with_packages
from arena.bots.builds.staging import check_program, stage
from arena.bots.sandboxes.base import Sandbox
from arena.io.errors import ArenaError
from arena.ladder.folder import make_private, write_durably
from arena.league.host import this_machine

_DIGEST = 64
"""Characters of the bundle's SHA-256, before its content."""


class Built:
    """Stages bots, those that are built from the cache."""

    def __init__(self, folder: Path, sandbox: Sandbox, runs: Path, *, packages: bool) -> None:
        """Stage bots below `runs`; with `packages` the Python ones that they ask for, too."""
        self._folder, self._sandbox, self._runs = folder, sandbox, runs
        self._packages = packages
        made_by = msgspec.json.encode((__version__, sandbox.name, this_machine()))
        self._made_by = sha256(made_by).hexdigest()[:16]
        make_private(folder)

    def stage(self, bot: Bot) -> StagedBot:
        """Make a bot ready to start; raises ArenaError as `staging.stage` does."""
        wanted = wanted_by(bot, bot.folder, allowed=self._packages)
        if bot.build is None and wanted is None:
            return stage(bot, self._runs, self._sandbox)
        path = self._path(bot.info.digest)
        if (found := _read(path)) and (staged := self._unpacked(bot, found)):
            return staged
        staged = stage(bot, self._runs, self._sandbox, packages=self._packages)
        made = pack(staged.folder)
        write_durably(path, made.digest.encode() + made.content)
        return staged

    def keep(self, digests: Collection[str]) -> None:
        """Remove what is of other bots than these, and of another machine or arena."""
        kept = {self._path(digest) for digest in digests}
        for path in self._folder.iterdir():
            if path not in kept:
                path.unlink()

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest}-{self._made_by}"

    def _unpacked(self, bot: Bot, bundle: Bundle) -> StagedBot | None:
        """Return a bot from the cache; None if the cache is damaged."""
        check_program(bot, self._sandbox)
        folder = self._runs / bot.info.digest[:16]
        if not folder.exists():
            try:
                unpack(bundle, folder)
            except ArenaError:
                return None
        return StagedBot(bot.info, folder, with_packages(bot.command, folder))


def _read(path: Path) -> Bundle | None:
    if not path.exists():
        return None
    found = path.read_bytes()
    return Bundle(found[:_DIGEST].decode(errors="replace"), found[_DIGEST:])
