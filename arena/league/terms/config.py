"""league.yaml: its keys, and the league that it describes, with every default filled in."""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, Struct

from arena.bots.bot import Bot
from arena.bots.manifest import find_bots
from arena.bots.models.config import MAX_MODELS, Model, check_granted, checked_models
from arena.bots.runtimes import IMAGES
from arena.bots.sandboxes.registry import AUTO, MAX_PATHS, SANDBOXES, check_shown
from arena.game.records import MAX_SECONDS, LimitsInfo, PlayoffInfo, RatingsInfo
from arena.game.rules.books import (
    BOOKS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    OPTIONS,
    SWITCHES,
    Rules,
    changed,
)
from arena.io.cores import core_count
from arena.io.errors import ArenaError, check_known
from arena.io.yaml_file import Positions, convert, locate, parse_yaml
from arena.league.terms.house import (
    At,
    HouseBook,
    Switches,
    house_rules,
    is_file,
    load_house,
    with_switches,
)
from arena.ratings.sequential import first_look


class VariantEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A variant with options, in league.yaml: a rule book, or the rules of a house."""

    variant: str = ""
    rules: str | HouseBook = ""
    """The file of the rules of a house, or these rules themselves."""
    label: str = ""
    calza: bool | None = None
    """None stands for what the rules of the house say, as for the other options."""
    lost_dice_visible: bool | None = None
    starting_dice: int | None = None
    overrides: Switches = {}


def labelled_rules(entry: str | VariantEntry, at: At, folder: Path) -> tuple[str, Rules]:
    """Return a variant's label and rules; raises ArenaError that names its place.

    Without a label it is named by its rule book and how it differs from it. `at` returns the place
    of a key of the entry; files are looked for in `folder`.
    """
    full = VariantEntry(entry) if isinstance(entry, str) else entry
    book = _book(full, at, folder)
    rules = with_switches(book, full.overrides, lambda key: at(f"$.overrides.{key}"))
    options = {key: getattr(full, key) for key in OPTIONS if getattr(full, key) is not None}
    try:
        rules = changed(rules, {}, **options)
    except ArenaError as error:
        raise ArenaError(error.what, at("$.starting_dice"), error.hint) from None
    if full.label:
        return full.label, rules
    parts = [rules.name]
    parts += ["calza"] if rules.calza and not book.calza else []
    parts += ["visible"] if rules.lost_dice_visible and not book.lost_dice_visible else []
    dice = rules.starting_dice
    parts += [f"{dice} dice"] if dice != book.starting_dice else []
    parts += [key for key in sorted(SWITCHES) if getattr(rules, key) != getattr(book, key)]
    return "+".join(parts), rules


def _book(entry: VariantEntry, at: At, folder: Path) -> Rules:
    """Return the rule book or the rules of a house that an entry names."""
    if bool(entry.variant) == bool(entry.rules):
        what = "a variant names a rule book or the rules of a house"
        raise ArenaError(what, at("$"), "for example `variant: bga`, or `rules: house.yaml`")
    if isinstance(entry.rules, HouseBook):
        return house_rules(entry.rules, lambda key: at(f"$.rules{key.removeprefix('$')}"))
    if entry.rules:
        return load_house(folder / entry.rules)
    if is_file(entry.variant):
        hint = f"write `rules: {entry.variant}`"
        raise ArenaError(f"'{entry.variant}' is a file, not a rule book", at("$.variant"), hint)
    check_known(entry.variant, BOOKS, f"unknown variant '{entry.variant}'", at("$.variant"))
    return BOOKS[entry.variant]


_ALL_PAIRS = "leave it out for one less than the number of bots"
MAX_GAMES = 100_000
MAX_BLOCKS = 10_000
MAX_PLAYOFF = 10_000_000
"""Games of a playoff."""
MAX_ENTRIES = {
    "bots": 1000,
    "variants": 100,
    "struck": 1000,
    "models": MAX_MODELS,
    "sandbox_paths": MAX_PATHS,
}
"""Entries of lists; a pattern is one entry, however many bots it matches."""
MAX_TEXT = 200
"""Characters of a name, a label, a seed, an image."""
SEPARATED, WINNER = "separated", "winner"
Games = Annotated[int, Meta(ge=1, le=MAX_GAMES)]
"""Games of a fixture."""
Blocks = Annotated[int, Meta(ge=1, le=MAX_BLOCKS, extra={"hint": _ALL_PAIRS})]
Workers = Annotated[int, Meta(ge=1, le=1024)]
Confidence = Annotated[float, Meta(ge=0.5, le=0.9999, extra={"hint": "0.95 stands for 95 %"})]
PlayoffGames = Annotated[int, Meta(ge=1, le=MAX_PLAYOFF)]
TableSize = Annotated[int, Meta(ge=MIN_PLAYERS, le=MAX_PLAYERS)]
"""Seats at a table."""
_LINES = ("ratings.anchor", "players", "blocks", "struck")
"""Keys that are validated later, when the field is known."""
_PLAYOFF = 20_000
"""Games of a playoff, at most, if league.yaml does not say."""
_IMAGE = re.compile(r"[a-z0-9][\w./:@-]*")


class UntilEntry(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The condition in league.yaml on which a league ends before its blocks do."""

    separated: Confidence | None = None
    winner: Confidence | None = None
    games: PlayoffGames | None = None
    """The most that the playoff for a winner takes; None stands for 20,000."""


