"""How many fixtures that count each bot has in a division, under unchanged terms."""

from collections import Counter, defaultdict
from collections.abc import Hashable
from itertools import chain

from arena.game.records import Division, Fixture, LeagueInfo

Terms = Hashable
"""The terms of a division's games, to be compared with others."""
_COMMON_TERMS = ("games", "limits", "sandbox", "memory_across_fixtures", "shared_dice")
"""Terms that hold for every division."""


def terms_of(division: Division, conditions: LeagueInfo) -> Terms:
    """Return the terms of a division now; games under other terms do not count."""
    common = (getattr(conditions, key) for key in _COMMON_TERMS)
    return (conditions.variants[division.variant], *common)


class Tally:
    """The fixtures of earlier epochs under the same terms.

    A strike takes time for the fixtures of the struck bots alone.
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

    def add(self, fixtures: list[Fixture], newcomer: str | None, joining: int) -> None:
        """Add the fixtures of a block; those of a newcomer count as so many joining blocks."""
        for fixture in fixtures:
            for bot in fixture.seats:
                self._of_bot[bot].append(fixture)
        counting = self.counting(fixtures)
        self.met.update(chain.from_iterable(fixture.seats for fixture in counting))
        self.joining = self.joining + joining if joining else 0
        if newcomer is not None:
            self.joined[newcomer] += 1

    def leave_out(self, fixture: Fixture) -> None:
        """Take a fixture out that was added."""
        if self.counts(fixture):
            self.met.subtract(fixture.seats)
        self._left_out.add(fixture.id)

    def strike(self, struck: frozenset[str]) -> None:
        """Set the struck bots, in place of those before: their fixtures do not count."""
        differing = chain.from_iterable(self._of_bot[bot] for bot in self._struck ^ struck)
        by_id = {fixture.id: fixture for fixture in differing if fixture.id not in self._left_out}
        concerned = list(by_id.values())
        before = self.counting(concerned)
        self._struck = struck
        self.met.subtract(chain.from_iterable(fixture.seats for fixture in before))
        after = self.counting(concerned)
        self.met.update(chain.from_iterable(fixture.seats for fixture in after))

    def counting(self, fixtures: list[Fixture]) -> list[Fixture]:
        """Return the fixtures without those of struck bots."""
        if not self._struck:
            return fixtures
        return [fixture for fixture in fixtures if self.counts(fixture)]

    def counts(self, fixture: Fixture) -> bool:
        """Tell whether no bot of a fixture is struck."""
        return self._struck.isdisjoint(fixture.seats)
