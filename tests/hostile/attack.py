"""One hostile bot at a table with two honest ones: the games, and what it left behind."""

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

from arena.bots.bot import StagedBot
from arena.bots.builds.staging import stage
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.base import MIB, Quota, Sandbox
from arena.bots.sandboxes.registry import SANDBOXES, make_sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.game.records import PlayedFixture
from arena.game.rules.books import VARIANTS
from arena.io import shipped
from tests.hostile.leftovers import changes, traces
from tests.hostile.misbehaviours import MISBEHAVIOURS
from tests.hostile.outcomes import Misbehaviour
from tests.support import records
from tests.support.live import play_bots

NAME = "<img src=x onerror=alert(1)>../=A1"
"""The name of all hostile bots."""
SEAT = 1
"""Their seat; the others are honest."""
RULES = VARIANTS["bga"]
QUOTA = Quota(memory=64 * MIB, processes=16, files=32, file_size=2 * MIB)
"""Small, so that the bombs can be small."""
_PROGRAM = Path(__file__).with_name("bots")


class Attack(Struct):
    """What one fixture with a hostile bot showed."""

    misbehaviour: str
    sandbox: str
    played: PlayedFixture
    seconds: float
    """From before the first start until the last bot was stopped."""
    leftovers: list[str]
    """What is new afterwards, apart from processes."""
    mark: str
    """A word on the command lines of all processes of all seats."""


@cache
def small_sandbox(name: str) -> Sandbox:
    """Return a sandbox with a small quota; raises ArenaError if it does not work."""
    make_sandbox(name)
    return SANDBOXES[name](QUOTA)


def attack(misbehaviour: str, sandbox: str) -> Attack:
    """Play a fixture in which one bot misbehaves."""
    mark = f"hostile-{secrets.token_hex(8)}"
    # Made first: what a sandbox keeps as long as the arena lives is no leftover.
    small = small_sandbox(sandbox)
    with run_folder() as folder, _temporary_files_in(folder), ExitStack() as open_sockets:
        honest = [_honest(name, folder, small, mark) for name in ("honest", "odds")]
        targets = _targets(folder, small, honest[0], open_sockets)
        bots = (honest[0], _hostile(misbehaviour, folder, small, mark, targets), honest[1])
        before = traces(folder, mark)
        started = time.monotonic()
        played = _play(bots, small, MISBEHAVIOURS[misbehaviour])
        seconds = time.monotonic() - started
        return Attack(
            misbehaviour, sandbox, played, seconds, changes(before, traces(folder, mark)), mark
        )


def _play(bots: tuple[StagedBot, ...], sandbox: Sandbox, how: Misbehaviour) -> PlayedFixture:
    fixture = records.fixture((bot.name for bot in bots), how.games, variant=RULES.name)
    return play_bots(fixture, RULES, bots, sandbox, how.limits)


@contextmanager
def _temporary_files_in(folder: Path) -> Iterator[None]:
    """Let the arena make its own temporary files in the folder that is compared."""
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before


def _honest(name: str, folder: Path, sandbox: Sandbox, mark: str) -> StagedBot:
    bot = stage(load_bot(shipped.folder("sample_bots") / name), folder, sandbox)
    return replace(bot, command=(*bot.command, mark))


def _hostile(
    name: str, folder: Path, sandbox: Sandbox, mark: str, targets: dict[str, Any]
) -> StagedBot:
    source = folder / "hostile"
    copytree(_PROGRAM, source / "bots")
    command = ["python3", "-S", "-E", "-B", "-m", "bots", name]
    manifest = {"name": NAME, "command": command, "runtime": "python"}
    (source / "bot.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    bot = stage(load_bot(source), folder, sandbox)
    return replace(bot, command=(*bot.command, json.dumps({"mark": mark, **targets})))


def _targets(
    folder: Path, sandbox: Sandbox, other: StagedBot, open_sockets: ExitStack
) -> dict[str, Any]:
    """Set up what there is to attack."""
    store = folder / "league.sqlite"
    store.write_bytes(b"a store that every user may read")
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
        "other_bot": str(other.folder / "bot.py"),
        "store": str(store),
        "tcp": tcp.getsockname()[1],
        "udp": udp.getsockname()[1],
        "abstract": abstract,
        "isolates": sandbox.isolates,
        "memory": QUOTA.memory,
        "file_size": QUOTA.file_size,
    }
