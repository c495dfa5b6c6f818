"""league.yaml: what a league is, every default explicit."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.config_files.yaml_file import Marks, convert, parse_yaml, place
from arena.errors import ArenaError, did_you_mean
from arena.perudo.rules import MAX_PLAYERS, MIN_PLAYERS, Rules, changed_switches, variant
from arena.ratings.sequential import first_look
from arena.records import LimitsInfo, RatingsInfo
from arena.sandboxes.docker.images import IMAGES
from arena.sandboxes.registry import AUTO, SANDBOXES
from arena.submissions.bot import Bot
from arena.submissions.bot_patterns import find_bots

MAX_GAMES = 100_000
MAX_TOGETHER = 1024
_IMAGE = re.compile(r"[a-z0-9][\w./:@-]*")
MAX_ROUNDS = 10_000
SEPARATED = "separated"


class VariantEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A variant with options, in league.yaml."""

    variant: str
    label: str = ""
    calza: bool = False
    lost_dice_visible: bool = False
    starting_dice: int = 5
    overrides: dict[str, bool | int | str] = {}


class UntilEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """What ends a league before its rounds do, in league.yaml."""

    separated: float = 0.95


class LeagueFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of league.yaml (`docs/league.md`)."""

    bots: list[str]
    name: str = ""
    variants: tuple[str | VariantEntry, ...] = ("bga",)
    players: int | list[int] = 2
    games: int = 20
    rounds: int | None = None
    until: str | UntilEntry | None = None
    shared_dice: bool = True
    seed: int | str | None = None
    limits: LimitsInfo = LimitsInfo()
    ratings: RatingsInfo = RatingsInfo()
    sandbox: str = "auto"
    images: dict[str, str] = {}
    memory_across_fixtures: bool = False
    workers: int | None = None
    pin: bool = True


class RatingsPart(Struct, frozen=True):
    """The one part of league.yaml that may change after the games."""

    ratings: RatingsInfo = RatingsInfo()


class SeedPart(Struct, frozen=True):
    """The part of league.yaml that says which dice fall and who meets whom."""

    seed: int | str | None = None


class League(Struct, frozen=True):
    """A league as it was read: nothing left to guess, but a seed that was not given."""

    path: Path
    name: str
    variants: dict[str, Rules]
    """By label."""
    bots: tuple[Bot, ...]
    players: tuple[int, ...]
    games: int
    rounds: int | None
    """None stands for one less than there are bots."""
    until: float | None
    """The confidence at which neighbours on the leaderboard are to be separated."""
    shared_dice: bool
    seed: str | None
    limits: LimitsInfo
    ratings: RatingsInfo
    anchor_at: str
    """Where the file names the anchor."""
    sandbox: str
    images: dict[str, str]
    """What containers are made of, by runtime."""
    memory_across_fixtures: bool
    workers: int
    pin: bool
    """Whether each worker shares one core with its bots, where there are enough cores."""
    spots: dict[str, str]
    """Where in the file some keys stand, for what is wrong between them and the bots."""


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
        rounds=entry.rounds,
        until=reader.until(entry),
        shared_dice=entry.shared_dice,
        seed=None if entry.seed is None else str(entry.seed),
        limits=entry.limits,
        ratings=reader.ratings(entry.ratings),
        anchor_at=reader.at("$.ratings.anchor"),
        sandbox=entry.sandbox,
        images=reader.images(entry.images),
        memory_across_fixtures=entry.memory_across_fixtures,
        workers=entry.workers or len(os.sched_getaffinity(0)),
        pin=entry.pin,
        spots={key: reader.at(f"$.{key}") for key in ("bots", "players", "rounds")},
    )
    reader.check_limits(entry.limits)
    reader.check_numbers(entry)
    reader.check_sandbox(entry.sandbox)
    return league


def load_ratings(path: Path, bots: Sequence[str]) -> RatingsInfo:
    """Read what a league.yaml asks of its ratings, and nothing else of it.

    Raises ArenaError that names the line, also for an anchor that is none of the bots.
    """
    data, marks = parse_yaml(path)
    reader = _Reader(path, marks)
    part = convert(data, marks, path, RatingsPart) if data else RatingsPart()
    found = reader.ratings(part.ratings)
    check_anchor(found, bots, reader.at("$.ratings.anchor"))
    return found


def gives_seed(path: Path) -> bool:
    """Tell whether a league.yaml names its seed; raises ArenaError where it cannot be read."""
    data, marks = parse_yaml(path)
    return bool(data) and convert(data, marks, path, SeedPart).seed is not None


def check_anchor(ratings: RatingsInfo, bots: Sequence[str], where: str) -> None:
    """Refuse an anchor that does not play."""
    if ratings.anchor is not None and ratings.anchor not in bots:
        what = f"the anchor '{ratings.anchor}' does not play in this league"
        raise ArenaError(what, where, did_you_mean(ratings.anchor, bots))


def check_enough(league: League) -> None:
    """Refuse a league whose tables need more bots than it has, or whose budget decides nothing."""
    need, count = max(league.players), len(league.bots)
    if count < need:
        what = f"{count} bots are too few for tables of {need}"
        raise ArenaError(what, league.spots["players"], "name more bots, or fewer players")
    first = first_look(count)
    if league.until and league.rounds and league.rounds < first:
        what = f"{league.rounds} rounds end before the first decision of `until`, after {first}"
        hint = f"at least `rounds: {first}` with {count} bots, better several times that"
        raise ArenaError(what, league.spots["rounds"], hint)


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

    def check_limits(self, limits: LimitsInfo) -> None:
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
        if not 1 <= limits.concurrent_games <= MAX_TOGETHER:
            spot = self.at("$.limits.concurrent_games")
            what = f"limits.concurrent_games is 1 to {MAX_TOGETHER}, not {limits.concurrent_games}"
            raise ArenaError(what, spot, "1 plays one game after another")

    def check_numbers(self, entry: LeagueFile) -> None:
        if not 1 <= entry.games <= MAX_GAMES:
            raise ArenaError(f"games is 1 to {MAX_GAMES}, not {entry.games}", self.at("$.games"))
        if entry.rounds is not None and not 1 <= entry.rounds <= MAX_ROUNDS:
            what = f"rounds is 1 to {MAX_ROUNDS}, not {entry.rounds}"
            raise ArenaError(what, self.at("$.rounds"), "leave it out for one less than the bots")
        if entry.workers is not None and not 1 <= entry.workers <= 1024:
            raise ArenaError(f"workers is 1 to 1024, not {entry.workers}", self.at("$.workers"))

    def ratings(self, options: RatingsInfo) -> RatingsInfo:
        """Return the options; raises where a number is out of range."""
        if options.provisional < 0:
            what = f"ratings.provisional is a number of games, not {options.provisional}"
            raise ArenaError(what, self.at("$.ratings.provisional"), "0 marks no bot")
        if not 0 <= options.alpha <= 0.5:
            what = f"ratings.alpha is a chance, 0 to 0.5, not {options.alpha:g}"
            raise ArenaError(what, self.at("$.ratings.alpha"), "0 lists no suspicions")
        return options

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

    def until(self, entry: LeagueFile) -> float | None:
        """Return the confidence wanted; raises where there is no budget, or it is none."""
        until, spot = entry.until, self.at("$.until")
        if until is None:
            return None
        if isinstance(until, str) and until != SEPARATED:
            hint = f"write `until: {SEPARATED}`"
            raise ArenaError(f"until knows '{SEPARATED}', not '{until}'", spot, hint)
        wanted = UntilEntry() if isinstance(until, str) else until
        if not 0.5 <= wanted.separated <= 0.9999:
            what = f"until.separated is 0.5 to 0.9999, not {wanted.separated:g}"
            raise ArenaError(what, self.at("$.until.separated"), "0.95 stands for 95 %")
        if entry.rounds is None:
            hint = "give the most rounds to play, for example `rounds: 100`"
            raise ArenaError("until needs a budget", spot, hint)
        return wanted.separated

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
        spots = (self.at(f"$.bots[{index}]") for index in range(len(patterns)))
        return find_bots(zip(patterns, spots, strict=True), self._path.absolute().parent)


def _label(rules: Rules) -> str:
    """Name a variant by its rule book and what differs from it."""
    parts = [rules.name]
    parts += ["calza"] if rules.calza else []
    parts += ["visible"] if rules.lost_dice_visible else []
    parts += [f"{rules.starting_dice} dice"] if rules.starting_dice != 5 else []
    parts += sorted(changed_switches(rules))
    return "+".join(parts)
