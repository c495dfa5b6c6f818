"""From a league.yaml to the conditions that its games are played under, stored before the first."""

import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import UNSET, Struct
from msgspec.structs import asdict, replace

from arena import __version__
from arena.game.records import (
    MODEL_SECONDS,
    BotInfo,
    Conditions,
    MachineInfo,
    PlayoffInfo,
)
from arena.game.rules.round import ROUNDS_PER_DIE
from arena.game.seeds import commitment
from arena.io.cores import core_count
from arena.io.errors import ArenaError, did_you_mean, first_of
from arena.league.changes import TERMS, Change, everyone, playing, version_name, version_of
from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.league.terms.config import League
from arena.league.terms.master_seed import master_seed
from arena.league.terms.stored_schedule import planned


def this_machine() -> MachineInfo:
    """Return the machine that this process runs on."""
    from importlib.metadata import version

    cpu_info = ""
    with suppress(OSError):
        cpu_info = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    return MachineInfo(
        processor=cpu_model(cpu_info) or platform.machine(),
        cores=core_count(),
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        numpy=version("numpy"),
    )


def cpu_model(cpu_info: str) -> str:
    """Return the model's name from the text of /proc/cpuinfo, or "" if it has none, as on ARM."""
    pairs = (line.partition(":") for line in cpu_info.splitlines())
    return next((value.strip() for key, _, value in pairs if key.strip() == "model name"), "")


_DIGITS = 8
"""Digits of a hash that are enough to distinguish two."""


class FieldChanges(Struct, frozen=True):
    """How a league's field of bots differs from the stored one."""

    names: dict[str, str]
    """The name in the league of each bot of league.yaml."""
    joined: tuple[BotInfo, ...]
    rested: tuple[str, ...]
    struck: tuple[str, ...]
    resumed: tuple[str, ...]
    playing: int
    """How many bots play after the changes."""
    texts: list[str]
    """The changes in words, sorted by name."""


def _field_changes(conditions: Conditions, stored: Conditions, league: League) -> FieldChanges:
    """Compare the bots asked for with those stored: bots that are not listed rest.

    Raises ArenaError if an unknown bot is struck, or if too few are left.
    """
    known = {bot.name: bot for bot in everyone(stored)}
    names: dict[str, str] = {}
    for bot in conditions.bots:
        names[bot.name] = version_name(bot, known)
        known.setdefault(names[bot.name], replace(bot, name=names[bot.name]))
    _check_known(league, known)
    struck = set(league.struck)
    playing = set(names.values()) - struck
    if len(playing) < (need := max(conditions.players)):
        what = f"{len(playing)} bots are left to play, too few for tables of {need}"
        raise ArenaError(what, league.lines["struck"], "strike fewer, or name more bots")
    old = {bot.name for bot in everyone(stored)}
    was_struck, rested = {bot.name for bot in stored.struck}, set(stored.resting)
    was_playing = old - was_struck - rested
    changes = FieldChanges(
        names=names,
        joined=tuple(bot for name, bot in sorted(known.items()) if name not in old),
        rested=tuple(sorted((was_playing | was_struck) - playing - struck)),
        struck=tuple(sorted(struck - was_struck)),
        resumed=tuple(sorted((rested | was_struck) & playing)),
        playing=len(playing),
        texts=[],
    )
    return replace(changes, texts=_field_in_words(changes, known))


def _check_known(league: League, known: dict[str, BotInfo]) -> None:
    for name in league.struck:
        if name not in known:
            what = f"'{name}' is to be struck, but never played in this league"
            raise ArenaError(what, league.lines["struck"], did_you_mean(name, known))


def _field_in_words(field: FieldChanges, known: dict[str, BotInfo]) -> list[str]:
    """Return a sentence for each bot that changes; a bot with other files gets one for both."""
    texts = {bot.name: f"'{bot.name}' joined" for bot in field.joined}
    texts |= {name: f"'{name}' rests" for name in field.rested}
    texts |= {name: f"'{name}' plays again" for name in field.resumed}
    texts |= {name: f"'{name}' is struck" for name in field.struck}
    new = {bot.name for bot in field.joined}
    for name, version in field.names.items():
        if version in new and version != name:
            before = [rested for rested in field.rested if version_of(rested)[0] == name]
            digests = _digests(known[version], known[before[0] if before else name])
            texts[version] = f"'{name}' has other files ({digests}) and plays as '{version}'"
            for rested in before:
                del texts[rested]
    return [text for _, text in sorted(texts.items())]


def _digests(new: BotInfo, old: BotInfo) -> str:
    return f"{new.digest[:_DIGITS]}, not {old.digest[:_DIGITS]}"


