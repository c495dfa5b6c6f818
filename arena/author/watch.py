"""A bot that is tried after every save: first steps of the check, then games with a rival."""

import signal
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from functools import partial
from math import ceil
from pathlib import Path
from stat import S_ISDIR
from typing import NoReturn, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena.author.check.bench import CheckRequest
from arena.author.check.findings import CheckReport
from arena.author.check.run import check
from arena.author.check.steps import FIRST_GAME
from arena.bots.bot import StagedBot
from arena.bots.builds.staging import user_builds
from arena.bots.folder import BOT_LIMITS, is_ignored, walk
from arena.bots.manifest import find_bot, load_bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import AUTO
from arena.bots.workshop import open_workshop, sandbox_for
from arena.game.records import Fixture, LimitsInfo
from arena.game.rules.books import Rules
from arena.game.rules.round import max_rounds
from arena.game.seeds import block_seed, fixture_seed
from arena.io.cores import core_count
from arena.io.errors import ArenaError
from arena.io.signals import handled
from arena.league.play.process_pool import ProcessEngine, start
from arena.league.play.workers import Task, WorkerDiedError
from arena.league.store.rows import PackedFixture
from arena.league.terms.house import rules_named

_EVERY = 0.1
"""Seconds between looks."""
_SHARE = 20
"""The time between looks is this many times that of a look: large folders get fewer."""
_AT_A_TABLE = 10
"""Games of a fixture, all with the bots in the same seats."""
BOT, RIVAL = "bot", "rival"
"""The names of the two at their tables."""
_Result = TypeVar("_Result")


class Saves:
    """Tells whether something was saved in a folder since it was asked last.

    A look takes half a millisecond for the dozen files of a bot. The kernel could tell of saves
    (inotify), but not of those on a network, or on a host whose folder a container sees.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.interval = _EVERY
        """Seconds after which to ask again."""
        self._last = self._look()
        self._unsettled = False

    def came(self) -> bool:
        """Tell whether something was saved; not before two looks were the same again."""
        found = self._look()
        changed, self._last = found != self._last, found
        settled = self._unsettled and not changed
        self._unsettled = changed
        return settled

    def _look(self) -> object:
        """Return something that differs if a file of the bot does, or the reason against it."""
        began = time.monotonic()
        try:
            return [
                (path, info.st_mtime_ns, info.st_size, info.st_ino, info.st_mode)
                for path, info in walk(self._folder, BOT_LIMITS, is_ignored)
                if not S_ISDIR(info.st_mode)
            ]
        except ArenaError as error:
            return str(error)
        finally:
            self.interval = max(_EVERY, _SHARE * (time.monotonic() - began))


class WatchRequest(Struct, frozen=True):
    """A bot to watch, and the games that it plays."""

    bot: Path
    """The bot's folder."""
    rival: str
    """A bot's folder or archive, or `sample:NAME`."""
    games: int
    """Rounded up, so that the bots sit in each seat equally often."""
    variant: str
    seed: str
    """Keys the dice, which are the same after every save."""
    sandbox: str = AUTO
    trusted: bool = False
    """Whether bots may run without isolation."""
    packages: bool = False
    """Whether the Python packages that they ask for are installed."""


class SaveResult(Struct, frozen=True):
    """What is known of the bot as it was saved last."""

    report: CheckReport | None = None
    """None before the first steps of the check are over."""
    refused: str = ""
    """Why no games can be played with it; "" if they can."""
    games: int = 0
    """Games that were played so far."""
    of: int = 0
    """Games in all; 0 before the first."""
    won: int = 0
    faults: int = 0
    """Games in which the bot faulted."""


class _SavedError(Exception):
    """The bot was saved again: what goes on is out of date."""