class LeagueOptions(Struct, frozen=True, kw_only=True):
    """Keys of league.yaml that a league takes as they are."""

    games: Games = 20
    blocks: Blocks | None = None
    """None stands for one less than the number of bots."""
    limits: LimitsInfo = LimitsInfo()
    ratings: RatingsInfo = RatingsInfo()
    struck: tuple[str, ...] = ()
    """Bots that do not play, and whose games do not count."""
    sandbox: str = "auto"
    sandbox_paths: tuple[str, ...] = ()
    """Paths of the machine that bots see besides, read-only."""
    memory_across_fixtures: bool = False
    packages: bool = False
    """Whether the Python packages that bots ask for are installed."""
    pin: bool = True
    """Whether each worker shares one core with its bots, if there are enough cores."""


class LeagueFile(LeagueOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of league.yaml (`docs/reference/league.md`)."""

    bots: list[str]
    name: str = ""
    variants: tuple[str | VariantEntry, ...] = ("bga",)
    players: TableSize | list[TableSize] = 2
    until: str | UntilEntry | None = None
    seed: int | str | None = None
    enter: str = ""
    """Where readers of the report learn how to enter a bot."""
    images: dict[str, str] = {}
    models: dict[str, Model] = {}
    workers: Workers | None = None
    shared_dice: bool | None = None
    """None stands for false in a new league, and for what it is in one that began."""


class League(LeagueOptions, frozen=True, kw_only=True):
    """A league as it was read, with all defaults filled in but a seed that was not given."""

    path: Path
    name: str
    variants: dict[str, Rules]
    """The rules of each variant, by its label."""
    bots: tuple[Bot, ...]
    players: tuple[int, ...]
    until: float | None
    """The confidence at which neighbours on the leaderboard must be separated to stop."""
    playoff: PlayoffInfo | None
    """The terms of a playoff for a winner after the last block."""
    seed: str | None
    images: dict[str, str]
    """The image of each runtime, by its name."""
    models: dict[str, Model]
    """The language models that bots may ask, by name."""
    workers: int
    shared_dice: bool | None
    lines: dict[str, str]
    """File and line of each of these keys, for errors that are found later."""


def load_league(path: Path) -> League:
    """Read league.yaml and the bots it names; raises ArenaError with the line that is wrong."""
    data, marks = parse_yaml(path)
    if data is None:
        raise ArenaError("the file is empty", str(path), "arena help league")
    return league_of(convert(data, marks, path, LeagueFile), path, marks)


def league_of(entry: LeagueFile, path: Path, marks: Positions) -> League:
    """Return the league that entries describe; raises ArenaError with the line that is wrong."""
    reader = _Reader(path, marks)
    reader.check_texts(entry)
    sizes = [entry.players] if isinstance(entry.players, int) else entry.players
    league = League(
        path=path,
        name=entry.name or path.stem.encode(errors="replace").decode(),
        variants=reader.variants(entry.variants),
        bots=reader.bots(entry.bots),
        players=reader.players(sizes),
        until=reader.until(entry),
        playoff=reader.playoff(entry),
        seed=None if entry.seed is None else str(entry.seed),
        images=reader.images(entry.images),
        models=reader.models(entry.models),
        workers=entry.workers or core_count(),
        shared_dice=reader.shared_dice(entry),
        lines={key: reader.at(f"$.{key}") for key in _LINES},
        **{key: getattr(entry, key) for key in LeagueOptions.__struct_fields__},
    )
    for bot in league.bots:
        check_granted(bot.info.models, league.models, str(bot.source))
    reader.check_fixture(entry.limits, entry.games)
    reader.check_sandbox(entry)
    _check_address(entry.enter, reader.at("$.enter"))
    return league


def check_anchor(ratings: RatingsInfo, bots: Sequence[str], where: str) -> None:
    """Refuse an anchor that does not play."""
    if (anchor := ratings.anchor) is not None:
        check_known(anchor, bots, f"the anchor '{anchor}' does not play in this league", where)


def check_bot_count(league: League) -> None:
    """Refuse a league with too few bots for a table, or too few blocks for `until` to decide."""
    need, count = max(league.players), len(league.bots)
    if count < need:
        what = f"{count} bots are too few for tables of {need}"
        raise ArenaError(what, league.lines["players"], "name more bots, or fewer players")
    first = first_look(count)
    if league.until and league.blocks and league.blocks < first:
        what = f"{league.blocks} blocks end before the first decision of `until`, after {first}"
        hint = f"at least `blocks: {first}` with {count} bots, better several times as many"
        raise ArenaError(what, league.lines["blocks"], hint)


class _Reader:
    """Checks and converts the parts of a league file; its errors name the line."""

    def __init__(self, path: Path, marks: Positions) -> None:
        self._path = path
        self._marks = marks

    def at(self, key: str) -> str:
        """Return the file and line of a key, as `$.limits.start`."""
        return locate(self._path, self._marks, key)

    def check_texts(self, entry: LeagueFile) -> None:
        """Refuse what would be too long for a page, or too much to play."""
        for key, most in MAX_ENTRIES.items():
            if (count := len(getattr(entry, key))) > most:
                raise ArenaError(
                    f"{key} has {count:,} entries, at most {most:,}", self.at(f"$.{key}")
                )
        texts = {"name": entry.name, "seed": str(entry.seed)}
        texts |= {f"images.{runtime}": image for runtime, image in entry.images.items()}
        for index, listed in enumerate(entry.variants):
            label = "" if isinstance(listed, str) else listed.label
            texts[f"variants[{index}].label"] = label
        for key, text in texts.items():
            if len(text) > MAX_TEXT or not text.isprintable():
                what = f"{key} has at most {MAX_TEXT} characters, all of them visible"
                raise ArenaError(what, self.at(f"$.{key}"))

    def check_fixture(self, limits: LimitsInfo, games: int) -> None:
        """Refuse a limit of a fixture beyond that of all its games."""
        high = games * MAX_SECONDS
        if limits.fixture is not UNSET and limits.fixture > high:
            what = f"limits.fixture must be above 0 and up to {high} seconds"
            raise ArenaError(f"{what}, not {limits.fixture:g}", self.at("$.limits.fixture"))

    def check_sandbox(self, entry: LeagueFile) -> None:
        what = f"unknown sandbox '{entry.sandbox}'"
        check_known(entry.sandbox, (AUTO, *SANDBOXES), what, self.at("$.sandbox"))
        for index, path in enumerate(entry.sandbox_paths):
            check_shown(path, self.at(f"$.sandbox_paths[{index}]"), self._path.parent)

    def images(self, images: dict[str, str]) -> dict[str, str]:
        for runtime, image in images.items():
            line = self.at(f"$.images.{runtime}")
            check_known(runtime, IMAGES, f"unknown runtime '{runtime}'", line)
            if not _IMAGE.fullmatch(image):
                hint = "for example python:3.12-slim"
                raise ArenaError(f"'{image}' is not the name of an image", line, hint)
        return {**IMAGES, **images}

    def models(self, models: dict[str, Model]) -> dict[str, Model]:
        folder = self._path.absolute().parent
        return checked_models(models, folder, lambda name: self.at(f"$.models.{name}"))

    def until(self, entry: LeagueFile) -> float | None:
        """Return the confidence wanted; raises ArenaError without a budget of blocks."""
        until = self._until(entry)
        if until.separated is None:
            return None
        if entry.blocks is None:
            hint = "give the most blocks to play, for example `blocks: 100`"
            raise ArenaError("until needs a budget", self.at("$.until"), hint)
        return until.separated

    def playoff(self, entry: LeagueFile) -> PlayoffInfo | None:
        """Return the terms of a playoff, if one is asked for."""
        until = self._until(entry)
        return None if until.winner is None else PlayoffInfo(until.winner, until.games or _PLAYOFF)

    def _until(self, entry: LeagueFile) -> UntilEntry:
        """Return what `until` asks for; raises ArenaError if that is not one thing."""
        until, line = entry.until, self.at("$.until")
        named = {SEPARATED: UntilEntry(separated=0.95), WINNER: UntilEntry(winner=0.95)}
        hint = f"write `until: {SEPARATED}` or `until: {WINNER}`"
        if until is None:
            return UntilEntry()
        if isinstance(until, str):
            if until not in named:
                what = f"until must be '{SEPARATED}' or '{WINNER}', not '{until}'"
                raise ArenaError(what, line, hint)
            return named[until]
        if until.winner is not None and until.separated is not None:
            what = f"until names one of {SEPARATED} and {WINNER}"
            raise ArenaError(what, line, f"for example `until: {{{WINNER}: 0.95}}`")
        if until.games is not None and until.winner is None:
            what = f"until.games are those of a playoff for a {WINNER}"
            raise ArenaError(what, line, f"for example `until: {{{WINNER}: 0.95, games: 5000}}`")
        return named[SEPARATED] if until == UntilEntry() else until

    def shared_dice(self, entry: LeagueFile) -> bool | None:
        """Return whether dice are shared; raises ArenaError if bots would know them."""
        if entry.shared_dice and entry.memory_across_fixtures:
            what = "shared_dice cannot be true with memory_across_fixtures"
            hint = "leave shared_dice out: a bot would know the dice of its next tables"
            raise ArenaError(what, self.at("$.shared_dice"), hint)
        return entry.shared_dice

    def players(self, sizes: list[int]) -> tuple[int, ...]:
        if not sizes or len(set(sizes)) < len(sizes):
            raise ArenaError("players names each table size once", self.at("$.players"))
        return tuple(sizes)

    def variants(self, entries: Sequence[str | VariantEntry]) -> dict[str, Rules]:
        variants: dict[str, Rules] = {}
        for index, entry in enumerate(entries):
            line = self.at(f"$.variants[{index}]")
            label, rules = labelled_rules(
                entry, partial(self._in_variant, index), self._path.absolute().parent
            )
            if label in variants:
                hint = "give one of them a `label`"
                raise ArenaError(f"two variants are called '{label}'", line, hint)
            variants[label] = rules
        if not variants:
            raise ArenaError("variants is empty", self.at("$.variants"))
        return variants

    def _in_variant(self, index: int, key: str) -> str:
        return self.at(f"$.variants[{index}]{key.removeprefix('$')}")

    def bots(self, patterns: list[str]) -> tuple[Bot, ...]:
        lines = [(name, self.at(f"$.bots[{index}]")) for index, name in enumerate(patterns)]
        return find_bots(lines, self._path.absolute().parent)


class ReportPart(Struct, frozen=True):
    """The keys of league.yaml that may change after the games."""

    ratings: RatingsInfo = RatingsInfo()
    enter: str = ""


class SeedPart(Struct, frozen=True):
    """The key of league.yaml that decides the dice and who meets whom."""

    seed: int | str | None = None


def _check_address(url: str, where: str) -> None:
    """Refuse what a page could not link to."""
    if url and not re.fullmatch(r"https?://[!-~]+", url):
        raise ArenaError(f"{url[:40]!a} is not a web address", where, "begin it with https://")


def load_report_part(path: Path, bots: Sequence[str]) -> ReportPart:
    """Read only what a report asks of a league.yaml; raises ArenaError with the wrong line."""
    data, marks = parse_yaml(path)
    part = convert(data, marks, path, ReportPart) if data else ReportPart()
    check_anchor(part.ratings, bots, locate(path, marks, "$.ratings.anchor"))
    _check_address(part.enter, locate(path, marks, "$.enter"))
    return part


def given_seed(path: Path) -> str | None:
    """Return the seed that a league.yaml names, if any; raises ArenaError if it cannot be read."""
    data, marks = parse_yaml(path)
    seed = convert(data, marks, path, SeedPart).seed if data else None
    return None if seed is None else str(seed)
