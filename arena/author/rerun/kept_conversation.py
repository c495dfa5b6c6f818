"""A conversation kept in a file, as `arena check` and `arena rerun --record` write it."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.author.rerun.debugger import UNLIMITED, debuggable
from arena.bots.bot import Bot
from arena.bots.sandboxes.base import MIB, Sandbox
from arena.bots.workshop import open_workshop
from arena.game.records import Cause, Fault
from arena.game.rules.round import Bid, is_among
from arena.game.wire.messages import Answer, CalzaOffer, Turn
from arena.io.errors import ArenaError
from arena.io.files import read_limited
from arena.league.table.live_seat import Request
from arena.league.table.recorded_seat import SeatMoment
from arena.league.table.rerun_seat import AskedMoment, RerunDecision, Watcher, ask_again

ENDING = ".jsonl"
"""How the name of such a file ends."""
_MAX_FILE = 64 * MIB
_HINT = "name a file that arena check or arena rerun --record wrote"


class KeptConversation(Struct, frozen=True):
    """The lines that a bot was sent, byte for byte."""

    hello: bytes
    moments: tuple[AskedMoment, ...]

    @property
    def requests(self) -> list[Request]:
        """All requests, in their order."""
        return [asked.moment.request for asked in self.moments if asked.moment.request]


class _Typed(Struct):
    type: str


_typed = msgspec.json.Decoder(_Typed)
_request = msgspec.json.Decoder(Turn | CalzaOffer)


def read_conversation(file: Path) -> KeptConversation:
    """Read a conversation; raises ArenaError if the file is none.

    The rules are not applied again: an answer is legal if its request lists it.
    """
    lines = [line + b"\n" for line in read_limited(file, _MAX_FILE).splitlines() if line.strip()]
    try:
        if not lines or _typed.decode(lines[0]).type != "hello":
            raise ArenaError("it does not begin with `hello`", str(file), _HINT)
        return KeptConversation(lines[0], tuple(_moments(lines)))
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ArenaError(f"not a conversation: {error}", str(file), _HINT) from None


def debug_kept(
    conversation: KeptConversation,
    bot: Bot,
    sandbox: Sandbox,
    watcher: Watcher,
    terminal: str,
    *,
    packages: bool,
) -> tuple[list[RerunDecision], str]:
    """Build the bot and send it the lines, one request at a time, without time limits.

    Returns its decisions, and why not all was asked, "" if it was. `terminal` is as in
    `debuggable`. Raises ArenaError if the bot cannot be built.
    """
    with open_workshop(sandbox, packages=packages) as workshop:
        program = debuggable(workshop, bot, terminal)
        hello, moments = conversation.hello, conversation.moments
        return ask_again(hello, moments, program, sandbox, UNLIMITED, watcher)


def _moments(lines: list[bytes]) -> Iterator[AskedMoment]:
    """Yield a moment for each request, and one for each end of a game.

    Raises MsgspecError, and ArenaError for a second greeting.
    """
    news: list[bytes] = []
    for number, line in enumerate(lines[1:], 2):
        kind = _typed.decode(line).type
        if kind == "hello":
            what = "it begins another conversation"
            raise ArenaError(what, f"line {number}", "cut the file there")
        if kind in {"turn", "calza"}:
            yield AskedMoment(_asked(_request.decode(line), number), tuple(news), line)
        elif kind == "game_end":
            over = SeatMoment((), None, None, lambda _: None, number)
            yield AskedMoment(over, (*news, line), b"")
        elif kind != "bye":
            news.append(line)
            continue
        news.clear()


def _asked(request: Request, number: int) -> SeatMoment:
    return SeatMoment((), request, None, lambda given: _illegal(request, given), number)


def _illegal(request: Request, answer: Answer) -> Fault | None:
    """Return the fault that an answer would be, by what its request lists."""
    if isinstance(request, CalzaOffer):
        legal, why = answer.action in {"calza", "pass"}, "an offer of calza was open"
    elif answer.action == "bid":
        legal = is_among(request.raises, Bid(answer.quantity, answer.face))
        why = f"a bid of {answer.quantity} of face {answer.face} is not among `raises`"
    else:
        legal, why = answer.action == "dudo" and request.dudo, "there was no bid to doubt"
    return None if legal else Fault(Cause.ILLEGAL_ACTION, why)
