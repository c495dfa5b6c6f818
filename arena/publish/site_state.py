"""What a site shows of its store, beside the games."""

from collections.abc import Sequence

from msgspec import Struct

from arena.game.records import QuarantinedFixture
from arena.league.schedule.playoff import PlayoffVerdict


class StoreState(Struct, frozen=True):
    """The state of a store that its site shows, beside the games."""

    root: str = ""
    """The hash that pins the store."""
    left: int = 0
    """Fixtures that are due and not stored."""
    quarantined: Sequence[QuarantinedFixture] = ()
    playoff: PlayoffVerdict | None = None
    goes_on: bool = False
    """Whether more is drawn whenever nothing is due, as in the open season of a ladder."""
    door: str = ""
    """Where the door of a ladder serves the site: a part for the front page of the door is made."""
    inputs: str = ""
    """A digest of all that the site is made of; empty if that is not known."""
