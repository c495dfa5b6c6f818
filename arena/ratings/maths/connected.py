"""Which bots can be compared at all: those that met, or have met others that link them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

Graph = Sequence[Sequence[int]]
"""The bots to which links lead from each bot, by its number."""


def parts(tables: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the parts of the field that no table links, the largest first; names are sorted.

    The ratings of bots in different parts say nothing of each other: each part has its own zero.
    """
    link: dict[str, str] = {}

    def root(bot: str) -> str:
        while (above := link.setdefault(bot, bot)) != bot:
            link[bot] = link[above]
            bot = above
        return bot

    for first, *others in tables:
        for other in others:
            link[root(other)] = root(first)
    members: dict[str, list[str]] = {}
    for bot in sorted(link):
        members.setdefault(root(bot), []).append(bot)
    return sorted(map(tuple, members.values()), key=lambda part: (-len(part), part))


def reached(targets: Graph, sources: Graph) -> list[int]:
    """Return how many bots the links lead to from each, itself among them.

    `sources` are the same links, backwards. Bots that reach each other reach the same ones, and
    such groups have an order (Sharir, "A strong-connectivity algorithm", 1981).
    """
    left = list(chain.from_iterable(_depth_first(targets, range(len(targets)))))
    groups = list(_depth_first(sources, reversed(left)))
    known, counts = [0] * len(targets), [0] * len(targets)
    for group in reversed(groups):
        bits = 0  # one for each bot
        for bot in group:
            bits |= 1 << bot
            for target in targets[bot]:
                bits |= known[target]
        count = bits.bit_count()
        for bot in group:
            known[bot], counts[bot] = bits, count
    return counts


def _depth_first(targets: Graph, starts: Iterable[int]) -> Iterator[list[int]]:
    """Yield what each start reaches that no earlier one did, in the order in which it is left."""
    seen = [False] * len(targets)
    for start in starts:
        if seen[start]:
            continue
        seen[start] = True
        path, left = [(start, iter(targets[start]))], list[int]()
        while path:
            bot, others = path[-1]
            new = next((other for other in others if not seen[other]), None)
            if new is None:
                left.append(bot)
                path.pop()
            else:
                seen[new] = True
                path.append((new, iter(targets[new])))
        yield left
