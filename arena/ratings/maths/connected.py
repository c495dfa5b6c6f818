"""Which bots can be compared at all: those that met, or have met others that link them."""

from collections.abc import Iterable, Sequence


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
