"""ladder.yaml: what it may say, and the league that each season is."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict

from arena.author.check.steps import FIRST_GAME, STEPS
from arena.bots.models.config import Model
from arena.bots.runtimes import OF_SAMPLES
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import AUTO, make_sandbox
from arena.game.records import LimitsInfo, RatingsInfo
from arena.io.cores import core_count, spare_cores
from arena.io.errors import ArenaError
from arena.io.yaml_file import convert, locate, parse_yaml
from arena.ladder.book.caps import Caps, Disk, caps_of
from arena.ladder.book.names import Names
from arena.ladder.book.quota import Joining, Quotas
from arena.league.cluster.entry import check_cluster
from arena.league.terms.config import (
    Blocks,
    Games,
    League,
    LeagueFile,
    TableSize,
    UntilEntry,
    VariantEntry,
    Workers,
    league_of,
)


class SeasonTerms(Struct, frozen=True, kw_only=True):
    """What decides the games of a season: it cannot change before the next."""

    variants: tuple[str | VariantEntry, ...] = ("bga",)
    players: TableSize | list[TableSize] = 2
    games: Games = 10
    blocks: Blocks = 200
    until: str | UntilEntry = "separated"
    limits: LimitsInfo = LimitsInfo()
    sandbox: str = AUTO
    sandbox_paths: tuple[str, ...] = ()
    images: dict[str, str] = {}
    packages: bool = False


_SEASON_KEYS = SeasonTerms.__struct_fields__


class Intervals(Struct, frozen=True, forbid_unknown_fields=True):
    """How long things may take, in seconds."""

    publish: Annotated[float, Meta(ge=1)] = 60.0
    """Between two publications, at least."""
    backup: Annotated[float, Meta(ge=60)] = 172_800.0
    """The age of a backup from which on it is overdue."""
    check: Annotated[float, Meta(ge=1)] = 3_600.0
    """The age of a submission from which on its check is overdue."""


class CheckTerms(Struct, frozen=True, forbid_unknown_fields=True):
    """What the checks of submissions may take."""

    seconds: Annotated[float, Meta(ge=6)] = 900.0
    """How long a check waits for its bot, at most."""
    at_a_time: Annotated[int, Meta(ge=1)] | None = None
    """How many go on at a time; None for as many as the cores."""
    steps: Annotated[int, Meta(ge=FIRST_GAME, le=len(STEPS))] = len(STEPS)
    """How many of the steps of `arena check` come before the games."""

    @property
    def slots(self) -> int:
        """How many go on at a time on this machine."""
        return self.at_a_time or core_count()


class Keep(StrEnum):
    """Which version of a bot plays on once the newest has met the one before."""

    LATEST = "latest"
    BETTER = "better"


class LadderFile(SeasonTerms, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of ladder.yaml (`docs/guides/ladder.md`)."""

    name: str
    ratings: RatingsInfo = RatingsInfo()
    workers: Workers | None = None
    pin: bool = True
    cluster: str | None = None
    """The address of a scheduler whose workers play; None for processes of this machine."""
    trust_bots: bool = False
    """Whether bots may run without isolation."""
    approve: bool = False
    """Whether a version that passed its check waits for an administrator before it plays."""
    keep: Keep = Keep.LATEST
    names: Names = Names.BY_BOT
    guests: Annotated[int, Meta(ge=0, le=100)] = 0
    """Tables at a time at which visitors play; 0 for none."""
    humans: bool = False
    """Whether versions play against visitors whose bot.yaml does not say."""
    searchable: bool = False
    """Whether search engines may list the public pages of the door."""
    checks: CheckTerms = CheckTerms()
    quotas: Quotas = Quotas()
    door: Joining = Joining()
    intervals: Intervals = Intervals()
    disk: Disk = Disk()
    models: dict[str, Model] = {}

    def terms(self) -> bytes:
        """Return what decides the games of a season, as JSON."""
        return msgspec.json.encode({key: getattr(self, key) for key in _SEASON_KEYS})


class Config(Struct, frozen=True):
    """A ladder.yaml that was read."""

    path: Path
    file: LadderFile
    league: League
    """A season's league, without bots."""
    caps: Caps

    @property
    def spare_cores(self) -> set[int]:
        """The cores that the workers leave to all else; none if they leave or claim none."""
        return spare_cores(self.league.workers) if self.league.pin else set()


def load_config(path: Path) -> Config:
    """Read ladder.yaml; raises ArenaError with the line that is wrong."""
    data, marks = parse_yaml(path)
    if data is None:
        raise ArenaError("the file is empty", str(path), "arena help ladder")
    file = convert(data, marks, path, LadderFile)
    common = {*LadderFile.__struct_fields__} & {*LeagueFile.__struct_fields__}
    entry = LeagueFile(bots=[], **{name: getattr(file, name) for name in common})
    league = league_of(entry, path, marks)
    if league.playoff:
        hint = "write `until: separated`, or make a league of the season's bots"
        raise ArenaError("a ladder has no playoff", locate(path, marks, "$.until"), hint)
    if file.sandbox == AUTO:
        hint = "name the sandbox that every season is played in, as arena ladder init does"
        raise ArenaError("a ladder's sandbox is fixed", locate(path, marks, "$.sandbox"), hint)
    if file.cluster is not None:
        where = locate(path, marks, "$.cluster")
        if file.workers is not None:
            what = "workers counts processes of this machine without a cluster"
            raise ArenaError(what, where, "leave one of the two out")
        try:
            check_cluster(file.cluster, None)
        except ArenaError as error:
            raise ArenaError(error.what, where, error.hint) from None
    return Config(path, file, league, caps_of(file.disk, path, marks))


def check_terms(config: Config, season: bytes) -> None:
    """Raise ArenaError if ladder.yaml changed what decides the games of a season."""
    # A season that began with an earlier arena says nothing of paths.
    before: dict[str, Any] = {"sandbox_paths": [], **msgspec.json.decode(season)}
    now: dict[str, Any] = msgspec.json.decode(config.file.terms())
    changed = [
        f"{key} is {_json(value)}, not {_json(before.get(key))}"
        for key, value in now.items()
        if before.get(key) != value
    ]
    if changed:
        what = f"changed what decides games: {', '.join(changed)}"
        hint = "undo it, or let a new season begin: arena ladder season close"
        raise ArenaError(what, str(config.path), hint)


def sandbox_of(config: Config) -> Sandbox:
    """Return the sandbox of a ladder; raises ArenaError if it, or an image, does not work here."""
    runtimes = {*OF_SAMPLES, *config.file.images}
    league = config.league
    return make_sandbox(league.sandbox, runtimes, league.images, league.sandbox_paths)


def file_as_json(file: LadderFile) -> dict[str, str]:
    """Return the values of a ladder.yaml as JSON, by key."""
    return {key: _json(value) for key, value in asdict(file).items() if value is not None}


def text_of(file: LadderFile) -> str:
    """Return a ladder.yaml with every key on a line of its own: JSON values are YAML."""
    lines = [f"{key}: {value}" for key, value in file_as_json(file).items()]
    return "\n".join(["# arena help ladder explains every key.", *lines, ""])


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=-1).decode()
