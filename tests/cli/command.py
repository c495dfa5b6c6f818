"""The front door: the command `arena`, and the files that it is given."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arena.league.store.store import Store
from tests.cli import in_process

ROOT = Path(__file__).parents[2]
HANG = 300.0
"""Seconds after which a command is taken to hang: far above what any of them takes."""
TRUSTED = ("--sandbox", "process", "--trust-bots")
PLAY = ("run", "league.yaml", *TRUSTED)
FIELD = ["sample:odds", "sample:honest", "sample:random"]
FORMULA = "=1+1"
"""A name that a spreadsheet would work out."""

READY = """
    import json, sys
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["type"] == "hello":
            print(json.dumps({"type": "ready"}), flush=True)
        if asked["type"] == "turn":
"""
"""A bot up to the point where it answers a turn."""
LOWEST = (
    READY
    + """
            answer = {"id": asked["id"], "action": "dudo"}
            if asked["raises"]:
                first = asked["raises"][0]
                answer |= {"action": "bid", "quantity": first["min"], "face": first["face"]}
            print(json.dumps(answer), flush=True)
"""
)
"""A bot that raises as little as it can, and doubts when it cannot."""


class Ran(NamedTuple):
    """A command that came to its end."""

    code: int
    out: str
    err: str


def arena(*arguments: object) -> list[str]:
    """Return the command line of `arena ARGUMENTS`."""
    return [sys.executable, "-m", "arena", *map(str, arguments)]


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which `arena` is this checkout's, and no terminal is promised."""
    ours = {"PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "200"}
    return {**os.environ, **ours, **more}


def bare_machine(folder: Path) -> dict[str, str]:
    """Return the variables of a machine on which only the process sandbox works.

    Its programs, and what the arena remembers there, are below a folder.
    """
    programs = folder / "programs"
    programs.mkdir()
    for tool in ("setpriv", "prlimit", "python3"):
        (programs / tool).symlink_to(f"/usr/bin/{tool}")
    docker, state = "unix:///nowhere/docker.sock", str(folder / "state")
    return {"PATH": str(programs), "DOCKER_HOST": docker, "XDG_STATE_HOME": state}


def run(
    *arguments: object,
    cwd: Path,
    stdin: str = "",
    env: Mapping[str, str] | None = None,
    under: Sequence[object] = (),
) -> Ran:
    """Run `arena ARGUMENTS` to its end, in this process where that makes no difference.

    With variables of its own (`env`), or under another command, it gets a process of its own.
    """
    if env or under:
        return run_process(*arguments, cwd=cwd, stdin=stdin, env=env, under=under)
    words = [str(argument) for argument in arguments]
    code, out, err = in_process.call(words, cwd, stdin.encode(), environment(), HANG)
    return _held(words, Ran(code, out.decode(), err.decode()))


def run_process(
    *arguments: object,
    cwd: Path,
    stdin: str = "",
    env: Mapping[str, str] | None = None,
    under: Sequence[object] = (),
) -> Ran:
    """Run `arena ARGUMENTS` to its end as a person does; `under` is a command that runs it."""
    done = subprocess.run(
        [*map(str, under), *arena(*arguments)],
        cwd=cwd,
        input=stdin.encode(),
        env=environment(**(env or {})),
        capture_output=True,
        timeout=HANG,
        check=False,
    )
    words = [str(argument) for argument in arguments]
    return _held(words, Ran(done.returncode, done.stdout.decode(), done.stderr.decode()))


def _held(words: Sequence[str], ran: Ran) -> Ran:
    """Return what a command did; what it printed with --json must be as it is declared."""
    if "--json" in words and ran.out:
        from tests.compatibility.held import hold  # it imports all that commands print

        hold(words, ran.out)
    return ran


def unread(*arguments: object, cwd: Path) -> Ran:
    """Run `arena ARGUMENTS` to its end; whoever should read what it prints is gone already."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as nobody:
        done = subprocess.run(
            arena(*arguments),
            cwd=cwd,
            env=environment(),
            stdout=nobody,
            stderr=subprocess.PIPE,
            timeout=HANG,
            check=False,
        )
    return Ran(done.returncode, "", done.stderr.decode())


def confined(*options: object) -> list[object]:
    """Return a command that runs another one among mounts of its own (options of bwrap)."""
    return ["bwrap", "--dev-bind", "/", "/", *options, "--die-with-parent", "--"]


def league(folder: Path, **keys: object) -> Path:
    """Write league.yaml, by default a short one for one worker, and return its path."""
    path = folder / "league.yaml"
    whole = {"bots": FIELD, "games": 2, "seed": "s", **keys}
    whole.setdefault("workers", 1)
    # JSON is YAML.
    path.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    return path


def play_league(folder: Path, *, code: int = 0, **keys: Any) -> Path:
    """Write a league and play it in the process sandbox; returns its folder.

    The exit code is 1 if a bot faulted.
    """
    league(folder, **keys)
    ran = run(*PLAY, cwd=folder)
    assert ran.code == code, ran
    return folder


def bot(folder: Path, source: str = LOWEST, **keys: object) -> Path:
    """Write the folder of a bot in Python and return it."""
    folder.mkdir(parents=True)
    manifest = {"name": folder.name, "command": "python3 bot.py", **keys}
    (folder / "bot.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "bot.py").write_text(textwrap.dedent(source), encoding="utf-8")
    return folder


def records(store: Path) -> list[bytes]:
    """Return the records of a store's fixtures, in schedule order."""
    with Store(store) as kept:
        return [kept.decoded(one.record) for one in kept.stored()]


def opened(store: Path) -> list[Any]:
    """Return the records of a store's fixtures as data."""
    return [json.loads(record) for record in records(store)]


def told(err: str) -> list[str]:
    """The lines on stderr but those that say how far a report is: some machines are slow."""
    return [line for line in err.splitlines() if not line.startswith("writing the report: ")]


def error_line(ran: Ran, *parts: str) -> str:
    """Check that a command refused its input with one line of error, and return that line.

    `parts` must stand in it, in this order.
    """
    assert ran.code == 2, ran
    assert "Traceback" not in ran.err
    errors = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, ran.err
    assert ran.err.endswith(errors[0] + "\n"), ran.err
    at = 0
    for part in parts:
        at = errors[0].find(part, at) + len(part)
        assert at >= len(part), f"{part!r} is not in {errors[0]!r}, or not where it belongs"
    return errors[0]
