"""A ladder by its front door: made, submitted to, run in a process of its own."""

import json
import os
import signal
import subprocess
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import Pipe
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec

from arena.bots.builds.staging import BuildCache
from arena.bots.manifest import load_bot
from arena.io.errors import ArenaError
from arena.ladder.book.book import Book
from arena.ladder.book.tables import CheckResult, State, decoded_check
from arena.ladder.check import scheduler, submission_check
from arena.ladder.check.scheduler import CheckScheduler
from arena.ladder.check.submission_check import CheckOrder, check_submission
from arena.ladder.config import load_config
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.pages import site, standings
from arena.ladder.run import run_ladder
from arena.ladder.season.season import STORE
from arena.league.changes import playing
from arena.league.play.stored_league import StoredLeague
from arena.league.store.store import Store
from tests.cli.command import HANG, LOWEST, Ran, arena, bot, environment, run
from tests.e2e.live import let_others_in, processes, wait_until

QUICK: dict[str, object] = {
    "games": 2,
    "blocks": 4,
    "workers": 1,
    "ratings": {"provisional": 4},
    "intervals": {"publish": 1.0},
}
"""A season that is soon played, of a ladder that publishes at once."""
REUSABLE = LOWEST.replace('"ready"', '"ready", "reusable": True')
"""A bot that serves at one table after another: it is started seldom, and soon checked."""
CRASHES = "import os; raise SystemExit(f'no good, niceness {os.nice(0)}')"
"""A bot that never says `ready`."""


def make(folder: Path, **keys: object) -> Path:
    """Make a ladder in the process sandbox, with other keys than the defaults."""
    let_others_in(folder)
    club = folder / "club"
    ran = run("ladder", "init", club, "--sandbox", "process", "--trust-bots", cwd=folder)
    assert ran.code == 0, ran.err
    change(club, **{**QUICK, **keys})
    return club


def change(club: Path, **keys: object) -> None:
    """Write other values into ladder.yaml."""
    path = club / "ladder.yaml"
    lines = [line for line in path.read_text().splitlines() if line.split(":")[0] not in keys]
    lines += [f"{key}: {json.dumps(value)}" for key, value in keys.items()]
    path.write_text("\n".join(lines) + "\n")


def submitted(
    club: Path,
    name: str,
    source: str = LOWEST,
    author: str = "",
    number: int = 1,
    **keys: object,
) -> Ran:
    """Submit a bot without waiting for its check; `number` tells versions apart."""
    folder = club.parent / f"{name}-{number}"
    if not folder.exists():
        bot(folder, f"{textwrap.dedent(source)}\n# {number}", name=name, **keys)
    whose = ("--author", author) if author else ()
    return run("submit", folder, "--to", club, "--no-wait", *whose, cwd=club.parent)


class Admits:
    """A check that admits whatever comes, at once."""

    def __init__(self, call: partial[bytes], **_: object) -> None:
        order = call.args[0]
        digest = submission_check.keep(load_bot(order.source), order.versions)
        self.admitted = CheckResult(ok=True, digest=digest, steps=18, games=20)

    def is_over(self) -> bool:
        return True

    def result(self) -> bytes:
        return msgspec.json.encode(self.admitted)

    def end(self) -> None:
        """There is nothing to end."""


class AtOnce:
    """A check that is made by the ladder itself, which does nothing else meanwhile."""

    def __init__(self, call: partial[bytes], **_: object) -> None:
        self._result = call()

    def is_over(self) -> bool:
        return True

    def result(self) -> bytes:
        return self._result

    def end(self) -> None:
        """There is nothing to end."""


def admitted(club: Path, name: str, source: str = LOWEST, **more: Any) -> None:
    """Submit a bot to a ladder that does not run, as `submitted`, and admit it without a check."""
    ran = submitted(club, name, source, **more)
    assert ran.code == 0, ran.err
    folder = Folder(club)
    with Book(folder, writes=True) as book, Door(folder) as door:
        for upload in door.uploads(book.last_upload()):
            book.add(upload, State.QUEUED, "it came")
        with mock.patch.object(scheduler, "Job", Admits):
            checks = CheckScheduler(folder, load_config(folder.config), book)
            checks.step()
            assert checks.step(), f"{name} was not admitted"


def versions(club: Path) -> dict[str, dict[str, Any]]:
    """Return the versions by name, as `list --json` has them."""
    ran = run("ladder", "list", club, "--json", cwd=club.parent)
    assert ran.code == 0, ran.err
    return {f"{one['bot']}@{one['number']}": one for one in json.loads(ran.out)}


def states(club: Path) -> dict[str, str]:
    """Return the state of each version."""
    return {name: one["state"] for name, one in versions(club).items()}


def is_in_state(club: Path, version: str, state: str) -> bool:
    """Tell whether a version was entered and is in a state."""
    return states(club).get(version) == state


def is_taken_in(club: Path, version: str) -> bool:
    """Tell whether the ladder has entered a submission as a version."""
    with Book(Folder(club)) as book:
        return version in {one.name for one in book.versions()}


def log(club: Path, *version: str) -> str:
    """Return what the log says."""
    ran = run("ladder", "log", club, *version, cwd=club.parent)
    assert ran.code == 0, ran.err
    return ran.out


def store_of(club: Path, season: int = 1) -> Path:
    """Return the store of a season."""
    return club / "seasons" / str(season) / STORE


def played(store: Path) -> int:
    """Return how many fixtures are stored; 0 if there is no store yet."""
    with suppress(ArenaError), Store(store) as opened:
        return len(opened.positions())
    return 0


