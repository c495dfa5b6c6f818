"""What language models wrote when their bots acted, for replays."""

from collections.abc import Container, Iterable, Mapping

from arena.game.exchanges import Exchange
from arena.publish.output.text import clipped, one_line

_SHOWN = 2000
"""Characters of an answer."""
Words = Mapping[tuple[int, int, int], str]
"""What a model wrote last: by round, bids that were made before, and seat."""


def words_of(exchanges: Iterable[Exchange], game: int, shown: Container[str]) -> Words:
    """Return what those models wrote in a game that are shown."""
    return {
        (one.round, one.bids, one.seat): clipped(one_line(one.answer), _SHOWN)
        for one in exchanges
        if one.game == game and one.model in shown and one.answer
    }
