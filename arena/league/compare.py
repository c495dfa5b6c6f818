"""Two versions of a bot against one field: the same tables, the same seats, the same dice."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from arena.errors import ArenaError
from arena.league.block_design import joining_blocks
from arena.league.runner import OnResult, run
from arena.league.workers import Processes
from arena.ratings.paired import Paired, paired
from arena.records import Fixture, FixtureResult, LeagueInfo, QuarantinedFixture
from arena.sandboxes.base import Sandbox
from arena.seeds import block_seed, fixture_seed
from arena.store.rows import Packed
from arena.submissions.bot import StagedBot

OLD, NEW = "old", "new"
"""What the two versions are called at their tables."""


class Comparison(Struct, frozen=True):
    """What came of it; games and faults are those of each version."""

    games: int
    mean_place: Paired
    win_share: Paired
    better: float
    """The probability that the new version has the better mean place."""
    faults: dict[str, int]


class _Block(Struct):
    """What one version did in a block."""

    games: int = 0
    places: int = 0
    wins: int = 0
    faults: int = 0


def in_field(name: str) -> str:
    """Return what a bot of the field is called at a table: nobody's name is OLD or NEW."""
    return f"field/{name}"


def comparison_fixtures(info: LeagueInfo) -> list[Fixture]:
    """Return the fixtures of both versions against the field `info.bots`, pair after pair.

    A pair shares dice, seats and the seeds of the bots, so two equal versions play equal games; no
    two pairs share dice. In each of the `info.rounds` blocks a version meets every bot of the field
    as often.
    """
    [variant], [players] = info.variants, info.players
    names = [in_field(bot.name) for bot in info.bots]
    fixtures: list[Fixture] = []
    for block, tables in enumerate(joining_blocks(len(names), players, info.rounds, info.seed)):
        for table in tables:
            pair = f"{len(fixtures)}"
            keys = fixture_seed(info.seed, pair), block_seed(info.seed, pair)
            for version in (OLD, NEW):
                seats = tuple([*names, version][bot] for bot in table)
                index = len(fixtures)
                one = Fixture(
                    f"{version}/{pair}", index, variant, seats, keys[0], info.games, block, keys[1]
                )
                fixtures.append(one)
    return fixtures


def compare(
    info: LeagueInfo,
    bots: Mapping[str, StagedBot],
    sandbox: Sandbox,
    progress: OnResult,
    *,
    workers: int,
    notify: Callable[[], None],
) -> Comparison | None:
    """Play the gauntlet, with bots named as at its tables; returns None where Ctrl-C came first."""
    fixtures = comparison_fixtures(info)
    blocks = {version: [_Block() for _ in range(info.rounds)] for version in (OLD, NEW)}
    played: set[str] = set()

    def keep(_: Packed, one: FixtureResult) -> None:
        version = NEW if NEW in one.fixture.seats else OLD
        _count(blocks[version][one.fixture.block], one, one.fixture.seats.index(version))
        played.add(one.fixture.id)

    def due() -> list[Fixture]:
        return [one for one in fixtures if one.id not in played]

    engine = Processes(sandbox, workers)
    if not run(info, due, bots, engine, keep, _refuse, progress, notify=notify):
        return None
    return _compared(blocks)


def _refuse(one: QuarantinedFixture) -> None:
    """End a comparison that cannot be whole: without a table, its twin counts for nothing."""
    raise ArenaError(
        f"{one.deaths} workers died while they played one fixture",
        f"fixture {one.fixture.id}: {', '.join(one.fixture.seats)}",
        "free some memory and run again",
    )


def _count(block: _Block, one: FixtureResult, seat: int) -> None:
    for game in one.games:
        block.games += 1
        block.places += game.places[seat]
        block.wins += game.places[seat] == 1
        block.faults += game.faults[seat] is not None


def _compared(blocks: Mapping[str, Sequence[_Block]]) -> Comparison:
    places, wins = (
        paired(*([getattr(b, figure) / b.games for b in blocks[v]] for v in (OLD, NEW)))
        for figure in ("places", "wins")
    )
    return Comparison(
        games=sum(block.games for block in blocks[NEW]),
        mean_place=places,
        win_share=wins,
        better=1 - places.above,
        faults={version: sum(block.faults for block in blocks[version]) for version in blocks},
    )
