"""An hour in a classroom, in short: `python -m benchmarks.class_hour`.

Opens `arena class` for `--students` on this machine, who all come from one address within a minute:
each joins by a name of the roster and the code, submits the kit with a change of its own as
`my-bot`, waits for its rank, and submits it once more, changed. One in ten submits a bot that is
hostile, then one that works. Prints how long each waited, what was refused, the memory of all
processes together, and whether anything is lost. Its exit code is 1 if a submission is.
"""

import argparse
import io
import os
import re
import subprocess
import sys
import tarfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from random import Random
from signal import SIGTERM
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from arena.ladder.book.book import Book
from arena.ladder.folder import Folder
from tests.cli.command import arena, environment, run_process
from tests.e2e.live import let_others_in
from tests.ladder.web.doors import Answer, Door

KIT = Path(__file__).parents[1] / "protocol" / "kits" / "python"
HOSTILE = (
    "while True: print('x' * 65536)",
    "import os\nwhile True: os.fork()",
    "x = []\nwhile True: x.append(bytes(1 << 20))",
    "import time; time.sleep(10_000)",
)
_LOOK = 0.5
"""Seconds of a student between two looks at the page."""
_PATIENCE = 1_200.0
"""Seconds after which a student gives up."""
_MIB = 1 << 20


