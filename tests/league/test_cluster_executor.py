"""Calls that are handed to a Dask scheduler: results, errors, cancellation, leaving workers."""

from collections.abc import Iterator
from concurrent.futures import CancelledError
from threading import Event
from typing import Any

import pytest
from distributed import Client, LocalCluster

from arena.league.cluster.client import TaskExecutor
from tests.cli.command import HANG

BEGUN, END = Event(), Event()


def wait_for_end() -> None:
    BEGUN.set()
    END.wait(HANG)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Return the client of a scheduler and a worker in this process."""
    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=False,
            dashboard_address="127.0.0.1:0",
            resources={"table": 1},
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def executor(client: Client) -> TaskExecutor:
    return TaskExecutor(client, {"table": 1})


def test_a_call_has_its_result(executor: TaskExecutor) -> None:
    assert executor.submit(divmod, 7, 2).result(HANG) == (3, 1)


def test_a_call_is_made_each_time(executor: TaskExecutor) -> None:
    calls = [executor.submit(object) for _ in range(2)]
    assert calls[0].result(HANG) is not calls[1].result(HANG)


def test_a_call_has_its_error(executor: TaskExecutor) -> None:
    with pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 7, 0).result(HANG)


def test_cancelled_calls_are_over(executor: TaskExecutor) -> None:
    running = executor.submit(wait_for_end)
    waiting = executor.submit(divmod, 7, 2)
    assert BEGUN.wait(HANG)
    executor.cancel()
    END.set()
    for call in (running, waiting):
        with pytest.raises(CancelledError):
            call.result(HANG)


def test_a_worker_may_leave_while_its_result_is_fetched(
    client: Client, executor: TaskExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch: Any = client._gather
    lose: Any = client._handle_lost_data  # what the scheduler's message calls

    async def fetch_as_the_worker_leaves(futures: Any, *args: Any, **kwargs: Any) -> Any:
        results = await fetch(futures, *args, **kwargs)
        for future in futures:
            lose(future.key)
        return results

    monkeypatch.setattr(client, "_gather", fetch_as_the_worker_leaves)
    assert executor.submit(divmod, 7, 2).result(HANG) == (3, 1)
