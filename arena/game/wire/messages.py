"""Protocol version 1: every message between the arena and a bot (prose: `protocol/README.md`)."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import asdict

from arena.game.rules.books import Count, Rules, Seat
from arena.game.rules.dice import Hand
from arena.game.rules.round import Raises
from arena.game.rules.view import SeatBid, View

PROTOCOL = 1
MAX_LINE: Final = 65_536
"""The longest line that either side may send, in bytes, including its newline."""


class Limits(Struct, frozen=True):
    """Time limits in seconds."""

    start: float
    """From the start of the process to `ready`."""
    answer: float
    """For each answer."""
    game: float
    """For all answers in a game together."""
    fixture: float | None = None
    """For all answers in all games together, by the wall clock; null if there is no such limit."""
    model: float | UnsetType = UNSET
    """In which language models may work for one answer; only for bots that may ask some."""


class RulesInFull(Rules, frozen=True, kw_only=True, omit_defaults=False):
    """Rules with every switch spelled out, as bots get them."""


def in_full(rules: Rules) -> RulesInFull:
    """Return rules as bots get them."""
    return RulesInFull(**asdict(rules))


class Hello(Struct, frozen=True, tag="hello", kw_only=True):
    """The first line a bot reads; it answers with `ready`."""

    protocol: int
    seat: Seat
    """The bot's own seat, for every game it plays in this process."""
    seats: Annotated[int, Meta(ge=2, le=6)]
    """The number of seats at the table; play goes 0, 1, 2, ... and around again."""
    games: Annotated[int, Meta(ge=1)]
    """The number of games that will be played."""
    max_rounds: Annotated[int, Meta(ge=1)] | None = None
    """The round after which the dice left decide a game; null if there is no such limit."""
    seed: Annotated[int, Meta(ge=0)]
    """A seed for the bot's own randomness, so that its games can be repeated."""
    rules: RulesInFull
    """The value of every rule switch."""
    limits: Limits


class Turn(View, frozen=True, gc=False, tag="turn", kw_only=True):
    """It is the bot's turn: answer with a bid, or with dudo when `dudo` is true."""

    id: Count
    """The answer must carry the same id."""
    game: Count
    round: Count
    raises: tuple[Raises, ...]
    """Every legal bid: one range of quantities per face. Empty when only dudo is left."""
    dudo: bool
    """Whether there is a bid to doubt."""


class CalzaOffer(View, frozen=True, gc=False, tag="calza", kw_only=True):
    """The bot may call the last bid exact: answer with calza or pass."""

    id: Count
    """The answer must carry the same id."""
    game: Count
    round: Count


class RoundEnd(Struct, frozen=True, gc=False, tag="round_end", kw_only=True):
    """A call settled the round, and every seat's dice are shown."""

    game: Count
    round: Count
    palifico_seat: Seat | None
    """The seat whose palifico round it was; null in a normal round."""
    bids: Sequence[SeatBid]
    caller: Seat
    call: Literal["dudo", "calza"]
    dice: tuple[Hand, ...]
    """The dice of each seat in this round."""
    count: Count
    """The number of dice that matched the last bid."""
    loser: Seat | None
    """The seat that lost a die; null when nobody did."""
    gainer: Seat | None
    """The seat that regained a die; null when nobody did."""


class FaultNotice(Struct, frozen=True, tag="fault", kw_only=True):
    """A seat broke the rules of the arena and is out of this game; its round is void."""

    game: Count
    round: Count
    seat: Seat
    cause: Literal["timeout", "crash", "illegal_action", "malformed_line", "flood"]


EndReason = Literal["winner", "max_rounds"]


class GameEnd(Struct, frozen=True, tag="game_end", kw_only=True):
    """A game is over."""

    game: Count
    places: tuple[Count, ...]
    """The finishing place of each seat; 1 is the winner."""
    reason: EndReason = "winner"
    """Whether one seat was left, or the dice decided after `hello.max_rounds` rounds."""


class Bye(Struct, frozen=True, tag="bye", kw_only=True):
    """Nothing more will be asked; the bot should exit. Its input closes after this line."""


class Ready(Struct, frozen=True, tag="ready", kw_only=True):
    """A bot's answer to `hello`."""

    protocol: Literal[1] = 1
    calza: bool = False
    """Whether the bot wants to be offered calza; otherwise it is never asked."""
    concurrent_games: Annotated[int, Meta(ge=1, le=1024)] = 1
    """How many games the bot can play at once over its one pipe: it may be asked in all of them
    before it has answered in any."""
    reusable: bool = False
    """Whether the bot resets itself at every `hello`, so that its process can serve another
    table."""


class Answer(Struct, frozen=True, gc=False, kw_only=True):
    """A bot's answer to a request."""

    id: Count
    action: Literal["bid", "dudo", "calza", "pass"]
    quantity: Count = 0
    """0 unless the action is bid."""
    face: Count = 0
    """0 unless the action is bid."""
    by: Literal["model", "retry", "fallback"] | UnsetType = UNSET
    """Who decided, in a bot that asks language models: the model at once, the model when it was
    asked again, or the bot's own program."""


ToBot = Hello | Turn | CalzaOffer | RoundEnd | FaultNotice | GameEnd | Bye
