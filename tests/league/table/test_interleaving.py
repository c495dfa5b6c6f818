"""Games that are played at the same time have the same records as one after another."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.bots.bot import StagedBot
from arena.bots.builds.staging import stage
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.process import ProcessSandbox
from arena.game.records import BidMade, CallMade, Cause, LimitsInfo, PlayedFixture
from arena.game.rules.books import VARIANTS, Rules, variant
from arena.io import shipped
from arena.league.table.recorded_game import replay
from tests.league.table.driver import faults
from tests.league.table.fakes import Temper, play_reproducibly
from tests.support import records
from tests.support.bot_programs import program
from tests.support.depth import depth
from tests.support.live import play_bots, write_bot
from tests.support.live_tables import PATIENT
from tests.support.random_games import rules

each_table = settings(max_examples=depth(12, 150), deadline=None, database=None)


def tempers() -> st.SearchStrategy[Temper]:
    return st.builds(
        Temper,
        fault_rate=st.sampled_from([0.0, 0.01, 0.02, 0.05, 0.1, 1.0]),
        careless=st.integers(0, 6),
        calza=st.booleans(),
        false_starts=st.sampled_from([False, False, False, True]),
    )


def as_bytes(played: PlayedFixture) -> bytes:
    """Encode what is stored and must not depend on the order of play."""
    return msgspec.json.encode((played.fixture, played.games, played.decisions))


# ---------------------------------------------------------------- seats without processes


@pytest.mark.slow
@each_table
@given(rules(), st.integers(2, 6), tempers(), st.integers(0, 3), st.integers(2, 16))
def test_concurrent_games_have_the_same_records(
    book: Rules, players: int, temper: Temper, restarts: int, together: int
) -> None:
    """Whatever the rules and the table, whoever faults when, and whoever answers first."""
    games = depth(12, 24)
    seats = [f"bot{seat}" for seat in range(players)]
    serial = LimitsInfo(restarts=restarts, concurrent_games=1)
    expected, _ = play_reproducibly(book, seats, games, temper, serial, 0)
    limits = replace(serial, concurrent_games=together)
    for order in (1, 2):
        played, _ = play_reproducibly(book, seats, games, temper, limits, order)
        assert as_bytes(played) == as_bytes(expected)
    for record in expected.games:
        assert replay(expected.fixture, book, record) == record


@each_table
@given(rules(), st.integers(2, 6), tempers(), st.integers(1, 16), st.integers(20, 400))
def test_seat_without_time_forfeits_the_rest(
    book: Rules, players: int, temper: Temper, together: int, seconds: int
) -> None:
    """Whoever else faults, and however many games are played again for it."""
    seats = [f"bot{seat}" for seat in range(players)]
    limits = LimitsInfo(concurrent_games=together, fixture=seconds)
    temper = replace(temper, slow=2)
    played, _ = play_reproducibly(book, seats, 24, temper, limits, 1)
    absent = [
        {one.seat for one in faults(game) if "not started again" in one.detail}
        for game in played.games
    ]
    for seat in range(players):
        # The last seat wins, even if its bot has no time left either.
        forfeits = [seat in out for out in absent if seat in out or len(out) < players - 1]
        assert forfeits == sorted(forfeits)
        found = [one for game in played.games for one in faults(game) if one.seat == seat]
        assert seat < 2 or not any("used up" in one.detail for one in found)
        answers = sum(
            isinstance(event, BidMade | CallMade) and event.seat == seat
            for game in played.games
            for event in game.events
        )
        assert answers <= seconds or seat >= 2
    for record in played.games:
        assert replay(played.fixture, book, record) == record


def test_limits_bound_the_games_under_way() -> None:
    for together in (1, 5, 16):
        limits = LimitsInfo(concurrent_games=together)
        _, board = play_reproducibly(VARIANTS["bga"], "ab", 20, Temper(), limits, 1)
        assert together / 2 <= board.most_open <= together


@pytest.mark.slow
def test_faulty_seat_causes_few_restarts_of_the_others() -> None:
    temper = Temper(fault_rate=1.0, careless=1)
    limits = LimitsInfo(restarts=3, concurrent_games=16)
    for order in range(depth(2, 20)):
        played, board = play_reproducibly(VARIANTS["bga"], "abc", 100, temper, limits, order)
        assert [len(faults(record)) for record in played.games] == [1] * 100
        assert board.starts <= 40


# ---------------------------------------------------------------- live bots


def sample(name: str, runs: Path) -> StagedBot:
    return stage(load_bot(shipped.folder("sample_bots") / name), runs, ProcessSandbox())


def play(bots: list[StagedBot], games: int, together: int, book: Rules) -> PlayedFixture:
    seats = tuple(f"{bot.name}-{seat}" for seat, bot in enumerate(bots))
    fixture = records.fixture(seats, games, variant=book.name)
    limits = replace(PATIENT, concurrent_games=together, restarts=2)
    return play_bots(fixture, book, bots, ProcessSandbox(), limits)


STEADY = """
def ready(m):
    say('{"type":"ready","concurrent_games":8}')
def act(m):
    if m["game"] in (2, 7, 12) and m["round"] == 1: FAULT
    else: answer(m)
"""
FAULTS = {
    Cause.CRASH: "os._exit(9)",
    Cause.ILLEGAL_ACTION: """say('{"id":%d,"action":"bid","quantity":99,"face":2}' % m["id"])""",
    Cause.MALFORMED_LINE: "say('hm')",
    Cause.FLOOD: "say('x' * 70000)",
}


@pytest.mark.parametrize("cause", FAULTS)
def test_fault_costs_only_the_game_it_came_in(cause: Cause, runs: Path) -> None:
    body = STEADY.replace("FAULT", FAULTS[cause])
    odd = stage(write_bot(runs / "odd", program(body)), runs, ProcessSandbox())
    bots = [sample("odds", runs), odd, sample("honest", runs)]
    book = variant("bga", {}, calza=True)
    serial, interleaved = (play(bots, 20, together, book) for together in (1, 16))
    assert as_bytes(interleaved) == as_bytes(serial)
    found = [fault for record in serial.games for fault in faults(record)]
    # It faults in games 2, 7 and 12; it may be restarted twice.
    assert {fault.cause for fault in found[:3]} == {cause}
    assert len(found) == 3 + 7


@pytest.mark.parametrize("book", VARIANTS)
def test_sample_bots_play_the_same_games(book: str, runs: Path) -> None:
    names = ["odds", "random", "bluffer", "honest", "sh-minimal", "c-counter"]
    table = [sample(name, runs) for name in names]
    full = variant(book, {}, calza=True)
    for bots in depth((table[:3],), (table[:3], table)):
        serial, interleaved = (play(bots, depth(6, 12), together, full) for together in (1, 16))
        assert as_bytes(interleaved) == as_bytes(serial)
        assert not any(faults(record) for record in serial.games)


def test_bot_without_concurrent_games_gets_one_request_at_a_time(runs: Path) -> None:
    one = """
def act(m):
    import select
    assert not select.select([0], [], [], 0)[0]
    answer(m)
"""
    bots = [
        stage(write_bot(runs / "one", program(one)), runs, ProcessSandbox()),
        sample("odds", runs),
    ]
    played = play(bots, 6, 16, VARIANTS["bga"])
    assert not any(faults(record) for record in played.games)
