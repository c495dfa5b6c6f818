"""Records of leagues, fixtures, events, faults and results; events are stored as JSON arrays."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from arena.game.rules.books import Rules
from arena.game.rules.dice import Hand

MODEL_SECONDS = 60.0
"""Wall time in which models may work for one answer, if a league does not say."""
MODEL_SHARE = 0.8
"""The least share of its decisions that a bot's models make, if a league does not say."""


SERVER_FAILED = "server_failed"
"""The code of a request that a server fails with although it works."""


class Exchange(Struct, frozen=True, gc=False, omit_defaults=True):
    """One answer of a model, or a request without an answer.

    Those are all that a server failed with, and the first in a game that a cap refused. It is no
    part of what must be the same when a game is played again.
    """

    seat: int
    game: int
    round: int
    turn: int
    """The id of the request that the bot had to answer (`protocol/README.md`)."""
    bids: int
    """How many bids of the round were on the table."""
    model: str
    """Its name in the league."""
    request: str = ""
    """All but the model, as JSON with sorted keys."""
    answer: str = ""
    finish: str = ""
    """Why it ended, in the server's word."""
    tokens_in: int = 0
    tokens_out: int = 0
    milliseconds: int = 0
    """From the request to the answer, with the time in queues."""
    micros: int = 0
    """Its cost in millionths of a unit of money."""
    refused: str = ""
    """The code of the refusal, "" for an answer."""
    estimated: bool = False
    """Whether the arena estimated the tokens, as the server counted none."""
    reasoning: str = ""
    """What the model thought before its answer, if the server says it; its bot does not get it."""


def without_words(exchange: Exchange) -> Exchange:
    """Return an exchange with its numbers alone."""
    return replace(exchange, request="", answer="", reasoning="")


class DecidedBy(StrEnum):
    """Who made a decision of a bot with language models, as far as its model's gateway agrees."""

    MODEL = "model"
    RETRY = "retry"
    """The model, when it was asked again."""
    FALLBACK = "fallback"
    """The bot's own program, or no model answered."""
    CAPPED = "capped"
    """The bot's own program, as a cap refused a request."""
    UNSAID = "unsaid"
    """A model was asked, and the bot does not say whose move it made."""


class Decision(NamedTuple):
    """An answer of a bot with language models to a request of the arena."""

    seat: int
    game: int
    round: int
    turn: int
    """The id of the request."""
    bids: int
    """How many bids of the round were on the table."""
    by: DecidedBy


class MachineInfo(Struct, frozen=True):
    """The machine that a league began on; it decides no die, but how long answers take."""

    processor: str
    cores: int
    """How many of its cores the arena may use."""
    memory: int
    """In bytes."""
    system: str
    """The kernel and its release."""
    python: str
    numpy: str = ""
    """The arena's own, which Python bots import unless an image has theirs; "" if unknown."""


class PlayoffInfo(Struct, frozen=True):
    """The terms of a playoff, which names one winner (`until: winner`)."""

    confidence: float
    """One less the probability that the best bot is ever dropped."""
    games: int
    """The most games that it takes."""


class Cause(StrEnum):
    """Why a bot is out of a game: the one closed vocabulary of faults."""

    TIMEOUT = "timeout"
    CRASH = "crash"
    ILLEGAL_ACTION = "illegal_action"
    MALFORMED_LINE = "malformed_line"
    FLOOD = "flood"


class Fault(Struct, frozen=True):
    """A bot's error; `detail` is for its author and may quote the bot's own bytes."""

    cause: Cause
    detail: str


class RoundStarted(Struct, frozen=True, gc=False, array_like=True, tag="round"):
    """Dice were rolled for round `number`, from 0; the round after a void one has a new number."""

    number: int
    opener: int
    palifico_seat: int | None
    dice: tuple[Hand, ...]


class BidMade(Struct, frozen=True, gc=False, array_like=True, tag="bid"):
    """A seat bid."""

    seat: int
    quantity: int
    face: int


class CallMade(Struct, frozen=True, gc=False, array_like=True, tag="call"):
    """A call settled the round; `rivals` called calza in the same moment but stood further off."""

    seat: int
    call: Literal["dudo", "calza"]
    count: int
    loser: int | None
    gainer: int | None
    rivals: tuple[int, ...] = ()

    @property
    def right(self) -> bool:
        """Whether the caller was right; otherwise it lost a die."""
        return self.loser != self.seat


class Faulted(Struct, frozen=True, array_like=True, tag="fault"):
    """A seat faulted: it is out of this game, and the round is void."""

    seat: int
    cause: Cause
    detail: str


Event = RoundStarted | BidMade | CallMade | Faulted


class GameRecord(Struct, frozen=True):
    """One game, complete: with the fixture's seed it can be replayed and must come out the same."""

    game: int
    places: tuple[int, ...]
    """The finishing place of each seat, 1 is the winner; no two are equal."""
    events: Sequence[Event]


class Division(NamedTuple):
    """A variant at a table size: each has its own blocks, ratings and leaderboard."""

    variant: str
    """The league's label of the rules in force."""
    players: int


