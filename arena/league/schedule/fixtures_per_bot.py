"""How many fixtures that count each bot has in a division, under the same terms."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from itertools import chain

from arena.game.records import Division, Fixture, LeagueInfo

Terms = Hashable
"""What games of a division are played under: to be compared, no more."""
_COMMON_TERMS = ("games", "limits", "sandbox", "memory_across_fixtures", "shared_dice")
"""Terms that hold for every division."""


def terms_of(division: Division, conditions: LeagueInfo) -> Terms:
    """Return the terms of a division that the league has; games under others do not count."""
    common = (getattr(conditions, key) for key in _COMMON_TERMS)
    return (conditions.variants[division.variant], *common)


class Tally:
    """The fixtures of earlier epochs under the same terms.

    A strike costs time for the fixtures of the bots concerned, not for all the past.
    """

    def __init__(self) -> None:
        self.met: Counter[str] = Counter()
        """In how many fixtures that count each bot sits."""
        self.joined: Counter[str] = Counter()
        """How many joining blocks each bot had."""
        self.joining = 0
        """How many joining blocks came since the last block for all."""
        self._struck: frozenset[str] = frozenset()
        self._of_bot: defaultdict[str, list[Fixture]] = defaultdict(list)
        self._left_out: set[str] = set()

    def add(self, fixtures: Iterable[Fixture], newcomer: str | None, joining: int) -> None:
        """Add the fixtures of a block; those of a newcomer count as so many joining blocks."""
        for fixture in fixtures:
            for bot in fixture.seats:
                self._of_bot[bot].append(fixture)
        self.met.update(chain.from_iterable(one.seats for one in fixtures if self.counts(one)))
        self.joining = self.joining + joining if joining else 0
        if newcomer is not None:
            self.joined[newcomer] += 1

    def leave_out(self, fixture: Fixture) -> None:
        """Take a fixture out that was added."""
        if self.counts(fixture):
            self.met.subtract(fixture.seats)
        self._left_out.add(fixture.id)

    def strike(self, struck: frozenset[str]) -> None:
        """Take these bots for those that are struck: fixtures in which one sits do not count."""
        differing = chain.from_iterable(self._of_bot[bot] for bot in self._struck ^ struck)
        concerned = {one.id: one for one in differing if one.id not in self._left_out}.values()
        counted = [one for one in concerned if self.counts(one)]
        self._struck = struck
        self.met.subtract(chain.from_iterable(one.seats for one in counted))
        self.met.update(chain.from_iterable(one.seats for one in concerned if self.counts(one)))

    def counting(self, fixtures: list[Fixture]) -> list[Fixture]:
        """Return the fixtures without those of struck bots."""
        return [one for one in fixtures if self.counts(one)] if self._struck else fixtures

    def counts(self, fixture: Fixture) -> bool:
        """Tell whether nobody at a table is struck."""
        return self._struck.isdisjoint(fixture.seats)
