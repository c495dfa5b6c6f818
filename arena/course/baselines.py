"""Games against the baselines: at which tables, how many, and what is played next.

The tables follow from the seed and the two bots alone. A block is two tables, with each bot in
either seat. All hand-ins meet a baseline on the same dice, with the same seeds for the bots' own
chances, so copies play the same games. Nothing depends on another student. How many games a bot
plays follows from its own complete blocks, so the same results lead to the same games.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256
from math import ceil

import msgspec
from msgspec import Struct

from arena.course.lock import GradingTerms
from arena.course.points import Part, total_of
from arena.game.records import BotInfo, Conditions, Fixture, FixtureResult, QuarantinedFixture
from arena.game.rules.round import ROUNDS_PER_DIE, max_rounds
from arena.game.seeds import commitment, fixture_seed
from arena.league.store.rows import PackedFixture
from arena.league.store.store import Store
from arena.ratings.maths.intervals import Z95

GAMES = 40
"""Games at a table."""
SEATS = 2
PER_BLOCK = GAMES * SEATS
_NAME = 16
"""Digits of its digest that name a hand-in at a table; a baseline has its own name there."""
_PLACE = 22
"""Bits of an id that are cut off for its place in the store: SQLite's numbers have 63."""
FIRST = 4
"""Blocks against each baseline before the width of the interval is looked at."""
FOR_BASELINES = 0.9
"""The baselines' part of the precision, if there is a field: its square and the field's make 1."""
_GROWTH = 1.6
"""The most by which the number of blocks is multiplied from one look to the next."""
_LEAST_GAIN = 0.02
"""The least gain in win share from no points to all that is reckoned with."""
_WORTHWHILE = 0.25
"""A baseline gets more games if its variance is at least this part of the largest one."""
Blocks = Mapping[str, Sequence[int]]
"""How many games a bot won in each block, by the name of the baseline."""
Decide = Callable[[Blocks], Mapping[str, int]]
"""Says how many blocks a bot plays against each baseline, given those that are complete."""


class Pairing(Struct, frozen=True):
    """A bot and the baseline that it meets."""

    bot: str
    """The digest of the bot."""
    name: str
    """The name of the baseline in course.yaml."""
    baseline: str
    """The digest of the baseline."""


def name_of(digest: str) -> str:
    """Return the name of a hand-in at a table, given its digest."""
    return digest[:_NAME]


def block(terms: GradingTerms, pairing: Pairing, number: int) -> tuple[Fixture, ...]:
    """Return the tables of one block: the bot sits in the first seat, then in the second."""
    names = name_of(pairing.bot), pairing.name
    tables = []
    for seat in range(SEATS):
        decisive = [terms.rules, terms.limits, terms.sandbox, GAMES, pairing, number, seat]
        id_ = sha256(terms.seed.encode() + msgspec.json.encode(decisive)).hexdigest()[:16]
        table = Fixture(
            id=id_,
            index=int(id_, 16) >> _PLACE,
            variant=terms.rules.name,
            seats=names if seat == 0 else names[::-1],
            seed=fixture_seed(terms.seed, f"{pairing.baseline}/{number}/{seat}"),
            games=GAMES,
            block=number,
            max_rounds=max_rounds(terms.rules, SEATS),
        )
        tables.append(table)
    return tuple(tables)


def wins(pairing: Pairing, result: FixtureResult) -> int:
    """Return how many games of a table the bot of a pairing won."""
    seat = result.fixture.seats.index(name_of(pairing.bot))
    return sum(game.places[seat] == 1 for game in result.games)


def conditions(terms: GradingTerms, bots: Sequence[BotInfo], name: str) -> Conditions:
    """Return the conditions of the store with the games of a course against its baselines."""
    return Conditions(
        name=name,
        variants={terms.rules.name: terms.rules},
        bots=tuple(sorted(bots, key=lambda bot: bot.name)),
        players=(SEATS,),
        games=GAMES,
        blocks=0,
        limits=terms.limits.complete(GAMES),
        sandbox=terms.sandbox,
        seed=terms.seed,
        commitment=commitment(terms.seed),
        arena_version=terms.arena,
        shared_dice=False,
        rounds_per_die=ROUNDS_PER_DIE,
    )


def target(precision: float, field: float) -> float:
    """Return the half-width that the interval of all points against baselines may have."""
    return precision * FOR_BASELINES if field else precision


def more_blocks(
    blocks: Mapping[str, int], parts: Mapping[str, Part], wanted: float, most: int
) -> dict[str, int]:
    """Return how many blocks to play against each baseline; `blocks` again if they are enough.

    `wanted` is the half-width that the sum of the parts may have, `most` the budget in blocks.
    """
    planned = dict(blocks)
    half = total_of(parts).half_width
    if half <= wanted:
        return planned
    factor = min(_GROWTH, 1.1 * (half / wanted) ** 2)
    spread = {
        name: max(part.below, part.above) ** 2
        for name, part in parts.items()
        if blocks[name] < most
    }
    widest = max(spread.values(), default=0.0)
    for name, square in spread.items():
        if widest and square >= _WORTHWHILE * widest:
            planned[name] = min(most, max(blocks[name] + 1, ceil(blocks[name] * factor)))
    return planned


