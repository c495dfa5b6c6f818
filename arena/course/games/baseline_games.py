"""Play against the baselines: a ledger of the runner that decides bot by bot what comes next."""

from collections.abc import Callable, Collection, Mapping, Sequence

from arena.course.games.tables import SEATS, Pairing, block, wins
from arena.course.lock import GradingTerms
from arena.game.records import Fixture, FixtureResult, QuarantinedFixture
from arena.league.store.format.rows import PackedFixture
from arena.league.store.store import Store

Blocks = Mapping[str, Sequence[int]]
"""By the name of the baseline: how many games the bot won in each block."""
Decide = Callable[[Blocks], Mapping[str, int]]
"""How many blocks of each baseline a bot plays, given those that are complete."""


class BaselineRecord:
    """The games against baselines that are stored."""

    def __init__(self, store: Store) -> None:
        self._results = {result.fixture.id: result for result in store.results()}

    def __contains__(self, id_: object) -> bool:
        return id_ in self._results

    def add(self, result: FixtureResult) -> None:
        """Take a table into account."""
        self._results[result.fixture.id] = result

    def won(self, terms: GradingTerms, pairing: Pairing, most: int) -> list[int]:
        """Return the games won in each of the first blocks that are complete, at most so many."""
        won: list[int] = []
        for number in range(most):
            tables = [self._results.get(fixture.id) for fixture in block(terms, pairing, number)]
            if not all(tables):
                break
            won.append(sum(wins(pairing, table) for table in tables if table))
        return won


class BaselineGames:
    """What is still to be played by some bots, each against every baseline."""

    def __init__(
        self,
        store: Store,
        played: BaselineRecord,
        terms: GradingTerms,
        bots: Collection[str],
        decide: Decide,
        finished: Callable[[str, Blocks], None] = lambda _bot, _blocks: None,
    ) -> None:
        """Play these bots, given by digest; `finished` hears who has played all of it."""
        self._store, self._played, self._terms = store, played, terms
        self._decide, self._finished = decide, finished
        self._plans: dict[str, Mapping[str, int]] = {bot: {} for bot in bots}
        self._blocks: dict[str, Blocks] = {bot: {} for bot in bots}
        self._left: dict[str, dict[str, Fixture]] = {bot: {} for bot in bots}
        self._owner: dict[str, str] = {}
        self.given_up: set[str] = set()
        """Bots of which a table killed its workers."""

    @property
    def playing(self) -> Collection[str]:
        """The bots that have games left."""
        return self._left.keys()

    def expected_tables(self, expected: Callable[[Blocks], int]) -> int:
        """Return how many tables are left, about: those that are due, or as many as are expected.

        `expected` says of a bot's complete blocks how many it plays in all.
        """
        total = 0
        for bot, left in self._left.items():
            planned = SEATS * sum(self._plans[bot].values())
            played = planned - len(left)
            total += max(len(left), SEATS * expected(self._blocks[bot]) - played)
        return total

    def due(self) -> list[Fixture]:
        """Return what is to be played now."""
        for bot, left in [*self._left.items()]:
            if not left:
                self._plan(bot)
        return [fixture for left in self._left.values() for fixture in left.values()]

    def keep(self, packed: Sequence[PackedFixture], results: Sequence[FixtureResult]) -> None:
        """Store tables that were played."""
        self._store.add(*packed)
        for result in results:
            self._played.add(result)
            if left := self._left.get(self._owner[result.fixture.id]):
                left.pop(result.fixture.id, None)

    def quarantine(self, fixture: QuarantinedFixture) -> None:
        """Play no more tables of a bot one of which cannot be played."""
        self._store.quarantine(fixture)
        bot = self._owner[fixture.fixture.id]
        self.given_up.add(bot)
        self._left.pop(bot, None)

    def _plan(self, bot: str) -> None:
        """Note what a bot plays next, as soon as all that was planned is complete."""
        while not self._left[bot]:
            blocks = blocks_of(self._played, self._terms, bot, self._plans[bot])
            plan = self._decide(blocks)
            if plan == self._plans[bot]:
                del self._left[bot]
                self._finished(bot, blocks)
                return
            self._plans[bot], self._blocks[bot] = plan, blocks
            self._left[bot] = {
                fixture.id: fixture
                for name, most in plan.items()
                for number in range(most)
                for fixture in block(self._terms, pairing_of(self._terms, bot, name), number)
                if fixture.id not in self._played
            }
            self._owner |= dict.fromkeys(self._left[bot], bot)


def pairing_of(terms: GradingTerms, bot: str, baseline: str) -> Pairing:
    """Return a bot, by digest, and a baseline, by name."""
    return Pairing(bot, baseline, terms.baselines[baseline])


def blocks_of(
    played: BaselineRecord, terms: GradingTerms, bot: str, plan: Mapping[str, int]
) -> dict[str, list[int]]:
    """Return how a bot did in the blocks of a plan that are complete."""
    return {name: played.won(terms, pairing_of(terms, bot, name), plan[name]) for name in plan}


def final_blocks(
    played: BaselineRecord, terms: GradingTerms, bot: str, decide: Decide
) -> dict[str, list[int]]:
    """Return the blocks that count of a bot, as far as they are stored: what `decide` asks for."""
    plan: Mapping[str, int] = {}
    while True:
        blocks = blocks_of(played, terms, bot, plan)
        wanted = decide(blocks)
        complete = all(len(blocks[name]) == plan[name] for name in plan)
        if wanted == plan or not complete:
            return blocks
        plan = wanted
