"""One hostile bot at a table with two honest ones: what came of it, and what it left behind."""

import json
import os
import secrets
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena import shipped
from arena.perudo.rules import VARIANTS
from arena.records import Fixture, PlayedFixture
from arena.sandboxes.base import MIB, Quota, Sandbox
from arena.sandboxes.registry import SANDBOXES, make_sandbox
from arena.sandboxes.run_folder import run_folder
from arena.submissions.bot import StagedBot
from arena.submissions.manifest import load_bot
from arena.submissions.staging import stage
from tests.hostile.leftovers import changes, traces
from tests.hostile.misbehaviours import WAYS, Way
from tests.support.live import play_bots

NAME = "<img src=x onerror=alert(1)>\x1b[31m../=A1"
"""What all hostile bots are called."""
SEAT = 1
"""Where they sit; the others are honest."""
RULES = VARIANTS["bga"]
QUOTA = Quota(memory=64 * MIB, processes=16, files=32, file_size=2 * MIB)
"""Small, so that the bombs can be small."""
_PROGRAM = Path(__file__).with_name("bots")


class Attack(Struct):
    """What was seen of one fixture with a hostile bot in it."""

    way: str
    sandbox: str
    played: PlayedFixture
    seconds: float
    """From before the first start until the last bot was stopped."""
    left: list[str]
    """What is there that was not there before, processes apart."""
    mark: str
    """A word on the command lines of all processes of all seats."""


@cache
def small_sandbox(name: str) -> Sandbox:
    """Return a sandbox with little room; raises ArenaError where it does not work."""
    make_sandbox(name)
    return SANDBOXES[name](QUOTA)


def attack(way: str, sandbox: str) -> Attack:
    """Play a fixture in which one bot misbehaves."""
    mark = f"hostile-{secrets.token_hex(8)}"
    # Made first: what a sandbox keeps for as long as the arena lives is not left behind.
    box = small_sandbox(sandbox)
    with run_folder() as folder, _temporary_files_in(folder), ExitStack() as open_sockets:
        honest = [_honest(name, folder, box, mark) for name in ("honest", "odds")]
        targets = _targets(folder, box, honest[0], open_sockets)
        bots = (honest[0], _hostile(way, folder, box, mark, targets), honest[1])
        before = traces(folder, mark)
        started = time.monotonic()
        played = _play(bots, box, WAYS[way])
        seconds = time.monotonic() - started
        return Attack(way, sandbox, played, seconds, changes(before, traces(folder, mark)), mark)


def _play(bots: tuple[StagedBot, ...], sandbox: Sandbox, way: Way) -> PlayedFixture:
    seats = tuple(bot.name for bot in bots)
    fixture = Fixture("attack", 0, RULES.name, seats, "a seed", way.games)
    return play_bots(fixture, RULES, bots, sandbox, way.limits)


@contextmanager
def _temporary_files_in(folder: Path) -> Iterator[None]:
    """Let the arena make its own temporary files where they are seen."""
    usual, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = usual


def _honest(name: str, folder: Path, sandbox: Sandbox, mark: str) -> StagedBot:
    bot = stage(load_bot(shipped.folder("sample_bots") / name), folder, sandbox)
    return replace(bot, command=(*bot.command, mark))


def _hostile(
    way: str, folder: Path, sandbox: Sandbox, mark: str, targets: dict[str, Any]
) -> StagedBot:
    source = folder / "hostile"
    copytree(_PROGRAM, source / "bots")
    command = ["python3", "-S", "-E", "-B", "-m", "bots", way]
    manifest = {"name": NAME, "command": command, "runtime": "python"}
    (source / "bot.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    bot = stage(load_bot(source), folder, sandbox)
    return replace(bot, command=(*bot.command, json.dumps({"mark": mark, **targets})))


def _targets(
    folder: Path, sandbox: Sandbox, rival: StagedBot, open_sockets: ExitStack
) -> dict[str, Any]:
    """Set up what there is to attack."""
    store = folder / "league.sqlite"
    store.write_bytes(b"a store that everybody may read")
    store.chmod(0o644)
    tcp = open_sockets.enter_context(socket.create_server(("127.0.0.1", 0)))
    udp = open_sockets.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    udp.bind(("127.0.0.1", 0))
    abstract = f"arena-{secrets.token_hex(8)}"
    local = open_sockets.enter_context(socket.socket(socket.AF_UNIX))
    local.bind("\0" + abstract)
    local.listen()
    return {
        "pid": os.getpid(),
        "rival": str(rival.folder / "bot.py"),
        "store": str(store),
        "tcp": tcp.getsockname()[1],
        "udp": udp.getsockname()[1],
        "abstract": abstract,
        "isolates": sandbox.isolates,
        "memory": QUOTA.memory,
        "file_size": QUOTA.file_size,
    }
