"""Bots that asked language models are asked again: the models' answers come from the record."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from arena.bots.models.config import MICROS, Model
from arena.bots.models.gateway import Gateway
from arena.bots.models.recorded import Recorded
from arena.game.exchanges import Exchange

_Result = TypeVar("_Result")


class ModelRecord(Struct, frozen=True):
    """What was asked in a fixture, and whether more may be."""

    models: Mapping[str, Model]
    exchanges: Sequence[Exchange]
    asks: bool
    """Whether models are asked what is not in the record."""


def from_record(
    run: Callable[[Gateway | None], _Result],
    record: ModelRecord,
    bots: Sequence[str],
    notify: Callable[[str], None],
) -> _Result:
    """Return what a run leads to that answers models' requests from a record.

    `notify` learns how many requests are not there, and what they would cost, before any of them is
    asked. Then the run is made once more. Raises ServerDownError if a server fails.
    """
    known = Recorded(record.exchanges)
    with Gateway(record.models, bots, recorded=known, asks=False) as gateway:
        result = run(gateway)
    notify(f"requests to models: {known.repeated} answered from the record, {known.new} are new")
    if not known.new:
        return result
    cost = f"about {known.new * known.mean_micros / MICROS:.2g} at what requests cost before"
    if not record.asks:
        notify(f"new requests were refused; --ask-models asks them ({cost})")
        return result
    notify(f"asking {known.new} new requests: {cost}")
    again = Recorded(record.exchanges)
    with Gateway(record.models, bots, recorded=again) as gateway:
        result = run(gateway)
    spent = sum(exchange.micros for exchange in gateway.exchanges)
    notify(f"asked {len(gateway.exchanges)}, which cost {spent / MICROS:.2g}")
    return result
