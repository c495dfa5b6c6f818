"""The door in a process of its own, beside the ladder: whichever of them ends, ends the other."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from arena.io.errors import ArenaError
from arena.io.job import Job, JobDiedError
from arena.ladder.folder import Folder
from arena.ladder.web.run import Address, serve

_END = 20.0
"""Seconds that the door has to end: more than it gives to requests that were begun."""

Say = Callable[[str], None]


@contextmanager
def door_process(
    folder: Folder, address: Address, stop: threading.Event, say: Say
) -> Iterator[None]:
    """Keep the door of a ladder open as long as the block lasts; `stop` is set if it ends before.

    `say` is called in the process of the door, too. Raises ArenaError if the door cannot be opened,
    and after the block if it ended before.
    """
    door = _opened(folder, address, say)
    ending = threading.Event()
    watcher = threading.Thread(target=_watch, args=(door, ending, stop, say))
    watcher.start()
    try:
        yield
    finally:
        ended = door.is_over()
        ending.set()
        door.stop(_END)
        watcher.join()
    if ended:
        raise _end_of(door, folder)


def _opened(folder: Folder, address: Address, say: Say) -> Job:
    """Start a door and wait until it is open; raises ArenaError if it cannot be."""
    ours, theirs = Pipe(duplex=False)
    with ours:
        with theirs:
            door = Job(partial(_serve, folder, address, say, theirs))
        try:
            ours.recv_bytes()
        except EOFError:
            raise _end_of(door, folder) from None
    return door


def _serve(folder: Folder, address: Address, say: Say, opened: Connection) -> None:
    """Be the door; its process leaves Ctrl-C at the terminal to the ladder's."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def tell(text: str) -> None:
        say(text)
        opened.send_bytes(b"open")

    with opened:
        serve(folder, address, tell)


def _watch(door: Job, ending: threading.Event, stop: threading.Event, say: Say) -> None:
    door.wait()
    if not ending.is_set():
        say("the web door has ended: the ladder stops after what is being played")
        stop.set()


def _end_of(door: Job, folder: Folder) -> ArenaError:
    """Return why a door ended that nobody told to."""
    why = "it was told to"
    try:
        door.result()
    except ArenaError as error:
        return error
    except JobDiedError as death:
        why = str(death)
    hint = "start both again: arena ladder run --serve"
    return ArenaError(f"the web door has ended: {why}", str(folder.root), hint)
