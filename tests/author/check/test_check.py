"""A check as tests and servers call it: what it plays, and how it goes on and ends."""

from itertools import islice
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.author.check.bench import Bench, CheckRequest
from arena.author.check.findings import CheckReport, Measured
from arena.author.check.meter import expected_starts, side_by_side
from arena.author.check.positions import CheckMoment, moments, patient_player, random_player, tables
from arena.author.check.run import advice, check
from arena.author.check.steps import STEPS
from arena.cli.author.check import lines_of
from arena.game.records import LimitsInfo
from arena.game.wire.codec import decode_ready
from arena.game.wire.messages import Ready, Turn
from arena.io import shipped
from arena.io.errors import ArenaError
from tests.author.check.bots import PATIENT, Silent, checked, write
from tests.support.bot_programs import start, turn
from tests.support.sampling import sample

ODD = turn("answer(m) if len(m['alive']) == 2 else say('hm')")
"""Garbage at every table but those of two."""


def number(name: str) -> int:
    return [step.name for step in STEPS].index(name) + 1


def test_good_bot_passes_every_step(tmp_path: Path) -> None:
    body = start("""say('{"type":"ready","calza":true,"concurrent_games":8,"reusable":true}')""")
    report = checked(write(tmp_path / "new", body))
    assert [result.name for result in report.steps if not result.ok] == []
    assert (report.ok, report.left, len(report.steps)) == (True, 0, len(STEPS))
    taken = report.measured
    assert taken is not None
    assert taken.decisions > 40
    assert None not in (taken.start, taken.median, taken.p99, taken.longest, taken.memory)
    assert report.advice == []


def test_sample_bots_pass_what_is_not_tried_elsewhere() -> None:
    """Those that promise concurrent games give the same answers as one at a time."""
    folder = shipped.folder("sample_bots")
    for name in ("random", "bluffer"):
        report = checked(folder / name, step=number("concurrency"))
        assert (report.ok, report.steps[-1].note) == (True, "")


def test_bot_of_real_chance_is_not_compared(tmp_path: Path) -> None:
    body = start("""say('{"type":"ready","concurrent_games":8}')""") + (
        "import random\ndef act(m): answer({**m, 'raises': m['raises'][:random.randrange(2)]}"
        " if m['dudo'] else m)\n"
    )
    report = checked(write(tmp_path / "new", body), step=number("concurrency"))
    assert report.ok
    assert "not compared" in report.steps[-1].note


@pytest.mark.slow
def test_check_stops_at_the_first_fault_unless_told_to_go_on(tmp_path: Path) -> None:
    folder = write(tmp_path / "new", ODD)
    first = checked(folder)
    assert first.steps[-1].name == "tables"
    assert first.left == len(STEPS) - len(first.steps)
    every = checked(folder, every_fault=True)
    assert (every.ok, every.left) == (False, 0)
    faulty = [result.name for result in every.steps if not result.ok]
    assert {"tables", "positions", "news"} <= set(faulty)
    in_tables = every.steps[number("tables") - 1]
    (found,) = in_tables.findings
    assert found.count > 1


def test_bot_that_does_not_start_ends_even_a_check_of_every_fault(tmp_path: Path) -> None:
    folder = write(tmp_path / "new", start("sys.exit(3)"))
    report = checked(folder, every_fault=True)
    assert (report.steps[-1].name, report.left) == ("start", len(STEPS) - number("start"))


def test_only_one_step_is_tried_beside_those_that_prepare_it(tmp_path: Path) -> None:
    report = checked(write(tmp_path / "new"), step=number("palifico"))
    names = [result.name for result in report.steps]
    assert names == ["manifest", "program", "build", "start", "palifico"]


def test_unknown_step_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="there is no step 99") as refusal:
        checked(write(tmp_path / "new"), step=99)
    assert "1 manifest, 2 program" in refusal.value.hint


@pytest.mark.slow
def test_bot_that_calls_itself_for_each_message_is_found(tmp_path: Path) -> None:
    """A fixture has more messages than Python allows calls."""
    loop = """
def loop():
    if line := sys.stdin.readline():
        m = json.loads(line)
        {"hello": ready, "turn": act}.get(m["type"], told)(m)
        loop()

loop()
"""
    request = CheckRequest(
        write(tmp_path / "new", loop),
        "process",
        trusted=True,
        limits=PATIENT,
        step=number("positions"),
    )
    (found,) = check(request, Silent()).steps[-1].findings
    assert "once for each message: use a loop" in found.hint


STARTS = {
    '{"type":"ready"}': 27,
    '{"type":"ready","concurrent_games":8}': 32,
    '{"type":"ready","reusable":true}': 9,
}
"""By what a bot promises, how often it is started at most."""


@pytest.mark.slow
@pytest.mark.parametrize(("ready", "most"), sample(STARTS.items(), 1, "starts"))
def test_bot_is_started_once_for_each_table(tmp_path: Path, ready: str, most: int) -> None:
    """A process that is reusable serves at all of them, as in a league."""
    marks = tmp_path / "marks"
    body = start(f"say({ready!r})") + f"open({str(marks)!r}, 'a').write('x')\n"
    report = checked(write(tmp_path / "new", body))
    assert report.ok, report.steps[-1]
    assert report.measured is not None
    assert len(marks.read_text()) == report.measured.starts <= most
    assert most == expected_starts(decode_ready(ready.encode()))


