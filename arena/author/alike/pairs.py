"""Pairs of bots, the most unusually alike first, with the source of the places that they share."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from arena.author.alike.by_behaviour import BehaviourShare, BotAnswers, compare_behaviour
from arena.author.alike.by_text import LEAST, SharedText, SourcePart, TextShare, compare_text
from arena.author.alike.sources import Source

APART_TEXT, APART_BEHAVIOUR = 0.2, 0.9
"""How far bots that were written apart are, at most, from what any two share to all: measured with
the sample bots and the kits (docs/guides/alike.md)."""
MOST_SHOWN = 200
"""Pairs that people are shown; the data have all."""
_ENOUGH = 20
"""So many pairs say what any two share; in fewer, half may be copies."""


AnyFigure = Literal["median", "ninety", "line"]
MOST_OF_A_PART = 16_000
"""Characters of a place in one bot: some 500 lines."""
MOST_OF_ALL = 4_000_000
"""Characters of all pairs together, the most unusual pair first."""


class AnyTwo(Struct, frozen=True):
    """The likeness of any two, the arena's own bots among them."""

    pairs: int
    median: float
    ninety: float
    """Nine of ten are no more alike."""
    line: float
    """Pairs that stand out are more alike than this."""

    def said(self, figure: AnyFigure) -> float | None:
        """Return a figure; None if so few pairs do not say it."""
        known = self.pairs >= _ENOUGH or (self.pairs and figure == "line")
        return getattr(self, figure) if known else None


class Pair(Struct, frozen=True):
    """Two bots; None for what could not be compared."""

    one: str
    other: str
    text: TextShare | None
    behaviour: BehaviourShare | None
    unusual: float
    """0 or less for two that are as alike as others are, 1 for two that are the same."""

    @property
    def stands_out(self) -> bool:
        """Whether the two are more alike than others are."""
        return self.unusual > 0


class RankedPairs(Struct, frozen=True):
    """All pairs of hand-ins, the most unusual first."""

    pairs: list[Pair]
    any_text: AnyTwo
    any_behaviour: AnyTwo


def compare_all(
    sources: Mapping[str, Source], asked: Mapping[str, BotAnswers], others: Sequence[BotAnswers]
) -> RankedPairs:
    """Compare each two bots; `others` is what more bots decided, to see what is ordinary.

    A bot that has source but nothing of its own is a kit or a sample bot: it is in no pair.
    """
    own = [name for name, source in sources.items() if not is_not_its_own(source)]
    texts = {
        (left, right): compare_text(sources[left], sources[right])
        for left, right in combinations(own, 2)
    }
    known = {name: asked[name] for name in own if name in asked}
    behaviours = {
        (left, right): compare_behaviour(known[left], known[right])
        for left, right in combinations(known, 2)
    }
    beside = [*product(known.values(), others), *combinations(others, 2)]
    every = [*behaviours.values(), *(compare_behaviour(left, right) for left, right in beside)]
    any_text = _any_two([share.most for share in texts.values() if share], APART_TEXT)
    any_behaviour = _any_two([share.most for share in every if share], APART_BEHAVIOUR)
    pairs = []
    for pair, text in texts.items():
        behaviour = behaviours.get(pair)
        unusual = _unusual(text, any_text, behaviour, any_behaviour)
        pairs.append(Pair(*pair, text, behaviour, unusual))

    def order(pair: Pair) -> tuple[float, float, float, str, str]:
        text = pair.text.most if pair.text else 0.0
        behaviour = pair.behaviour.most if pair.behaviour else 0.0
        return -pair.unusual, -text, -behaviour, pair.one, pair.other

    return RankedPairs(sorted(pairs, key=order), any_text, any_behaviour)


def is_not_its_own(source: Source) -> bool:
    """Tell whether all of a bot's source comes from elsewhere; not if none was found."""
    return bool(source.kgrams) and len(source.chosen) < LEAST


def _any_two(shares: Sequence[float], apart: float) -> AnyTwo:
    median, ninety = map(float, np.percentile(shares, [50, 90])) if shares else (0.0, 0.0)
    shared = median if len(shares) >= _ENOUGH else 0.0
    return AnyTwo(len(shares), median, ninety, shared + (1 - shared) * apart)


def _unusual(
    text: TextShare | None,
    any_text: AnyTwo,
    behaviour: BehaviourShare | None,
    any_behaviour: AnyTwo,
) -> float:
    beyond = [_beyond(text.most, any_text.line)] if text else []
    if behaviour:
        beyond.append(_beyond(behaviour.most, any_behaviour.line))
    return max(beyond, default=-1.0)


def _beyond(share: float, line: float) -> float:
    """Return how far a share is on the way from the line to the same."""
    return (share - line) / (1 - line) if line < 1 else 0.0


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
    number = place.first - 1
    left = most
    text: list[str] = []
    while number < place.last and len(lines[number]) <= left:
        text.append(lines[number])
        left -= len(lines[number]) + 1
        number += 1
    if number < place.last and left > 0:
        text.append(lines[number][:left])
    return replace(place, text="\n".join(text), more=place.last - number)
