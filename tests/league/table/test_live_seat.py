"""A live bot on its own: greeted, asked one or many things, stopped when it faults."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.bots.sandboxes.registry import make_sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Cause, Fault, Fixture
from arena.game.rules.books import BGA
from arena.game.rules.round import first_standing, open_round, raises
from arena.game.wire.messages import CalzaOffer, Ready, Turn
from arena.league.table.live_seat import LiveSeat, hello_to
from tests.support.bot_programs import program, start, turn
from tests.support.live import in_place, write_bot
from tests.support.live_tables import PATIENT

LIMITS = PATIENT.complete(1)
HELLO = hello_to(0, Fixture("f", 0, "bga", ("a", "b"), "a seed", 1), BGA, LIMITS)
SEEN = {"seat": 0, "dice": (1,), "bids": (), "alive": (0, 1), "palifico_seat": None, "round": 0}
OFFER = CalzaOffer(**SEEN, dice_counts=None, id=9, game=0)  # type: ignore[arg-type]


def turns(count: int) -> list[Turn]:
    ranges = raises(open_round(first_standing(BGA, 2, 0)))
    return [
        Turn(**SEEN, dice_counts=None, id=id_, game=id_, raises=ranges, dudo=False)  # type: ignore[arg-type]
        for id_ in range(1, count + 1)
    ]


@contextmanager
def seat_of(folder: Path, body: str) -> Iterator[LiveSeat]:
    bot = in_place(write_bot(folder / "bot", program(body)))
    with Multiplexer([bot.program], make_sandbox("process"), LIMITS) as multiplexer:
        yield LiveSeat(multiplexer)


def test_bot_answers_one_request_or_many(tmp_path: Path) -> None:
    with seat_of(tmp_path, start("""say('{"type":"ready","concurrent_games":3}')""")) as seat:
        assert seat.greet(HELLO) is None
        assert seat.ready == Ready(concurrent_games=3)
        [request, *more] = turns(4)
        answer = seat.ask(request)
        assert not isinstance(answer, Fault)
        assert (answer.action, answer.id) == ("bid", 1)
        answers = seat.ask_all(more)
        assert not isinstance(answers, Fault)
        assert sorted(answers) == [2, 3, 4]


def test_bot_that_wants_no_offers_of_calza_passes_unasked(tmp_path: Path) -> None:
    with seat_of(tmp_path, "def offer(m): sys.exit(3)") as seat:
        seat.greet(HELLO)
        answer = seat.ask(OFFER)
        assert not isinstance(answer, Fault)
        assert (answer.action, answer.id) == ("pass", 9)
        assert seat.live


def test_bot_that_faults_is_stopped_and_can_be_greeted_again(tmp_path: Path) -> None:
    with seat_of(tmp_path, turn("sys.exit(3)")) as seat:
        for _ in range(2):
            assert seat.greet(HELLO) is None
            fault = seat.ask(turns(1)[0])
            assert isinstance(fault, Fault)
            assert fault.cause is Cause.CRASH
            assert not seat.live
        assert seat.ask(turns(1)[0]) == Fault(Cause.CRASH, "did not start")


def test_bot_that_does_not_get_ready_is_stopped(tmp_path: Path) -> None:
    with seat_of(tmp_path, start("say('what?')")) as seat:
        fault = seat.greet(HELLO)
        assert fault
        assert fault.cause is Cause.MALFORMED_LINE
        assert not seat.live
