"""One live bot that is greeted, told and asked on its own, apart from the games of a fixture."""

from collections.abc import Sequence
from typing import cast

from msgspec import UNSET

from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import MODEL_SECONDS, Cause, Fault, Fixture, LimitsInfo
from arena.game.rules.books import Rules
from arena.game.seeds import bot_seed
from arena.game.wire.codec import encode
from arena.game.wire.messages import (
    PROTOCOL,
    Answer,
    CalzaOffer,
    Hello,
    Limits,
    Ready,
    ToBot,
    Turn,
    in_full,
)

Request = Turn | CalzaOffer


class LiveSeat:
    """The bot in a seat of a multiplexer; at most one seat of it may be asked at a time.

    The bot is stopped when it faults. It can be greeted again: that starts a new process.
    """

    def __init__(self, multiplexer: Multiplexer, seat: int = 0) -> None:
        self.ready = Ready()
        """The bot's last answer to `hello`."""
        self._multiplexer = multiplexer
        self._seat = seat

    @property
    def live(self) -> bool:
        """Whether the bot is running."""
        return self._multiplexer.live(self._seat)

    def greet(self, hello: Hello) -> Fault | None:
        """Start the bot and wait until it is ready; returns its fault if it does not start."""
        self.start(hello)
        return self.wait_until_ready()

    def start(self, hello: Hello) -> None:
        """Start the bot and send `hello`, without waiting for its answer."""
        self._multiplexer.start(self._seat, encode(hello))

    def wait_until_ready(self) -> Fault | None:
        """Wait for the answer to `hello`."""
        [(_, _, reply)] = self._multiplexer.wait()
        if isinstance(reply, Fault):
            self.stop()
            return reply
        self.ready = cast("Ready", reply)
        return None

    def tell(self, message: ToBot) -> None:
        """Send a message that wants no answer, together with the next request."""
        self._multiplexer.tell(self._seat, encode(message))

    def ask(self, request: Request) -> Answer | Fault:
        """Return the bot's answer to a request, which may be illegal, or its fault.

        A bot that does not want offers of calza passes.
        """
        if isinstance(request, CalzaOffer) and not self.ready.calza:
            return Answer(id=request.id, action="pass")
        if not self.live:
            return Fault(Cause.CRASH, "did not start")
        answers = self.ask_all([request])
        return answers if isinstance(answers, Fault) else answers[request.id]

    def ask_all(self, requests: Sequence[Request]) -> dict[int, Answer] | Fault:
        """Send several requests at once; returns the answers by id, or the bot's first fault."""
        for request in requests:
            self._multiplexer.ask(self._seat, request.id, encode(request), request.game)
        answers: dict[int, Answer] = {}
        while len(answers) < len(requests):
            for _, id_, reply in self._multiplexer.wait():
                if isinstance(reply, Fault):
                    self.stop()
                    return reply
                answers[id_] = cast("Answer", reply)
        return answers

    def stop(self) -> None:
        """End the process of the bot."""
        self._multiplexer.stop(self._seat)


def hello_to(
    seat: int, fixture: Fixture, rules: Rules, limits: LimitsInfo, *, models: bool = False
) -> Hello:
    """Return the `hello` of the bot in a seat of a fixture.

    `models` tells whether the bot may ask language models.
    """
    return Hello(
        protocol=PROTOCOL,
        seat=seat,
        seats=len(fixture.seats),
        games=fixture.games,
        max_rounds=fixture.max_rounds or None,
        seed=bot_seed(fixture.seed, seat),
        rules=in_full(rules),
        limits=Limits(
            start=limits.start,
            answer=limits.answer,
            game=limits.game,
            fixture=limits.fixture or None,
            model=limits.model or MODEL_SECONDS if models else UNSET,
        ),
    )
