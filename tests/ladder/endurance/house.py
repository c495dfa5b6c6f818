"""A ladder and its door as two units of systemd run them: killed, and started again."""

import re
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

from arena.ladder.folder import Folder
from tests.cli.command import HANG, arena, environment
from tests.e2e import kills
from tests.e2e.live import processes, wait_until
from tests.ladder.club import Running

SLOW_DISK = """
#include <sys/syscall.h>
#include <unistd.h>
static unsigned count;
static void wait_for_the_disk(void) { usleep(++count % 200 ? 10000 : 2000000); }
int fsync(int file) { wait_for_the_disk(); return syscall(SYS_fsync, file); }
int fdatasync(int file) { wait_for_the_disk(); return syscall(SYS_fdatasync, file); }
"""
"""Makes each wait for the disk longer by 10 ms, and every 200th of a process by 2 s."""
KINDS = {"ladder": 2, "ladder and all that it began": 2, "door": 2, "job": 3, "bot": 1}
"""What is killed, and how often in relation to each other."""
_AGAIN = 2.0
"""Seconds until what was killed is started again, at most."""


def slow_disk(folder: Path) -> dict[str, str]:
    """Return the variables that make the disk slow for a process; none without a C compiler."""
    source, library = folder / "slow_disk.c", folder / "slow_disk.so"
    source.write_text(SLOW_DISK)
    with suppress(FileNotFoundError):
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
        return {"LD_PRELOAD": str(library)}
    return {}


class House:
    """A ladder and its door; a context manager that ends both."""

    def __init__(self, club: Path, variables: dict[str, str]) -> None:
        self.club = club
        self.folder = Folder(club)
        self.killed = Counter[str]()
        self.broken: list[str] = []
        self._variables = variables
        self._said = club.parent / "door.txt"
        self._port = 0
        self._due: dict[str, float] = {}
        """When what was killed is started again, by the monotonic clock."""
        self.ladder = self._open_ladder()
        self.door = self._open_door()

    def __enter__(self) -> "House":
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self.ladder.process, self.door):
            process.kill()
            process.wait()

    @property
    def base(self) -> str:
        """Where the door is."""
        return f"http://127.0.0.1:{self._port}"

    def _open_ladder(self) -> Running:
        self.opened_at = time.time()
        return Running(self.club, **self._variables)

    def _open_door(self) -> "subprocess.Popen[bytes]":
        at = self._said.stat().st_size if self._said.exists() else 0
        with self._said.open("ab") as said:
            process = subprocess.Popen(
                arena("serve", self.club, "--port", self._port),
                env=environment(**self._variables),
                stdin=subprocess.DEVNULL,
                stderr=said,
                process_group=0,
            )

        def named() -> "re.Match[str] | None":
            assert process.poll() is None, self.said()
            return re.search(r"http://[\w.]+:(\d+)", self._said.read_text()[at:])

        wait_until(named)
        found = named()
        assert found
        self._port = int(found[1])
        return process

    def said(self) -> str:
        """Return what both have said on standard error."""
        files = (self.club.parent / "said.txt", self._said)
        return "\n".join(path.read_text() for path in files if path.exists())

    def processes(self) -> dict[int, str]:
        """Return what each of the processes does that are no bots, by their ids."""
        found = {self.ladder.process.pid: "ladder", self.door.pid: "door"}
        for pid in self.ladder.children():
            with suppress(OSError):
                found[pid] = Path(f"/proc/{pid}/comm").read_text().strip()
        return found

    def kill_something(self, rng: Random) -> None:
        """Kill the ladder, its door, one of its jobs or a bot."""
        [kind] = rng.choices([*KINDS], [*KINDS.values()])
        ladder, jobs = self.ladder.process, self.ladder.children()
        if kind == "job" and jobs:
            pid = rng.choice(jobs)
            self.killed[self.processes().get(pid, "job")] += 1
            kills.kill([pid])
        elif kind == "bot":
            bots = [pid for pid, p in processes().items() if p.parent in jobs]
            kills.kill(rng.sample(bots, min(1, len(bots))))
            self.killed[kind] += len(bots) > 0
        elif kind == "door":
            self._kill(kind, [self.door.pid], rng)
        elif kind == "ladder":
            self._kill("ladder", [ladder.pid], rng)
        elif kind == "ladder and all that it began":
            group = [pid for pid, p in processes().items() if p.group == ladder.pid]
            self._kill("ladder", group, rng)

    def _kill(self, what: str, pids: list[int], rng: Random) -> None:
        if what not in self._due:
            self.killed[what if len(pids) == 1 else f"{what} and all that it began"] += 1
            self._due[what] = time.monotonic() + rng.uniform(0.0, _AGAIN)
            kills.kill(pids)

    def mind(self) -> None:
        """Start again what was killed; note what came to its end by itself."""
        now = time.monotonic()
        for what, process in {"ladder": self.ladder.process, "door": self.door}.items():
            if process.poll() is None or now < self._due.get(what, 0.0):
                continue
            if self._due.pop(what, None) is None:
                code, said = process.returncode, self.said()[-500:]
                self.broken.append(f"the {what} ended by itself, exit code {code}: {said}")
            if what == "ladder":
                self.ladder = self._open_ladder()
            else:
                self.door = self._open_door()

    def all_up(self) -> None:
        """Wait until both run."""
        while self._due:
            self.mind()
            time.sleep(0.05)

    def stop(self) -> None:
        """Ask both to stop, as systemd does."""
        for what, process in {"ladder": self.ladder.process, "door": self.door}.items():
            process.send_signal(signal.SIGTERM)
            if code := process.wait(HANG):
                self.broken.append(f"the {what} was told to stop, and its exit code is {code}")

    def left(self) -> list[str]:
        """Return the processes that are there still and work in the folder of the ladder."""
        found = []
        for pid, process in processes().items():
            with suppress(OSError):
                if Path(f"/proc/{pid}/cwd").readlink().is_relative_to(self.club):
                    found.append(process.command)
        return found
