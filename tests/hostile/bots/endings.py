"""Bots that exit in mid-match."""

import ctypes
import os
import signal
import sys

from .frame import Message, answer, at, hang, put, read_together, start_daemon


@at("start")
def exits_at_once(message: Message) -> None:
    sys.exit(3)


@at("hello")
def exits_at_hello(message: Message) -> None:
    sys.exit(0)


@at("turn")
def exits_with_0_in_mid_game(message: Message) -> None:
    sys.exit(0)


@at("turn")
def exits_with_255_in_mid_game(message: Message) -> None:
    os._exit(255)


@at("turn")
def exits_with_the_code_of_an_unknown_signal(message: Message) -> None:
    """As if killed by a signal without a name."""
    os._exit(128 + 40)


@at("hello")
def exits_during_all_its_games(message: Message) -> None:
    """Each game loses one process, and no process two games."""
    for turns in read_together(64):
        if turns:
            os._exit(6)


@at("turn")
def exits_after_an_answer(message: Message) -> None:
    """While it is not to move."""
    answer(message)
    os._exit(4)


@at("turn")
def exits_after_half_a_line(message: Message) -> None:
    put(b'{"id":')
    os._exit(0)


@at("turn")
def raises_an_exception(message: Message) -> None:
    raise ValueError("so long")


@at("turn")
def crashes_with_a_segmentation_fault(message: Message) -> None:
    ctypes.string_at(0)


@at("turn")
def aborts(message: Message) -> None:
    os.abort()


@at("turn")
def kills_itself(message: Message) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@at("turn")
def exits_and_leaves_a_child_with_its_pipes(message: Message) -> None:
    if not os.fork():
        hang()
    os._exit(5)


@at("turn")
def exits_and_leaves_a_daemon_with_its_pipes(message: Message) -> None:
    start_daemon(hold_pipes=True)
    os._exit(5)


@at("turn")
def exits_and_leaves_a_daemon_without_its_pipes(message: Message) -> None:
    start_daemon(hold_pipes=False)
    os._exit(5)
