"""Two versions of a bot against the same field: the same tables, the same seats, the same dice."""

from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from itertools import product
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena import __version__
from arena.author.compare.behaviour import (
    NEW,
    OLD,
    VERSIONS,
    Behaviour,
    compare_behaviour,
    in_field,
)
from arena.author.compare.result import Comparison, ComparisonGames, Until, check_models
from arena.bots.bot import Bot
from arena.bots.builds.staging import user_builds
from arena.bots.manifest import find_bot, find_bots
from arena.bots.models.gateway import Access
from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sandboxes.registry import AUTO
from arena.bots.workshop import open_workshop, sandbox_for
from arena.game.records import Conditions, Fixture, LimitsInfo
from arena.game.rules.books import Rules
from arena.game.rules.round import ROUNDS_PER_DIE, max_rounds
from arena.game.seeds import block_seed, commitment, fixture_seed
from arena.io.cores import core_count
from arena.io.errors import ArenaError
from arena.league.play.dispatcher import RunListener, play_due
from arena.league.play.process_pool import ProcessEngine
from arena.league.schedule.block_design import joining_blocks
from arena.league.schedule.schedule import divisions
from arena.league.table.preparation import prepare, without_failing_samples
from arena.league.terms.config import load_league
from arena.league.terms.house import rules_named
from arena.league.terms.master_seed import choose, describe


class CompareRequest(Struct, frozen=True):
    """Which versions to compare, and how; relative patterns start at the working directory."""

    old: str
    """A bot's folder or archive, or `sample:NAME`."""
    new: str
    field: tuple[str, ...] = ()
    """Patterns of the bots that both play; without any, the sample bots that run here."""
    blocks: int = 20
    """How often each version meets the field; with `until`, at most."""
    until: Until | None = None
    """When to stop before that; None plays all blocks."""
    games: int = 10
    """Games per fixture."""
    players: tuple[int, ...] = (2,)
    variants: tuple[str, ...] = ("bga",)
    """Every table size is played under each of them."""
    calza: bool = False
    seed: str | None = None
    """The one that a comparison printed plays the same games; None draws one."""
    workers: int | None = None
    """None stands for one per core."""
    sandbox: str | None = None
    limits: LimitsInfo = LimitsInfo()
    trust_bots: bool = False
    packages: bool = False
    """Whether the Python packages that bots ask for are installed."""
    models: Path | None = None
    """The league.yaml whose language models bots may ask."""


def compare(request: CompareRequest, listener: RunListener | None = None) -> Comparison | None:
    """Play both versions against the field; returns None if that was stopped before its end.

    Raises ArenaError if a bot is not found or does not start, or the sandbox does not work.
    """
    listener = listener or RunListener()
    versions = [
        find_bot(pattern, Path.cwd(), where)
        for pattern, where in ((request.old, "OLD"), (request.new, "NEW"))
    ]
    field = _field(request.field, max(request.players))
    models = load_league(request.models).models if request.models else {}
    check_models(models, [*versions, *field])
    sandbox, field = _in_sandbox(request, versions, field, listener)
    bots = [*versions, *field]
    seed = choose(request.seed, bots, trusted=request.trust_bots)
    conditions = Conditions(
        name=f"{request.old} and {request.new}",
        variants={rules.name: rules for rules in _rules(request)},
        bots=tuple(bot.info for bot in field),
        players=tuple(dict.fromkeys(request.players)),
        games=request.games,
        blocks=request.blocks,
        limits=request.limits.complete(request.games),
        sandbox=sandbox.name,
        seed=seed,
        commitment=commitment(seed),
        arena_version=__version__,
        rounds_per_die=ROUNDS_PER_DIE,
    )
    listener.started(conditions)
    listener.note(describe(seed, request.seed, bots))
    games = ComparisonGames(conditions, comparison_fixtures(conditions), request.until)
    rules = next(iter(conditions.variants.values()))
    names = [OLD, NEW, *(in_field(bot.name) for bot in field)]
    with open_workshop(sandbox, packages=request.packages, builds=user_builds()) as workshop:
        staged = prepare(workshop, bots, rules, conditions.limits)
        shared = workshop.folder / "models"
        access = Access(models, str(shared), journals=str(shared / "journals"))
        engine = ProcessEngine(sandbox, request.workers or core_count(), models=access)
        at_table = dict(zip(names, staged, strict=True))
        with listener.progress(len(games.fixtures)) as on_result:
            finished = play_due(conditions, at_table, engine, games, listener, on_result)
        if not finished:
            return None
        programs = at_table[OLD].program, at_table[NEW].program
        if any(program.models for program in programs):
            listener.note("what the versions decide is not compared: their models cost money")
            return games.comparison()
        behaviour = _behaviour(games, programs, engine, sandbox, listener)
    return replace(games.comparison(), behaviour=behaviour)


