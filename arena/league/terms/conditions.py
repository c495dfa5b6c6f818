"""From a league.yaml to the conditions that its games are played under, stored before the first."""

import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from arena import __version__
from arena.game.records import (
    MODEL_SECONDS,
    BotInfo,
    Conditions,
    LimitsInfo,
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
    """The changes of a league's field of bots."""

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


def new_field(conditions: Conditions, league: League) -> None:
    """Raise ArenaError if bots are struck before anything was played."""
    if league.struck:
        _check_known(league, {bot.name: bot for bot in conditions.bots})
        what = f"'{league.struck[0]}' cannot be struck: nothing was played yet"
        raise ArenaError(what, league.lines["struck"], "leave it out of `bots`")


def next_field(asked: Conditions, now: Conditions, league: League) -> FieldChanges:
    """Return the changes of the field: bots that are not listed rest, struck ones do not play.

    Raises ArenaError if an unknown bot is struck, or if too few are left.
    """
    known = {bot.name: bot for bot in everyone(now)}
    names: dict[str, str] = {}
    for bot in asked.bots:
        names[bot.name] = version_name(bot, known)
        known.setdefault(names[bot.name], replace(bot, name=names[bot.name]))
    _check_known(league, known)
    struck = set(league.struck)
    playing = set(names.values()) - struck
    if len(playing) < (need := max(asked.players)):
        what = f"{len(playing)} bots are left to play, too few for tables of {need}"
        raise ArenaError(what, league.lines["struck"], "strike fewer, or name more bots")
    old = {bot.name for bot in everyone(now)}
    was_struck, rested = {bot.name for bot in now.struck}, set(now.resting)
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
    return replace(changes, texts=_texts(changes, known))


def bot_changes(before: Conditions, now: Conditions) -> list[str]:
    """Name the bots that differ from those before, of a league of which nothing was played."""
    old = {bot.name: bot for bot in before.bots}
    new = {bot.name: bot for bot in now.bots}
    texts = []
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            texts.append(f"'{name}' joined")
        elif name not in new:
            texts.append(f"'{name}' left")
        elif old[name] != new[name]:
            texts.append(f"'{name}' has other files ({_digests(new[name], old[name])})")
    return texts


def _check_known(league: League, known: dict[str, BotInfo]) -> None:
    for name in league.struck:
        if name not in known:
            what = f"'{name}' is to be struck, but never played in this league"
            raise ArenaError(what, league.lines["struck"], did_you_mean(name, known))


def _texts(field: FieldChanges, known: dict[str, BotInfo]) -> list[str]:
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
    now, seed = store.league, master_seed(league, store, trusted=trusted)
    asked = conditions_of(league, sandbox, seed, now)
    if now is None:
        new_field(asked, league)
        names = {bot.name: bot.name for bot in asked.bots}
        return Resolution(Schedule(replace(asked, machine=machine())), names, is_new=True)
    if not (finished := store.finished()):
        new_field(asked, league)
        return _begun_anew(replace(asked, machine=now.machine), now)
    field = next_field(asked, now, league)
    asked = replace(asked, blocks=league.blocks or field.playing - 1)
    schedule = planned(store)
    what = _decisive_changes(now, asked, field.texts, field.playing)
    row, change = None, ""
    if what:
        counted = _counting(schedule, finished)
        row = _row(schedule, finished, field, asked)
        schedule.change(row)
        effect = _effect(counted, _counting(schedule, finished), "" if accept else "would ")
        change = f"{what}: {effect}"
        if (playoff := bool(now.playoff and finished - schedule.drawn.keys())) or not accept:
            raise _not_accepted(what, change, league, store, playoff=playoff)
    shown = {key: getattr(asked, key) for key in _HARMLESS}
    schedule.conditions = replace(schedule.conditions, **shown)
    harmless = ", ".join(_value_changes(now, asked, _HARMLESS))
    return Resolution(schedule, field.names, row=row, change=change, harmless=harmless)


def _begun_anew(asked: Conditions, now: Conditions) -> Resolution:
    """Return the conditions of a league of which nothing was played: those asked for."""
    parts = [_decisive_changes(now, asked, bot_changes(now, asked), len(asked.bots))]
    parts += ["another seed"] if asked.seed != now.seed else []
    what = ", ".join(filter(None, parts))
    change = f"{what}: nothing was played before" if what else ""
    harmless = ", ".join(_value_changes(now, asked, _HARMLESS))
    names = {bot.name: bot.name for bot in asked.bots}
    return Resolution(Schedule(asked), names, is_new=bool(what), change=change, harmless=harmless)


def _not_accepted(
    what: str, change: str, league: League, store: Store, *, playoff: bool
) -> ArenaError:
    """Return the error of a change that was not accepted, or cannot be after a playoff began."""
    if playoff:
        what = f"the league changed after its playoff had begun: {what}"
        hint = f"undo the change, or start over with another --store than {store.path}"
    else:
        what = f"the league changed: {change}"
        hint = (
            "continue with --accept-changes, which keeps every game in the store; "
            f"or undo the change, or start over with another --store than {store.path}"
        )
    return ArenaError(what, str(league.path), hint)


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
    league: League, sandbox: str, seed: str, conditions: Conditions | None = None
) -> Conditions:
    """Return the conditions of a league's games at its start; `conditions` are those in force."""
    return Conditions(
        name=league.name,
        variants=league.variants,
        bots=tuple(bot.info for bot in league.bots),
        players=league.players,
        games=league.games,
        blocks=league.blocks or len(league.bots) - 1,
        limits=_limits(league),
        sandbox=sandbox,
        seed=seed,
        commitment=commitment(seed),
        arena_version=__version__,
        memory_across_fixtures=league.memory_across_fixtures,
        until=league.until,
        playoff=league.playoff or UNSET,
        shared_dice=_shares_dice(league, conditions),
        rounds_per_die=ROUNDS_PER_DIE,
        ratings=league.ratings,
        sandbox_paths=_sandbox_paths(league, conditions),
        models=_models(league, conditions),
        public_models=tuple(name for name, model in league.models.items() if model.public) or UNSET,
    )


