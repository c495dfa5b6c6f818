"""From a league as it was read to the conditions its games are played under."""

import secrets

from msgspec.structs import asdict

from arena import __version__
from arena.errors import ArenaError
from arena.league.config import League
from arena.perudo.seeds import commitment
from arena.records import LeagueInfo
from arena.store.store import Store


def begin(league: League, sandbox: str, store: Store) -> LeagueInfo:
    """Return the conditions in force, stored before the first game.

    A league without a seed draws a secret one, once. Raises ArenaError where the store holds games
    of other conditions.
    """
    stored = store.league
    seed = league.seed or (stored.seed if stored else secrets.token_hex(16))
    info = conditions(league, sandbox, seed)
    if stored is None:
        store.begin(info)
    elif changed := _changed(stored, info):
        raise ArenaError(
            f"the league changed since its first game: {', '.join(changed)}",
            str(league.path),
            f"undo that, or start anew with another --store than {store.path}",
        )
    return info


def conditions(league: League, sandbox: str, seed: str) -> LeagueInfo:
    """Return the conditions of a league's games."""
    return LeagueInfo(
        name=league.name,
        variants=league.variants,
        bots=tuple(bot.info for bot in league.bots),
        players=league.players,
        games=league.games,
        limits=league.limits,
        sandbox=sandbox,
        seed=seed,
        commitment=commitment(seed),
        arena_version=__version__,
        memory_across_fixtures=league.memory_across_fixtures,
    )


def _changed(stored: LeagueInfo, now: LeagueInfo) -> list[str]:
    """Name what differs and decides games; a league's name and the arena's version do not."""
    before, after = asdict(stored), asdict(now)
    ignored = {"name", "arena_version", "commitment"}
    changed = [key for key in before if key not in ignored and before[key] != after[key]]
    if "bots" not in changed:
        return changed
    old = {bot.name: bot.digest for bot in stored.bots}
    new = {bot.name: bot.digest for bot in now.bots}
    names = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return [key for key in changed if key != "bots"] + [f"bot {name}" for name in names]
