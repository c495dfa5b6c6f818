"""What a machine that lacks something does to bots: `python -m benchmarks.shortage`.

Plays a small league of honest bots, checks one, runs a ladder and grades a course, each where
processes, open files, memory or the temporary folder run short, in each sandbox that works here.
Prints how each ended, how many faults were stored (none may be), and whether the league, resumed
when the shortage is over, has the root of an undisturbed one. Needs root and control groups.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from arena.bots.sandboxes.registry import SANDBOXES
from arena.game.records import FixtureResult
from arena.io.errors import ArenaError
from arena.league.store.store import Store
from tests.cli.command import LOWEST, ROOT, Ran, arena, bot, environment, league
from tests.course.school import course_yaml, roster
from tests.ladder.club import QUICK, change

SECONDS = 100.0
"""After which a command is ended."""
_LADDER_SECONDS = {"docker": 60.0}
_QUICK_LADDER_SECONDS = 25.0
_TICK = 0.05
_GROUPS = Path("/sys/fs/cgroup")
_USER = "65533"
"""Some user whom limits bind, for those that root ignores."""
_SOCKET = Path("/var/run/docker.sock")
"""Its group may use the Docker engine."""
_python = sys.executable
_JOIN = 'echo 0 >"$0" && exec "$@"'
_MOUNT = 'mkdir -p "$1" && mount -t tmpfs -o "$0" none "$1" && shift && exec "$@"'


_HEAD = (
    *("resource", "limit", "sandbox", "command", "code", "stored", "faults", "blamed", "resumed"),
    "said",
)


class Shortage(NamedTuple):
    """A resource, its limit, and how a command is put under it."""

    resource: str
    limit: str
    under: Callable[[str, Path], Sequence[str]]
    """Takes the limit and the temporary folder; returns the command that runs another one."""


def _limited(option: str) -> Callable[[str, Path], Sequence[str]]:
    return lambda limit, _: ("prlimit", f"--{option}={limit}", "--")


def _by_user(limit: str, _: Path) -> Sequence[str]:
    groups = ["--groups", str(_SOCKET.stat().st_gid)] if _SOCKET.exists() else ["--clear-groups"]
    user = ("setpriv", "--reuid", _USER, "--regid", _USER, *groups)
    return (*user, "prlimit", f"--nproc={limit}", "--")


def _grouped(feature: str, files: Sequence[str]) -> Callable[[str, Path], Sequence[str]]:
    def under(limit: str, _: Path) -> Sequence[str]:
        old = (_GROUPS / feature).is_dir()
        group = (_GROUPS / feature if old else _GROUPS) / f"shortage-{os.getpid()}"
        group.mkdir(exist_ok=True)
        for file in files:
            if (group / file).exists():
                (group / file).write_text(limit, encoding="ascii")
        return ("sh", "-c", _JOIN, str(group / "cgroup.procs"))

    return under


def _mounted(where: str = "") -> Callable[[str, Path], Sequence[str]]:
    return lambda options, temporary: (
        *("unshare", "--mount", "sh", "-c", _MOUNT, options, where or str(temporary)),
    )


_pids = _grouped("pids", ["pids.max"])
_memory = _grouped("memory", ["memory.limit_in_bytes", "memory.max"])
SHORTAGES = [
    *(Shortage("pids.max", str(n), _pids) for n in (12, 16, 20, 24, 28, 32, 40, 60)),
    *(Shortage("RLIMIT_NPROC", str(n), _by_user) for n in (4, 8, 12, 20)),
    *(Shortage("RLIMIT_NOFILE", str(n), _limited("nofile")) for n in (20, 24, 32, 40, 48, 64)),
    *(Shortage("memory", f"{n}M", _memory) for n in (32, 48, 64, 96)),
    Shortage("TMPDIR", "size=16k,mode=1777", _mounted()),
    Shortage("TMPDIR", "size=64k,mode=1777", _mounted()),
    Shortage("TMPDIR", "ro", _mounted()),
    Shortage("TMPDIR", "noexec,mode=1777", _mounted()),
    Shortage("/dev/shm", "ro", _mounted("/dev/shm")),
]


class Outcome(NamedTuple):
    """What a command did under a shortage."""

    code: int | None
    """None if it hung."""
    stored: int
    faults: int
    blamed: bool
    """Whether it said, or noted, that a bot is at fault."""
    said: str
    """The last line on standard error."""
    resumed: str = ""
    """Whether a resumed league has the root of an undisturbed one."""


def _trust(sandbox: str) -> list[str]:
    return ["--sandbox", sandbox, "--trust-bots"]


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="shortage-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "temporary").mkdir()
        for path in (folder, folder / "temporary"):
            path.chmod(0o1777)
        yield folder


def _run(
    arguments: Sequence[object], folder: Path, under: Sequence[str], seconds: float = SECONDS
) -> Ran | None:
    """Run a command to its end, or end it by SIGTERM after some seconds; None if it hangs."""
    path = os.pathsep.join([str(ROOT), sysconfig.get_path("purelib")])
    process = subprocess.Popen(
        [*under, _python, *arena(*arguments)[1:]],
        cwd=folder,
        env=environment(TMPDIR=str(folder / "temporary"), PYTHONPATH=path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    return Ran(process.returncode, out, err)


def _results(path: Path) -> list[FixtureResult]:
    with suppress(ArenaError), Store(path) as store:
        return list(store.results())
    return []


def _outcome(ran: Ran | None, stores: Sequence[Path], *, blamed: bool = False) -> Outcome:
    results = [result for path in stores if path.exists() for result in _results(path)]
    games = [game for result in results for game in result.games]
    faults = sum(fault is not None for game in games for fault in game.faults)
    lines = ran.err.strip().splitlines() if ran else []
    said = lines[-1] if lines else ""
    return Outcome(ran.code if ran else None, len(results), faults, blamed, said)


def _league(sandbox: str, folder: Path, under: Sequence[str]) -> Outcome:
    league(folder, bots=["sample:odds", "sample:honest"], blocks=3, workers=2, players=[2])
    command = ["run", "league.yaml", "--json", *_trust(sandbox)]
    ran = _run(command, folder, under)
    outcome = _outcome(ran, [*folder.glob("**/*.arena"), *folder.glob("**/*.sqlite")])
    outcome = outcome._replace(blamed="arena check" in outcome.said)
    resumed = _run(command, folder, ())
    root = json.loads(resumed.out).get("root", "") if resumed and resumed.out else "none"
    return outcome._replace(resumed=root)


def _check(sandbox: str, folder: Path, under: Sequence[str]) -> Outcome:
    ran = _run(["check", ROOT / "sample_bots/honest", *_trust(sandbox)], folder, under)
    return _outcome(ran, [], blamed=bool(ran and ran.code == 1))


def _ladder(sandbox: str, folder: Path, under: Sequence[str]) -> Outcome:
    club = folder / "club"
    seconds = _LADDER_SECONDS.get(sandbox, _QUICK_LADDER_SECONDS)
    _run(["ladder", "init", club, *_trust(sandbox)], folder, ())
    change(club, **QUICK)
    for name in ("one", "two"):
        source = bot(folder / name, f"{dedent(LOWEST)}# {name}\n")
        _run(["submit", source, "--to", club, "--no-wait"], folder, ())
    subprocess.run(["chmod", "-R", "a+rwX", club], check=True)
    ran = _run(["ladder", "run", club], folder, under, seconds)
    listed = _run(["ladder", "list", club, "--json"], folder, ())
    states = [one["state"] for one in json.loads(listed.out)] if listed and listed.out else []
    outcome = _outcome(ran, [*club.glob("seasons/*/*.sqlite"), *club.glob("seasons/*/*.arena")])
    blamed = bool({"refused", "failed"} & {*states})
    return outcome._replace(blamed=blamed, said=f"{', '.join(states)}: {outcome.said}")


def _course(sandbox: str, folder: Path, under: Sequence[str]) -> Outcome:
    course = folder / "course"
    course.mkdir()
    course_yaml(course, sandbox=sandbox)
    roster(course, "s1,Ada,ada@school.example,A")
    shutil.copytree(ROOT / "sample_bots/honest", course / "hand-ins/s1")
    subprocess.run(["chmod", "-R", "a+rwX", course], check=True)
    ran = _run(["course", "grade", course, "--trust-bots", "--workers", "2"], folder, under)
    outcome = _outcome(ran, [*course.glob("**/*.sqlite"), *course.glob("**/*.arena")])
    marks = course / "marks.csv"
    text = marks.read_text(encoding="utf-8") if marks.exists() else ""
    return outcome._replace(blamed="does not start" in text or "check" in text.partition("\n")[2])


COMMANDS = {"run": _league, "check": _check, "ladder": _ladder, "course": _course}


def _undisturbed(sandbox: str) -> str:
    with _folder() as folder:
        return _league(sandbox, folder, ()).resumed


def _end_group() -> None:
    """Kill and remove what a command left of its group: it may have been killed itself."""
    name = f"shortage-{os.getpid()}"
    for group in (_GROUPS / "pids" / name, _GROUPS / "memory" / name, _GROUPS / name):
        while group.is_dir():
            for pid in (group / "cgroup.procs").read_text(encoding="ascii").split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            for inner, _, _ in os.walk(group, topdown=False):
                with suppress(OSError):
                    Path(inner).rmdir()
            time.sleep(_TICK)


def main() -> None:
    """Print a row for each cell as it is known."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--commands", nargs="*", choices=COMMANDS, default=[*COMMANDS])
    parser.add_argument(
        "--sandboxes", nargs="*", choices=SANDBOXES, default=["process", "bubblewrap"]
    )
    parser.add_argument("--resources", nargs="*", default=[])
    parser.add_argument("--limits", nargs="*", default=[])
    about = "the interpreter, if others may not run this one: /usr/bin/python3"
    parser.add_argument("--python", default=sys.executable, help=about)
    options = parser.parse_args()
    global _python  # noqa: PLW0603 (an option of the whole benchmark)
    _python = options.python
    print(f"| {' | '.join(_HEAD)} |")
    print("|---" * len(_HEAD), "|", sep="", flush=True)
    for sandbox in options.sandboxes:
        root = _undisturbed(sandbox) if "run" in options.commands else ""
        for shortage in SHORTAGES:
            if options.resources and shortage.resource not in options.resources:
                continue
            if options.limits and shortage.limit not in options.limits:
                continue
            for command in options.commands:
                with _folder() as folder:
                    under = shortage.under(shortage.limit, folder / "temporary")
                    outcome = COMMANDS[command](sandbox, folder, under)
                    _end_group()
                resumed = (
                    ("same" if outcome.resumed == root else "OTHER") if outcome.resumed else ""
                )
                code = "hangs" if outcome.code is None else outcome.code
                cells = [*shortage[:2], sandbox, command, code, outcome.stored, outcome.faults]
                cells += ["yes" if outcome.blamed else "", resumed, outcome.said[:300]]
                print(
                    "|", " | ".join(str(cell).replace("|", "/") for cell in cells), "|", flush=True
                )


if __name__ == "__main__":
    main()