def expected_blocks(
    points: Mapping[str, float],
    scales: Mapping[str, tuple[float, float]],
    wanted: float,
    most: int,
) -> int:
    """Return how many blocks a bot needs against each baseline if it gets half of the points.

    `points`, and `scales`, the shares that bring none and all of them, are by the name of the
    baseline; `wanted` is the half-width that the sum of the points may have, `most` the budget in
    blocks.
    """
    square = 0.0
    for name, of in points.items():
        none, best = scales[name]
        gain = max(best - none, _LEAST_GAIN)
        share = min(none + gain / 2, 1.0)
        square += (of / gain) ** 2 * share * (1.0 - share)
    needed = ceil(Z95**2 * square / wanted**2 / PER_BLOCK)
    return min(most, max(min(FIRST, most), needed))


class BaselineRecord:
    """The games against baselines that are stored."""

    def __init__(self, store: Store) -> None:
        self._results = {result.fixture.id: result for result in store.results()}

    def __contains__(self, id_: object) -> bool:
        return id_ in self._results

    def add(self, result: FixtureResult) -> None:
        """Take a table into account that was played."""
        self._results[result.fixture.id] = result

    def won(self, terms: GradingTerms, pairing: Pairing, most: int) -> list[int]:
        """Return the wins in each of the first `most` blocks, up to the first incomplete one."""
        won: list[int] = []
        for number in range(most):
            tables = [self._results.get(fixture.id) for fixture in block(terms, pairing, number)]
            if not all(tables):
                break
            won.append(sum(wins(pairing, table) for table in tables if table))
        return won


class BaselineGames:
    """What some bots still have to play against the baselines, decided bot by bot."""

    def __init__(
        self,
        store: Store,
        played: BaselineRecord,
        terms: GradingTerms,
        bots: Collection[str],
        decide: Decide,
        finished: Callable[[str, Blocks], None] = lambda _bot, _blocks: None,
    ) -> None:
        """Take the digests of the bots; `finished` is called for each that has played enough."""
        self._store = store
        self._played = played
        self._terms = terms
        self._decide = decide
        self._finished = finished
        self._plans: dict[str, Mapping[str, int]] = {bot: {} for bot in bots}
        self._blocks: dict[str, Blocks] = {bot: {} for bot in bots}
        self._left: dict[str, dict[str, Fixture]] = {bot: {} for bot in bots}
        self._owner: dict[str, str] = {}
        self.given_up: set[str] = set()
        """Bots that play no more, as one of their tables killed its workers."""

    @property
    def playing(self) -> Collection[str]:
        """The bots that have games left."""
        return self._left.keys()

    def expected_tables(self, expected: Callable[[Blocks], int]) -> int:
        """Return about how many tables are left: at least those that are due.

        `expected` returns how many blocks a bot plays in all, given those that are complete.
        """
        total = 0
        for bot, left in self._left.items():
            planned = SEATS * sum(self._plans[bot].values())
            played = planned - len(left)
            total += max(len(left), SEATS * expected(self._blocks[bot]) - played)
        return total

    def due(self) -> list[Fixture]:
        """Return the tables to be played now."""
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
        """Note a table that cannot be played; its bot plays no more."""
        self._store.quarantine(fixture)
        bot = self._owner[fixture.fixture.id]
        self.given_up.add(bot)
        self._left.pop(bot, None)

    def _plan(self, bot: str) -> None:
        """Plan what a bot plays after its planned blocks, or note that it has played enough."""
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
    """Return the pairing of a bot, given by its digest, and a baseline, given by its name."""
    return Pairing(bot, baseline, terms.baselines[baseline])


def blocks_of(
    played: BaselineRecord, terms: GradingTerms, bot: str, plan: Mapping[str, int]
) -> dict[str, list[int]]:
    """Return the wins of a bot in those blocks of a plan that are complete."""
    return {name: played.won(terms, pairing_of(terms, bot, name), plan[name]) for name in plan}


def final_blocks(
    played: BaselineRecord, terms: GradingTerms, bot: str, decide: Decide
) -> dict[str, list[int]]:
    """Return the wins in the blocks that `decide` asks for, as far as they are stored."""
    plan: Mapping[str, int] = {}
    while True:
        blocks = blocks_of(played, terms, bot, plan)
        wanted = decide(blocks)
        complete = all(len(blocks[name]) == plan[name] for name in plan)
        if wanted == plan or not complete:
            return blocks
        plan = wanted
