"""The mark of a bot: a colour and a pattern, the same in all tables, charts and replays.

No two of the first 48 bots of a league have the same colour and pattern, and neighbours in the
league differ in both, so the mark can be told by either alone.
"""

from collections.abc import Iterable, Mapping

from markupsafe import Markup
from msgspec import Struct

from arena.io.visible import visible
from arena.publish.links import Links

COLOURS = 8
"""Colours: the classes `h0` to `h7` of reports/style.css."""
PATTERNS = 6
"""Patterns: the classes `m0` to `m5`: a disc, a ring, a half, a bar, a diamond, four tiles."""


class Identity(Struct, frozen=True):
    """A bot's mark."""

    colour: int
    pattern: int

    @property
    def classes(self) -> str:
        """The classes of an element that shows it."""
        return f"h{self.colour} m{self.pattern}"


def identities(bots: Iterable[str]) -> dict[str, Identity]:
    """Return the mark of each bot, by its place in the league."""
    return {bot: _identity(place) for place, bot in enumerate(bots)}


def _identity(place: int) -> Identity:
    # Each round of colours begins three patterns on, so that no pair comes again too soon.
    return Identity(place % COLOURS, (place + 3 * (place // COLOURS)) % PATTERNS)


_LINK = Markup('<i class="{}"></i><a class="bot" href="{}{}"><bdi>{}</bdi></a>')

_NAME = Markup('<i class="{}"></i><bdi>{}</bdi>')


def marked_links(marks: Mapping[str, Identity], links: Links, root: str) -> dict[str, Markup]:
    """Return each bot's mark and name, linked to its page: made once, for they occur everywhere."""
    return {
        bot: _LINK.format(identity.classes, root, links.bot(bot), visible(bot))
        for bot, identity in marks.items()
    }


def marked_names(marks: Mapping[str, Identity]) -> dict[str, Markup]:
    """Return each bot's mark and name, without a link."""
    return {bot: _NAME.format(marks[bot].classes, visible(bot)) for bot in marks}
