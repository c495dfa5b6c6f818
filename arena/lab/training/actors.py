"""Processes that play while another learns from what they played before."""

import multiprocessing
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

Play = Callable[[Any], Any]
"""Plays by the networks that it is given; returns what it decided and what came of it."""


class Actors:
    """Each plays by the networks that it was sent last, and waits for the next ones.

    What they return depends on what they were sent alone, not on how fast each of them is.
    """

    def __init__(self, count: int, make: Callable[[int], Play], networks: Any) -> None:
        """Start processes that play; `make` is called in each with its number, from 0."""
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Connection] = []
        for number in range(count):
            ours, theirs = context.Pipe()
            context.Process(target=_act, args=(theirs, make, number), daemon=True).start()
            theirs.close()
            self._pipes.append(ours)
        for pipe in self._pipes:
            pipe.send(networks)

    def exchange(self, networks: Any) -> list[Any]:
        """Return what each has made, and let them play on by other networks meanwhile."""
        made = []
        for pipe in self._pipes:
            made.append(pipe.recv())
            pipe.send(networks)
        return made


def _act(pipe: Connection, make: Callable[[int], Play], number: int) -> None:
    """Play until the process that learns is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    play = make(number)
    try:
        while True:
            pipe.send(play(pipe.recv()))
    except (EOFError, OSError):
        return