def comparison_fixtures(conditions: Conditions) -> list[Fixture]:
    """Return the fixtures of both versions against the field, pair after pair.

    A pair shares dice, seats and the seeds of the bots, so two equal versions play equal games; no
    two pairs share dice. In each block of a division a version meets every bot of the field equally
    often. The divisions are played side by side, block by block.
    """
    names = [in_field(bot.name) for bot in conditions.bots]
    seed, blocks = conditions.seed, conditions.blocks
    designs = {
        players: joining_blocks(len(names), players, blocks, seed) for players in conditions.players
    }
    fixtures: list[Fixture] = []
    for block, division in product(range(blocks), divisions(conditions)):
        limit = max_rounds(conditions.variants[division.variant], division.players)
        for table in designs[division.players][block]:
            pair = f"{len(fixtures)}"
            bots_seed, dice = fixture_seed(seed, pair), block_seed(seed, pair)
            for version in VERSIONS:
                fixture = Fixture(
                    id=f"{version}/{pair}",
                    index=len(fixtures),
                    variant=division.variant,
                    seats=tuple([*names, version][bot] for bot in table),
                    seed=bots_seed,
                    games=conditions.games,
                    block=block,
                    dice=dice,
                    max_rounds=limit,
                )
                fixtures.append(fixture)
    return fixtures


def _behaviour(
    games: ComparisonGames,
    programs: Sequence[Program],
    engine: ProcessEngine,
    sandbox: Sandbox,
    listener: RunListener,
) -> Behaviour | None:
    """Compare what the versions decide; None, and a note, if that did not come to its end."""
    tables = games.sample.drawn()
    listener.note(f"asking both versions again what they decide at {len(tables)} of the tables")
    try:
        return compare_behaviour(games.conditions, tables, programs, engine, sandbox, listener.note)
    except KeyboardInterrupt:
        listener.note("stopped: the behaviour of the versions is not compared")
    except BrokenExecutor:
        listener.note("a worker died: the behaviour of the versions is not compared")
    return None


def _field(patterns: Sequence[str], players: int) -> tuple[Bot, ...]:
    bots = find_bots([(pattern, "--against") for pattern in patterns or ("sample:*",)], Path.cwd())
    if not patterns:
        bots = tuple(bot for bot in bots if not bot.missing_program)
    if len(bots) < players - 1:
        what = f"{len(bots)} bots in the field are too few for tables of {players}"
        raise ArenaError(what, "--against", "name more, or fewer --players")
    return bots


def _rules(request: CompareRequest) -> list[Rules]:
    return [rules_named(name, calza=request.calza or None) for name in request.variants]


def _in_sandbox(
    request: CompareRequest, versions: Sequence[Bot], field: tuple[Bot, ...], listener: RunListener
) -> tuple[Sandbox, tuple[Bot, ...]]:
    """Return the sandbox, and the field that runs there if the request does not name one."""
    bots = [*versions, *field]
    sandbox = sandbox_for(bots, request.sandbox or AUTO, trusted=request.trust_bots)
    if not request.field:
        rules, *_ = _rules(request)
        field = without_failing_samples(field, rules, sandbox, request.limits, listener.note)
    return sandbox, field
