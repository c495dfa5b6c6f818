"""From a league as it was read to the conditions its games are played under."""

import secrets
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from arena import __version__
from arena.errors import ArenaError
from arena.league.condition_changes import decisive, effect, harmless
from arena.league.config import League
from arena.league.host import this_machine
from arena.league.schedule import blocks_of, divisions, has_same_terms, terms
from arena.records import Division, Epoch, Fixture, LeagueInfo
from arena.seeds import commitment
from arena.store.store import Store

_DIGITS = 8
"""Digits of a hash that are enough to tell two apart."""


class Resolution(Struct, frozen=True):
    """The conditions that a league asks for now, beside those that a store holds."""

    info: LeagueInfo
    stored: LeagueInfo | None
    """What the store holds; None in a new one."""
    news: str = ""
    """What changed and decides games, and what that does to those that are stored."""
    aside: str = ""
    """What changed and decides no game."""


def begin(
    league: League,
    sandbox: str,
    store: Store,
    *,
    accept: bool = False,
    notify: Callable[[str], None] = lambda _: None,
) -> LeagueInfo:
    """Return the conditions in force, stored before the first game: `propose` and `settle`."""
    return commit(resolve(league, sandbox, store, accept=accept), store, notify)


def resolve(league: League, sandbox: str, store: Store, *, accept: bool = False) -> Resolution:
    """Compare a league with what a store holds, and write nothing yet.

    A league without a seed draws a secret one, once. Raises ArenaError where what decides games
    changed since the first of them and that is not accepted, or cannot be.
    """
    stored = store.league
    seed = league.seed or (stored.seed if stored else secrets.token_hex(16))
    info = conditions(league, sandbox, seed)
    if stored is None:
        return Resolution(replace(info, machine=this_machine()), None)
    info = replace(info, machine=stored.machine)
    aside = harmless(stored, info)
    finished = store.finished()
    what = decisive(stored, info)
    if not finished:
        what = ", ".join(filter(None, (what, "another seed" if seed != stored.seed else "")))
        return Resolution(info, stored, f"{what}: nothing was played before" if what else "", aside)
    _check_seed(stored, info, league, store)
    if not what:
        return Resolution(replace(info, earlier=stored.earlier), stored, "", aside)
    info = _next_stage(stored, info, finished)
    if not accept:
        raise ArenaError(
            f"the league changed: {what}: {effect(stored, info, finished, 'would ')}",
            str(league.path),
            "--accept-changes goes on, and keeps every game in the store; or undo the change, "
            f"or start anew with another --store than {store.path}",
        )
    return Resolution(info, stored, f"{what}: {effect(stored, info, finished)}", aside)


def commit(proposal: Resolution, store: Store, notify: Callable[[str], None]) -> LeagueInfo:
    """Store the conditions where they are new, and tell what changed; returns them."""
    info, stored = proposal.info, proposal.stored
    if stored is None:
        store.begin(info)
    elif proposal.news:
        store.change(info)
    if proposal.news:
        notify(f"the league changed: {proposal.news}")
    if proposal.aside:
        notify(f"changed since the league began, and decides no game: {proposal.aside}")
    return info


def conditions(league: League, sandbox: str, seed: str) -> LeagueInfo:
    """Return the conditions of a league's games."""
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
        digests = f"{now.commitment[:_DIGITS]}, not {stored.commitment[:_DIGITS]}"
        raise ArenaError(
            f"the master seed cannot change: its SHA-256 is {digests} as before the first game",
            str(league.path),
            "leave `seed` out to go on with the one in the store, "
            f"or start anew with another --store than {store.path}",
        )


def _next_stage(stored: LeagueInfo, now: LeagueInfo, finished: set[str]) -> LeagueInfo:
    """Return the conditions with those before as stages, each with terms of its own."""
    old = terms(stored)
    before = [replace(stage, terms=stage.terms or old) for stage in stored.earlier]
    ended = Epoch(stored.bots, stored.rounds, _kept(stored, now, finished), old)
    return replace(now, earlier=(*before, ended))


def _kept(stored: LeagueInfo, now: LeagueInfo, finished: set[str]) -> tuple[int, ...]:
    """Return how many blocks of each kind stay in the schedule.

    All where the kind goes on and the number of rounds is fixed, so that everyone still meets
    everyone as often; else those that were begun.
    """
    fixed = stored.until is None and now.until is None
    fixed = fixed and (stored.bots != now.bots or stored.rounds == now.rounds)
    return tuple(
        len(blocks) if fixed and _goes_on(kind, stored, now) else _begun(blocks, finished)
        for kind, blocks in blocks_of(stored).items()
    )


def _goes_on(kind: Division, stored: LeagueInfo, now: LeagueInfo) -> bool:
    return kind in divisions(now) and has_same_terms(kind, stored, now)


def _begun(blocks: list[list[Fixture]], finished: set[str]) -> int:
    """Return the number of the last block of which something was played, from 1."""
    begun = (any(one.id in finished for one in block) for block in blocks)
    return max((number for number, is_begun in enumerate(begun, 1) if is_begun), default=0)