class Student:
    """One of the class, as its browser asks the door."""

    def __init__(self, name: str, door: Door, code: str) -> None:
        self.name, self._door = name, door
        self._base = {"Origin": door.base}
        self._code = code
        self._cookie: dict[str, str] = {}
        self.waits: list[tuple[str, float]] = []
        """What it waited for, and the seconds that took."""
        self.sent: list[str] = []
        """The versions that the door has received."""
        self.trouble: list[str] = []

    def hour(self, number: int, rng: Random) -> None:
        """Come, join, submit, and submit once more."""
        time.sleep(60 * rng.random())
        self._join()
        if number % 10 == 9:
            self._submit(HOSTILE[number // 10 % len(HOSTILE)])
        for _ in range(2):
            self._submit(bot_of(rng.uniform(0.5, 1.5)))

    def _ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> Answer:
        began = time.monotonic()
        while True:
            try:
                found = self._door.ask(path, method, body, **self._base, **self._cookie, **headers)
            except (OSError, HTTPException) as error:
                found = None
                self.trouble.append(f"{path}: {type(error).__name__}")
            if found and found.status not in {429, 503}:
                return found
            if found:
                self.trouble.append(f"{path}: {found.status}")
            if time.monotonic() - began > _PATIENCE:
                raise TimeoutError(path)
            time.sleep(float(found.headers.get("retry-after", 1)) if found else 1.0)

    def _join(self) -> None:
        began = time.monotonic()
        body = urlencode({"name": self.name, "code": self._code})
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        found = self._ask("/welcome", "POST", body, **form)
        assert found.status == 303, found
        entered = self._ask(urlsplit(found.headers["location"]).path, "POST")
        self._cookie = {"Cookie": entered.headers["set-cookie"].partition(";")[0]}
        self.waits.append(("joined", time.monotonic() - began))

    def _submit(self, source: str) -> None:
        began = time.monotonic()
        found = self._ask("/api/v1/bots/my-bot/versions", "PUT", archive(source))
        if found.status not in {200, 201}:
            self.trouble.append(f"upload: {found.status} {found.body[:200]!r}")
            return
        version = str(found.json()["version"])
        self.sent.append(version)
        self.waits.append(("received", time.monotonic() - began))
        state = ""
        while state in {"", "queued", "checking"}:
            time.sleep(_LOOK)
            state = self._ask(f"/api/v1/versions/{quote(version)}").json()["state"]
        self.waits.append(
            ("refused" if state == "refused" else "checked", time.monotonic() - began)
        )
        while state != "refused":
            time.sleep(_LOOK)
            rows = self._ask("/api/v1/ladder/standings")
            if rows.status == 200 and version in {row["version"] for row in rows.json()["rows"]}:
                self.waits.append(("ranked", time.monotonic() - began))
                return
            if time.monotonic() - began > _PATIENCE:
                raise TimeoutError(version)


def bot_of(caution: float) -> str:
    """Return the kit's bot, which doubts sooner or later than it did."""
    source = (KIT / "bot.py").read_text(encoding="utf-8")
    changed = source.replace("> holds:", f"> {caution:.3f} * holds:")
    assert changed != source
    return changed


def archive(source: str) -> bytes:
    """Return the kit with another program, as a tar."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in ("bot.yaml", "perudo.py"):
            tar.add(KIT / name, name)
        content = source.encode()
        member = tarfile.TarInfo("bot.py")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def memory_of(group: int) -> float:
    """Return the memory of a process and all it has begun, in MiB; shared pages count for each."""
    parents: dict[int, int] = {}
    pages: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            pid = int(entry.name)
            parents[pid] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            pages[pid] = int((entry / "statm").read_text().split()[1])
    family, grown = {group}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in family} - family
        family |= more
        grown = bool(more)
    size = os.sysconf("SC_PAGE_SIZE")
    return sum(pages.get(pid, 0) for pid in family) * size / _MIB


def main() -> None:
    """Hold the hour, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=40)
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--seed", default="class")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="arena-class-") as folder:
        let_others_in(Path(folder))
        sys.exit(hold(Path(folder), options.students, options.sandbox, options.seed))


def hold(folder: Path, students: int, sandbox: str, seed: str) -> int:
    """Hold the hour below a folder; returns the exit code."""
    names = [f"student-{number + 1}" for number in range(students)]
    (folder / "roster.csv").write_text("\n".join(["id", *names, ""]), encoding="utf-8")
    how = ("--plain-http", "--host", "127.0.0.1", "--port", "0", "--sandbox", sandbox)
    words = arena("class", "club", "--roster", "roster.csv", *how, "--trust-bots")
    with subprocess.Popen(
        words,
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
    ) as process:
        try:
            said = way_in(process)
            code = re.findall(r"CODE +(\S+)", said)[0]
            base = re.findall(r"JOIN +(\S+)/welcome", said)[0]
            # What it says later must not fill the pipe.
            threading.Thread(target=process.stdout.read, daemon=True).start()  # type: ignore[union-attr]
            door = Door(Folder(folder / "club"), base)
            came = [Student(name, door, code) for name in names]
            most = attend(process.pid, came, seed)
            process.send_signal(SIGTERM)
            process.wait()
        finally:
            process.kill()
    return report(folder / "club", came, most)


def way_in(process: "subprocess.Popen[str]") -> str:
    """Return what the command says until the way in is known."""
    said = ""
    while "  wall  " not in said:
        line = process.stdout.readline() if process.stdout else ""
        if not line:
            sys.exit(said)
        said += line
    return said


def attend(process: int, came: list[Student], seed: str) -> float:
    """Let all students come; returns the most memory that was taken, in MiB."""
    most = 0.0
    with ThreadPoolExecutor(len(came)) as pool:
        there = [
            pool.submit(student.hour, number, Random(f"{seed}/{number}"))
            for number, student in enumerate(came)
        ]
        while not all(one.done() for one in there):
            most = max(most, memory_of(process))
            time.sleep(1)
    for student, one in zip(came, there, strict=True):
        if error := one.exception():
            student.trouble.append(repr(error))
    return most


def report(club: Path, came: list[Student], most: float) -> int:
    """Print what came out; returns 1 if something is lost."""
    for what in ("joined", "received", "checked", "refused", "ranked"):
        seconds = sorted(took for one in came for of, took in one.waits if of == what)
        if seconds:
            shown = f"median {median(seconds):.1f} s, longest {seconds[-1]:.1f} s"
            print(f"{what:9} {len(seconds):4}  {shown}")
    print(f"memory    {most:.0f} MiB at most, all processes together")
    for text in sorted({text for one in came for text in one.trouble}):
        times = sum(one.trouble.count(text) for one in came)
        print(f"trouble   {times:4}  {text}")
    with Book(Folder(club)) as book:
        kept = {one.name for one in book.versions()}
    lost = {version for one in came for version in one.sent} - kept
    print(f"lost      {len(lost):4}  {' '.join(sorted(lost))}")
    ran = run_process("verify", club / "seasons" / "1" / "league.yaml", cwd=club)
    print(f"verified  {'yes' if ran.code == 0 else ran.out + ran.err}")
    return int(bool(lost) or ran.code != 0)


if __name__ == "__main__":
    main()
