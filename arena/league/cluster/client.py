"""The engine that plays by way of a Dask scheduler, and the workers that take part."""

import asyncio
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from weakref import WeakSet

import msgspec
from distributed import Client
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker
from msgspec.structs import replace

from arena.bots.bot import StagedBot
from arena.bots.builds import staging
from arena.bots.models.ledger import append_to_journal, journal_file, journals_in
from arena.io.cores import enough_cores
from arena.io.errors import ArenaError
from arena.league.cluster.entry import is_exposed
from arena.league.cluster.tasks import (
    RunPlugin,
    end_handler,
    play,
    prepare,
    resources,
    workers_handler,
)
from arena.league.cluster.worker import RUN_SPEC, TaskBatch
from arena.league.play.software import identity
from arena.league.play.workers import (
    BatchResult,
    BatchSize,
    Played,
    RunSpec,
    Task,
    WorkerDiedError,
)

BATCH_SECONDS = 0.5
"""Least seconds of play in a batch: each batch costs the scheduler a millisecond or two."""

_FORGET_SECONDS = 10.0
"""How long workers may take to say that they forgot a run: one that is suspended never does."""
_EXPOSED = (
    "{} is not encrypted: anyone who can reach it can run programs on the scheduler and all"
    " workers; arena help cluster says how to use tls://"
)


