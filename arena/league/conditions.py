"""From a league.yaml to the conditions that its games are played under, stored before the first."""

import secrets
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from arena import __version__
from arena.errors import ArenaError
from arena.league.condition_changes import decisive_changes, effect_on_store, harmless_changes
from arena.league.config import League
from arena.league.host import this_machine
from arena.league.schedule import Schedule, divisions, has_same_terms, terms_of
from arena.records import Division, Epoch, Fixture, LeagueInfo, MachineInfo
from arena.seeds import commitment
from arena.store.store import Store

_DIGITS = 8
"""Digits of a hash that are enough to distinguish two."""


class Resolution(Struct, frozen=True):
    """The conditions that a league asks for now, compared with those in its store."""

    schedule: Schedule
    """Drawn from the conditions that will be in force."""
    stored: LeagueInfo | None
    """The conditions in the store; None in a new one."""
    change: str = ""
    """What changed that decides games, and what that does to the stored ones."""
    harmless: str = ""
    """What changed that decides no game."""


def resolve(
    league: League,
    sandbox: str,
    store: Store,
    *,
    accept: bool = False,
    machine: Callable[[], MachineInfo] = this_machine,
) -> Resolution:
    """Compare a league with its store, and write nothing yet.

    A league without a seed gets a secret random one, once. Raises ArenaError if anything that
    decides games changed after the first of them and that is not accepted, or cannot be.
    """
    stored = store.league
    seed = league.seed or (stored.seed if stored else secrets.token_hex(16))
    conditions = conditions_of(league, sandbox, seed)
    if stored is None:
        return Resolution(Schedule(replace(conditions, machine=machine())), None)
    conditions = replace(conditions, machine=stored.machine)
    harmless = harmless_changes(stored, conditions)
    finished = store.finished()
    what = decisive_changes(stored, conditions)
    if not finished:
        what = ", ".join(filter(None, (what, "another seed" if seed != stored.seed else "")))
        change = f"{what}: nothing was played before" if what else ""
        return Resolution(Schedule(conditions), stored, change, harmless)
    _check_seed(stored, conditions, league, store)
    if not what:
        schedule = Schedule(replace(conditions, earlier=stored.earlier))
        return Resolution(schedule, stored, "", harmless)
    before = Schedule(stored)
    schedule = Schedule(_next_epoch(before, conditions, finished))
    if not accept:
        raise ArenaError(
            f"the league changed: {what}: {effect_on_store(before, schedule, finished, 'would ')}",
            str(league.path),
            "--accept-changes goes on, and keeps every game in the store; or undo the change, "
            f"or start anew with another --store than {store.path}",
        )
    change = f"{what}: {effect_on_store(before, schedule, finished)}"
    return Resolution(schedule, stored, change, harmless)


def commit(resolution: Resolution, store: Store, notify: Callable[[str], None]) -> None:
    """Store the conditions if they are new, and say what changed."""
    conditions = resolution.schedule.conditions
    if resolution.stored is None:
        store.begin(conditions)
    elif resolution.change:
        store.change(conditions)
        notify(f"the league changed: {resolution.change}")
    if resolution.harmless:
        notify(f"changed since the league began, and decides no game: {resolution.harmless}")


def conditions_of(league: League, sandbox: str, seed: str) -> LeagueInfo:
    """Return the conditions of a league's games, without earlier epochs."""
    return LeagueInfo(
        name=league.name,
        variants=league.variants,
        bots=tuple(bot.info for bot in league.bots),
        players=league.players,
        games=league.games,
        rounds=league.rounds or len(league.bots) - 1,
        limits=league.limits,
        sandbox=sandbox,
        seed=seed,
        commitment=commitment(seed),
        arena_version=__version__,
        memory_across_fixtures=league.memory_across_fixtures,
        until=league.until,
        shared_dice=league.shared_dice,
        ratings=league.ratings,
    )


def _check_seed(stored: LeagueInfo, now: LeagueInfo, league: League, store: Store) -> None:
    """Refuse another seed: its hash was published, so that nobody can pick dice."""
    if now.seed != stored.seed:
        hashes = f"{now.commitment[:_DIGITS]}, not {stored.commitment[:_DIGITS]}"
        raise ArenaError(
            f"the master seed cannot change: its SHA-256 is {hashes} as before the first game",
            str(league.path),
            "leave `seed` out to go on with the one in the store, "
            f"or start anew with another --store than {store.path}",
        )


def _next_epoch(before: Schedule, now: LeagueInfo, finished: set[str]) -> LeagueInfo:
    """Return the conditions with all earlier ones as epochs, each with terms of its own."""
    stored = before.conditions
    old = terms_of(stored)
    earlier = [replace(epoch, terms=epoch.terms or old) for epoch in stored.earlier]
    ended = Epoch(stored.bots, stored.rounds, _kept_blocks(before, now, finished), old)
    return replace(now, earlier=(*earlier, ended))


def _kept_blocks(before: Schedule, now: LeagueInfo, finished: set[str]) -> tuple[int, ...]:
    """Return how many blocks of each division stay in the schedule.

    All if the division goes on and the number of rounds is fixed, so that everyone still meets
    everyone as often; else those that were begun.
    """
    stored = before.conditions
    fixed = stored.until is None and now.until is None
    fixed = fixed and (stored.bots != now.bots or stored.rounds == now.rounds)
    return tuple(
        len(blocks) if fixed and _goes_on(division, stored, now) else _begun(blocks, finished)
        for division, blocks in before.blocks.items()
    )


def _goes_on(division: Division, stored: LeagueInfo, now: LeagueInfo) -> bool:
    return division in divisions(now) and has_same_terms(division, stored, now)


def _begun(blocks: list[list[Fixture]], finished: set[str]) -> int:
    """Return the number of the last block of which something was played, from 1."""
    begun = (any(one.id in finished for one in block) for block in blocks)
    return max((number for number, is_begun in enumerate(begun, 1) if is_begun), default=0)
