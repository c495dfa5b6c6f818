"""What changes in a league while it is played: rows that follow the conditions at its start.

A schedule is drawn from the conditions at the start and these rows, and from nothing else.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import chain, count
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arena.game.records import BotInfo, Conditions, LimitsInfo, MasterSeed, PlayoffInfo
from arena.game.rules.books import Rules


class Change(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One change: when it came, and what is different from then on; the rest stays as it was."""

    begun: tuple[int, ...]
    """How many blocks of each division had begun, in the order of the league's divisions; the
    others that were drawn are not played."""
    unplayed: tuple[int, ...] = ()
    """Fixtures of these blocks, by their index in the schedule, that are never played: a bot that
    no longer plays sits there."""
    joined: tuple[BotInfo, ...] = ()
    """Bots that are new: a name stands for the same files for ever."""
    rested: tuple[str, ...] = ()
    """Bots that get no new games from now on; the old ones count."""
    struck: tuple[str, ...] = ()
    """Bots that get no new games, and whose old ones no longer count, for anyone."""
    resumed: tuple[str, ...] = ()
    """Bots that rested or were struck and play again; all their games count."""
    twins: dict[str, str] | UnsetType = UNSET
    """From now on, newcomers whose joining tables are played twice, and their predecessors, which
    rest and sit in their places at the twins."""
    variants: dict[str, Rules] | UnsetType = UNSET
    players: tuple[int, ...] | UnsetType = UNSET
    games: int | UnsetType = UNSET
    blocks: int | UnsetType = UNSET
    endless: bool | UnsetType = UNSET
    until: float | UnsetType | None = UNSET
    playoff: PlayoffInfo | UnsetType | None = UNSET
    """The terms of a playoff; None stands for a league without one."""
    limits: LimitsInfo | UnsetType = UNSET
    sandbox: str | UnsetType = UNSET
    sandbox_paths: tuple[str, ...] | UnsetType = UNSET
    memory_across_fixtures: bool | UnsetType = UNSET
    shared_dice: bool | UnsetType = UNSET
    seed: str | UnsetType = UNSET
    commitment: str | UnsetType = UNSET
    models: dict[str, str] | UnsetType = UNSET


TERMS = (
    *("variants", "players", "games", "blocks", "endless", "until", "playoff", "limits"),
    *(
        "sandbox",
        "sandbox_paths",
        "memory_across_fixtures",
        "shared_dice",
        "seed",
        "commitment",
        "models",
    ),
)
"""What a change may set anew, besides bots: fields of Conditions."""


class History(NamedTuple):
    """The conditions at a league's start, and all that changed since, first to last."""

    start: Conditions
    changes: Sequence[Change] = ()
    encoded: Sequence[bytes] = ()
    """The conditions at the start and each change as they are stored; empty if they are not."""

    def now(self) -> Conditions:
        """Return the conditions in force."""
        return reduce(changed, self.changes, self.start)


def changed(conditions: Conditions, change: Change) -> Conditions:
    """Return the conditions after a change; raises KeyError for a bot that was never there."""
    terms: dict[str, Any] = {
        key: value for key in TERMS if (value := getattr(change, key)) is not UNSET
    }
    if change.playoff is None:
        terms["playoff"] = UNSET
    if terms.get("seed", conditions.seed) != conditions.seed:
        terms["earlier_seeds"] = (
            *conditions.earlier_seeds,
            MasterSeed(conditions.seed, conditions.commitment),
        )
    if change.joined or change.rested or change.struck or change.resumed:
        terms |= _field(conditions, change)
    return replace(conditions, changes=conditions.changes + 1, **terms)


def _field(conditions: Conditions, change: Change) -> dict[str, Any]:
    """Return who plays, rests and is struck after a change: fields of Conditions."""
    known = {bot.name: bot for bot in (*conditions.bots, *conditions.struck, *change.joined)}
    struck = {bot.name for bot in conditions.struck}.difference(change.resumed, change.rested)
    struck |= {known[name].name for name in change.struck}
    resting = set(conditions.resting).union(known[name].name for name in change.rested)
    resting -= struck.union(known[name].name for name in change.resumed)
    names = sorted(known)
    return {
        "bots": tuple([known[name] for name in names if name not in struck]),
        "resting": tuple(sorted(resting)),
        "struck": tuple([known[name] for name in names if name in struck]),
    }


def playing(conditions: Conditions) -> list[str]:
    """Return the names of the bots that get new games, in the league's order."""
    resting = set(conditions.resting)
    return [bot.name for bot in conditions.bots if bot.name not in resting]


def version_name(bot: BotInfo, known: Mapping[str, BotInfo]) -> str:
    """Return what a bot is called in a league that knows these, by name.

    A name stands for the same files for ever: the first version of `mine` keeps that name, other
    files under it are `mine@2`, and so on. Files that are known already have their name.
    """
    for name, info in known.items():
        if info.digest == bot.digest and (name == bot.name or name.startswith(f"{bot.name}@")):
            return name
    names = chain([bot.name], (f"{bot.name}@{number}" for number in count(2)))
    return next(name for name in names if name not in known)


def version_of(name: str) -> tuple[str, int]:
    """Return the name that all versions of a bot have in common, and which of them this is."""
    common, at, number = name.rpartition("@")
    return (common, int(number)) if at and number.isdecimal() else (name, 1)


def everyone(conditions: Conditions) -> tuple[BotInfo, ...]:
    """Return all bots that were ever in a league."""
    return (*conditions.bots, *conditions.struck)
