"""Tables without processes: what is handed out when, and which bots are started for it."""

from collections import deque
from pathlib import Path

from msgspec.structs import replace

from arena.bots.bot import StagedBot
from arena.bots.sandboxes.base import Program, Running
from arena.bots.sandboxes.process import ProcessSandbox
from arena.game.records import Conditions, Fixture, LimitsInfo
from arena.game.rules.books import BGA
from arena.league.play.workers import Task
from tests.support import factory

NAMES = tuple("abcdefghijklmnopqrstuvwxyz")


def info(bots: int, players: int, blocks: int = 4) -> Conditions:
    names, variants = NAMES[:bots], {"bga": BGA}
    return factory.league(names, players=(players,), blocks=blocks, variants=variants)


def staged(name: str, program: str = "") -> StagedBot:
    bot = factory.bot(name)
    return StagedBot(replace(bot, digest=program or bot.digest), Path(program or name), ("bot",))


def tasks_of(fixtures: list[Fixture], twins: bool = False) -> deque[Task]:
    """Return a task for each fixture; `twins`: two bots are the same program under two names."""
    programs = dict.fromkeys(NAMES[:2], "twin") if twins else {}
    return deque(
        Task(one, BGA, tuple(staged(bot, programs.get(bot, "")) for bot in one.seats), LimitsInfo())
        for one in fixtures
    )


def seats(task: Task) -> set[tuple[str, str]]:
    return {(task.fixture.dice_key, bot.info.digest) for bot in task.bots}


class Bot:
    """A bot without a process: it remembers all dice that it was ever shown."""

    stdin = stdout = stderr = -1

    def __init__(self, exit_fd: int) -> None:
        self.exit_fd = exit_fd
        self.seen: set[str] = set()
        self.alive = True
        self.frozen = False

    def freeze(self, *, frozen: bool) -> None:
        self.frozen = frozen

    def kill(self) -> None:
        self.alive = False

    def close(self) -> None:
        """It has nothing open."""


class Box(ProcessSandbox):
    """Keeps all that it started."""

    isolates = True

    def __init__(self, exit_fd: int, *, freezes: bool) -> None:
        self.freezes = freezes
        self.started: list[Bot] = []
        self._exit_fd = exit_fd

    def start(self, program: Program, *, space: int = 0) -> Running:  # type: ignore[override]
        self.started.append(Bot(self._exit_fd))
        return self.started[-1]  # type: ignore[return-value]
