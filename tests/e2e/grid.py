"""A small cluster of real processes: a Dask scheduler, and nodes of a nanny and its worker."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from tests.cli.command import HANG, ROOT, environment
from tests.e2e.live import Process, let_others_in, processes, wait_for_death, wait_until

_QUIET = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")
_SETTINGS = {
    "DASK_DISTRIBUTED__WORKER__DAEMON": "False",
    # A client in this process may have silenced what it starts.
    "DASK_LOGGING__DISTRIBUTED": "info",
    # A part that hangs is asked where.
    "PYTHONFAULTHANDLER": "1",
}


def make_certificates(folder: Path) -> None:
    """Write certificates as docs/guides/cluster.md says."""
    subprocess.run(
        ["bash", "-ec", _documented("umask")], cwd=folder, check=True, capture_output=True
    )


def tls_environment(folder: Path) -> dict[str, str]:
    """Return the variables that docs/guides/cluster.md says, for the certificates in a folder."""
    lines = _documented("export DASK_DISTRIBUTED__COMM").replace("~/tls", str(folder)).splitlines()
    return dict(line.removeprefix("export ").split("=") for line in lines)


def _documented(start: str) -> str:
    """Return the commands in docs/guides/cluster.md that begin like this."""
    blocks = (ROOT / "docs/guides/cluster.md").read_text().split("```sh\n")[1:]
    [block] = [block for block in blocks if block.startswith(start)]
    return block.partition("```")[0]


def tls_settings(folder: Path) -> dict[str, str]:
    """Return Dask's settings for the certificates in a folder, for a client, as Python has them."""
    names = {"ca-file": "ca.pem", "client.cert": "cert.pem", "client.key": "key.pem"}
    return {f"distributed.comm.tls.{name}": str(folder / file) for name, file in names.items()}


class Part:
    """A scheduler, or a node; its temporary files are in a folder of its own."""

    def __init__(
        self,
        program: str,
        *options: object,
        home: Path,
        env: Mapping[str, str] | None = None,
        under: Sequence[object] = (),
    ) -> None:
        home.mkdir()
        self.temporary = home / "temporary"
        self.temporary.mkdir()
        self.log = home / "log"
        own = {"TMPDIR": str(self.temporary), "DASK_TEMPORARY_DIRECTORY": str(home), **_SETTINGS}
        command = [sys.executable, "-m", f"distributed.cli.{program}", *_QUIET, *options]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*map(str, under), *map(str, command)],
                cwd=home,
                env={**environment(**own), **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )

    def family(self) -> list[int]:
        """Return the processes of this part, without the bots."""
        return [pid for pid, p in processes().items() if p.group == self.process.pid]

    def worker(self) -> int | None:
        """Return the process that a node's nanny has started to play."""
        mine = [pid for pid, p in processes().items() if self._plays(p)]
        return next((pid for pid in mine if pid != self.process.pid), None)

    def is_empty(self) -> bool:
        """Tell whether it has no temporary files, but for the numpy of bots while it lives."""
        numpy = [path.parent for path in self.temporary.glob("*/numpy.py")]
        kept = {*numpy, *(path.with_suffix(".lock") for path in numpy)}
        alive = self.process.poll() is None
        return not {*self.temporary.iterdir()} - (kept if alive else set())

    def wait_for_log(self, *words: str) -> None:
        """Wait until all the words were logged."""

        def logged() -> bool:
            text = self.log.read_text(errors="replace")
            assert self.process.poll() is None, text
            return all(word in text for word in words)

        try:
            wait_until(logged)
        except TimeoutError as error:
            raise TimeoutError(self._stacks()) from error

    def kill(self) -> None:
        """End all of it at once, as a machine ends that loses its power."""
        family = self.family()
        for pid in family:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in family:
            if pid != self.process.pid:
                wait_for_death(pid)
        self.process.wait(HANG)

    def _stacks(self) -> str:
        """End it; returns its log, with what each of its threads did."""
        status = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        [state] = [line for line in status if line.startswith("State:")]
        self.process.send_signal(signal.SIGABRT)
        self.process.send_signal(signal.SIGCONT)
        self.process.wait(HANG)
        return f"{state}\n{self.log.read_text(errors='replace')}"

    def _plays(self, one: Process) -> bool:
        # Dask gives its processes titles where setproctitle is installed.
        titles = ("dask worker", "spawn_main")
        return one.group == self.process.pid and any(title in one.command for title in titles)


class Grid:
    """A scheduler to which nodes can be added; a context manager."""

    def __init__(
        self, folder: Path, *, protocol: str = "tcp", env: Mapping[str, str] | None = None
    ) -> None:
        """`env`: more variables for the scheduler."""
        let_others_in(folder)
        self._folder = folder
        self._protocol = protocol
        self._env = env
        self._names = (f"node-{number}x" for number in count(1))

    def __enter__(self) -> "Grid":
        options = ["--host", "127.0.0.1", "--port", "0", "--protocol", self._protocol]
        home = self._folder / "scheduler"
        self.scheduler = Part("dask_scheduler", *options, home=home, env=self._env)
        self.scheduler.wait_for_log("Scheduler at:")
        text = self.scheduler.log.read_text()
        self.address = text.split("Scheduler at:")[1].split()[0]
        return self

    def __exit__(self, *_: object) -> None:
        self.scheduler.kill()

    @contextmanager
    def nodes(
        self,
        number: int,
        *options: object,
        env: Mapping[str, str] | None = None,
        under: Sequence[object] = (),
    ) -> Iterator[list[Part]]:
        """Have nodes with one worker each, which all have joined."""
        names = [next(self._names) for _ in range(number)]
        ours = [self.address, "--nthreads", 1, *options, "--name"]
        parts = [
            Part("dask_worker", *ours, name, home=self._folder / name, env=env, under=under)
            for name in names
        ]
        try:
            self.scheduler.wait_for_log(*(f"name: {name}" for name in names))
            yield parts
        finally:
            for part in parts:
                part.kill()