class Cluster:
    """An engine (see `workers.Engine`) on Dask's workers, on any number of machines."""

    def __init__(self, client: Client, where: str, *, own: bool) -> None:
        """`where` is the scheduler's name in errors; `own`: its workers end with this process."""
        self._client = client
        self._where = where
        self._own = own
        self._run = _new_run()
        self._notify: Callable[[str], None] = lambda _: None
        self._roster: Roster | None = None
        """The workers that take part in the run; None before it began."""
        self._counted = 1
        """The number of workers at the last count."""
        self._batch_size = BatchSize(BATCH_SECONDS)

    def distribute(
        self, spec: RunSpec, bots: Sequence[StagedBot], notify: Callable[[str], None]
    ) -> None:
        """Offer staged bots to the workers, in place of others; raises ArenaError if none can play.

        `notify` gets the sandboxes that they use, the workers left out, and if none is left.
        """
        self._notify = notify
        if self._roster:
            self.release()
            self._run, self._roster = _new_run(), None
        elif is_exposed(self._where):
            notify(f"warning: {_EXPOSED.format(self._where)}")
        bundles = {bot.info.digest: staging.pack_bundle(bot.folder) for bot in bots}
        digests = {digest: packed.digest for digest, packed in bundles.items()}
        pin = spec.pin and self._own and enough_cores(self.worker_count())
        journals = Path(spec.models.journals) if spec.models.journals else None
        models = replace(spec.models, ledger="", journals="")
        complete = replace(spec, bots=tuple(bots), bundles=digests, pin=pin, models=models)
        files = {packed.digest: packed.content for packed in bundles.values()}
        files[RUN_SPEC] = msgspec.msgpack.encode(complete, enc_hook=str)
        try:
            who = self._run, self._client.id, identity()
            self._client.register_plugin(RunPlugin(*who, files, self._journals(journals)))
        except Exception as error:
            raise refusal("the scheduler", error, self._where) from None
        self._roster = Roster(self._client, self._run, self._where, notify)
        with self._translate_errors():
            self._roster.open()

    def _journals(self, folder: Path | None) -> dict[str, bytes]:
        """Return the journals of language models; from now on, write what is added to them."""
        if not folder:
            return {}

        def keep(event: tuple[float, tuple[str, bytes]]) -> None:
            fixture, line = event[1]
            append_to_journal(journal_file(folder, fixture), bytes(line))

        self._client.subscribe_topic(self._run, keep)
        return {file.stem: file.read_bytes() for file in journals_in(folder)}

    def worker_count(self) -> int:
        """Return how many workers there are that are fit; workers may come and go."""
        with self._translate_errors():
            count = self._roster.count() if self._roster else len(self._client.nthreads())
        if not count and self._counted:
            self._notify(f"no worker is left at {self._where}: waiting for one")
        self._counted = count
        return count

    def batch_size(self, waiting: int) -> int:
        """Return how many fixtures take BATCH_SECONDS; fewer if not all workers would get some."""
        return self._batch_size.of(waiting, self.worker_count())

    @contextmanager
    def executor(self, workers: int) -> Iterator[Executor]:
        """Open an executor; Dask chooses the workers."""
        del workers
        executor = TaskExecutor(self._client, resources(self._run))
        try:
            yield executor
        except BaseException:
            with suppress(Exception):
                executor.cancel()
            raise

    def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
        """Hand tasks to the scheduler."""
        with self._translate_errors():
            return executor.submit(play, TaskBatch.pack(self._run, tasks))

    def collect(self, future: Future[object]) -> Sequence[Played]:
        """Return the results; raises WorkerDiedError if the scheduler gave up on the batch.

        Raises ArenaError if the scheduler is gone or the worker refuses to take part.
        """
        try:
            played = future.result()
        except KilledWorker as error:
            raise WorkerDiedError(error.allowed_failures + 1) from None
        except (CancelledError, CommClosedError):
            raise self._lost() from None
        except ModuleNotFoundError as error:
            raise refusal("a worker", error, self._where) from None
        if not isinstance(played, BatchResult):
            raise TypeError(played)
        self._batch_size.add(played)
        return played.fixtures

    def release(self) -> None:
        """Have all workers forget the run; those that are suspended do so when they go on."""
        if self._roster:
            self._roster.close()

        async def end() -> None:
            call = getattr(self._client.scheduler, end_handler(self._run))()
            await asyncio.wait_for(call, _FORGET_SECONDS)

        with suppress(Exception):
            self._client.sync(end)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Raise ArenaError if the scheduler does not answer."""
        try:
            yield
        except (OSError, CommClosedError, RuntimeError, ValueError) as error:
            raise self._lost() from error

    def _lost(self) -> ArenaError:
        hint = "see why it ended, start it again and run again: what was stored is safe"
        return ArenaError("the connection to the scheduler is lost", self._where, hint)


def _new_run() -> str:
    """Return a name that no other run has."""
    return f"arena-{uuid.uuid4().hex}"


class TaskExecutor(Executor):
    """Runs calls on the workers that have the resources; equal calls are run separately.

    Dask's own executor mistakes a result for an error if its worker leaves while the result is
    fetched (distributed 2026.8, `cfexecutor._cascade_future`).
    """

    def __init__(self, client: Client, resources: Mapping[str, float]) -> None:
        self._client = client
        self._resources = resources
        self._tasks: WeakSet[Any] = WeakSet()
        """Dask's futures: the scheduler forgets a task once nobody holds its own."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand a call to the scheduler."""
        settings = {"pure": False, "retries": 0, "resources": self._resources}
        task = self._client.submit(function, *args, **settings, **kwargs)
        self._tasks.add(task)
        loop: Any = self._client.loop
        return asyncio.run_coroutine_threadsafe(_outcome(task), loop.asyncio_loop)

    def cancel(self) -> None:
        """Have the scheduler forget all calls that are under way."""
        self._client.cancel(list(self._tasks))


async def _outcome(task: Any) -> Any:
    return await task


PREPARE_SECONDS = 120.0
"""How long a run waits at its start for workers that do not answer."""
_INTERVAL = 0.5
"""Seconds between two checks for workers that joined or left."""
_NO_ARENA = "No module named 'arena"
"""Part of every such error, whatever Dask wraps it in."""
_Joined = tuple[str, int]
"""A worker's address, and a number: another worker may get the address of one that left."""


