"""When an answer is too late: by which clock, and for whom."""

from collections.abc import Iterator

import pytest

from arena.records import LimitsInfo
from arena.sessions.clock import Bank, Clock

LIMITS = LimitsInfo(start=10, answer=2, game=60, wall=4)
OWN = "no answer within 2 s of its own processor time"
WALL = "no answer within 8 s by the wall clock"


class Machine:
    """Two clocks that a test winds, and how often the second was read."""

    def __init__(self, *, tells: bool = True) -> None:
        self.wall = 100.0
        self.used = 7.0
        self.reads = 0
        self._tells = tells

    def now(self) -> float:
        return self.wall

    def cpu(self) -> float | None:
        self.reads += 1
        return self.used if self._tells else None

    def run(self, wall: float, cpu: float) -> None:
        self.wall += wall
        self.used += cpu


def clock_of(machine: Machine, limits: LimitsInfo = LIMITS) -> Clock:
    return Clock(limits, machine.now, machine.cpu)


def looks(clock: Clock, machine: Machine, share: float) -> Iterator[str]:
    """Look when it is due, time after time; the bot gets a share of the processor."""
    while True:
        passes = clock.due - machine.wall
        machine.run(passes, passes * share)
        yield clock.expired()


@pytest.mark.parametrize(
    ("share", "seconds", "why"),
    [(1.0, 2.0, OWN), (0.5, 4.0, OWN), (0.26, 7.7, OWN), (0.2, 8.0, WALL), (0.0, 8.0, WALL)],
)
def test_a_bot_that_does_not_answer(share: float, seconds: float, why: str) -> None:
    machine = Machine()
    clock = clock_of(machine)
    clock.ask((1, 0))
    assert clock.due == 102.0
    seen = looks(clock, machine, share)
    assert next(said for said in seen if said) == why
    assert machine.wall - 100 == pytest.approx(seconds, rel=0.01)
    assert machine.reads < 40


@pytest.mark.parametrize(
    ("wall", "cpu", "why"),
    [(1.9, 1.9, ""), (7.9, 1.9, ""), (2.5, 2.1, OWN), (1.5, 2.1, OWN), (0.001, 0.001, "")],
)
def test_an_answer_is_judged_by_what_it_took(wall: float, cpu: float, why: str) -> None:
    machine = Machine()
    clock = clock_of(machine)
    clock.ask((1, 0))
    machine.run(wall, cpu)
    assert clock.answered(1) == why
    assert clock.open == {}


def test_what_was_used_before_the_request_is_free() -> None:
    machine = Machine()
    clock = clock_of(machine)
    clock.ask((1, 0))
    clock.answered(1)
    machine.run(30, 30)
    clock.ask((2, 0))
    machine.run(1, 1)
    assert clock.answered(2) == ""


def test_without_processor_time_the_wall_clock_judges() -> None:
    machine = Machine(tells=False)
    clock = clock_of(machine)
    clock.ask((1, 0))
    assert clock.due == 102.0
    machine.run(2, 0)
    assert clock.expired() == "no answer within 2 s by the wall clock"


def test_the_start_is_judged_by_the_wall_clock() -> None:
    machine = Machine()
    clock = clock_of(machine)
    clock.greet()
    assert clock.due == 110.0
    machine.run(9.9, 50)
    assert clock.expired() == ""
    machine.run(0.1, 0)
    assert clock.expired() == "not ready within 10 s"


def play_on(clock: Clock, machine: Machine, wall: float, cpu: float) -> tuple[int, str]:
    """Answer until it is too late; returns how many answers were in time, and why not the next."""
    for number in range(1, 1000):
        clock.ask((number, 0))
        if why := clock.expired():
            return number - 1, why
        machine.run(wall, cpu)
        if (clock.due <= machine.wall and (why := clock.expired())) or (
            why := clock.answered(number)
        ):
            return number - 1, why
    raise AssertionError("it may go on for ever")


@pytest.mark.parametrize(
    ("wall", "cpu", "answers", "why"),
    [
        (1.5, 1.5, 39, "the 60 s of processor time for all answers of a game are used up"),
        (3.0, 1.5, 39, "the 60 s of processor time for all answers of a game are used up"),
        (5.0, 0.1, 47, "the 240 s by the wall clock for all answers of a game are used up"),
    ],
)
def test_the_bank_of_a_game(wall: float, cpu: float, answers: int, why: str) -> None:
    machine = Machine()
    clock = clock_of(machine)
    assert play_on(clock, machine, wall, cpu) == (answers, why)
    clock = clock_of(machine)
    for game in range(3):
        for number in range(answers):
            clock.ask((number, game))
            machine.run(wall, cpu)
            assert clock.answered(number) == ""


def test_quick_answers_cost_no_readings() -> None:
    machine = Machine()
    clock = clock_of(machine)
    for number in range(10_000):
        clock.ask((number, 0))
        machine.run(20e-6, 10e-6)
        assert clock.answered(number) == ""
        machine.run(20e-6, 0)
    assert machine.reads < 100


def test_quick_answers_on_a_busy_machine_are_charged_little() -> None:
    """What is not read is taken for used: in a long game that is a hundredth of the bank."""
    machine = Machine()
    clock = clock_of(machine)
    for number in range(100):
        clock.ask((number, 0))
        machine.run(0.006, 0.0001)
        assert clock.answered(number) == ""
    clock.ask((100, 0))
    seen = looks(clock, machine, 1.0)
    assert next(said for said in seen if said) == OWN


def test_open_requests_take_turns() -> None:
    """An answer's clock starts at the bot's previous answer, if that is later than its request."""
    machine = Machine()
    clock = clock_of(machine)
    clock.ask((1, 0), (2, 0))
    machine.run(1.5, 1.5)
    assert clock.answered(1) == ""
    machine.run(1.5, 1.5)
    assert clock.due < machine.wall
    assert clock.expired() == ""
    assert clock.answered(2) == ""


def test_concurrent_games_have_banks_of_their_own() -> None:
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
    why = "the 60 s of processor time for all answers of a game are used up"
    assert clock.answered(74) == why


def test_a_later_process_inherits_what_is_left_of_a_games_time() -> None:
    """Else a bot could crash for more time in the games that this does not cost it."""
    machine, banks = Machine(), dict[int, Bank]()
    first, second = (Clock(LIMITS, machine.now, machine.cpu, banks) for _ in range(2))
    assert play_on(first, machine, 1.5, 1.5)[0] == 39
    second.ask((1, 0))
    machine.run(1.9, 1.9)
    why = "the 60 s of processor time for all answers of a game are used up"
    assert second.answered(1) == why