class Fixture(Struct, frozen=True):
    """One table: its seats, rules, dice, and number of games."""

    id: str
    """A hash of the league and the fixture's index in its schedule."""
    index: int
    """Its index in the schedule, from 0."""
    variant: str
    """The league's label of the rules in force."""
    seats: tuple[str, ...]
    """Bot names, seat 0 first."""
    seed: str
    """Keys the bots' own randomness, and the dice if `dice` is empty."""
    games: int
    block: int = 0
    """Its block within its division, from 0: results are resampled by block."""
    dice: str = ""
    """Keys the dice that all fixtures of a block share, or a table and its twin; else empty."""
    max_rounds: int | UnsetType = UNSET
    """The round after which the dice left decide a game; unset in leagues without such a limit."""

    @property
    def division(self) -> Division:
        """The division that its games count for."""
        return Division(self.variant, len(self.seats))

    @property
    def dice_key(self) -> str:
        """The key of the dice."""
        return self.dice or self.seed


LUCK_UNIT = 1000
"""A win of luck: sums of whole numbers depend on no order."""


class PlayedFixture(Struct, frozen=True):
    """A fixture and its games; the last fields may differ when it is played again."""

    fixture: Fixture
    games: Sequence[GameRecord]
    sandbox: str
    clock: Literal["wall", "cpu"]
    """The clock for the time limits of answers."""
    decisions: int
    """Answers asked for, over all seats."""
    seconds: float
    """Time spent in play, without starting the bots."""
    stderr: tuple[str, ...] = ()
    """The last 64 KiB of each seat's standard error."""
    answered: tuple[tuple[int, int, str], ...] = ()
    """The lines with which bots faulted, each after its game and seat; none for a silent one."""
    exchanges: tuple[Exchange, ...] = ()
    """What bots asked language models."""
    decisions_by: tuple[Decision, ...] = ()
    """Who made the decisions of bots with language models."""
    stored_at: float | None = None
    """When it was stored, in seconds since 1970; None if it is not stored."""


class QuarantinedFixture(Struct, frozen=True):
    """A fixture that a run left out because the workers that played it died."""

    fixture: Fixture
    why: str
    """In the arena's words, not a bot's."""
    deaths: int
    """How many workers it cost in that run."""
    at: float
    """When it was quarantined, in seconds since 1970."""


class GameResult(Struct, array_like=True, frozen=True):
    """The result of a game, without its events."""

    game: int
    places: tuple[int, ...]
    """The finishing place of each seat, 1 is the winner."""
    faults: tuple[Cause | None, ...]
    """Why each seat faulted; None if it did not."""
    rounds: int
    """Rounds begun, void ones among them."""
    bids: int
    events: int

    @property
    def faulted(self) -> tuple[int, ...]:
        """The seats that faulted, lowest first."""
        return tuple([seat for seat, cause in enumerate(self.faults) if cause])

    @property
    def actions(self) -> int:
        """How many bids and calls there were."""
        return self.events - self.rounds - len(self.faulted)


class FixtureResult(Struct, frozen=True, omit_defaults=True):
    """The result of a fixture, without events and standard error: cheap to read in bulk."""

    fixture: Fixture
    games: Sequence[GameResult]
    sandbox: str
    clock: Literal["wall", "cpu"]
    decisions: int
    seconds: float
    stored_at: float | None = None
    """When it was stored, in seconds since 1970; None if it is not stored."""
    luck: Sequence[int] = ()
    """How lucky each game's dice were for seat 0, in thousandths of a win; empty if not known."""


class BotInfo(Struct, frozen=True, omit_defaults=True):
    """A bot as it entered a league."""

    name: str
    author: str
    version: str
    runtime: str
    digest: str
    """SHA-256 over the bot's files, hexadecimal: the version that counts."""
    tags: tuple[str, ...] = ()
    """Its author's keywords for it."""
    models: tuple[str, ...] = ()
    """The language models that it asks."""


MAX_SECONDS = 86_400
Seconds = Annotated[float, Meta(gt=0, le=MAX_SECONDS, extra={"unit": " seconds"})]


class LimitsInfo(Struct, frozen=True, forbid_unknown_fields=True):
    """Time limits in seconds, and how often a bot is started again within a fixture.

    `answer` and `game` are CPU time if the sandbox can measure it.
    """

    start: Seconds = 10.0
    answer: Seconds = 2.0
    game: Seconds = 60.0
    wall: Annotated[float, Meta(ge=1, le=1000, extra={"hint": "it is a factor"})] = 4.0
    """How many times as long answers may take by the wall clock."""
    fixture: Annotated[float, Meta(gt=0)] | UnsetType = UNSET
    """Wall time for all answers of a bot in a fixture; unset for as much as the games allow."""
    model: Seconds | UnsetType = UNSET
    """Wall time in which language models work for one answer; unset for `MODEL_SECONDS`."""
    freeze: bool = False
    """Whether a bot is frozen while no answer is awaited from it."""
    restarts: Annotated[int, Meta(ge=0, le=1000)] = 3
    concurrent_games: Annotated[int, Meta(ge=1, le=1024, extra={"hint": "1 plays one by one"})] = 16
    """The most games of a fixture under way at a time, if its bots can play as many."""

    def complete(self, games: int) -> "LimitsInfo":
        """Fill in `fixture`: the CPU time of all games, and the wall time of one."""
        return replace(self, fixture=self.fixture or self.game * (games + self.wall))


