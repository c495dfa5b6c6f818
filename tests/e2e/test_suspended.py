"""Runs that are suspended and go on: no bot is late because the arena did not look."""

import os
import select
import signal
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.cli.command import READY, bot, league, records, run
from tests.e2e.grid import Grid
from tests.e2e.live import Live
from tests.support.depth import only_in_long
from tests.support.sampling import sample

pytestmark = pytest.mark.slow

FIXTURES = 6
LIMIT = 0.5
"""Seconds for an answer, by each clock."""
LONGER = 2.5
"""Seconds of a suspension: long enough for a bot to be late."""
MARK = f"mark-suspended-{os.getpid()}"
SLOW = (
    READY
    + """
            answer = {"id": asked["id"], "action": "dudo"}
            if asked["raises"]:
                first = asked["raises"][-1]
                answer |= {"action": "bid", "quantity": first["min"], "face": first["face"]}
            import time
            time.sleep(0.01)
            print(json.dumps(answer), flush=True)
"""
)
"""A bot from which an answer is awaited at almost any moment."""

_numbers = count()
Signal = Callable[[Live, signal.Signals], None]


def _arguments(sandbox: str, store: str) -> list[str]:
    ours = ["--sandbox", sandbox, "--trust-bots", "--store", store, "--site", f"{store}.site"]
    return ["run", "league.yaml", *ours]


def _league(folder: Path) -> None:
    for name in "abc":
        bot(folder / name, SLOW, command=f"python3 bot.py {MARK}")
    limits = {"start": 60.0, "answer": LIMIT, "game": 60.0, "wall": 1.0}
    league(folder, bots=list("abc"), games=2, limits=limits, workers=2)


@pytest.fixture(scope="module", params=sample(["docker", "bubblewrap", "process"], 1, "suspended"))
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league that was played without a break, named after its sandbox."""
    folder = tmp_path_factory.mktemp("home") / str(request.param)
    folder.mkdir()
    _league(folder)
    assert run(*_arguments(folder.name, "whole.sqlite"), cwd=folder).code == 0
    return folder


def _suspended(folder: Path, send: Signal, *more: str) -> list[bytes]:
    """Play a league that is suspended once; returns its records."""
    # On a busy machine the run may be over before it could be suspended.
    for store in (folder / f"suspended-{number}.sqlite" for number in _numbers):
        with Live(*_arguments(folder.name, store.name), *more, cwd=folder, mark=MARK) as live:
            live.read_until_stored()
            send(live, signal.SIGSTOP)
            stored = len(records(store))
            select.select([], [], [], LONGER)
            send(live, signal.SIGCONT)
            assert live.end() == 0, live.text
        if stored < FIXTURES:
            return records(store)
    raise AssertionError


def _all(live: Live, number: signal.Signals) -> None:
    live.signal(number)


def _one_worker(live: Live, number: signal.Signals) -> None:
    os.kill(min(live.workers()), number)


@pytest.mark.parametrize("send", sample([_all, _one_worker], 1, "who is suspended"))
def test_a_suspended_run_has_the_records_of_an_undisturbed_one(home: Path, send: Signal) -> None:
    assert _suspended(home, send) == records(home / "whole.sqlite")


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grid]:
    with Grid(tmp_path_factory.mktemp("grid")) as found:
        yield found


@only_in_long
def test_a_suspended_worker_of_a_cluster_makes_no_bot_late(home: Path, grid: Grid) -> None:
    with grid.nodes(2) as nodes:

        def node(_live: Live, number: signal.Signals) -> None:
            os.killpg(nodes[0].process.pid, number)

        found = _suspended(home, node, "--cluster", grid.address)
    assert found == records(home / "whole.sqlite")