_DECISIVE = (
    "players",
    "games",
    "blocks",
    "until",
    "playoff",
    "limits",
    "sandbox",
    "sandbox_paths",
    "memory_across_fixtures",
    "shared_dice",
    "models",
)
"""Fields that decide which games are played and how, besides bots and variants."""
_HARMLESS = ("name", "ratings", "arena_version", "public_models")
"""Fields that decide no game."""
_SHOWN = 6
"""How many changes of a kind are named."""


class Resolution(Struct, frozen=True):
    """The conditions that a league asks for now, compared with those in its store."""

    schedule: Schedule
    """Drawn from the conditions that will be in force."""
    names: dict[str, str]
    """The name in the league of each bot of league.yaml (`arena.league.changes.version_name`)."""
    is_new: bool = False
    """Whether the conditions are stored as those at the start."""
    row: Change | None = None
    """The stored form of a change after the first game."""
    change: str = ""
    """The changes that decide games in words, and their effect on stored games."""
    harmless: str = ""
    """The changes that decide no game, in words."""


def resolve(
    league: League, sandbox: str, store: Store, *, accept: bool = False, trusted: bool = False
) -> Resolution:
    """Compare a league with its store, and write nothing yet; a seed or its salt may be drawn.

    With `trusted` bots a seed needs no salt. Raises ArenaError for changes that decide games and
    are not accepted, or cannot be.
    """
    stored = store.league
    conditions = conditions_of(league, sandbox, master_seed(league, store, trusted=trusted), stored)
    finished = store.finished() if stored else set[str]()
    if stored is None or not finished:
        return _before_the_first_game(league, conditions, stored)
    field = _field_changes(conditions, stored, league)
    conditions = replace(conditions, blocks=league.blocks or field.playing - 1)
    schedule = planned(store)
    row, change = None, ""
    if what := _decisive_changes(stored, conditions, field.texts, field.playing):
        counted = {id_ for id_ in finished if schedule.counts(id_)}
        row = _row(schedule, finished, field, conditions)
        schedule.change(row)
        counting = {id_ for id_ in finished if schedule.counts(id_)}
        change = f"{what}: {_effect(counted, counting, '' if accept else 'would ')}"
        start_over = f"start over with another --store than {store.path}"
        if stored.playoff and finished - schedule.drawn.keys():
            what = f"the league changed after its playoff had begun: {what}"
            raise ArenaError(what, str(league.path), f"undo the change, or {start_over}")
        if not accept:
            hint = "continue with --accept-changes, which keeps every game in the store"
            hint = f"{hint}; or undo the change, or {start_over}"
            raise ArenaError(f"the league changed: {change}", str(league.path), hint)
    shown = {key: getattr(conditions, key) for key in _HARMLESS}
    schedule.conditions = replace(schedule.conditions, **shown)
    harmless = ", ".join(_value_changes(stored, conditions, _HARMLESS))
    return Resolution(schedule, field.names, row=row, change=change, harmless=harmless)


def _before_the_first_game(
    league: League, conditions: Conditions, stored: Conditions | None
) -> Resolution:
    """Return the conditions asked for; those that are `stored` decided nothing yet."""
    if league.struck:
        _check_known(league, {bot.name: bot for bot in conditions.bots})
        what = f"'{league.struck[0]}' cannot be struck: nothing was played yet"
        raise ArenaError(what, league.lines["struck"], "leave it out of `bots`")
    names = {bot.name: bot.name for bot in conditions.bots}
    if stored is None:
        here = replace(conditions, machine=this_machine())
        return Resolution(Schedule(here), names, is_new=True)
    bots = _bot_changes(stored, conditions)
    parts = [_decisive_changes(stored, conditions, bots, len(conditions.bots))]
    parts += ["another seed"] if conditions.seed != stored.seed else []
    what = ", ".join(filter(None, parts))
    return Resolution(
        schedule=Schedule(replace(conditions, machine=stored.machine)),
        names=names,
        is_new=bool(what),
        change=f"{what}: nothing was played before" if what else "",
        harmless=", ".join(_value_changes(stored, conditions, _HARMLESS)),
    )


def commit(resolution: Resolution, store: Store, notify: Callable[[str], None]) -> None:
    """Store the conditions if they are new, and say what changed."""
    if resolution.is_new:
        store.begin(resolution.schedule.conditions)
    if resolution.row:
        store.change(resolution.row)
    if resolution.change:
        notify(f"the league changed: {resolution.change}")
    if resolution.harmless:
        notify(f"changed since the league began, and decides no game: {resolution.harmless}")


