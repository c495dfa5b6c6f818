"""Which workers take part: those not reached are asked again, those that refuse are not."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest
from distributed import Client
from distributed.comm.core import CommClosedError

from arena.io.errors import ArenaError
from arena.league.cluster.client import Roster

WORKER = "tls://127.0.0.1:7"


class Answers:
    """A client whose one worker gives these answers when it is asked to prepare."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.scheduler = self

    def __getattr__(self, name: str) -> Any:
        assert name.endswith("/workers")
        return self._workers

    async def _workers(self) -> list[tuple[str, int]]:
        return [(WORKER, 1)]

    async def run(self, *_: object, **__: object) -> dict[str, object]:
        return {WORKER: self.answers.pop(0)}


async def looks(roster: Roster, count: int) -> None:
    for _ in range(count):
        await roster._update()
        await asyncio.gather(*roster._preparing.values())


def look_twice(roster: Roster) -> None:
    # Not in this thread: the browser of other tests keeps a loop running there.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(looks(roster, 2))).result()


@pytest.mark.parametrize(
    "silence", [None, CommClosedError(), OSError("Timed out trying to connect to tls://...")]
)
def test_worker_that_was_not_reached_is_asked_again(silence: object) -> None:
    named: list[str] = []
    roster = Roster(cast("Client", Answers(silence, "process")), "run", "here", named.append)
    look_twice(roster)
    assert roster.count() == 1
    assert not named


@pytest.mark.parametrize("error", [ArenaError("no"), OSError(28, "No space left"), ValueError("?")])
def test_worker_that_refuses_is_named_once(error: Exception) -> None:
    named: list[str] = []
    roster = Roster(cast("Client", Answers(error)), "run", "here", named.append)
    look_twice(roster)
    assert roster.count() == 0
    assert len(named) == 1
    assert named[0].startswith("left out: ")
