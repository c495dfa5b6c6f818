"""Language models for a bot that is checked: a server of the check answers from a script."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from arena.bots.models.config import Cap, Caps, Model
from arena.bots.models.gateway import Access, Gateway
from arena.bots.models.scripted import ScriptedServer, one_of
from arena.game.rules.books import MAX_PLAYERS

_ANSWERS = (
    "[dudo]",
    "I raise. [bid 2 fives]",
    "[Call]",
    "[Bid: 3, 6]",
    '{"action": "bid", "quantity": 1, "face": 2}',
    "I do not know what to do.",
    "",
    "[bid 99 sixes] " * 200,
    "\u2680\u2685 \U0001f3b2 [bid \u0663 fives]",
)
"""Right, wrong and useless answers in several forms: how a bot wants its answers is unknown."""


class ScriptedModels(NamedTuple):
    """The ways from a bot to the models that it names."""

    answering: Gateway
    refusing: Gateway
    """A cap is reached: each request gets an error."""


@contextmanager
def scripted_models(bot: str, names: Sequence[str]) -> Iterator[ScriptedModels]:
    """Yield gateways to a server that costs nothing, for a bot in every seat."""
    with ScriptedServer(one_of(_ANSWERS)) as server:
        free = Model(url=server.url, model="scripted")
        capped = Model(url=server.url, model="scripted", caps=Caps(game=Cap(tokens=0)))
        seats = [bot] * MAX_PLAYERS
        with (
            Access(dict.fromkeys(names, free)).gateway(seats) as answering,
            Access(dict.fromkeys(names, capped)).gateway(seats) as refusing,
        ):
            yield ScriptedModels(answering, refusing)
