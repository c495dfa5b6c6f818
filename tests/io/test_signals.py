"""Signals that are handled for a while."""

import signal
from collections.abc import Iterator

import pytest

from arena.io.signals import handled


@pytest.fixture(params=[signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def number(request: pytest.FixtureRequest) -> Iterator[signal.Signals]:
    """A signal, handled after the test as before."""
    number: signal.Signals = request.param
    before = signal.getsignal(number)
    yield number
    signal.signal(number, before)


def test_handler_is_called_in_the_block_alone(number: signal.Signals) -> None:
    before, inside = list[int](), list[int]()
    signal.signal(number, lambda number, _: before.append(number))
    with handled(lambda number, _: inside.append(number), number):
        signal.raise_signal(number)
    assert (before, inside) == ([], [number])
    signal.raise_signal(number)
    assert (before, inside) == ([number], [number])


def test_handler_is_taken_back_after_an_error(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(ZeroDivisionError), handled(lambda *_: None, number):
        raise ZeroDivisionError
    assert signal.getsignal(number) is before


def test_signal_that_is_ignored_stays_ignored(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_IGN)
    with handled(lambda *_: pytest.fail("it was ignored"), number):
        signal.raise_signal(number)
    assert signal.getsignal(number) is signal.SIG_IGN
