"""Recorded games put to live builds: they decide as they did, by their seed and their memory."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from arena.bots.bot import StagedBot
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.base import PassingSandbox, Program, Running, Sandbox
from arena.bots.sandboxes.registry import make_sandbox
from arena.bots.sessions.warm_pool import WarmPool
from arena.game.records import Faulted, PlayedFixture
from arena.game.rules.books import Rules, variant
from arena.game.rules.round import max_rounds
from arena.game.wire.messages import Answer, CalzaOffer, Turn
from arena.io import shipped
from arena.league.table import decisions_by_build
from arena.league.table.decisions_by_build import Build, BuildDecision, RecordedRequest, ask
from arena.league.table.recorded_game import seat_moments
from tests.support import records
from tests.support.bot_programs import program, start, turn
from tests.support.live import in_place, play_bots, write_bot
from tests.support.live_tables import PATIENT

RULES = variant("bga", {}, calza=True)
NAMES = ("memory", "bluffer", "honest")
LIMITS = PATIENT.complete(3)


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return make_sandbox("process")


def sample(name: str) -> StagedBot:
    return in_place(load_bot(shipped.folder("sample_bots") / name))


@pytest.fixture(scope="module")
def played(sandbox: Sandbox) -> PlayedFixture:
    return play_on("dice", sandbox)


def play_on(dice: str, sandbox: Sandbox) -> PlayedFixture:
    rounds = max_rounds(RULES, len(NAMES))
    fixture = records.fixture(NAMES, 3, seed="bots", dice=dice, max_rounds=rounds)
    return play_bots(fixture, RULES, [sample(name) for name in NAMES], sandbox, LIMITS)


def asked(
    played: PlayedFixture, seat: int, sandbox: Sandbox, *builds: tuple[StagedBot, str]
) -> list[RecordedRequest]:
    programs = [Build(bot.program, seed) for bot, seed in builds]
    return list(ask(played, RULES, seat, programs, sandbox, LIMITS))


def recorded(played: PlayedFixture, rules: Rules, seat: int) -> Iterator[BuildDecision]:
    """Yield what a seat answered where it had a choice."""
    for record in played.games:
        for moment in seat_moments(played.fixture, rules, record, seat):
            given = moment.answer
            if isinstance(given, Answer) and has_choice(moment.request):
                yield BuildDecision(given.action, given.quantity, given.face)


def has_choice(request: Turn | CalzaOffer | None) -> bool:
    return isinstance(request, CalzaOffer) or bool(request and request.raises)


def decisions(positions: Sequence[RecordedRequest], build: int) -> list[BuildDecision | None]:
    return [position.decisions[build] for position in positions]


@pytest.mark.parametrize("seat", [0, 1])
def test_bot_that_is_asked_again_decides_as_it_did(
    played: PlayedFixture, sandbox: Sandbox, seat: int
) -> None:
    """One draws from its seed; the other remembers all games."""
    bot = sample(NAMES[seat])
    positions = asked(played, seat, sandbox, (bot, "bots"), (bot, "bots"))
    expected = list(recorded(played, RULES, seat))
    if seat == 1:
        # It asks for no calza, so it is offered none.
        positions = [one for one in positions if isinstance(one.request, Turn)]
        expected = [one for one in expected if one.action in {"bid", "dudo"}]
    else:
        assert any(isinstance(one.request, CalzaOffer) for one in positions)
    assert decisions(positions, 0) == decisions(positions, 1) == expected


def test_another_seed_lets_a_bot_that_draws_decide_otherwise(
    played: PlayedFixture, sandbox: Sandbox
) -> None:
    bot = sample("bluffer")
    positions = asked(played, 1, sandbox, (bot, "bots"), (bot, "other"))
    assert decisions(positions, 0) != decisions(positions, 1)


def test_build_that_asks_for_no_calza_passes(played: PlayedFixture, sandbox: Sandbox) -> None:
    positions = asked(played, 0, sandbox, (sample("odds"), "s"), (sample("honest"), "s"))
    offers = [one for one in positions if isinstance(one.request, CalzaOffer)]
    assert offers
    assert set(decisions(offers, 1)) == {BuildDecision("pass")}
    alone = asked(played, 0, sandbox, (sample("honest"), "s"))
    assert not any(isinstance(one.request, CalzaOffer) for one in alone)


def test_several_games_at_a_time_are_decided_as_one_after_another(
    played: PlayedFixture, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = [(sample(name), seed) for name in ("bluffer", "odds") for seed in ("s", "t")]
    together = asked(played, 2, sandbox, *bots)
    monkeypatch.setattr(decisions_by_build, "_AT_A_TIME", 1)
    assert asked(played, 2, sandbox, *bots) == together
    games = [one.request.game for one in together]
    assert games == sorted(games)


def test_processes_that_may_serve_again_do(played: PlayedFixture, sandbox: Sandbox) -> None:
    observed, bot, pool = Counting(sandbox), sample("bluffer"), WarmPool()
    builds = [Build(bot.program, "s"), Build(bot.program, "t")]
    try:
        for table in (played, play_on("other dice", sandbox)):
            warm = list(ask(table, RULES, 2, builds, observed, LIMITS, pool))
            assert warm == list(ask(table, RULES, 2, builds, sandbox, LIMITS))
    finally:
        pool.end()
    assert observed.starts == len(builds)


class Counting(PassingSandbox):
    """Counts the programs that it starts."""

    starts = 0

    def start(self, program: Program, *, space: int = 0) -> Running:
        self.starts += 1
        return self._sandbox.start(program, space=space)


FAULTS = {
    "crash": "os._exit(3) if m['game'] == 1 else answer(m)",
    "illegal": "answer(m, action='bid', quantity=99, face=2) if m['game'] == 1 else answer(m)",
    "not JSON": "say('oops') if m['game'] == 1 else answer(m)",
}


@pytest.mark.parametrize("at_a_time", [1, 3])
@pytest.mark.parametrize("statement", FAULTS.values(), ids=FAULTS)
def test_build_is_asked_no_more_after_a_fault(
    tmp_path: Path, played: PlayedFixture, sandbox: Sandbox, statement: str, at_a_time: int
) -> None:
    assert not any(isinstance(event, Faulted) for one in played.games for event in one.events)
    ready = start(f"""say('{{"type":"ready","concurrent_games":{at_a_time}}}')""")
    broken = in_place(write_bot(tmp_path / "broken", program(turn(statement) + ready)))
    positions = asked(played, 2, sandbox, (broken, "s"), (sample("honest"), "bots"))
    before = [one for one in positions if one.request.game == 0]
    fault, *after = positions[len(before) :]
    assert before
    assert after
    assert all(one.decisions[0] for one in before)
    assert fault.decisions[0] == BuildDecision("fault")
    assert set(decisions(after, 0)) == {None}
    assert None not in decisions(positions, 1)


def test_build_that_does_not_start_decides_nothing(
    tmp_path: Path, played: PlayedFixture, sandbox: Sandbox
) -> None:
    broken = in_place(write_bot(tmp_path / "broken", "raise SystemExit"))
    positions = asked(played, 2, sandbox, (broken, "s"), (sample("honest"), "bots"))
    assert positions
    assert set(decisions(positions, 0)) == {None}
