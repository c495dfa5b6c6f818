"""league.yaml: what a league is, every default explicit."""

import os
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena import shipped
from arena.bots.archive import is_archive
from arena.bots.choose import AUTO, SANDBOXES
from arena.bots.docker.images import IMAGES
from arena.bots.manifest import MANIFEST, Bot, load_bot
from arena.bots.yamlfile import Marks, convert, parse_yaml, place
from arena.errors import ArenaError, did_you_mean
from arena.perudo.rules import MAX_PLAYERS, MIN_PLAYERS, Rules, changed_switches, variant
from arena.records import LimitsInfo

SAMPLE = "sample:"
"""Names a bot that came with the arena: `sample:odds`, `sample:*`."""
MAX_GAMES = 100_000
_IMAGE = re.compile(r"[a-z0-9][\w./:@-]*")


class VariantEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A variant with options, in league.yaml."""

    variant: str
    label: str = ""
    calza: bool = False
    lost_dice_visible: bool = False
    starting_dice: int = 5
    overrides: dict[str, bool | int | str] = {}


class LeagueFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of league.yaml (`docs/league.md`)."""

    bots: list[str]
    name: str = ""
    variants: tuple[str | VariantEntry, ...] = ("bga",)
    players: int | list[int] = 2
    games: int = 20
    seed: int | str | None = None
    limits: LimitsInfo = LimitsInfo()
    sandbox: str = "auto"
    images: dict[str, str] = {}
    memory_across_fixtures: bool = False
    workers: int | None = None
    pin: bool = True


class League(Struct, frozen=True):
    """A league as it was read: nothing left to guess, but a seed that was not given."""

    path: Path
    name: str
    variants: dict[str, Rules]
    """By label."""
    bots: tuple[Bot, ...]
    players: tuple[int, ...]
    games: int
    seed: str | None
    limits: LimitsInfo
    sandbox: str
    images: dict[str, str]
    """What containers are made of, by runtime."""
    memory_across_fixtures: bool
    workers: int
    pin: bool
    """Whether a worker and its bots share one core, where there are enough."""


def load_league(path: Path) -> League:
    """Read league.yaml and the bots it names; raises ArenaError that names the line."""
    data, marks = parse_yaml(path)
    if data is None:
        raise ArenaError("the file is empty", str(path), "see examples/league.yaml")
    entry = convert(data, marks, path, LeagueFile)
    reader = _Reader(path, marks)
    sizes = [entry.players] if isinstance(entry.players, int) else entry.players
    league = League(
        path=path,
        name=entry.name or path.stem,
        variants=reader.variants(entry.variants),
        bots=reader.bots(entry.bots),
        players=reader.players(sizes),
        games=entry.games,
        seed=None if entry.seed is None else str(entry.seed),
        limits=entry.limits,
        sandbox=entry.sandbox,
        images=reader.images(entry.images),
        memory_across_fixtures=entry.memory_across_fixtures,
        workers=entry.workers or len(os.sched_getaffinity(0)),
        pin=entry.pin,
    )
    reader.check_numbers(entry)
    reader.check_sandbox(entry.sandbox)
    return league


def check_enough(league: League) -> None:
    """Refuse a league whose tables need more bots than it has."""
    need = max(league.players)
    if len(league.bots) < need:
        raise ArenaError(
            f"{len(league.bots)} bots are too few for tables of {need}",
            str(league.path),
            "name more bots, or fewer players",
        )


def without(league: League, bots: Sequence[Bot]) -> League:
    """Return the league without some of its bots."""
    gone = {bot.name for bot in bots}
    return replace(league, bots=tuple(bot for bot in league.bots if bot.name not in gone))


