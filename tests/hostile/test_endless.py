"""Bots that want a game or a fixture to go on for ever."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.bots.sandboxes.process import ProcessSandbox
from arena.game.records import BidMade, CallMade, Cause, PlayedFixture, RoundStarted
from arena.league.store.store import Store
from tests.cli.command import run
from tests.league.table.driver import faults
from tests.support.bot_programs import program
from tests.support.live import runs, write_bot
from tests.support.live_tables import PATIENT, play
from tests.support.sampling import sample

__all__ = ["runs"]

# The first bid is what the opener holds of a face; the other knows what there is, says so, and the
# bid is called exact: no die is ever lost.
COLLUDER = """
def ready(m):
    say('{"type":"ready","calza":true,"concurrent_games":8}')

def own(m, face):
    return sum(die in (1, face) for die in m["dice"])

def act(m):
    if m["bids"]:
        face, said = m["bids"][0]["face"], m["bids"][0]["quantity"]
    else:
        face, said = next((die for die in m["dice"] if die > 1), 6), 0
    bid = {"action": "bid", "quantity": said + own(m, face), "face": face}
    say(json.dumps({"id": m["id"], **bid}))

def offer(m):
    exact = len(m["bids"]) == 2 or not own(m, m["bids"][0]["face"])
    say(json.dumps({"id": m["id"], "action": "calza" if exact else "pass"}))
"""


def test_colluders_with_calza_end_by_the_limit_of_rounds(tmp_path: Path) -> None:
    league = {
        "bots": ["one", "other"],
        "variants": [{"variant": "bga", "calza": True}],
        "games": 1,
        "limits": {"start": 60, "answer": 60, "game": 600},
    }
    (tmp_path / "league.yaml").write_text(json.dumps(league), encoding="utf-8")
    for name in ("one", "other"):
        write_bot(tmp_path / name, program(COLLUDER))
    trusted = "--sandbox", "process", "--trust-bots"
    assert run("run", "league.yaml", *trusted, cwd=tmp_path).code == 0
    assert run("verify", "league.yaml", cwd=tmp_path).code == 0
    with Store(tmp_path / "league.sqlite") as store:
        for played in store.played():
            assert [rounds(played, game) for game in range(len(played.games))] == [500]
            assert not any(faults(record) for record in played.games)
    exported = run("export", "league.yaml", "--format", "jsonl", cwd=tmp_path)
    rows = [json.loads(line) for line in exported.out.splitlines()]
    assert {(row["rounds"], row["max_rounds"]) for row in rows} == {(500, 500)}


def rounds(played: PlayedFixture, game: int) -> int:
    return sum(isinstance(event, RoundStarted) for event in played.games[game].events)


NAP = 0.5
SLEEPER = """
def ready(m):
    say('{"type":"ready","concurrent_games":GAMES}')
def act(m):
    time.sleep(NAP)
    answer(m)
"""


@pytest.mark.slow
@pytest.mark.parametrize("together", sample([1, 6], 1, "sleepers"))
def test_sleeper_just_below_its_limits_uses_up_its_time(together: int, runs: Path) -> None:
    """However many games are under way, and whatever it may be restarted."""
    limits = replace(PATIENT, fixture=10 * NAP, restarts=3)
    body = SLEEPER.replace("NAP", str(NAP)).replace("GAMES", str(together))
    played = play(ProcessSandbox(), runs, body, limits, games=12)
    assert_forfeited_after_its_time(played)


def assert_forfeited_after_its_time(played: PlayedFixture) -> None:
    """Its answers took no more than its time; from one game on it takes no part."""
    found = [faults(record) for record in played.games]
    last = next(number for number, fault in enumerate(found) if fault)
    why = "the 5 s by the wall clock for all answers of a fixture are used up"
    for number, record in enumerate(played.games):
        for fault in found[number]:
            assert (fault.seat, fault.cause) == (1, Cause.TIMEOUT)
            assert why in fault.detail
        assert len(found[number]) == (number >= last)
        if number > last:
            assert found[number][0].detail == f"not started again: {why}"
            assert type(record.events[1]).__name__ == "Faulted"
    answers = [
        event
        for record in played.games
        for event in record.events
        if isinstance(event, BidMade | CallMade) and event.seat == 1
    ]
    assert len(answers) <= 10
