"""The wall time that a bot may use for all games of a fixture."""

from math import inf

import pytest

from arena.bots.sessions.clock import READY, Clock, FixtureBank
from arena.game.records import LimitsInfo
from tests.bots.sessions.fake_machine import LIMITS, Machine, clock_of, play_on

SHORT = LimitsInfo(start=10, answer=2, game=60, wall=4, fixture=20)
USED_UP = "the 20 s by the wall clock for all answers of a fixture are used up"


def test_time_for_a_fixture_runs_out() -> None:
    machine = Machine()
    assert play_on(clock_of(machine, SHORT), machine, 6.0, 0.1) == (3, USED_UP)
    assert machine.wall - 100 <= 24


def test_time_for_a_fixture_is_that_of_all_games() -> None:
    machine, bank = Machine(), FixtureBank(SHORT)
    clock = Clock(SHORT, machine.now, machine.cpu, bank)
    for game in range(3):
        clock.ask((game, game))
        machine.run(6, 0.1)
        assert clock.answered(game) == ""
    assert not bank.used_up
    clock.ask((3, 3))
    machine.run(2, 0.1)
    assert clock.expired() == USED_UP
    clock.forget()
    assert bank.used_up


@pytest.mark.parametrize("nap", [3.0, 7.9])
def test_time_of_an_answer_that_never_came_is_charged(nap: float) -> None:
    """Otherwise a bot could think, crash and be restarted, again and again."""
    machine, bank = Machine(), FixtureBank(SHORT)
    for _ in range(int(20 // nap)):
        clock = Clock(SHORT, machine.now, machine.cpu, bank)
        clock.await_ready()
        machine.run(5, 0)
        clock.answered(READY)
        clock.ask((1, 1))
        machine.run(nap, 0.1)
        clock.forget()
    assert bank.wall == pytest.approx(20 % nap)


def test_time_of_games_that_are_played_again_is_given_back() -> None:
    machine, bank = Machine(), FixtureBank(SHORT)
    clock = Clock(SHORT, machine.now, machine.cpu, bank)
    for game in range(5):
        clock.ask((game, game))
        machine.run(4, 0.1)
        clock.answered(game)
    assert bank.used_up
    bank.refund(2)
    bank.refund(2)
    assert bank.wall == pytest.approx(12)
    assert bank.game(1).wall == pytest.approx(236)
    assert (bank.game(4).own, bank.game(4).wall) == (60, 240)


def test_start_is_no_part_of_the_time_for_a_fixture() -> None:
    machine, bank = Machine(), FixtureBank(SHORT)
    clock = Clock(SHORT, machine.now, machine.cpu, bank)
    clock.await_ready()
    machine.run(9, 9)
    clock.forget()
    assert bank.wall == 20


def test_default_is_the_cpu_time_of_all_games_and_the_wall_time_of_one() -> None:
    assert LIMITS.complete(20).fixture == 20 * 60 + 4 * 60
    assert SHORT.complete(20) == SHORT
    assert FixtureBank(LIMITS).wall == inf


def test_default_does_not_bind_a_bot_that_uses_its_cpu_time() -> None:
    games = 20
    machine, limits = Machine(), LIMITS.complete(games)
    clock = clock_of(machine, limits)
    for game in range(games):
        for number in range(39):
            clock.ask((number, game))
            machine.run(1.5, 1.5)
            assert clock.expired() == clock.answered(number) == ""
