"""Who may take part: invited people, those who ask, or anybody."""

from typing import Annotated

from msgspec import Meta, Struct


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