def is_asleep(club: Path, *field: str) -> bool:
    """Tell whether these versions play, and have played all blocks after the last change."""
    blocks = load_config(club / "ladder.yaml").file.blocks
    # While the ladder makes the store, or does not run, reading may fail.
    with suppress(ArenaError), Store(store_of(club)) as store:
        league = StoredLeague(store)
        begun, earlier = league.progress.begun, league.schedule.earlier_blocks
        done = all(begun(division) - first >= blocks for division, first in earlier.items())
        return done and not league.progress.due() and {*field} == {*playing(league.conditions)}
    return False


def check_order(club: Path, source: Path) -> CheckOrder:
    """Return the order to check a submission, of the bot with the name of its folder."""
    config, folder = load_config(club / "ladder.yaml"), Folder(club)
    league = config.league
    return CheckOrder(
        source=source,
        bot=source.name,
        versions=folder.versions,
        variants=league.variants,
        players=league.players,
        limits=league.limits,
        sandbox=league.sandbox,
        images=league.images,
        packages=league.packages,
        builds=BuildCache(folder.built),
        trusted=config.file.trust_bots,
        games=league.games,
        pin=False,
        seconds=HANG,
        steps=config.file.checks.steps,
    )


def checked(order: CheckOrder) -> CheckResult:
    """Check a submission in this process."""
    ours, told = Pipe(duplex=False)
    with ours, told:
        return decoded_check(check_submission(order, told))


def page(club: Path, author: str) -> str:
    """Return an author's own pages, but for those of games; "" if there are none."""
    pages = sorted((club / "private" / author).glob("*.html"))
    return "\n".join(path.read_text() for path in pages)


class Running:
    """`arena ladder run` in a process of its own."""

    def __init__(self, club: Path, *under: object, **variables: str) -> None:
        self.club = club
        self.said = club.parent / "said.txt"
        temporary = club.parent / "temporary"
        temporary.mkdir(exist_ok=True)
        let_others_in(club.parent)
        with self.said.open("ab") as said:
            self.process = subprocess.Popen(
                [*map(str, under), *arena("ladder", "run", club)],
                cwd=club.parent,
                env=environment(TMPDIR=str(temporary), PYTHONFAULTHANDLER="1", **variables),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                process_group=0,
            )

    def until(self, holds: Callable[[], object]) -> None:
        """Wait until something holds, while the ladder runs."""

        def holds_or_ended() -> bool:
            assert self.process.poll() is None, self.said.read_text()
            return bool(holds())

        try:
            wait_until(holds_or_ended)
        except TimeoutError as error:
            self.process.send_signal(signal.SIGABRT)  # it prints what its threads do
            self.process.wait()
            raise TimeoutError(self.said.read_text()) from error

    def wait(self, seconds: float) -> None:
        """Wait for some seconds, or for its end."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def children(self) -> list[int]:
        """Return its own processes: workers, the check and the publication."""
        family = processes().items()
        return [
            pid for pid, p in family if p.parent == self.process.pid and "spawn_main" in p.command
        ]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop; returns its exit code."""
        os.kill(self.process.pid, number)
        try:
            return self.process.wait(HANG)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)  # it prints where its threads are
            self.process.wait(HANG)
            raise AssertionError(self.said.read_text()) from None

    def kill(self) -> None:
        """Kill it alone: what it has started must end by itself."""
        self.process.kill()
        self.process.wait(HANG)


@contextmanager
def running(club: Path, *under: object, **variables: str) -> Iterator[Running]:
    """Run a ladder as long as the block lasts, `under` a command, with variables of its own."""
    ladder = Running(club, *under, **variables)
    try:
        yield ladder
    finally:
        if ladder.process.poll() is None:
            ladder.kill()


class _LadderThread(threading.Thread):
    """A ladder in a thread, whose error is the test's; a test that is skipped there, too."""

    def __init__(self, ladder: Callable[[], None]) -> None:
        super().__init__()
        self._ladder = ladder
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._ladder()
        except BaseException as error:
            self._error = error

    def check(self) -> None:
        """Raise what ended the ladder."""
        if self._error:
            raise self._error


@contextmanager
def in_thread(club: Path, say: Callable[[str], None] = lambda _: None) -> Iterator["_LadderThread"]:
    """Run a ladder in a thread of this process as long as the block lasts."""
    stop = threading.Event()
    thread = _LadderThread(partial(run_ladder, Folder(club), stop, say))
    thread.start()
    try:
        yield thread
    finally:
        stop.set()
        thread.join()
        thread.check()


class Endless:
    """A job that is never over: what it would make is not what a test shows."""

    def __init__(self, *_: object, **__: object) -> None:
        """Nothing is begun."""

    def is_over(self) -> bool:
        return False

    def end(self) -> None:
        """There is nothing to end."""


class Inside:
    """A ladder in a thread of this process, which publishes nothing and writes no standings."""

    def __init__(self, thread: _LadderThread) -> None:
        self._thread = thread

    def until(self, holds: Callable[[], object]) -> None:
        """Wait until something holds, while the ladder runs."""

        def holds_or_ended() -> bool:
            self._thread.check()
            assert self._thread.is_alive(), "the ladder has ended"
            return bool(holds())

        wait_until(holds_or_ended)


@contextmanager
def inside(club: Path, say: Callable[[str], None] = lambda _: None) -> Iterator[Inside]:
    """Run a ladder without a process of its own as long as the block lasts, and stop it then."""
    with (
        mock.patch.object(site, "Job", Endless),
        mock.patch.object(standings, "Job", Endless),
        in_thread(club, say) as thread,
    ):
        yield Inside(thread)
