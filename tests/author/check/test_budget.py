"""What a check may take: the time in which it waits for its bot, and no other."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.author.check.bench import CheckRequest
from arena.author.check.budget import Budget, BudgetedMultiplexer, BudgetSpentError, Charge
from arena.author.check.findings import CheckReport
from arena.author.check.run import check
from arena.author.check.steps import STEPS
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sessions.clock import READY
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import Log
from arena.game.wire.messages import Ready
from tests.author.check.bots import FEW, PATIENT, Silent, write
from tests.support.bot_programs import turn
from tests.support.live import in_place, write_bot

READY_AND_DUDO = """
import sys
print('{"type":"ready"}', flush=True)
while sys.stdin.read(1) != "!": pass
print('{"id":1,"action":"dudo"}', flush=True)
sys.stdin.read()
"""
seconds = st.floats(0, 100)


@pytest.mark.parametrize(
    ("passed", "busy", "cpu", "charged"),
    [
        (4.0, 0.0, None, 4.0),  # asleep, or nobody can tell
        (4.0, 4.0, None, 4.0),
        (4.0, 4.0, 4.0, 4.0),  # computing
        (4.0, 4.0, 3.0, 3.0),  # computing, on a busy machine
        (4.0, 1.0, 0.5, 3.5),  # asleep for 3 s
        (4.0, 4.0, 12.0, 4.0),  # on several cores
        (4.0, 4.0, 0.0, 2.0),  # it says that it is busy, but does nothing
        (4.0, 5.0, 3.0, 3.0),
    ],
)
def test_a_bot_is_charged_for_what_it_computes_and_sleeps(
    passed: float, busy: float, cpu: float | None, charged: float
) -> None:
    budget = Budget(100)
    budget.charge(passed, busy, cpu)
    assert budget.used == charged


@given(seconds, seconds, st.none() | seconds)
def test_a_wait_costs_between_half_of_its_time_and_all_of_it(
    passed: float, busy: float, cpu: float | None
) -> None:
    budget = Budget()
    budget.charge(passed, busy, cpu)
    assert passed / 2 <= budget.used <= passed


def test_a_budget_that_is_spent_is_named_with_the_step_and_what_was_used() -> None:
    budget = Budget(90)
    budget.step = "step 13 of 18, concurrency"
    budget.charge(80)
    with pytest.raises(BudgetSpentError) as raised:
        budget.charge(12)
    assert str(raised.value) == (
        "its check took longer than 1.5 min: it was in step 13 of 18, concurrency, and had been "
        "awaited for 92 s"
    )


def checked(folder: Path, budget: Budget) -> CheckReport:
    request = CheckRequest(
        folder, "process", trusted=True, limits=PATIENT, positions=FEW, budget=budget
    )
    return check(request, Silent())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "more", "name"),
    [
        (turn("import time; time.sleep(0.3); answer(m)"), "", "first game"),
        ("import time; time.sleep(4.2)", "", "start"),
        ("", "build: sleep 3.2\n", "build"),
    ],
)
def test_a_check_ends_when_its_budget_is_spent(
    tmp_path: Path, body: str, more: str, name: str
) -> None:
    budget = Budget(3)
    report = checked(write(tmp_path / "new", body, more=more), budget)
    [finding] = report.steps[-1].findings
    assert not report.ok
    assert finding.what == budget.excess
    assert report.steps[-1].name == name
    assert report.left == len(STEPS) - len(report.steps)


@contextmanager
def two_bots(folder: Path, budget: Budget, log: Log | None = None) -> Iterator[Multiplexer]:
    """Seat two bots that are ready, of which the first is charged."""
    bot = in_place(write_bot(folder / "bot", READY_AND_DUDO)).program
    with BudgetedMultiplexer(
        [bot, bot], ProcessSandbox(), PATIENT.complete(1), log, charge=Charge(budget, {0})
    ) as multiplexer:
        for seat in range(2):
            multiplexer.start(seat, b"{}\n")
            assert multiplexer.wait() == [(seat, READY, Ready())]
        yield multiplexer


@pytest.mark.slow
def test_a_bot_is_not_charged_for_its_rivals(tmp_path: Path) -> None:
    budget = Budget()
    with two_bots(tmp_path, budget) as multiplexer:
        used = budget.used
        multiplexer.ask(1, 1, b"!\n")
        multiplexer.wait()
        assert budget.used == used > 0
        multiplexer.ask(0, 1, b"!\n")
        multiplexer.wait()
        assert budget.used > used


@pytest.mark.slow
def test_time_in_which_the_arena_is_suspended_is_not_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, slept = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock() + slept[0])

    def sleep(_seat: int, direction: str, line: bytes) -> None:
        slept[0] += 10_000 * ((direction, line) == (">>", b"!\n"))

    budget = Budget()
    with two_bots(tmp_path, budget, sleep) as multiplexer:
        multiplexer.ask(0, 1, b"!\n")
        multiplexer.wait()
    assert slept[0] == 10_000
    assert budget.used < 1_000
