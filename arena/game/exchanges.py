"""What bots asked language models while they played, and what those answered."""

from msgspec import Struct
from msgspec.structs import replace

MODEL_SECONDS = 60.0
"""Of wall time in which models may work for one answer, if a league does not say."""


class Exchange(Struct, frozen=True, gc=False, omit_defaults=True):
    """One answer of a model, or the first refusal in a game because a cap was reached.

    It is no part of what must be the same when a game is played again.
    """

    seat: int
    game: int
    round: int
    turn: int
    """The id of the request that the bot had to answer (`protocol/README.md`)."""
    bids: int
    """How many bids of the round were on the table."""
    model: str
    """By the league's name."""
    request: str = ""
    """All but the model, as JSON with sorted keys."""
    answer: str = ""
    finish: str = ""
    """Why it ended, in the server's word."""
    tokens_in: int = 0
    tokens_out: int = 0
    milliseconds: int = 0
    """From the request to the answer, with the time in queues."""
    micros: int = 0
    """Its cost in millionths of a unit of money."""
    refused: str = ""
    """The code of the refusal, "" for an answer."""


def without_words(exchange: Exchange) -> Exchange:
    """Return an exchange with its numbers alone."""
    return replace(exchange, request="", answer="")
