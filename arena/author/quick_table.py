"""A table without a league.yaml of one's own: some bots, or bots and a person, for a few games."""

import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.bots.archives.unpack import folder_name
from arena.bots.bot import Bot
from arena.bots.folder import is_ignored
from arena.bots.manifest import bot_sources, find_bots
from arena.bots.workshop import open_workshop, sandbox_for
from arena.game.records import BotInfo, FixtureResult
from arena.game.rules.books import BGA, MAX_PLAYERS, MIN_PLAYERS, Rules
from arena.io.errors import ArenaError
from arena.io.files import os_errors
from arena.league.play.dispatcher import RunListener
from arena.league.play.league_run import RunRequest, open_run
from arena.league.store.rows import pack
from arena.league.store.store import Store
from arena.league.table.person import Person, TableWithPerson
from arena.league.table.play_fixture import play_fixture
from arena.league.table.preparation import prepare
from arena.league.terms.conditions import commit, resolve
from arena.league.terms.config import load_league
from arena.league.terms.house import entry_of

PERSON = "you"
"""The name of a person at the table."""


class TableRequest(Struct, frozen=True):
    """A table to play, and where to store it; relative patterns start at the working directory."""

    bots: tuple[str, ...]
    """Patterns: folders, archives, `sample:NAME`."""
    folder: Path
    """A new folder: its league.yaml and league.sqlite are those of any league."""
    games: int = 1
    """Games per fixture."""
    rules: Rules = BGA
    seed: str | None = None
    sandbox: str = "auto"
    packages: bool = False
    """Whether the Python packages that bots ask for are installed."""
    images: dict[str, str] = {}
    """The image of each runtime, where it is another than the usual one."""
    paths: tuple[str, ...] = ()
    """Paths of the machine that the sandbox also shows."""

    @property
    def league(self) -> Path:
        """The path of the league.yaml."""
        return self.folder / "league.yaml"

    @property
    def store(self) -> Path:
        """The path of the store."""
        return self.folder / "league.sqlite"


class TableResult(Struct, frozen=True):
    """The result of one bot, or the person."""

    name: str
    games: int
    wins: int
    mean_place: float
    faults: int


def play_table(
    request: TableRequest, listener: RunListener, person: Person | None, *, trusted: bool
) -> list[TableResult]:
    """Play all games of the bots, or one fixture with a person; returns the most wins first.

    Nothing is left behind if it does not come to its end: raises KeyboardInterrupt if it was
    stopped, ArenaError if it cannot be played.
    """
    _write_league(request, with_person=person is not None)
    try:
        if person:
            _play_with_person(request, person, listener, trusted=trusted)
        else:
            _play_bots(request, listener, trusted=trusted)
    except BaseException:
        shutil.rmtree(request.folder)
        raise
    with Store(request.store) as store:
        return results_of(store.results())


def results_of(fixtures: Iterable[FixtureResult]) -> list[TableResult]:
    """Return how everyone at a table did, the most wins first."""
    places: dict[str, list[int]] = {}
    faults: Counter[str] = Counter()
    for fixture in fixtures:
        for game in fixture.games:
            for seat, name in enumerate(fixture.fixture.seats):
                places.setdefault(name, []).append(game.places[seat])
                faults[name] += game.faults[seat] is not None
    results = [
        TableResult(name, len(all_), all_.count(1), sum(all_) / len(all_), faults[name])
        for name, all_ in places.items()
    ]
    return sorted(results, key=lambda result: (-result.wins, result.mean_place, result.name))


def _write_league(request: TableRequest, *, with_person: bool) -> None:
    bots = find_bots([(pattern, "BOT") for pattern in request.bots], Path.cwd())
    again = _named_again(request.bots)
    players = len(bots) + len(again) + with_person
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        what = f"{MIN_PLAYERS} to {MAX_PLAYERS} play at a table, not {players}"
        raise ArenaError(what, hint="name other bots, or play a league: arena run")
    if with_person and any(bot.name == PERSON for bot in bots):
        raise ArenaError(f"a bot is called '{PERSON}'", hint="rename it in its bot.yaml")
    copies = {request.folder.absolute() / name: source for name, source in again.items()}
    names = [bot.name for bot in bots] + [*again] + [PERSON] * with_person
    league = {
        "name": ", ".join(names),
        "bots": [*(str(bot.source) for bot in bots), *map(str, copies)],
        "variants": [entry_of(request.rules)],
        "players": players,
        "games": request.games,
        "blocks": 1,
        "sandbox": request.sandbox,
        "packages": request.packages,
        "images": request.images,
        "sandbox_paths": request.paths,
        "seed": request.seed,
    }
    with os_errors("it cannot be made", request.folder):
        try:
            request.folder.mkdir(parents=True)
        except FileExistsError:
            hint = "name a new folder"
            raise ArenaError("it exists already", str(request.folder), hint) from None
        for copy, source in copies.items():
            _copy(source, copy)
        # JSON is YAML.
        request.league.write_bytes(msgspec.json.format(msgspec.json.encode(league)))


def _named_again(patterns: Sequence[str]) -> dict[str, Path]:
    """Return the bots that are named more than once, by the names of their further copies.

    A copy is named as a person would name it: `my-bot-2`.
    """
    copies = {}
    for pattern, times in Counter(patterns).items():
        for number in range(2, times + 1):
            for source in bot_sources(pattern, Path.cwd(), "BOT"):
                ending = "".join(source.suffixes) if source.is_file() else ""
                copies[f"{folder_name(source)}-{number}{ending}"] = source
    return copies


def _copy(source: Path, copy: Path) -> None:
    if source.is_file():
        shutil.copy(source, copy)
    else:
        shutil.copytree(source, copy, ignore=lambda _, names: {*filter(is_ignored, names)})


def _play_bots(request: TableRequest, listener: RunListener, *, trusted: bool) -> None:
    run = RunRequest(request.league, request.store, trust_bots=trusted)
    with open_run(run, listener) as league:
        if not league.play().finished:
            raise KeyboardInterrupt


def _play_with_person(
    request: TableRequest, person: Person, listener: RunListener, *, trusted: bool
) -> None:
    """Play the first fixture with a person in a seat, and store it."""
    league = load_league(request.league)
    rivals = league.bots
    images, paths = league.images, league.sandbox_paths
    sandbox = sandbox_for(rivals, league.sandbox, trusted=trusted, images=images, paths=paths)
    digest = sha256(b"a person").hexdigest()
    info = BotInfo(PERSON, author="", version="", runtime="any", digest=digest)
    seated = Bot(info, league.path.parent, league.path.parent, (), None)
    league = replace(league, bots=(*rivals, seated))
    [rules] = league.variants.values()
    with (
        Store(request.store, create=True) as store,
        open_workshop(sandbox, packages=league.packages) as workshop,
    ):
        resolution = resolve(league, sandbox.name, store, trusted=trusted)
        staged = prepare(workshop, rivals, rules, league.limits)
        commit(resolution, store, listener.note)
        fixture = resolution.schedule.fixtures[0]
        programs = {bot.name: bot.program for bot in staged}
        person.meet(fixture.seats)
        at_table = [programs.get(name) for name in fixture.seats]
        limits = resolution.schedule.conditions.limits
        with TableWithPerson(at_table, sandbox, limits, person) as table:
            played = play_fixture(fixture, rules, table)
        store.add(pack(played))
