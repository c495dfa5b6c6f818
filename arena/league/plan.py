"""From a league as it was read to the conditions its games are played under."""

import secrets
from collections.abc import Callable

from msgspec.structs import asdict, replace

from arena import __version__
from arena.errors import ArenaError
from arena.league.config import League
from arena.league.machine import this_machine
from arena.league.schedule import blocks_of
from arena.perudo.seeds import commitment
from arena.records import Fixture, LeagueInfo, Stage
from arena.store.store import Store

_FREE = frozenset({"name", "arena_version", "commitment", "earlier", "ratings", "machine"})
"""What decides no game."""
_LASTING = frozenset({"bots", "rounds", "until"})
"""What decides which games are played, and may change while a league runs."""


def begin(
    league: League,
    sandbox: str,
    store: Store,
    *,
    drop: bool = False,
    notify: Callable[[str], None] = lambda _: None,
) -> LeagueInfo:
    """Return the conditions in force, stored before the first game.

    A league without a seed draws a secret one, once. Bots may come and go, and rounds be changed,
    which is told to `notify`; games that would no longer count need `drop`. Raises ArenaError where
    that is not given, and where the store holds games of other conditions.
    """
    stored = store.league
    seed = league.seed or (stored.seed if stored else secrets.token_hex(16))
    info = conditions(league, sandbox, seed)
    if stored is None:
        info = replace(info, machine=this_machine())
        store.begin(info)
        return info
    if changed := _changed(stored, info):
        raise ArenaError(
            f"the league changed since its first game: {', '.join(changed)}",
            str(league.path),
            f"undo that, or start anew with another --store than {store.path}",
        )
    info = replace(info, earlier=stored.earlier, machine=stored.machine)
    if all(getattr(info, key) == getattr(stored, key) for key in _LASTING):
        return info
    return _change(stored, info, store, league, drop=drop, notify=notify)


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


def _changed(stored: LeagueInfo, now: LeagueInfo) -> list[str]:
    """Name what differs and decides games, beyond what may change."""
    before, after = asdict(stored), asdict(now)
    ignored = _FREE | _LASTING
    return [key for key in before if key not in ignored and before[key] != after[key]]


def _change(
    stored: LeagueInfo,
    now: LeagueInfo,
    store: Store,
    league: League,
    *,
    drop: bool,
    notify: Callable[[str], None],
) -> LeagueInfo:
    """Begin a new stage; where nothing was played yet, the new field is the first."""
    finished = store.finished()
    ended = Stage(stored.bots, stored.rounds, _kept(stored, now, finished))
    info = replace(now, earlier=(*stored.earlier, ended) if finished else ())
    what = describe(stored, info)
    lost = _ids(stored) & finished - _ids(info)
    if lost and not drop:
        games = len(lost) * info.games
        raise ArenaError(
            f"the league changed: {what}: {games} stored games would count no more",
            str(league.path),
            "--drop-games accepts that, they stay in the store; or undo the change",
        )
    store.change(info)
    tail = f"; {len(lost) * info.games} stored games count no more" if lost else ""
    notify(f"the league changed: {what}{tail}")
    return info


def describe(before: LeagueInfo, now: LeagueInfo) -> str:
    """Name what changed between two stages of a league, in one line."""
    old = {bot.name: bot for bot in before.bots}
    new = {bot.name: bot for bot in now.bots}
    found = [f"'{name}' joined" for name in new.keys() - old.keys()]
    found += [f"'{name}' left" for name in old.keys() - new.keys()]
    both = old.keys() & new.keys()
    found += [f"'{name}' has other files" for name in both if old[name] != new[name]]
    if not found:
        pairs = ((key, getattr(before, key), getattr(now, key)) for key in ("rounds", "until"))
        found = [f"{key} is {after}, not {was}" for key, was, after in pairs if was != after]
    return ", ".join(sorted(found))


def _kept(stored: LeagueInfo, now: LeagueInfo, finished: set[str]) -> tuple[int, ...]:
    """Return how many blocks of each kind stay in the schedule.

    All where only the bots changed and the number of rounds is fixed, so that everyone still meets
    everyone as often; else those that were begun.
    """
    blocks = blocks_of(stored).values()
    if stored.bots != now.bots and stored.until is None and now.until is None:
        return tuple(map(len, blocks))
    return tuple(
        max((n for n, block in enumerate(kind, 1) if _begun(block, finished)), default=0)
        for kind in blocks
    )


def _begun(block: list[Fixture], finished: set[str]) -> bool:
    return any(fixture.id in finished for fixture in block)


def _ids(info: LeagueInfo) -> set[str]:
    return {one.id for kind in blocks_of(info).values() for block in kind for one in block}
