"""From a league.yaml to the conditions that its games are played under, stored before the first."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import UNSET, Struct
from msgspec.structs import asdict, replace

from arena import __version__
from arena.errors import ArenaError
from arena.league.config import League
from arena.league.host import this_machine
from arena.league.master_seed import master_seed
from arena.league.schedule import Schedule, divisions, has_same_terms, terms_of
from arena.perudo.round_limit import ROUNDS_PER_DIE
from arena.records import Epoch, LeagueInfo, MachineInfo
from arena.seeds import commitment
from arena.store.store import Store

_DECISIVE = (
    *("players", "games", "rounds", "until"),
    *("limits", "sandbox", "memory_across_fixtures", "shared_dice"),
)
"""What decides which games are played and how, besides bots and variants."""
_HARMLESS = ("name", "ratings", "arena_version")
"""What decides no game."""
_SHOWN = 6
"""How many changes of a kind are named."""
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
    trusted: bool = False,
    machine: Callable[[], MachineInfo] = this_machine,
) -> Resolution:
    """Compare a league with its store, and write nothing yet; a seed or its salt may be drawn.

    With `trusted` bots a seed needs no salt. Raises ArenaError for changes that decide games and
    are not accepted, or cannot be.
    """
    stored, seed = store.league, master_seed(league, store, trusted=trusted)
    conditions = conditions_of(league, sandbox, seed)
    if stored is None:
        return Resolution(Schedule(replace(conditions, machine=machine())), None)
    conditions = _as_begun(conditions, stored, league)
    what = _decisive_changes(stored, conditions)
    harmless = ", ".join(_value_changes(stored, conditions, _HARMLESS))
    if not (finished := store.finished()):
        what = ", ".join(filter(None, (what, "another seed" if seed != stored.seed else "")))
        change = f"{what}: nothing was played before" if what else ""
        return Resolution(Schedule(conditions), stored, change, harmless)
    if not what:
        conditions = replace(conditions, earlier=stored.earlier)
        return Resolution(Schedule(conditions), stored, "", harmless)
    would = "" if accept else "would "
    schedule, effect = _next_schedule(stored, conditions, finished, would)
    change = f"{what}: {effect}"
    if not accept:
        raise ArenaError(
            f"the league changed: {change}",
            str(league.path),
            "continue with --accept-changes, which keeps every game in the store; "
            f"or undo the change, or start over with another --store than {store.path}",
        )
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
        limits=league.limits.complete(league.games),
        sandbox=sandbox,
        seed=seed,
        commitment=commitment(seed),
        arena_version=__version__,
        memory_across_fixtures=league.memory_across_fixtures,
        until=league.until,
        shared_dice=league.shared_dice,
        rounds_per_die=ROUNDS_PER_DIE,
        ratings=league.ratings,
    )


def _as_begun(now: LeagueInfo, stored: LeagueInfo, league: League) -> LeagueInfo:
    """Return conditions with the machine that a league began on, and without limits newer than it.

    A limit that league.yaml names is in force.
    """
    now = replace(now, machine=stored.machine, rounds_per_die=stored.rounds_per_die)
    return now if stored.limits.fixture else replace(now, limits=league.limits)


def _next_schedule(
    stored: LeagueInfo, now: LeagueInfo, finished: set[str], would: str
) -> tuple[Schedule, str]:
    """Return the schedule under changed conditions, and what that does to stored fixtures."""
    schedule = Schedule(stored)
    counted = _counting(schedule, finished)
    schedule.change(_next_epoch(schedule, now, finished))
    return schedule, _effect(counted, _counting(schedule, finished), would)


def _next_epoch(before: Schedule, now: LeagueInfo, finished: set[str]) -> LeagueInfo:
    """Return the conditions with all earlier ones as epochs, each with terms of its own."""
    stored = before.conditions
    old = terms_of(stored)
    earlier = [
        replace(epoch, terms=epoch.terms or old, **_seed(epoch if epoch.seed else stored))
        for epoch in stored.earlier
    ]
    kept = _kept_blocks(before, now, finished)
    ended = Epoch(stored.bots, stored.rounds, kept, old, **_seed(stored))
    return replace(now, earlier=(*earlier, ended))


def _seed(of: LeagueInfo | Epoch) -> dict[str, str]:
    return {"seed": of.seed, "commitment": of.commitment}


def _kept_blocks(before: Schedule, now: LeagueInfo, finished: set[str]) -> tuple[int, ...]:
    """Return how many blocks of each division stay in the schedule: those that were begun.

    All, if it goes on and the number of rounds is fixed: everyone still meets everyone as often.
    """
    stored = before.conditions
    fixed = stored.until is None and now.until is None
    fixed = fixed and (stored.bots != now.bots or stored.rounds == now.rounds)
    kept: list[int] = []
    for division, blocks in before.blocks.items():
        if fixed and division in divisions(now) and has_same_terms(division, stored, now):
            kept.append(len(blocks))
        else:
            ids = ({one.id for one in block} for block in blocks)
            kept.append(max((n for n, block in enumerate(ids, 1) if block & finished), default=0))
    return tuple(kept)


def _decisive_changes(before: LeagueInfo, now: LeagueInfo) -> str:
    """Name what changed that decides games, from what to what, or return ""."""
    parts = [_shortened([*find(before, now)]) for find in (_bot_changes, _variant_changes)]
    # Rounds that were not given follow the number of bots.
    default = all(one.rounds == len(one.bots) - 1 for one in (before, now))
    keys = [key for key in _DECISIVE if key != "rounds" or not default]
    before, now = _without_default(before), _without_default(now)
    return ", ".join(filter(None, [*parts, *_value_changes(before, now, keys)]))


def _without_default(info: LeagueInfo) -> LeagueInfo:
    """Return conditions without a limit that follows from the others."""
    given = replace(info.limits, fixture=UNSET)
    return replace(info, limits=given) if given.complete(info.games) == info.limits else info


def _counting(schedule: Schedule, stored: set[str]) -> set[str]:
    return {fixture.id for fixture in schedule.fixtures} & stored


def _effect(counted: set[str], counting: set[str], would: str) -> str:
    """Say what a change does to stored fixtures that counted; `would ` if it is not done yet."""
    lost, back = len(counted - counting), len(counting - counted)
    parts = [f"{lost} of {len(counted)} stored fixtures {would}no longer count"] if lost else []
    if counted and not lost:
        parts.append(f"all {len(counted)} stored fixtures {would}still count")
    parts += [f"{back} {would}count again"] if back else []
    return ", ".join(parts) or "no stored fixture counts"


def _bot_changes(before: LeagueInfo, now: LeagueInfo) -> Iterator[str]:
    old = {bot.name: bot for bot in before.bots}
    new = {bot.name: bot for bot in now.bots}
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            yield f"'{name}' joined"
        elif name not in new:
            yield f"'{name}' left"
        elif old[name] != new[name]:
            digests = f"{new[name].digest[:_DIGITS]}, not {old[name].digest[:_DIGITS]}"
            yield f"'{name}' has other files ({digests})"


def _variant_changes(before: LeagueInfo, now: LeagueInfo) -> Iterator[str]:
    old, new = before.variants, now.variants
    for label in dict.fromkeys([*old, *new]):
        if label not in old:
            yield f"variant '{label}' joined"
        elif label not in new:
            yield f"variant '{label}' left"
        else:
            yield from _differences(f"variant '{label}': ", asdict(old[label]), asdict(new[label]))
    if set(old) == set(new) and list(old) != list(new):
        yield f"variants is {_shown(tuple(new))}, not {_shown(tuple(old))}"


def _value_changes(before: LeagueInfo, now: LeagueInfo, keys: Sequence[str]) -> Iterator[str]:
    old, new = ({key: getattr(one, key) for key in keys} for one in (before, now))
    return _differences("", old, new)


def _differences(
    prefix: str, old: Mapping[str, object], new: Mapping[str, object]
) -> Iterator[str]:
    """Name values that differ as league.yaml does: limits.answer and so on."""
    for key, value in new.items():
        before = old[key]
        if isinstance(before, Struct) and isinstance(value, Struct):
            yield from _differences(f"{prefix}{key}.", asdict(before), asdict(value))
        elif value != before:
            yield f"{prefix}{key} is {_shown(value)}, not {_shown(before)}"


def _shown(value: object) -> str:
    """Return a value as one would write it in league.yaml."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    if value is None or value is UNSET or isinstance(value, bool):
        return str(value).lower() if isinstance(value, bool) else "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shortened(parts: list[str]) -> str:
    more = [f"and {len(parts) - _SHOWN} more"] if len(parts) > _SHOWN else []
    return ", ".join([*parts[:_SHOWN], *more])
