"""The source of the places that two bots share: as much of it as a person reads."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from arena.author.alike.by_text import SharedText, SourcePart
from arena.author.alike.ranking import Pair
from arena.author.alike.sources import Source

MOST_OF_A_PART = 16_000
"""Characters of a place in one bot: some 500 lines."""
MOST_OF_ALL = 4_000_000
"""Characters of all pairs together, the most unusual pair first."""


def with_text(pairs: Sequence[Pair], sources: Mapping[str, Source]) -> list[Pair]:
    """Return the pairs with the source of their places, as far as the limits go."""
    lines = {
        name: {file.path: file.lines for file in source.files} for name, source in sources.items()
    }
    left = MOST_OF_ALL

    def part(bot: str, place: SourcePart) -> SourcePart:
        nonlocal left
        begun = _begun(lines[bot][place.file], place, min(left, MOST_OF_A_PART))
        left -= len(begun.text)
        return begun

    def shared(pair: Pair, place: SharedText) -> SharedText:
        return replace(place, one=part(pair.one, place.one), other=part(pair.other, place.other))

    def shown(pair: Pair) -> Pair:
        if pair.text is None:
            return pair
        places = tuple(shared(pair, place) for place in pair.text.places)
        return replace(pair, text=replace(pair.text, places=places))

    return [shown(pair) for pair in pairs]


def _begun(lines: Sequence[str], place: SourcePart, most: int) -> SourcePart:
    """Return a place with its first characters, `most` of them."""
    number, left, text = place.first - 1, most, []
    while number < place.last and len(lines[number]) <= left:
        text.append(lines[number])
        left -= len(lines[number]) + 1
        number += 1
    if number < place.last and left > 0:
        text.append(lines[number][:left])
    return replace(place, text="\n".join(text), more=place.last - number)
