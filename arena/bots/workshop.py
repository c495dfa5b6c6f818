"""A workshop: where bots are made ready to start in a sandbox, until the run is over."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from arena.bots.bot import Bot, StagedBot, runtimes_of
from arena.bots.builds.build import OnBuild
from arena.bots.builds.cache import BuildCache
from arena.bots.builds.staging import stage
from arena.bots.command import check_own_programs
from arena.bots.runtimes import IMAGES
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import AUTO, make_sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.bots.trust import check_trust


class Workshop(Struct, frozen=True):
    """Makes bots ready to start."""

    sandbox: Sandbox
    """Where they are built, and will play."""
    folder: Path
    """Where their copies are."""
    packages: bool = False
    """Whether the Python packages that they ask for are installed."""
    builds: BuildCache | None = None
    """From which bots come that were built before; None builds all of them."""

    def check_trust(self, bots: Sequence[Bot], *, trusted: bool) -> None:
        """Raise UntrustedError for bots that may not run here."""
        check_trust(self.sandbox, bots, trusted=trusted)

    def stage(self, bot: Bot, on_build: OnBuild | None = None) -> StagedBot:
        """Copy a bot and build it; raises ArenaError as `staging.stage` does.

        Raises ShortageError if its programs cannot run where the copy is.
        """
        stage_bot = self.builds.stage if self.builds else stage
        commands = [command for command in (bot.build, bot.command) if command]
        check_own_programs(bot.name, commands, bot.folder, self.folder)
        staged = stage_bot(bot, self.folder, self.sandbox, on_build, packages=self.packages)
        check_own_programs(bot.name, commands, staged.folder, self.folder)
        return staged


@contextmanager
def open_workshop(
    sandbox: Sandbox, *, packages: bool = False, builds: BuildCache | None = None
) -> Iterator[Workshop]:
    """Yield a workshop; the copies of bots in it are removed afterwards."""
    with run_folder() as folder:
        yield Workshop(sandbox, folder, packages, builds)


def sandbox_for(
    bots: Sequence[Bot],
    name: str = AUTO,
    *,
    trusted: bool,
    images: Mapping[str, str] = IMAGES,
    paths: Sequence[str] = (),
    own: Iterable[Bot] = (),
) -> Sandbox:
    """Return the sandbox of a name in which bots may run; bots of the arena's `own` run everywhere.

    `trusted`: whether they may run without isolation. Raises ArenaError if the sandbox does not
    work here, and UntrustedError if it does not isolate bots that are not trusted.
    """
    sandbox = make_sandbox(name, runtimes_of([*bots, *own]), images, paths)
    check_trust(sandbox, bots, trusted=trusted)
    return sandbox
