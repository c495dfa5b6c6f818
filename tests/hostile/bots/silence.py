"""Bots that do not answer, each in its own way."""

import fcntl
import os
import signal
import time

from .frame import Message, answer, at, hang, legal, put, ready

_SET_PIPE_SIZE = 1031


@at("hello")
def hangs_before_it_is_ready(message: Message) -> None:
    hang()


@at("turn")
def hangs_in_its_turn(message: Message) -> None:
    hang()


@at("turn")
def hangs_after_an_answer(message: Message) -> None:
    answer(message)
    hang()


@at("turn")
def loops_forever(message: Message) -> None:
    while True:
        pass


@at("turn")
def writes_half_a_line_and_hangs(message: Message) -> None:
    put(legal(message))
    hang()


@at("turn")
def writes_a_line_that_never_ends(message: Message) -> None:
    """So slowly that the line never gets too long."""
    signal.signal(signal.SIGALRM, lambda *_: put(b"."))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    hang()


@at("turn")
def floods_its_standard_error(message: Message) -> None:
    while True:
        os.write(2, b"x" * 4096)


@at("turn")
def takes_its_time_for_every_answer(message: Message) -> None:
    """Each is in time."""
    time.sleep(1.0)
    answer(message)


@at("turn")
def stops_itself(message: Message) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


@at("turn")
def ignores_every_signal(message: Message) -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    hang()


@at("hello")
def does_not_read(message: Message) -> None:
    """A pipe of one page is soon full."""
    fcntl.fcntl(0, _SET_PIPE_SIZE, 4096)
    ready()
    hang()


@at("turn")
def closes_its_input(message: Message) -> None:
    os.close(0)
    answer(message)
    hang()


@at("turn")
def closes_its_output(message: Message) -> None:
    os.close(1)
    hang()