class MasterSeed(Struct, frozen=True):
    """A seed that everything random of a league was derived from, for some time."""

    seed: str
    """Empty as long as it is withheld."""
    commitment: str
    """Its SHA-256, which was published before the first game."""


class RatingsInfo(Struct, frozen=True, forbid_unknown_fields=True):
    """A league's options for its ratings; none of them decides a game."""

    anchor: str | None = None
    """The bot whose mu is shown as 0; without one it is the mean of the field."""
    provisional: Annotated[int, Meta(ge=0, extra={"hint": "0 marks no bot"})] = 30
    """A bot with fewer games at a table is provisional; of 30, 1.96 sigma is below beta."""
    overall: bool | None = None
    """Whether there is a table over all divisions; None: if there are several."""
    alpha: Annotated[float, Meta(ge=0, le=0.5, extra={"hint": "0 lists no suspicions"})] = 0.01
    """The chance that a league of fair bots has a false suspicion of a kind."""
    model_share: (
        Annotated[float, Meta(ge=0, le=1, extra={"hint": "0 marks no bot"})] | UnsetType
    ) = UNSET
    """A bot whose language models make a smaller share of its decisions is marked, and is no
    measure of a model; unset for `MODEL_SHARE`."""


class Conditions(Struct, frozen=True, forbid_unknown_fields=True):
    """The conditions that a league is played under at a time, every default explicit."""

    name: str
    variants: dict[str, Rules]
    """By label, in the league's order."""
    bots: tuple[BotInfo, ...]
    """Those whose games count: they play, or rest."""
    players: tuple[int, ...]
    """Table sizes, in the league's order."""
    games: int
    """Games per fixture."""
    blocks: int
    """Blocks per division; with `until`, the most. An endless league has more."""
    limits: LimitsInfo
    sandbox: str
    seed: str
    """The master seed, published after the last game: `NAMED/SALT`, `NAMED` or drawn digits."""
    commitment: str
    """SHA-256 of the master seed: published before the first game."""
    arena_version: str
    memory_across_fixtures: bool = False
    """Whether a bot's process serves at several tables and may learn from them."""
    until: float | None = None
    """Play no further block once neighbours on the leaderboard are separated at this confidence."""
    shared_dice: bool = True
    """Whether all fixtures of a block are played on the same dice."""
    rounds_per_die: int | UnsetType = UNSET
    """The most rounds of a game, per die at the start; unset in leagues without such a limit."""
    endless: bool = False
    """Whether blocks are drawn as they are asked for, without end."""
    resting: tuple[str, ...] = ()
    """The bots that get no new games."""
    struck: tuple[BotInfo, ...] = ()
    """Bots that played, and whose games do not count."""
    changes: int = 0
    """How often the league was changed since its start."""
    earlier_seeds: tuple[MasterSeed, ...] = ()
    """The master seeds before this one, first to last."""
    ratings: RatingsInfo = RatingsInfo(provisional=0)
    machine: MachineInfo | None = None
    """The machine of the first game; no part of the root."""
    playoff: PlayoffInfo | UnsetType = UNSET
    """Those of the playoff after the last round; unset in leagues without one."""
    sandbox_paths: tuple[str, ...] | UnsetType = UNSET
    """What bots see of the machine besides; unset in leagues that never had any."""
    models: dict[str, str] | UnsetType = UNSET
    """The language models that bots may ask: names in the league and on the servers."""
    public_models: tuple[str, ...] | UnsetType = UNSET
    """Those whose words replays show."""


class Placed(Struct, frozen=True, array_like=True, tag="placed"):
    """The end of a game that is followed as it is played."""

    places: tuple[int, ...]


def game_result(record: GameRecord) -> GameResult:
    """Return the result of a game."""
    kinds = [type(event) for event in record.events]
    faults: list[Cause | None] = [None] * len(record.places)
    for event in record.events if Faulted in kinds else ():
        if isinstance(event, Faulted):
            faults[event.seat] = event.cause
    rounds, bids = kinds.count(RoundStarted), kinds.count(BidMade)
    return GameResult(record.game, record.places, tuple(faults), rounds, bids, len(kinds))


def fixture_result(played: PlayedFixture, stored_at: float | None = None) -> FixtureResult:
    """Return the result of a fixture."""
    games = [game_result(record) for record in played.games]
    return FixtureResult(
        fixture=played.fixture,
        games=games,
        sandbox=played.sandbox,
        clock=played.clock,
        decisions=played.decisions,
        seconds=played.seconds,
        stored_at=stored_at,
    )
