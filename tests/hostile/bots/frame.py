"""An honest bot, one action of which is replaced by a misbehaviour."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

Message = dict[str, Any]
Act = Callable[[Message], None]

MISBEHAVIOURS: dict[str, tuple[str, Act]] = {}
"""By name: the moment ("start", "hello", "turn" or "other" message), and the action then."""
TARGETS: Message = {}
"""What to attack on the host, the bot's quota, and under "mark" a word that no other process has on
its command line and no other file in its name."""


def at(moment: str) -> Callable[[Act], Act]:
    """Register a function, by its name, as the action at a moment."""

    def register(act: Act) -> Act:
        MISBEHAVIOURS[act.__name__] = (moment, act)
        return act

    return register


def attempt(try_it: Callable[[], list[str]]) -> Callable[[], list[str]]:
    """Register an attempt in the first turn: it returns what it managed, and the bot plays on."""
    tried: list[list[str]] = []

    def act(message: Message) -> None:
        if not tried:
            tried.append(try_it())
            os.write(2, json.dumps({"managed": tried[0]}).encode() + b"\n")
        answer(message)

    MISBEHAVIOURS[try_it.__name__] = ("turn", act)
    return try_it


def put(data: bytes) -> None:
    """Write to standard output, all of it."""
    while data:
        data = data[os.write(1, data) :]


def legal(message: Message, **more: object) -> bytes:
    """Return a legal answer to a turn, without its newline."""
    chosen: Message = {"action": "dudo"}
    if message["raises"]:
        first = message["raises"][0]
        chosen = {"action": "bid", "quantity": first["min"], "face": first["face"]}
    return json.dumps({"id": message["id"], **chosen, **more}, ensure_ascii=False).encode()


def answer(message: Message, **more: object) -> None:
    """Answer a turn."""
    put(legal(message, **more) + b"\n")


def ready() -> None:
    """Answer `hello`."""
    put(b'{"type":"ready"}\n')


def read_together(games: int) -> Iterator[list[Message]]:
    """Announce `games` at a time; yield the turns of each write."""
    put(b'{"type":"ready","concurrent_games":%d}\n' % games)
    rest = b""
    while chunk := os.read(0, 65_536):
        *lines, rest = (rest + chunk).split(b"\n")
        messages = [json.loads(line) for line in lines]
        yield [message for message in messages if message["type"] == "turn"]


def hang() -> None:
    """Wait for ever."""
    while True:
        signal.pause()


def try_each(**actions: Callable[[], object]) -> list[str]:
    """Return the names of the actions that work."""
    managed = []
    for name, action in actions.items():
        with suppress(OSError):
            action()
            managed.append(name)
    return managed


def processes() -> list[Path]:
    """Return the folders of all processes that can be seen."""
    return [path for path in Path("/proc").iterdir() if path.name.isdigit()]


def start_daemon(*, hold_pipes: bool) -> None:
    """Leave a process in a session of its own that only SIGKILL ends."""
    if middle := os.fork():
        os.waitpid(middle, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if not hold_pipes:
        os.closerange(0, 3)
    hang()


def play(misbehaviour: str, targets: Message) -> None:
    """Play until the input ends."""
    TARGETS.update(targets)
    moment, act = MISBEHAVIOURS[misbehaviour]
    if moment == "start":
        act({})
    for line in sys.stdin.buffer:
        message = json.loads(line)
        kind = message["type"] if message["type"] in ("hello", "turn") else "other"
        if kind == moment:
            act(message)
        elif kind == "hello":
            ready()
        elif kind == "turn":
            answer(message)
