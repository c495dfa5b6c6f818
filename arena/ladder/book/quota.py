"""How much an author may submit: counted over windows that roll with the clock."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

DAY = 86_400.0
HOUR = 3_600.0
MOST = 1_000
"""The largest quota that an administrator may give an author."""


class Quotas(Struct, frozen=True, forbid_unknown_fields=True):
    """How many submissions an author may make."""

    uploads: Annotated[int, Meta(ge=1)] = 5
    """Submissions in 24 hours, without those that were refused."""
    refused: Annotated[int, Meta(ge=1)] = 20
    """Refused submissions in an hour."""


class Allowance(Struct, frozen=True):
    """What an author may still submit."""

    left: int
    of: int
    frees_at: float | None
    """When the next one is free again; None if none is used."""
    blocked_until: float | None
    """Until when nothing may be submitted; None if something may."""


def allowance(
    now: float, accepted: Sequence[float], refused: Sequence[float], quotas: Quotas
) -> Allowance:
    """Return what is left at a time to who submitted at others; all in seconds since 1970.

    A submission from the future, as the clock was set back, counts as one of now.
    """
    day = _within(accepted, now, DAY)
    hour = _within(refused, now, HOUR)
    left = max(0, quotas.uploads - len(day))
    blocked = [_end(day, quotas.uploads, DAY), _end(hour, quotas.refused, HOUR)]
    until = max((end for end in blocked if end is not None), default=None)
    return Allowance(left, quotas.uploads, day[0] + DAY if day else None, until)


def _within(times: Sequence[float], now: float, window: float) -> list[float]:
    return sorted(min(time, now) for time in times if time + window > now)


def _end(times: Sequence[float], most: int, window: float) -> float | None:
    """Return when fewer than `most` will be in the window; None if they are already."""
    return times[len(times) - most] + window if len(times) >= most else None


class Joining(Struct, frozen=True, forbid_unknown_fields=True):
    """How a ladder takes in people who were not invited."""

    open: bool = False
    """Whether anybody may join at once; else they ask, and an administrator decides."""
    joins: Annotated[int, Meta(ge=1)] = 50
    """Who may join in 24 hours, if it is open."""
    requests: Annotated[int, Meta(ge=0)] = 100
    """Requests that wait at a time, at most."""
    of_address: Annotated[int, Meta(ge=1)] = 3
    """Requests or joins of an address in 24 hours."""
