"""When an answer is too late, and by which clock."""

from itertools import count

import pytest

from arena.bots.sessions.clock import Clock, FixtureBank
from tests.bots.sessions.fake_machine import LIMITS, Machine, checks, clock_of, play_on

OWN = "no answer within 2 s of its own CPU time"
WALL = "no answer within 8 s by the wall clock"


@pytest.mark.parametrize(
    ("share", "seconds", "why"),
    [(1.0, 2.0, OWN), (0.5, 4.0, OWN), (0.26, 7.7, OWN), (0.2, 8.0, WALL), (0.0, 8.0, WALL)],
)
def test_bot_that_does_not_answer_times_out(share: float, seconds: float, why: str) -> None:
    machine = Machine()
    clock = clock_of(machine)
    clock.ask((1, 0))
    reasons = checks(clock, machine, share)
    assert next(reason for reason in reasons if reason) == why
    assert machine.wall - 100 == pytest.approx(seconds, rel=0.01)
    assert machine.reads < 40


@pytest.mark.parametrize(
    ("wall", "cpu", "why"),
    [(1.9, 1.9, ""), (7.9, 1.9, ""), (2.5, 2.1, OWN), (1.5, 2.1, OWN), (0.001, 0.001, "")],
)
def test_answer_is_judged_by_its_cpu_time(wall: float, cpu: float, why: str) -> None:
    machine = Machine()
    clock = clock_of(machine)
    clock.ask((1, 0))
    machine.run(wall, cpu)
    assert clock.answered(1) == why
    assert clock.open == {}


def test_cpu_time_before_the_request_is_free() -> None:
    machine = Machine()
    clock = clock_of(machine)
    clock.ask((1, 0))
    clock.answered(1)
    machine.run(30, 30)
    clock.ask((2, 0))
    machine.run(1, 1)
    assert clock.answered(2) == ""


def test_wall_clock_judges_without_cpu_time() -> None:
    machine = Machine(tells_cpu=False)
    clock = clock_of(machine)
    clock.ask((1, 0))
    assert clock.next_check == 102.0
    machine.run(2, 0)
    assert clock.expired() == "no answer within 2 s by the wall clock"


def test_start_is_judged_by_the_wall_clock() -> None:
    machine = Machine()
    clock = clock_of(machine)
    clock.await_ready()
    assert clock.next_check == 110.0
    machine.run(9.9, 50)
    assert clock.expired() == ""
    machine.run(0.1, 0)
    assert clock.expired() == "not ready within 10 s"


@pytest.mark.parametrize(
    ("wall", "cpu", "answers", "why"),
    [
        (1.5, 1.5, 39, "the 60 s of CPU time for all answers of a game are used up"),
        (3.0, 1.5, 39, "the 60 s of CPU time for all answers of a game are used up"),
        (5.0, 0.1, 47, "the 240 s by the wall clock for all answers of a game are used up"),
    ],
)
def test_time_bank_of_a_game_runs_out(wall: float, cpu: float, answers: int, why: str) -> None:
    machine = Machine()
    clock = clock_of(machine)
    assert play_on(clock, machine, wall, cpu) == (answers, why)
    clock = clock_of(machine)
    for game in range(3):
        for number in range(answers):
            clock.ask((number, game))
            machine.run(wall, cpu)
            assert clock.answered(number) == ""


def test_quick_answers_need_no_readings_of_cpu_time() -> None:
    machine = Machine()
    clock = clock_of(machine)
    for number in range(10_000):
        clock.ask((number, 0))
        machine.run(20e-6, 10e-6)
        assert clock.answered(number) == ""
        machine.run(20e-6, 0)
    assert machine.reads < 100


def test_quick_answers_on_a_busy_machine_cost_little() -> None:
    """Wall time that is not measured is charged: in a long game a hundredth of the time bank."""
    machine = Machine()
    clock = clock_of(machine)
    for number in range(100):
        clock.ask((number, 0))
        machine.run(0.006, 0.0001)
        assert clock.answered(number) == ""
    clock.ask((100, 0))
    reasons = checks(clock, machine, 1.0)
    assert next(reason for reason in reasons if reason) == OWN


