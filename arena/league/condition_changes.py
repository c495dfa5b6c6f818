"""What changed in a league since it began, in words, and the effect on its stored games."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import asdict

from arena.league.schedule import Schedule
from arena.records import LeagueInfo

_DECISIVE = (
    *("players", "games", "rounds", "until", "limits", "sandbox"),
    *("memory_across_fixtures", "shared_dice"),
)
"""What decides which games are played and how, besides bots and variants."""
_HARMLESS = ("name", "ratings", "arena_version")
"""What decides no game."""
_SHOWN = 6
"""How many changes of a kind are named."""
_DIGITS = 8
"""Digits of a hash that are enough to distinguish two."""


def decisive_changes(before: LeagueInfo, now: LeagueInfo) -> str:
    """Name what changed that decides games, from what to what, or return ""."""
    parts = [_shortened(list(_bots(before, now))), _shortened(list(_variants(before, now)))]
    # Rounds that were not given follow the number of bots.
    default = all(one.rounds == len(one.bots) - 1 for one in (before, now))
    parts += _values(before, now, [key for key in _DECISIVE if key != "rounds" or not default])
    return ", ".join(part for part in parts if part)


def harmless_changes(before: LeagueInfo, now: LeagueInfo) -> str:
    """Name what changed that decides no game, from what to what, or return ""."""
    return ", ".join(_values(before, now, _HARMLESS))


def effect_on_store(before: Schedule, now: Schedule, stored: set[str], would: str = "") -> str:
    """Say what a change does to the stored fixtures; `would ` if it is not done yet."""
    counted, counting = (
        {fixture.id for fixture in schedule.fixtures} & stored for schedule in (before, now)
    )
    lost, back = len(counted - counting), len(counting - counted)
    parts = [f"{lost} of {len(counted)} stored fixtures {would}no longer count"] if lost else []
    if counted and not lost:
        parts.append(f"all {len(counted)} stored fixtures {would}still count")
    parts += [f"{back} {would}count again"] if back else []
    return ", ".join(parts) or "no stored fixture counts"


def _bots(before: LeagueInfo, now: LeagueInfo) -> Iterator[str]:
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


def _variants(before: LeagueInfo, now: LeagueInfo) -> Iterator[str]:
    old, new = before.variants, now.variants
    for label in dict.fromkeys([*old, *new]):
        if label not in old:
            yield f"variant '{label}' joined"
        elif label not in new:
            yield f"variant '{label}' left"
        else:
            yield from _different(f"variant '{label}': ", asdict(old[label]), asdict(new[label]))
    if set(old) == set(new) and list(old) != list(new):
        yield f"variants is {_shown(tuple(new))}, not {_shown(tuple(old))}"


def _values(before: LeagueInfo, now: LeagueInfo, keys: Sequence[str]) -> list[str]:
    old, new = (_flat({key: getattr(one, key) for key in keys}) for one in (before, now))
    return list(_different("", old, new))


def _flat(values: Mapping[str, object]) -> dict[str, object]:
    """Return values by their names in league.yaml: limits.answer and so on."""
    flat: dict[str, object] = {}
    for key, value in values.items():
        if isinstance(value, Struct):
            flat |= {f"{key}.{name}": part for name, part in asdict(value).items()}
        else:
            flat[key] = value
    return flat


def _different(prefix: str, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[str]:
    for key, value in new.items():
        if value != old[key]:
            yield f"{prefix}{key} is {_shown(value)}, not {_shown(old[key])}"


def _shown(value: object) -> str:
    """Return a value as one would write it in league.yaml."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    if value is None or isinstance(value, bool):
        return "none" if value is None else str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shortened(parts: list[str]) -> str:
    more = [f"and {len(parts) - _SHOWN} more"] if len(parts) > _SHOWN else []
    return ", ".join([*parts[:_SHOWN], *more])