def conditions_of(
    league: League, sandbox: str, seed: str, stored: Conditions | None = None
) -> Conditions:
    """Return the conditions of a league's games at its start, with every default filled in.

    `stored` are those in force: what a league never had stays unset, and dice stay shared if they
    were and the league does not say.
    """
    limits = league.limits.complete(league.games)
    if league.models and limits.model is UNSET:
        limits = replace(limits, model=MODEL_SECONDS)
    shared_dice = league.shared_dice
    if shared_dice is None:
        shared_before = stored is not None and stored.shared_dice
        shared_dice = shared_before and not league.memory_across_fixtures
    had_models = stored is not None and stored.models is not UNSET
    models = {name: model.model for name, model in league.models.items()}
    showed_paths = stored is not None and stored.sandbox_paths is not UNSET
    return Conditions(
        name=league.name,
        variants=league.variants,
        bots=tuple(bot.info for bot in league.bots),
        players=league.players,
        games=league.games,
        blocks=league.blocks or len(league.bots) - 1,
        limits=limits,
        sandbox=sandbox,
        seed=seed,
        commitment=commitment(seed),
        arena_version=__version__,
        memory_across_fixtures=league.memory_across_fixtures,
        until=league.until,
        playoff=league.playoff or UNSET,
        shared_dice=shared_dice,
        rounds_per_die=ROUNDS_PER_DIE,
        ratings=league.ratings,
        sandbox_paths=league.sandbox_paths if league.sandbox_paths or showed_paths else UNSET,
        models=models if models or had_models else UNSET,
        public_models=tuple(name for name, model in league.models.items() if model.public) or UNSET,
    )


def _row(
    schedule: Schedule, finished: set[str], field: FieldChanges, conditions: Conditions
) -> Change:
    """Return the stored form of a change to the bots and conditions asked for."""
    begun, unplayed = schedule.cut(finished, {*field.rested, *field.struck})
    before = schedule.conditions
    terms = {
        key: value for key in TERMS if (value := getattr(conditions, key)) != getattr(before, key)
    }
    if terms.get("playoff") is UNSET:
        terms["playoff"] = None
    return Change(
        begun=begun,
        unplayed=unplayed,
        joined=field.joined,
        rested=field.rested,
        struck=field.struck,
        resumed=field.resumed,
        **terms,
    )


def _bot_changes(stored: Conditions, conditions: Conditions) -> list[str]:
    """Name the bots that differ in a league of which nothing was played."""
    old = {bot.name: bot for bot in stored.bots}
    new = {bot.name: bot for bot in conditions.bots}
    texts = []
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            texts.append(f"'{name}' joined")
        elif name not in new:
            texts.append(f"'{name}' left")
        elif old[name] != new[name]:
            texts.append(f"'{name}' has other files ({_digests(new[name], old[name])})")
    return texts


def _decisive_changes(
    stored: Conditions, conditions: Conditions, bots: Sequence[str], count: int
) -> str:
    """Name the changes that decide games, with old and new values; "" without any.

    `bots` are the changes of the field in words, `count` is the number of bots that play now.
    """
    named = (bots, [*_variant_changes(stored, conditions)])
    parts = [", ".join(first_of(changes, _SHOWN)) for changes in named]
    # Blocks that were not given follow the number of bots.
    default = (stored.blocks, conditions.blocks) == (len(playing(stored)) - 1, count - 1)
    keys = [key for key in _DECISIVE if key != "blocks" or not default]
    values = _value_changes(_without_default(stored), _without_default(conditions), keys)
    return ", ".join(filter(None, [*parts, *values]))


def _without_default(conditions: Conditions) -> Conditions:
    """Return conditions without a limit that follows from the others."""
    given = replace(conditions.limits, fixture=UNSET)
    return (
        replace(conditions, limits=given)
        if given.complete(conditions.games) == conditions.limits
        else conditions
    )


def _effect(counted: set[str], counting: set[str], would: str) -> str:
    """Return the effect of a change on stored fixtures in words; `would` is "would " before it."""
    lost, back = len(counted - counting), len(counting - counted)
    parts = [f"{lost} of {len(counted)} stored fixtures {would}no longer count"] if lost else []
    if counted and not lost:
        parts.append(f"all {len(counted)} stored fixtures {would}still count")
    parts += [f"{back} {would}count again"] if back else []
    return ", ".join(parts) or "no stored fixture counts"


def _variant_changes(stored: Conditions, conditions: Conditions) -> Iterator[str]:
    old, new = stored.variants, conditions.variants
    for label in dict.fromkeys([*old, *new]):
        if label not in old:
            yield f"variant '{label}' joined"
        elif label not in new:
            yield f"variant '{label}' left"
        else:
            yield from _differences(f"variant '{label}': ", asdict(old[label]), asdict(new[label]))
    if set(old) == set(new) and list(old) != list(new):
        yield f"variants is {_shown(tuple(new))}, not {_shown(tuple(old))}"


def _value_changes(
    stored: Conditions, conditions: Conditions, keys: Sequence[str]
) -> Iterator[str]:
    old = {key: getattr(stored, key) for key in keys}
    new = {key: getattr(conditions, key) for key in keys}
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
    if isinstance(value, PlayoffInfo):
        return f"at {value.confidence:g} within {value.games} games"
    return f"{value:g}" if isinstance(value, float) else str(value)