def test_clocks_of_open_requests_run_one_after_another() -> None:
    """An answer's clock starts at the bot's previous answer if that came after the request."""
    machine = Machine()
    clock = clock_of(machine)
    clock.ask((1, 0), (2, 0))
    machine.run(1.5, 1.5)
    assert clock.answered(1) == ""
    machine.run(1.5, 1.5)
    assert clock.next_check < machine.wall
    assert clock.expired() == ""
    assert clock.answered(2) == ""


def test_concurrent_games_have_separate_time_banks() -> None:
    machine = Machine()
    clock = clock_of(machine)
    for number in range(0, 74, 2):
        clock.ask((number, 1), (number + 1, 2))
        for id_ in (number, number + 1):
            machine.run(1.6, 1.6)
            assert clock.answered(id_) == ""
    clock.ask((74, 1), (75, 3))
    machine.run(1.9, 1.9)
    assert clock.answered(75) == ""
    machine.run(0.9, 0.9)
    why = "the 60 s of CPU time for all answers of a game are used up"
    assert clock.answered(74) == why


def test_restarted_bot_inherits_the_time_bank() -> None:
    """Otherwise a bot could crash to get more time for its other games."""
    machine, bank = Machine(), FixtureBank(LIMITS)
    first, second = (Clock(LIMITS, machine.now, machine.cpu, bank) for _ in range(2))
    assert play_on(first, machine, 1.5, 1.5)[0] == 39
    second.ask((1, 0))
    machine.run(1.9, 1.9)
    why = "the 60 s of CPU time for all answers of a game are used up"
    assert second.answered(1) == why


# ---------------------------------------------------------------- busy or asleep


def seconds_until_late(machine: Machine, clock: Clock, share: float) -> tuple[float, str]:
    clock.ask((1, 0))
    began = machine.wall
    why = next(reason for reason in checks(clock, machine, share) if reason)
    return machine.wall - began, why


@pytest.mark.parametrize(
    ("share", "seconds", "why"),
    [
        (0.1, 20.0, OWN),
        (0.0, 80.0, "no answer within 80 s by the wall clock"),
    ],
)
def test_wall_clock_does_not_charge_a_bot_that_waits_for_a_processor(
    share: float, seconds: float, why: str
) -> None:
    machine = Machine()
    clock = Clock(LIMITS, machine.now, machine.cpu, busy=lambda: True)
    took, reason = seconds_until_late(machine, clock, share)
    assert took == pytest.approx(seconds, rel=0.01)
    assert reason == why


def test_wall_clock_charges_the_share_of_time_that_a_bot_sleeps() -> None:
    machine, looks = Machine(), count()
    clock = Clock(LIMITS, machine.now, machine.cpu, busy=lambda: next(looks) % 4 != 0)
    took, reason = seconds_until_late(machine, clock, 0.01)
    assert took == pytest.approx(32, rel=0.02)
    assert reason == WALL


def test_waiting_for_a_processor_does_not_use_up_the_time_bank_of_a_game() -> None:
    machine = Machine()
    clock = Clock(LIMITS, machine.now, machine.cpu, busy=lambda: True)
    for number in range(100):
        clock.ask((number, 0))
        for _ in range(10):
            machine.run(0.5, 0.05)
            assert clock.expired() == ""
        assert clock.answered(number) == ""


def test_cpu_time_used_while_the_arena_was_suspended_is_not_charged() -> None:
    """`now` stands still while the arena is suspended, but the bot may run on between requests."""
    machine = Machine()
    clock = clock_of(machine)
    clock.ask((1, 0))
    machine.run(1.0, 1.0)
    assert clock.answered(1) == ""
    machine.run(0.0, 30.0)
    clock.suspended()
    clock.ask((2, 0))
    machine.run(1.0, 1.0)
    assert clock.answered(2) == ""


def test_bot_is_looked_at_only_while_it_is_awaited() -> None:
    """Others at the table may be late while it is idle."""
    machine, looks = Machine(), count()
    clock = Clock(LIMITS, machine.now, machine.cpu, busy=lambda: next(looks) < 0)
    machine.run(10, 10)
    assert clock.expired() == ""
    assert next(looks) == 0
    assert seconds_until_late(machine, clock, 0.0)[1] == WALL