class Roster:
    """The workers that are fit for a run; each is made ready before it gets anything to play.

    A worker that cannot take part is left out, and named once.
    """

    def __init__(self, client: Client, run: str, where: str, notify: Callable[[str], None]) -> None:
        self._client = client
        self._run = run
        self._where = where
        self._notify = notify
        self._preparing: dict[_Joined, asyncio.Task[None]] = {}
        """The preparation of every worker there is, also when it is done."""
        self._sandboxes: dict[_Joined, str] = {}
        """The sandboxes of the workers that are fit."""
        self._unfit: list[ArenaError] = []
        """The refusals that were not reported yet."""
        self._watching: Future[None] | None = None

    def open(self) -> None:
        """Prepare the workers that are there, and from now on those that join.

        Raises ArenaError if none of them can take part.
        """
        silent = self._client.sync(self._prepare_all)
        if not self._sandboxes:
            hint = f"none answered within {PREPARE_SECONDS:.0f} s: restart the workers"
            raise next(iter(self._unfit), ArenaError("no worker is ready", self._where, hint))
        counts = sorted(Counter(self._sandboxes.values()).items())
        chosen = ", ".join(f"{sandbox} ({count})" for sandbox, count in counts)
        fit = len(self._sandboxes)
        self._notify(f"workers: {fit} at {self._where}; their sandboxes: {chosen}")
        for worker in silent:
            self._notify(f"left out until it answers: the worker {worker}")
        loop: Any = self._client.loop
        self._watching = asyncio.run_coroutine_threadsafe(self._watch(), loop.asyncio_loop)

    def count(self) -> int:
        """Return how many fit workers there are; names the others that joined.

        Raises OSError if the connection to the scheduler is lost.
        """
        while self._unfit:
            self._notify(f"left out: {self._unfit.pop(0)}")
        if self._watching and self._watching.done():
            raise OSError("the scheduler does not answer") from self._watching.exception()
        return len(self._sandboxes)

    def close(self) -> None:
        """Stop following workers that join and leave."""
        if self._watching:
            self._watching.cancel()

    async def _prepare_all(self) -> list[str]:
        """Prepare all workers that are there; returns those that did not answer."""
        await self._update()
        if not self._preparing:
            return []
        _, silent = await asyncio.wait(self._preparing.values(), timeout=PREPARE_SECONDS)
        return [address for (address, _), task in self._preparing.items() if task in silent]

    async def _watch(self) -> None:
        try:
            while True:
                await self._update()
                await asyncio.sleep(_INTERVAL)
        finally:
            for task in self._preparing.values():
                task.cancel()

    async def _update(self) -> None:
        """Begin to prepare workers that joined, and forget those that left."""
        workers = await getattr(self._client.scheduler, workers_handler(self._run))()
        present = {(address, number) for address, number in workers}
        for left in self._preparing.keys() - present:
            self._preparing.pop(left).cancel()
            self._sandboxes.pop(left, None)
        for joined in present - self._preparing.keys():
            self._preparing[joined] = asyncio.create_task(self._prepare(joined))

    async def _prepare(self, joined: _Joined) -> None:
        address, _ = joined
        call = self._client.run(
            prepare, self._run, identity(), workers=[address], on_error="return"
        )
        answer = (await call).get(address)
        if isinstance(answer, str):
            self._sandboxes[joined] = answer
        # An error of Dask has no number: the worker was not reached in time, and did not refuse.
        elif answer is None or (isinstance(answer, OSError) and answer.errno is None):
            self._preparing.pop(joined, None)  # if it is still there, it is asked again
        else:
            self._unfit.append(refusal(f"the worker {address}", answer, self._where))


def refusal(who: str, error: BaseException, where: str) -> ArenaError:
    """Return the error of a scheduler or worker that cannot take part in a run."""
    if isinstance(error, ArenaError):
        return ArenaError(error.what, error.where or where, error.hint)
    if _NO_ARENA in str(error):
        hint = "install the arena there: pip install 'perudo-arena[cluster]'"
        return ArenaError(f"{who} has no arena to play with: {short(error)}", where, hint)
    hint = "start it with the same arena, Python and Dask as here"
    return ArenaError(f"{who} cannot take part: {short(error)}", where, hint)


def short(error: BaseException) -> str:
    """Return an error's text in one line, or its kind if it has none."""
    return " ".join(str(error).split())[:200] or type(error).__name__
