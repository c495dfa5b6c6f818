"""The pool of workers: whatever ends it, nobody waits for what a dead worker was about to say."""

import signal
from threading import Thread

import pytest

from arena.io.job import Job
from arena.league.play.process_pool import pool, start

LIMIT = 60.0
LARGE = 1 << 28
"""Bytes of a result that is still on its way when its worker is killed."""


@pytest.fixture(autouse=True, scope="module")
def workers() -> None:
    """These are real ones."""


def much() -> bytes:
    return bytes(LARGE)


def interrupted() -> None:
    with pool(2, pin=False) as executor:
        start(executor, much)
        sent = executor._result_queue._reader  # type: ignore[attr-defined]
        while not sent.poll(LIMIT):
            pass
        raise KeyboardInterrupt


def ended() -> None:
    try:
        interrupted()
    except KeyboardInterrupt:
        return


def test_worker_killed_while_sending_a_result_is_not_waited_for() -> None:
    # A thread: where the pool is waited for for ever, the test is not.
    waiting = Thread(target=ended, daemon=True)
    waiting.start()
    waiting.join(LIMIT)
    assert not waiting.is_alive()


def test_a_pool_that_is_given_up_ends_its_own_processes_alone() -> None:
    beside = Job(signal.pause)
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not beside.is_over()
    beside.end()