class _Reader:
    """Turns the parts of a league file into what they mean, and says where one is wrong."""

    def __init__(self, path: Path, marks: Marks) -> None:
        self._path = path
        self._marks = marks

    def at(self, spot: str) -> str:
        return place(self._path, self._marks, spot)

    def check_numbers(self, entry: LeagueFile) -> None:
        limits = entry.limits
        positive = {"start": limits.start, "answer": limits.answer, "game": limits.game}
        for key, value in positive.items():
            if not 0 < value <= 86_400:
                spot = self.at(f"$.limits.{key}")
                raise ArenaError(f"limits.{key} is in seconds, above 0, not {value:g}", spot)
        if not 1 <= limits.wall <= 1000:
            spot = self.at("$.limits.wall")
            raise ArenaError(f"limits.wall is a factor, 1 to 1000, not {limits.wall:g}", spot)
        if not 0 <= limits.restarts <= 1000:
            raise ArenaError("limits.restarts is 0 to 1000", self.at("$.limits.restarts"))
        if not 1 <= entry.games <= MAX_GAMES:
            raise ArenaError(f"games is 1 to {MAX_GAMES}, not {entry.games}", self.at("$.games"))
        if entry.workers is not None and not 1 <= entry.workers <= 1024:
            raise ArenaError(f"workers is 1 to 1024, not {entry.workers}", self.at("$.workers"))

    def check_sandbox(self, name: str) -> None:
        known = (AUTO, *SANDBOXES)
        if name not in known:
            spot = self.at("$.sandbox")
            raise ArenaError(f"unknown sandbox '{name}'", spot, did_you_mean(name, known))

    def images(self, named: dict[str, str]) -> dict[str, str]:
        for runtime, image in named.items():
            spot = self.at(f"$.images.{runtime}")
            if runtime not in IMAGES:
                raise ArenaError(
                    f"unknown runtime '{runtime}'", spot, did_you_mean(runtime, IMAGES)
                )
            if not _IMAGE.fullmatch(image):
                hint = "for example python:3.12-slim"
                raise ArenaError(f"'{image}' is not the name of an image", spot, hint)
        return {**IMAGES, **named}

    def players(self, sizes: list[int]) -> tuple[int, ...]:
        for size in sizes:
            if not MIN_PLAYERS <= size <= MAX_PLAYERS:
                what = f"a table has {MIN_PLAYERS} to {MAX_PLAYERS} players, not {size}"
                raise ArenaError(what, self.at("$.players"))
        if not sizes or len(set(sizes)) < len(sizes):
            raise ArenaError("players names each table size once", self.at("$.players"))
        return tuple(sizes)

    def variants(self, entries: Sequence[str | VariantEntry]) -> dict[str, Rules]:
        found: dict[str, Rules] = {}
        for index, entry in enumerate(entries):
            spot = self.at(f"$.variants[{index}]")
            full = VariantEntry(entry) if isinstance(entry, str) else entry
            rules = self._rules(full, spot)
            label = full.label or _label(rules)
            if label in found:
                hint = "give one of them a `label`"
                raise ArenaError(f"two variants are called '{label}'", spot, hint)
            found[label] = rules
        if not found:
            raise ArenaError("variants is empty", self.at("$.variants"))
        return found

    def _rules(self, entry: VariantEntry, spot: str) -> Rules:
        try:
            return variant(
                entry.variant,
                dict(entry.overrides),
                calza=entry.calza,
                lost_dice_visible=entry.lost_dice_visible,
                starting_dice=entry.starting_dice,
            )
        except ArenaError as error:
            raise ArenaError(error.what, spot, error.hint) from None

    def bots(self, patterns: list[str]) -> tuple[Bot, ...]:
        found: dict[Path, Bot] = {}
        for index, pattern in enumerate(patterns):
            spot = self.at(f"$.bots[{index}]")
            try:
                folders = self._folders(pattern, spot)
            except (ValueError, RuntimeError) as error:
                # `**` inside a word, the home of a user who is not here.
                raise ArenaError(f"'{pattern}' names no folder: {error}", spot) from None
            for folder in folders:
                found.setdefault(folder.resolve(), load_bot(folder))
        bots = sorted(found.values(), key=lambda bot: bot.name)
        for one, other in pairwise(bots):
            if one.name == other.name:
                what = f"two bots are called '{one.name}'"
                raise ArenaError(
                    what, f"{one.folder}, {other.folder}", "rename one in its bot.yaml"
                )
        return tuple(bots)

    def _folders(self, pattern: str, spot: str) -> list[Path]:
        """Return the folders and archives that an entry of `bots` names."""
        sample = pattern.startswith(SAMPLE)
        base = shipped.folder("sample_bots") if sample else self._path.absolute().parent
        path = Path(pattern.removeprefix(SAMPLE)).expanduser()
        if not any(sign in pattern for sign in "*?["):
            found = base / path
            if not found.is_dir() and not is_archive(found):
                hint = _samples() if sample else "a folder with a bot.yaml in it, or an archive"
                raise ArenaError(f"no such bot folder: {found}", spot, hint)
            return [found]
        if path.is_absolute():
            base, path = Path(path.anchor), path.relative_to(path.anchor)
        folders = [manifest.parent for manifest in base.glob(f"{path}/{MANIFEST}")]
        archives = [file for file in base.glob(str(path)) if is_archive(file)]
        if not folders and not archives:
            raise ArenaError(f"no bot folder matches '{pattern}'", spot)
        return sorted([*folders, *archives])


def _samples() -> str:
    names = sorted(path.parent.name for path in shipped.folder("sample_bots").glob(f"*/{MANIFEST}"))
    return f"sample bots: {', '.join(names)}"


def _label(rules: Rules) -> str:
    """Name a variant by its rule book and what differs from it."""
    parts = [rules.name]
    parts += ["calza"] if rules.calza else []
    parts += ["visible"] if rules.lost_dice_visible else []
    parts += [f"{rules.starting_dice} dice"] if rules.starting_dice != 5 else []
    parts += sorted(changed_switches(rules))
    return "+".join(parts)