def _models(league: League, conditions: Conditions | None) -> dict[str, str] | UnsetType:
    """Return the language models by name; unset in a league that never had any."""
    models = {name: model.model for name, model in league.models.items()}
    return UNSET if not models and (conditions is None or conditions.models is UNSET) else models


def _sandbox_paths(league: League, conditions: Conditions | None) -> tuple[str, ...] | UnsetType:
    """Return the paths that are shown; unset in a league that never showed any."""
    paths = league.sandbox_paths
    return (
        UNSET if not paths and (conditions is None or conditions.sandbox_paths is UNSET) else paths
    )


def _limits(league: League) -> LimitsInfo:
    """Return the limits with every default filled in that matters."""
    limits = league.limits.complete(league.games)
    if not league.models or limits.model is not UNSET:
        return limits
    return replace(limits, model=MODEL_SECONDS)


def _shares_dice(league: League, conditions: Conditions | None) -> bool:
    """Tell whether dice are shared: a league that does not say so stays as it began."""
    if league.shared_dice is not None:
        return league.shared_dice
    return conditions is not None and conditions.shared_dice and not league.memory_across_fixtures


def _row(
    schedule: Schedule, finished: set[str], field: FieldChanges, conditions: Conditions
) -> Change:
    """Return the stored form of a change to the bots and terms asked for."""
    now = schedule.conditions
    begun, unplayed = schedule.cut(finished, {*field.rested, *field.struck})
    terms = {
        key: value for key in TERMS if (value := getattr(conditions, key)) != getattr(now, key)
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


def _decisive_changes(before: Conditions, now: Conditions, bots: Sequence[str], count: int) -> str:
    """Name the changes that decide games, with old and new values; "" if there are none.

    `bots` are the changes of the field in words, `count` is the number of bots that play now.
    """
    named = (bots, [*_variant_changes(before, now)])
    parts = [", ".join(first_of(changes, _SHOWN)) for changes in named]
    # Blocks that were not given follow the number of bots.
    default = (before.blocks, now.blocks) == (len(playing(before)) - 1, count - 1)
    keys = [key for key in _DECISIVE if key != "blocks" or not default]
    before, now = _without_default(before), _without_default(now)
    return ", ".join(filter(None, [*parts, *_value_changes(before, now, keys)]))


def _without_default(conditions: Conditions) -> Conditions:
    """Return conditions without a limit that follows from the others."""
    given = replace(conditions.limits, fixture=UNSET)
    return (
        replace(conditions, limits=given)
        if given.complete(conditions.games) == conditions.limits
        else conditions
    )


def _counting(schedule: Schedule, stored: set[str]) -> set[str]:
    return {id_ for id_ in stored if schedule.counts(id_)}


def _effect(counted: set[str], counting: set[str], would: str) -> str:
    """Return the effect of a change on stored fixtures in words; `would` is "would " before it."""
    lost, back = len(counted - counting), len(counting - counted)
    parts = [f"{lost} of {len(counted)} stored fixtures {would}no longer count"] if lost else []
    if counted and not lost:
        parts.append(f"all {len(counted)} stored fixtures {would}still count")
    parts += [f"{back} {would}count again"] if back else []
    return ", ".join(parts) or "no stored fixture counts"


def _variant_changes(before: Conditions, now: Conditions) -> Iterator[str]:
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


def _value_changes(before: Conditions, now: Conditions, keys: Sequence[str]) -> Iterator[str]:
    old = {key: getattr(before, key) for key in keys}
    new = {key: getattr(now, key) for key in keys}
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
