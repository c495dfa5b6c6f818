"""The pool of workers: whatever ends it, nobody waits for what a dead worker was about to say."""

from threading import Thread

from arena.league.play.process_pool import pool, start

LIMIT = 60.0
LARGE = 1 << 28
"""Bytes of a result that is still on its way when its worker is killed."""


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
