"""Faults and their effect on the other games of a fixture, with rules and limits.

The ways to misbehave are in `tests/hostile`.
"""

from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.process import ProcessSandbox
from arena.game.records import Cause, LimitsInfo
from arena.game.rules.books import variant
from tests.support.bot_programs import start, turn
from tests.support.live_tables import PATIENT, check_lost, faults, play

HASTY = replace(PATIENT, answer=1.0, wall=1.0)


def test_program_that_cannot_run_is_a_crash(sandbox: Sandbox, runs: Path) -> None:
    played = play(sandbox, runs, "", command="/usr/bin/env no-such-program")
    check_lost(played.games[0], Cause.CRASH, "the program ended with exit code 12")
    assert "No such file" in played.stderr[1]


@pytest.mark.parametrize(
    ("dawdle", "clock"), [("time.sleep", "by the wall clock"), ("work", "of CPU time")]
)
def test_slow_answers_use_up_the_time_bank(
    dawdle: str, clock: str, sandbox: Sandbox, runs: Path
) -> None:
    limits = LimitsInfo(start=20.0, answer=20.0, game=1.0, wall=1.0 if "wall" in clock else 60.0)
    work = """
def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
"""
    slow = turn(f"""{dawdle}(0.3); say('{{"id":%d,"action":"dudo"}}' % m["id"]) if m["dudo"] """
                """else answer(m)""")  # fmt: skip
    played = play(sandbox, runs, work + slow, limits)
    detail = f"the 1 s {clock} for all answers of a game are used up"
    check_lost(played.games[0], Cause.TIMEOUT, detail)
    assert played.decisions > 2


@pytest.mark.parametrize(
    ("says", "cause", "detail"),
    [
        ('{"id":%d,"action":"dudo"}', Cause.ILLEGAL_ACTION, "an offer of calza was open"),
        ('{"id":%d,"action":"skip"}', Cause.MALFORMED_LINE, "did you mean 'pass'?"),
    ],
)
def test_wrong_answer_to_a_calza_offer_is_a_fault(
    says: str, cause: Cause, detail: str, sandbox: Sandbox, runs: Path
) -> None:
    body = start("""say('{"type":"ready","calza":true}')""")
    body += f"def offer(m): say({says!r} % m['id'])\n"
    played = play(sandbox, runs, body, rules=variant("bga", {}, calza=True))
    check_lost(played.games[0], cause, detail)


WRONG = """say('{"id": %d,  "action":"bid","quantity":9%d,"face":2}' % (m["id"], m["game"]))"""


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (turn(WRONG), '"action":"bid","quantity":90,"face":2}'),
        (turn("say('what\\udcff?')"), "what\\xff?"),
        (turn("say('x' * 9000)"), "x" * 8192),
        (turn("""say('{"id":%d,"action":"dudo"}' % (m["id"] + 7))"""), ',"action":"dudo"}'),
        (turn("say('no end', b''); os._exit(3)"), "no end"),
        (start("""say('{"type":"reddy"}')"""), '{"type":"reddy"}'),
        (turn("os._exit(9)"), ""),
    ],
)
def test_the_line_with_which_a_bot_faulted_is_kept(body: str, line: str, runs: Path) -> None:
    played = play(ProcessSandbox(), runs, body)
    check_lost(played.games[0], faults(played.games[0])[0].cause, "")
    kept = [(game, seat) for game, seat, _ in played.answered]
    assert kept == ([(0, 1)] if line else [])
    assert all(found.endswith(line) for _, _, found in played.answered)


# ---------------------------------------------------------------- several games


def test_lines_of_faults_are_those_of_their_games(runs: Path) -> None:
    body = start("""say('{"type":"ready","concurrent_games":4}')""")
    body += turn(f"""{WRONG} if m["game"] % 2 else answer(m)""")
    played = play(ProcessSandbox(), runs, body, replace(PATIENT, restarts=1), games=6)
    faulted = [record.game for record in played.games if faults(record)]
    assert faulted == [1, 3, 4, 5]
    assert [(game, seat) for game, seat, _ in played.answered] == [(1, 1), (3, 1)]
    for game, _, line in played.answered:
        assert line.endswith(f'"quantity":9{game},"face":2}}')


def test_crashed_bot_is_restarted_up_to_the_limit(sandbox: Sandbox, runs: Path) -> None:
    limits = replace(PATIENT, restarts=2)
    body = "sys.stderr.write('here I am\\n')\n" + turn("os._exit(9)")
    played = play(sandbox, runs, body, limits, games=5)
    for record in played.games[:3]:
        check_lost(record, Cause.CRASH, "exit code 9")
    for record in played.games[3:]:
        check_lost(record, Cause.CRASH, "not started again: it was restarted 2 times")
    assert played.stderr[1] == "here I am\n" * 3


def test_restarted_bot_plays_the_rest_of_the_fixture(sandbox: Sandbox, runs: Path) -> None:
    body = turn("""os._exit(9) if m["game"] == 0 else answer(m)""")
    played = play(sandbox, runs, body, games=4)
    check_lost(played.games[0], Cause.CRASH, "exit code 9")
    assert [faults(record) for record in played.games[1:]] == [[], [], []]


def test_bot_that_exits_between_games_faults_in_the_next_one(sandbox: Sandbox, runs: Path) -> None:
    body = turn("""m["game"] and os._exit(4); answer(m)""")
    played = play(sandbox, runs, body, games=3)
    assert faults(played.games[0]) == []
    check_lost(played.games[1], Cause.CRASH, "exit code 4")


def test_bot_that_stops_reading_times_out(sandbox: Sandbox, runs: Path) -> None:
    """Its next request comes with more notices than its pipe takes."""
    reckless = """
fcntl.fcntl(0, 1031, 4096)  # F_SETPIPE_SZ: the pipe holds one page
def act(m):
    last = m["raises"][-1:] or [{"max": 0, "face": 0}]
    bid = {"action": "bid", "quantity": last[0]["max"], "face": last[0]["face"]}
    say(json.dumps({"id": m["id"], **bid})) if last[0]["max"] else answer(m)
"""
    slow = play(sandbox, runs, reckless, games=2, goods=4)
    assert [faults(record) for record in slow.games] == [[], []]
    deaf = reckless + "def told(m): m['type'] == 'game_end' and hang()\n"
    played = play(sandbox, runs, deaf, HASTY, games=2, goods=4)
    assert faults(played.games[0]) == []
    check_lost(played.games[1], Cause.TIMEOUT, "no answer within 1 s")


def test_death_by_an_unnamed_signal_is_reported_by_number(runs: Path) -> None:
    played = play(ProcessSandbox(), runs, turn("os.kill(os.getpid(), 40)"))
    check_lost(played.games[0], Cause.CRASH, "the program was killed by signal 40")
