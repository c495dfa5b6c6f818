"""The matches of a final: who meets whom, who plays next, and who has won.

The draw is that of tournaments of tennis: the two best can meet in the last match alone, the four
best not before the last but one, and so on. Within those limits the seed decides, not the rank.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, count
from random import Random

from msgspec import Struct

BYE = ""
"""The rival of a bot that needs no match in the first round."""


class Contest(Struct, frozen=True):
    """A match of a final: games until one of those who play has won enough of them."""

    number: int
    """From 1, in the order in which matches are played."""
    seats: tuple[str | None, ...]
    """Who plays; None for the winner of a match that is not over."""
    winners: tuple[str, ...] = ()
    """Who won each game that was played."""
    winner: str | None = None

    @property
    def players(self) -> tuple[str, ...] | None:
        """Who plays, once all of them are known."""
        known = tuple([name for name in self.seats if name is not None])
        return known if len(known) == len(self.seats) else None

    @property
    def score(self) -> Mapping[str, int]:
        """The games that each player has won, the most first."""
        won = Counter(self.winners)
        return {name: won[name] for name in sorted(self.players or (), key=lambda one: -won[one])}


def draw_knockout(ranked: Sequence[str], seed: str) -> tuple[str, ...]:
    """Return bots in the order in which neighbours meet; `BYE` where one needs no match.

    `ranked` are at least two, the best first.
    """
    random = Random(f"{seed}/draw")  # noqa: S311 (to be drawn again)
    order = [0]
    drawn = [*ranked[:1]]
    while len(order) < len(ranked):
        size = 2 * len(order)
        order = [*chain.from_iterable((place, size - 1 - place) for place in order)]
        next_best = [*ranked[len(drawn) : size]]
        random.shuffle(next_best)
        drawn += next_best
    drawn += [BYE] * (len(order) - len(drawn))
    return tuple(drawn[place] for place in order)


def draw_table(ranked: Sequence[str], seed: str) -> tuple[str, ...]:
    """Return bots in the order in which they sit at one table."""
    seats = [*ranked]
    Random(f"{seed}/draw").shuffle(seats)  # noqa: S311 (to be drawn again)
    return tuple(seats)


def rounds(
    draw: Sequence[str], players: int, wins: int, winners: Mapping[int, Sequence[str]]
) -> list[list[Contest]]:
    """Return all matches, round by round; the last round has one.

    `players` sit at a table, `wins` games win a match, `winners` are those of the games of each
    match that were played, by its number.
    """
    number = count(1)
    slots: list[str | None] = [*draw]
    found: list[list[Contest]] = []
    while len(slots) > 1:
        tables = [slots[at : at + players] for at in range(0, len(slots), players)]
        matches: list[Contest] = []
        slots = []
        for seats in tables:
            if BYE in seats:
                slots += [name for name in seats if name != BYE]
                continue
            match = _match(next(number), seats, wins, winners)
            matches.append(match)
            slots.append(match.winner)
        found.append(matches)
    return found


def _match(
    number: int, seats: Sequence[str | None], wins: int, winners: Mapping[int, Sequence[str]]
) -> Contest:
    won = winners.get(number, ())
    first = next((name for name, games in Counter(won).items() if games >= wins), None)
    return Contest(number, tuple(seats), tuple(won), first)


def next_contest(of: Sequence[Sequence[Contest]]) -> Contest | None:
    """Return the first match that is not over; None once there is a winner."""
    return next((match for match in chain(*of) if match.winner is None), None)


def round_name(contests: int) -> str:
    """Return what a round of so many matches is called, with the byes among them."""
    return {1: "final", 2: "semi-final", 4: "quarter-final"}.get(contests, f"last {2 * contests}")
