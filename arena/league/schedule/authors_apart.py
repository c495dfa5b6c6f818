"""Tables without two bots of one author, by exchanges between the tables of a block.

Exchanged bots sit in the same seat as before, at another table: so each bot sits in each seat as
often as it did.
"""

import random
from collections import Counter, deque
from collections.abc import Hashable, Mapping, Sequence

Seats = tuple[str, ...]
"""Bot names, seat 0 first."""
Owners = Mapping[str, Hashable]
"""The owner of each bot."""
_TRIES = 8
"""Orders of the exchanges that are tried while some bots are not kept apart."""


def kept_apart(block: Sequence[Seats], owners: Owners, seed: str) -> list[Seats]:
    """Return a block without two bots of one owner at a table, a function of the arguments alone.

    That is impossible if an owner has more bots than there are tables: then a few tries find an
    order in which few of them meet.
    """
    best, draw = list(block), random.Random(seed)
    least, unavoidable = _meetings(best, owners), _unavoidable(block, owners)
    for _ in range(_TRIES):
        if least == unavoidable:
            break
        tables = _exchanged(block, owners, draw)
        if (meetings := _meetings(tables, owners)) < least:
            best, least = tables, meetings
    return best


def _meetings(block: Sequence[Seats], owners: Owners) -> int:
    return sum(len(table) - len({owners[bot] for bot in table}) for table in block)


def _unavoidable(block: Sequence[Seats], owners: Owners) -> int:
    """Return a lower bound of `_meetings`: an owner's bots beyond one per table must meet."""
    seats = Counter(owners[bot] for table in block for bot in table)
    return sum(max(0, count - len(block)) for count in seats.values())


def _exchanged(block: Sequence[Seats], owners: Owners, draw: random.Random) -> list[Seats]:
    """Fill the tables seat by seat with the bots that were to sit in that seat."""
    present: list[set[Hashable]] = [set() for _ in block]
    seats = list[list[str]]()
    for bots in zip(*block, strict=True):
        seats.append(_assigned(bots, owners, present, draw))
        for table, bot in zip(present, seats[-1], strict=True):
            table.add(owners[bot])
    return list(zip(*seats, strict=True))


def _assigned(
    bots: Sequence[str], owners: Owners, present: Sequence[set[Hashable]], draw: random.Random
) -> list[str]:
    """Return one bot for each table, its own if it can stay there."""
    tables = range(len(bots))
    allowed = [[owners[bot] not in table for table in present] for bot in bots]
    at = {bot: bot for bot in tables if allowed[bot][bot]}
    moving = [bot for bot in tables if bot not in at]
    left = [bot for bot in moving if not _place(bot, allowed, at, draw.sample(tables, len(bots)))]
    free = set(tables).difference(at)
    for bot in sorted(left, key=lambda bot: bot not in free):
        at[bot if bot in free else min(free)] = bot
        free.difference_update(at)
    return [bots[at[table]] for table in tables]


def _place(
    bot: int, allowed: Sequence[Sequence[bool]], at: dict[int, int], order: Sequence[int]
) -> bool:
    """Find a table for a bot by moving as few others as possible; returns whether there is one.

    This is a shortest augmenting path, by breadth-first search.
    """
    queue = deque[tuple[int, int | None]]([(bot, None)])
    reached: dict[int, tuple[int, int | None]] = {}
    while queue:
        mover, source = queue.popleft()
        for table in order:
            if table in reached or not allowed[mover][table]:
                continue
            reached[table] = mover, source
            if table in at:
                queue.append((at[table], table))
                continue
            step: int | None = table
            while step is not None:
                at[step], step = reached[step]
            return True
    return False