IN_ORDER = """
last, over, ids = -1, True, [0]
def note(m):
    global last, over
    if "game" not in m:
        return
    if m["game"] != last:
        assert over and m["game"] > last, m
        last, over = m["game"], False
    assert not over, m
    over = m["type"] == "game_end"
def asked(m):
    note(m)
    assert m["id"] > ids[-1], m
    ids.append(m["id"])
    answer(m) if m["type"] == "turn" else say('{"id": %d, "action": "pass"}' % m["id"])
act = offer = asked
told = note
"""
"""One game after another, each with its end, and no id twice."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seconds", "note"), sample([(60.0, "5 games"), (0.01, "of 5 games: it takes")], 1, "steps")
)
def test_steps_at_one_table_are_further_games_of_one_fixture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, note: str
) -> None:
    """Also if the time of a step is over in the middle of a game."""
    monkeypatch.setattr("arena.author.check.steps.STEP_SECONDS", seconds)
    report = checked(
        write(tmp_path / "new", start("""say('{"type":"ready","calza":true}')""") + IN_ORDER)
    )
    assert report.ok, report.steps[-1]
    assert note in report.steps[number("tables") - 1].note
    assert report.measured is not None
    assert report.measured.starts <= 27


def test_process_that_ends_between_two_steps_is_a_crash(tmp_path: Path) -> None:
    body = "def told(m): m['type'] == 'game_end' and sys.exit(3)\n"
    report = checked(write(tmp_path / "new", body))
    (found,) = report.steps[-1].findings
    assert found.what == "crash: the program ended with exit code 3"


SLOW = """
MARKS = {marks!r}
open(MARKS, "a").write("x")
number = os.path.getsize(MARKS)
time.sleep(0.6 if number == 1 else 0)
while number == 2 and os.path.getsize(MARKS) < 4:
    time.sleep(0.01)
"""
"""The first start is slow; the second one ends only when two others have begun."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "ready", sample(['{"type":"ready"}', '{"type":"ready","reusable":true}'], 1, "slow starts")
)
def test_slow_starts_go_on_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ready: str
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(2))
    body = SLOW.format(marks=str(tmp_path / "marks")) + start(f"say({ready!r})")
    report = checked(write(tmp_path / "new", body), step=number("tables"))
    assert report.ok, report.steps[-1]
    assert report.measured is not None
    # One that turns out not to be needed may be ended before it has left its mark.
    marks = (tmp_path / "marks").stat().st_size
    assert 0 < marks <= report.measured.starts <= (6 if "reusable" in ready else 32)


def test_slow_starts_come_nowhere_near_their_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(2))
    assert [side_by_side(seconds, 10.0) for seconds in (0.1, 0.6, 3.0, 9.0)] == [0, 6, 3, 1]


def test_report_tells_that_starts_took_most_of_the_time() -> None:
    taken = Measured(3.0, 9, 27.4, 31.2, 1, "cpu", 0.1, 0.1, 0.1, None)
    report = CheckReport("new", "process", True, [], 0, False, LimitsInfo(), taken, [], "", "")
    assert "  start 3 of 10 s; CPU time of a decision: " in lines_of(report)[1]
    assert "max 100 of 2,000 ms" in lines_of(report)[1]
    said = "  each start takes up to 3.0 s; 9 starts: 27 of 31 s"
    assert said in lines_of(report)
    assert said in lines_of(replace(report, interrupted=True))
    fast = replace(report, measured=replace(taken, starting=12.0))
    assert not any("starts:" in line for line in lines_of(fast))


def test_slow_start_is_told_with_the_limit(tmp_path: Path) -> None:
    bench = Bench(CheckRequest(tmp_path, limits=LimitsInfo(start=5.0)), tmp_path, print)
    bench.ready = Ready(concurrent_games=8, reusable=True)
    [said] = advice(bench, Measured(4.1, 1, 4.1, 9.0, 1, "cpu", 0.1, 0.1, 0.1, None))
    assert said.startswith("it started in 4.1 of 5 s")


@pytest.mark.slow
def test_interruption_keeps_what_was_found(tmp_path: Path) -> None:
    class Impatient(Silent):
        def note(self, text: str) -> None:
            if text == "4 players":
                raise KeyboardInterrupt

    request = CheckRequest(write(tmp_path / "new", ODD), "process", trusted=True, every_fault=True)
    report = check(request, Impatient())
    assert (report.interrupted, report.ok) == (True, False)
    assert report.steps[-1].name == "tables"
    assert report.steps[-1].findings
    assert report.left == len(STEPS) - len(report.steps)


# ---------------------------------------------------------------- recorded positions


def first(count: int) -> list[list[CheckMoment]]:
    return [list(islice(moments(table, random_player), count)) for table in tables()]


def test_recorded_positions_are_the_same_every_time() -> None:
    requests = [[moment.request for moment in at] for at in first(20)]
    assert requests == [[moment.request for moment in at] for at in first(20)]


def test_recorded_positions_are_of_all_variants_and_table_sizes() -> None:
    seen = {(table.rules.name, table.players) for table in tables()}
    assert len(seen) == len(tables()) == 4 * 5
    for table, at in zip(tables(), first(20), strict=True):
        asked = [moment.request for moment in at if moment.request]
        assert {request.seat for request in asked} == {table.seat}
        assert all(len(request.alive) <= table.players for request in asked)


def test_patient_players_bid_to_the_last_raise() -> None:
    table = tables()[-1]
    asked = [moment.request for moment in islice(moments(table, patient_player), 300)]
    turns = [request for request in asked if isinstance(request, Turn)]
    assert max(len(request.bids) for request in turns) > 20
    assert any(not request.raises for request in turns)
