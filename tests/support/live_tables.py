"""A table of two: a good bot and one that the test wrote."""

from pathlib import Path

from arena.bots.builds.staging import stage
from arena.bots.sandboxes.base import Sandbox
from arena.game.records import Cause, Faulted, GameRecord, LimitsInfo, PlayedFixture
from arena.game.rules.books import VARIANTS, Rules
from arena.league.table.recorded_game import replay
from tests.support import records
from tests.support.bot_programs import program
from tests.support.live import PYTHON, good_bot, play_bots, write_bot

PATIENT = LimitsInfo(start=20.0, answer=20.0, game=60.0)
"""For bots that must not time out on a busy machine."""


def play(
    sandbox: Sandbox,
    runs: Path,
    body: str,
    limits: LimitsInfo = PATIENT,
    *,
    games: int = 1,
    rules: Rules = VARIANTS["bga"],
    command: str = PYTHON,
    goods: int = 1,
) -> PlayedFixture:
    """Play good bots in the first seats against one in the last whose program has this body."""
    odd = stage(write_bot(runs / "odd", program(body), command), runs, sandbox)
    seats = (*[good_bot(runs, sandbox)] * goods, odd)
    fixture = records.fixture((bot.name for bot in seats), games, variant=rules.name)
    played = play_bots(fixture, rules, seats, sandbox, limits)
    assert (played.sandbox, played.clock) == (sandbox.name, sandbox.clock)
    for record in played.games:
        assert replay(fixture, rules, record) == record
    return played


def faults(record: GameRecord) -> list[Faulted]:
    return [event for event in record.events if isinstance(event, Faulted)]


def check_lost(record: GameRecord, cause: Cause, detail: str) -> None:
    """Check that the odd bot faulted so, and that the good ones played on."""
    (fault,) = faults(record)
    assert (fault.seat, fault.cause) == (len(record.places) - 1, cause)
    assert detail in fault.detail
    assert fault.detail.isprintable()
    assert record.places[-1] == len(record.places)
