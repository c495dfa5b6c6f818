"""A machine whose clocks a test sets."""

from collections.abc import Iterator

from arena.bots.sessions.clock import Clock
from arena.game.records import LimitsInfo

LIMITS = LimitsInfo(start=10, answer=2, game=60, wall=4)


class Machine:
    """Two clocks that a test sets, and how often the second was read."""

    def __init__(self, *, tells_cpu: bool = True) -> None:
        self.wall = 100.0
        self.used = 7.0
        self.reads = 0
        self._tells_cpu = tells_cpu

    def now(self) -> float:
        return self.wall

    def cpu(self) -> float | None:
        self.reads += 1
        return self.used if self._tells_cpu else None

    def run(self, wall: float, cpu: float) -> None:
        self.wall += wall
        self.used += cpu


def clock_of(machine: Machine, limits: LimitsInfo = LIMITS) -> Clock:
    return Clock(limits, machine.now, machine.cpu)


def checks(clock: Clock, machine: Machine, share: float) -> Iterator[str]:
    """Check whenever it is due; the bot gets a share of the CPU."""
    while True:
        passes = clock.next_check - machine.wall
        machine.run(passes, passes * share)
        yield clock.expired()


def play_on(clock: Clock, machine: Machine, wall: float, cpu: float) -> tuple[int, str]:
    """Answer until it is too late; returns how many answers were in time, why the next was late."""
    for number in range(1, 1000):
        clock.ask((number, 0))
        if why := clock.expired():
            return number - 1, why
        machine.run(wall, cpu)
        if (clock.next_check <= machine.wall and (why := clock.expired())) or (
            why := clock.answered(number)
        ):
            return number - 1, why
    raise AssertionError("the time never runs out")