def watch(request: WatchRequest, show: Callable[[SaveResult], None]) -> NoReturn:
    """Try the bot now and after every save, until Ctrl-C or the like raises KeyboardInterrupt.

    `show` gets what is known whenever it changes, first an empty result for each save. Raises
    ArenaError if the bot, the rival or the sandbox cannot be used at the beginning.
    """
    saves = Saves(request.bot)
    bots = load_bot(request.bot), find_bot(request.rival, Path.cwd(), "--against")
    sandbox = sandbox_for(bots, request.sandbox, trusted=request.trusted)
    watched = _Watched(request, rules_named(request.variant), sandbox, saves, show)
    with handled(watched.interrupt, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        saved = True
        while True:
            saved = watched.once(saved=saved)


class _Watched:
    def __init__(
        self,
        request: WatchRequest,
        rules: Rules,
        sandbox: Sandbox,
        saves: Saves,
        show: Callable[[SaveResult], None],
    ) -> None:
        self._request = request
        self._rules = rules
        self._sandbox = sandbox
        self._saves = saves
        self._show = show
        self._engine = ProcessEngine(sandbox, core_count())
        self._interrupted = False

    def interrupt(self, *_: object) -> None:
        """Have the next wait raise KeyboardInterrupt: elsewhere something may be half done."""
        self._interrupted = True

    def once(self, *, saved: bool) -> bool:
        """Wait for a save, unless there was one, and try the bot; returns whether a save ended it.

        The workers get ready while nothing is to be done, and end with what they do when a save
        makes that out of date.
        """
        workers = self._engine.worker_count()
        try:
            with self._engine.executor(workers) as executor:
                for _ in range(0 if saved else workers):
                    start(executor, _get_ready)
                while not saved and not self._is_saved():
                    time.sleep(self._saves.interval)
                self._try(executor)
        except _SavedError:
            return True
        except (WorkerDiedError, BrokenExecutor):
            self._show(SaveResult(refused="a worker process died: save again"))
        return False

    def _try(self, executor: Executor) -> None:
        self._show(SaveResult())
        check_it = partial(_first_steps, self._request, self._sandbox.name)
        [checked] = self._results([start(executor, check_it)])
        report = checked.result()
        self._show(SaveResult(report))
        if not report.ok:
            return
        request = self._request
        builds = user_builds()
        with open_workshop(self._sandbox, packages=request.packages, builds=builds) as workshop:
            try:
                bot = workshop.stage(load_bot(request.bot))
                rival = workshop.stage(find_bot(request.rival, Path.cwd(), "--against"))
            except ArenaError as error:
                self._show(SaveResult(report, refused=str(error)))
                return
            self._play(executor, report, bot, rival)

    def _play(
        self, executor: Executor, report: CheckReport, bot: StagedBot, rival: StagedBot
    ) -> None:
        tasks = list(_tasks(self._request, self._rules, bot, rival))
        result = SaveResult(report, of=sum(task.fixture.games for task in tasks))
        futures = [self._engine.submit(executor, [task]) for task in tasks]
        for future in self._results(futures):
            for packed in self._engine.collect(future):
                if isinstance(packed, PackedFixture):
                    played = packed.result()
                    seat = played.fixture.seats.index(BOT)
                    won = sum(game.places[seat] == 1 for game in played.games)
                    faults = sum(bool(game.faults[seat]) for game in played.games)
                    result = replace(
                        result,
                        games=result.games + len(played.games),
                        won=result.won + won,
                        faults=result.faults + faults,
                    )
            self._show(result)

    def _results(self, futures: Iterable[Future[_Result]]) -> Iterator[Future[_Result]]:
        """Yield futures as they finish; raises _SavedError when the bot is saved before."""
        waiting = set(futures)
        while waiting:
            if self._is_saved():
                raise _SavedError
            done, waiting = wait(waiting, self._saves.interval, FIRST_COMPLETED)
            yield from done

    def _is_saved(self) -> bool:
        if self._interrupted:
            raise KeyboardInterrupt
        return self._saves.came()


def _get_ready() -> None:
    """Do nothing in a worker, which has then imported what it needs."""


class _Silent:
    """Follows a check without a word."""

    def trying(self, number: int, steps: int, name: str) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def warn(self, text: str) -> None:
        pass


def _first_steps(request: WatchRequest, sandbox: str) -> CheckReport:
    """Check a bot up to its first game, in a worker."""
    checked = CheckRequest(
        request.bot,
        sandbox,
        trusted=request.trusted,
        packages=request.packages,
        last=FIRST_GAME,
        builds=user_builds(),
    )
    return check(checked, _Silent())


def _tasks(request: WatchRequest, rules: Rules, bot: StagedBot, rival: StagedBot) -> Iterator[Task]:
    """Yield the tables: pairs of them share their dice, with the bots in each other's seats."""
    limits = LimitsInfo().complete(_AT_A_TABLE)
    for pair in range(ceil(request.games / (2 * _AT_A_TABLE))):
        dice = block_seed(request.seed, f"{pair}")
        for seats in ((bot, rival), (rival, bot)):
            names = tuple(BOT if seated is bot else RIVAL for seated in seats)
            fixture = Fixture(
                id=f"{pair}/{names[0]}",
                index=pair,
                variant=rules.name,
                seats=names,
                seed=fixture_seed(request.seed, f"{pair}"),
                games=_AT_A_TABLE,
                block=pair,
                dice=dice,
                max_rounds=max_rounds(rules, len(names)),
            )
            yield Task(fixture, rules, seats, limits)
