"""A table without a league.yaml of one's own: some bots, or bots and a person, for a few games."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.config_files.files import reason
from arena.errors import ArenaError
from arena.league.conditions import commit, resolve
from arena.league.config import League, load_league
from arena.match.person import Person, TableWithPerson
from arena.match.preparation import prepared
from arena.match.table import play_fixture
from arena.records import BotInfo, PlayedFixture
from arena.sandboxes.registry import make_sandbox
from arena.store.rows import pack
from arena.store.store import Store
from arena.submissions.bot import Bot, check_trust, runtimes_of
from arena.submissions.manifest import find_bots

PERSON = "you"
"""What a person is called at the table."""
MOST = 6
"""Seats at a table."""


class TableRequest(Struct, frozen=True):
    """What to play, and where to store it; relative patterns start at the working directory."""

    bots: tuple[str, ...]
    """Patterns: folders, archives, `sample:NAME`."""
    folder: Path
    """A new folder: its league.yaml and league.sqlite are those of any league."""
    person: bool = False
    """Whether a person has a seat, too."""
    games: int = 1
    """Games per fixture."""
    variant: str = "bga"
    calza: bool = False
    lost_dice_visible: bool = False
    starting_dice: int | None = None
    """None stands for what the rule book says."""
    seed: str | None = None
    sandbox: str = "auto"

    @property
    def league(self) -> Path:
        """The league.yaml."""
        return self.folder / "league.yaml"

    @property
    def store(self) -> Path:
        """The file with the games."""
        return self.folder / "league.sqlite"


def write_league(request: TableRequest) -> None:
    """Make the folder and its league.yaml; raises ArenaError if that cannot be."""
    bots = find_bots([(pattern, "BOT") for pattern in request.bots], Path.cwd())
    players = len(bots) + request.person
    if not 2 <= players <= MOST:
        what = f"2 to {MOST} play at a table, not {players}"
        raise ArenaError(what, hint="name other bots, or play a league: arena run")
    if request.person and any(bot.name == PERSON for bot in bots):
        raise ArenaError(f"a bot is called '{PERSON}'", hint="rename it in its bot.yaml")
    rules = {"variant": request.variant, "calza": request.calza}
    rules |= {"lost_dice_visible": request.lost_dice_visible}
    if request.starting_dice is not None:
        rules["starting_dice"] = request.starting_dice
    names = [bot.name for bot in bots] + [PERSON] * request.person
    league = {
        "name": ", ".join(names),
        "bots": [str(bot.source) for bot in bots],
        "variants": [rules],
        "players": players,
        "games": request.games,
        "rounds": 1,
        "shared_dice": False,
        "sandbox": request.sandbox,
        "seed": request.seed,
    }
    try:
        request.folder.mkdir(parents=True)
        # JSON is YAML.
        request.league.write_bytes(msgspec.json.format(msgspec.json.encode(league)))
    except FileExistsError:
        raise ArenaError("it exists already", str(request.folder), "name a new folder") from None
    except OSError as error:
        raise ArenaError(f"it cannot be made: {reason(error)}", str(request.folder)) from None


def play_with_person(
    request: TableRequest, person: Person, note: Callable[[str], None], *, trusted: bool
) -> PlayedFixture:
    """Play the first fixture of a written league with a person in a seat, and store it.

    Nothing is stored if the person leaves (KeyboardInterrupt). Raises ArenaError for bots that do
    not start, and for a sandbox that does not work.
    """
    league = load_league(request.league)
    sandbox = make_sandbox(league.sandbox, runtimes_of(league.bots), league.images)
    check_trust(sandbox, league.bots, trusted=trusted)
    rivals = {bot.name: bot for bot in league.bots}
    league = _with_person(league)
    [rules] = league.variants.values()
    with Store(request.store, create=True) as store:
        resolution = resolve(league, sandbox.name, store, trusted=trusted)
        conditions = resolution.schedule.conditions
        with prepared(list(rivals.values()), rules, league.limits, sandbox) as staged:
            commit(resolution, store, note)
            fixture = resolution.schedule.fixtures[0]
            programs = {bot.name: bot.program for bot in staged}
            person.meet(fixture.seats)
            at_table = [programs.get(name) for name in fixture.seats]
            with TableWithPerson(at_table, sandbox, conditions.limits, person) as table:
                played = play_fixture(fixture, rules, table)
        store.add(pack(played))
    return played


def remove_league(request: TableRequest) -> None:
    """Remove what `write_league` made, and what was stored beside it."""
    for path in request.folder.glob(f"{request.league.stem}.*"):
        path.unlink()
    request.folder.rmdir()


def _with_person(league: League) -> League:
    digest = sha256(b"a person").hexdigest()
    info = BotInfo(PERSON, author="", version="", runtime="any", digest=digest)
    person = Bot(info, league.path.parent, league.path.parent, (), None)
    return replace(league, bots=(*league.bots, person))
