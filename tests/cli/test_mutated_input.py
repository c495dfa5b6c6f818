"""Mutated input of every kind: read or refused, soon and in little memory, never a bug's exit code.

Each input has a number and is drawn anew from ARENA_TEST_SEED, which pytest prints.
"""

import os
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from random import Random
from zipfile import ZipFile

import pytest

import arena
from tests.cli import mutations, odd_inputs
from tests.cli.command import Ran, bot, run
from tests.support.depth import depth
from tests.support.sampling import random

BATCHES, SIZE = depth(1, 12), depth(60, 500)
"""Of each kind: 240 inputs in all, 24,000 in full."""
MAX_SECONDS = 3.0
"""Of CPU time."""
MAX_MIB = 200
"""By which the memory in use grows."""
KEPT = "mutated"
"""The file that keeps an input which does not end as it should."""


@pytest.fixture(autouse=True, scope="module")
def _imported() -> None:
    """Import all that commands may import: in a new clone that is compiled first, for seconds."""
    for module in walk_packages(arena.__path__, "arena."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with what mutated inputs name."""
    bot(tmp_path / "bots/good")
    bot(tmp_path / "bots/other")
    (tmp_path / "bad.zip").write_bytes(b"PK\3\4 no zip")
    with ZipFile(tmp_path / "bots/archive.zip", "w") as archive:
        archive.writestr("bot.yaml", "name: zipped\ncommand: python3 bot.py\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "league.yaml").write_text(odd_inputs.LEAGUE)
    return tmp_path


def _league(folder: Path, rng: Random) -> tuple[bytes, Ran]:
    """Read a league; neither command comes to its games, for want of a store."""
    content = mutations.yaml_text(odd_inputs.LEAGUE, rng)
    (folder / "league.yaml").write_bytes(content)
    command = ["rerun", "league.yaml", "0"]
    if rng.random() < 0.5:
        command = ["run", "league.yaml", "--store", "none/league.sqlite", "--trust-bots"]
    return content, run(*command, cwd=folder)


def _bot(folder: Path, rng: Random) -> tuple[bytes, Ran]:
    content = mutations.yaml_text(odd_inputs.BOT, rng)
    (folder / "bots/good/bot.yaml").write_bytes(content)
    return content, run("check", "bots/good", "--sandbox", "process", cwd=folder)


def _position(folder: Path, rng: Random) -> tuple[bytes, Ran]:
    content = mutations.position(rng)
    (folder / "positions").write_bytes(content)
    return content, run("judge", "positions", cwd=folder)


def _command_line(folder: Path, rng: Random) -> tuple[bytes, Ran]:
    words = mutations.command_line(rng)
    return repr(words).encode(), run(*words, cwd=folder)


KINDS: dict[str, Callable[[Path, Random], tuple[bytes, Ran]]] = {
    "league": _league,
    "bot": _bot,
    "position": _position,
    "command line": _command_line,
}


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("kind", KINDS)
def test_mutated_input_is_read_or_refused(
    folder: Path, kind: str, batch: int, request: pytest.FixtureRequest
) -> None:
    size = SIZE // 10 if request.config.getoption("no_processes") else SIZE
    for number in range(batch * SIZE, batch * SIZE + size):
        wrong, content = _wrong(kind, folder, random(f"{kind} {number}"))
        if wrong:
            (folder / KEPT).write_bytes(content)
            pytest.fail(f"{kind} {number}: {wrong}\n{content[:2000]!r}\n(in {folder / KEPT})")


def _wrong(kind: str, folder: Path, rng: Random) -> tuple[str, bytes]:
    """Try an input; returns what is wrong with how it ended, "" if nothing is, and the input."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory starts at what is in use
    before, began = _peak_mib(), time.process_time()
    content, ran = KINDS[kind](folder, rng)
    seconds, mib = time.process_time() - began, _peak_mib() - before
    errors = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    if ran.code not in {0, 1, 2} or "Traceback" in ran.err:
        return f"exit code {ran.code}: {ran.err[-1000:]}", content
    # `arena judge` says what is wrong with each line.
    judged = kind == "position" or content.startswith(b"['judge'")
    if (ran.code == 2) != bool(errors) or (len(errors) > 1 and not judged):
        return f"exit code {ran.code} with {len(errors)} errors: {ran.err[-1000:]}", content
    if ran.code == 2 and kind != "command line" and " / " not in errors[0]:
        return f"no file is named: {errors[0][:1000]}", content
    if seconds > MAX_SECONDS or mib > MAX_MIB:
        return f"{seconds:.1f} s and {mib} MiB: {ran.err[-1000:]}", content
    return "", content


def _peak_mib() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024
