"""The coaching of a bot, over a stored league or a quick table, and its worst turns as puzzles."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from shlex import quote
from statistics import median
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from arena.author.check.bench import Bench, CheckRequest
from arena.author.check.findings import Finding
from arena.author.check.positions import CheckTable
from arena.author.check.probe import Probe
from arena.author.quick_table import TableRequest, play_table
from arena.bots.bot import Bot, runtimes_of
from arena.bots.manifest import SAMPLE, bot_sources, find_bot, find_bots, shown_name
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import make_sandbox
from arena.bots.workshop import open_workshop
from arena.game.records import PlayedFixture
from arena.game.rules.books import Rules
from arena.game.walk import ForbiddenEventError, walk
from arena.game.wire.messages import CalzaOffer, Turn
from arena.io.errors import ArenaError, did_you_mean
from arena.league.play.dispatcher import RunListener
from arena.league.store.store import Store
from arena.league.table.live_seat import Request
from arena.league.table.recorded_game import seat_moments
from arena.league.terms.config import load_league
from arena.league.terms.stored_schedule import schedule_of
from arena.playstats.coach.coach import Coach, Hear, Judgement
from arena.playstats.coach.decisions import Decision, DecisionAction, GameKey, choices
from arena.playstats.coach.lookahead import DEALS, FLOOR, LEAST_CHANCE

_MOST = 250
"""Requests of a fixture that are asked again."""

RequestKind = Literal["opening", "reply", "palifico", "calza"]
KINDS: tuple[RequestKind, ...] = ("opening", "reply", "palifico", "calza")
"""The first bid of a round, any later turn, any turn in a palifico round, an offer of calza."""
Expect = Callable[[int], None]
"""Gets how many games will be judged."""
_TIMED = 2
"""Fixtures whose requests are asked again: those of two players have the bot in each seat once."""
CAUTION = (
    "What a change is worth is estimated for rivals who do not adapt. Make one change at a time, in"
    " a copy, and test it."
)
"""The limit of the estimates, and how to test a change."""
OLD, NEW = "OLD", "NEW"
"""Stand for the bot and its copy where it is not known where they are."""
RIVALS = ("sample:odds", "sample:honest")
"""Rivals at a quick table if nobody is named: the first that is not coached."""


class RequestTime(Struct, frozen=True):
    """How long requests of a kind took, in seconds."""

    kind: RequestKind
    requests: int
    clock: Literal["cpu", "wall"]
    """Wall time where the sandbox cannot tell CPU time."""
    median: float
    longest: float


def request_times(
    bot: Bot,
    fixtures: list[PlayedFixture],
    rules: Rules,
    sandbox: Sandbox,
    *,
    packages: bool = False,
) -> list[RequestTime]:
    """Ask a bot again, one at a time, what it was asked in stored games; its answers do not count.

    Requests after a fault of the bot are left out. `packages`: whether those that it asks for are
    installed.
    """
    times: dict[RequestKind, list[float]] = {}
    with open_workshop(sandbox, packages=packages) as workshop:
        bench = Bench(CheckRequest(bot.source), workshop.folder, lambda _: None)
        bench.bot, bench.workshop = bot, workshop
        bench.staged = workshop.stage(bot)
        for played in fixtures:
            try:
                for kind, seconds in _asked_again(bench, played, rules):
                    times.setdefault(kind, []).append(seconds)
            finally:
                bench.end()
    clock: Literal["cpu", "wall"] = "cpu" if bench.meter.by_cpu else "wall"
    return [
        RequestTime(kind, len(times[kind]), clock, median(times[kind]), max(times[kind]))
        for kind in KINDS
        if kind in times
    ]


def _asked_again(
    bench: Bench, played: PlayedFixture, rules: Rules
) -> Iterator[tuple[RequestKind, float]]:
    seat, asked = played.fixture.seats.index(bench.bot.name), 0
    with Probe(bench, CheckTable(rules, len(played.fixture.seats), seat)) as probe:
        ready = probe.start()
        if isinstance(ready, Finding):
            return
        for record in played.games:
            for moment in seat_moments(played.fixture, rules, record, seat):
                for notice in moment.news:
                    probe.tell(notice)
                request = moment.request
                if request is None or (isinstance(request, CalzaOffer) and not ready.calza):
                    continue
                if isinstance(probe.ask(request), Finding):
                    return
                yield _kind(request), bench.meter.decisions[-1]
                asked += 1
            if asked >= _MOST:
                return


def _kind(request: Request) -> RequestKind:
    if isinstance(request, CalzaOffer):
        return "calza"
    if request.palifico_seat is not None:
        return "palifico"
    return "reply" if request.dudo else "opening"


class Method(Struct, frozen=True):
    """The figures that the method of `arena.playstats.coach.lookahead` depends on."""

    deals: int = DEALS
    floor: float = FLOOR
    least_chance: float = LEAST_CHANCE


class Coaching(Struct, frozen=True):
    """The judgement of a bot, and what else its author is told."""

    bot: str
    league: str
    """The path of the league.yaml."""
    judgement: Judgement
    test: str
    """The command that says whether a copy with a change is better."""
    times: list[RequestTime] | None = None
    """None if they were not taken: the store of a league does not keep them."""
    caution: str = CAUTION
    method: Method = Method()


def coach_stored(
    bot: str,
    league: Path,
    store: Path,
    hear: Hear = lambda _: None,
    expect: Expect = lambda _: None,
) -> Coaching:
    """Judge the stored games of a bot that count in its league; `hear` gets every decision.

    Raises ArenaError if the bot is not in the league or has no games there.
    """
    with Store(store) as opened:
        schedule = schedule_of(opened)
        conditions = schedule.conditions
        names = [info.name for info in conditions.bots]
        if bot not in names:
            hint = did_you_mean(bot, names)
            raise ArenaError(f"no bot of the league is called '{bot}'", str(store), hint)
        coach, pruned = Coach(bot, hear), opened.without_logs()
        fixtures = [result.fixture for result in opened.results()]
        expect(
            sum(
                fixture.games
                for fixture in fixtures
                if bot in fixture.seats
                and schedule.counts(fixture.id)
                and fixture.index not in pruned
            )
        )
        for played in opened.played(without_pruned=True):
            if not schedule.counts(played.fixture.id):
                continue
            try:
                coach.add(played, conditions.variants[played.fixture.variant])
            except ForbiddenEventError as error:
                where = f"fixture {played.fixture.index}, {error.where}"
                raise ForbiddenEventError(error.what, where, error.hint) from None
    if not coach.games:
        what = f"'{bot}' has not played a game yet"
        raise ArenaError(what, str(store), f"arena run {league}")
    judgement = coach.judgement()
    return Coaching(bot, str(league), judgement, _test(OLD, NEW, judgement))


def coach_quick(
    request: TableRequest,
    listener: RunListener,
    hear: Hear = lambda _: None,
    expect: Expect = lambda _: None,
    *,
    trusted: bool,
    timed: bool = True,
) -> Coaching:
    """Play a quick table of the first bot and the others, and judge the first one's games.

    Without others it plays RIVALS. `timed`: whether its answers are then timed. Raises ArenaError
    if the table cannot be played.
    """
    bot, request = _with_rivals(request)
    play_table(request, listener, None, trusted=trusted)
    coaching = coach_stored(bot.name, request.league, request.store, hear, expect)
    old = request.bots[0]
    new = NEW if bot.source.is_file() or old.startswith(SAMPLE) else f"{old.rstrip('/')}-2"
    test = _test(old, new, coaching.judgement, "--trust-bots" if trusted else "")
    times = _times(bot, request) if timed else None
    return replace(coaching, bot=shown_name(bot), times=times, test=test)


def _times(bot: Bot, request: TableRequest) -> list[RequestTime]:
    """Time the bot's answers in some games of a quick table."""
    league = load_league(request.league)
    paths = league.sandbox_paths
    sandbox = make_sandbox(league.sandbox, runtimes_of(league.bots), league.images, paths)
    [rules] = league.variants.values()
    with Store(request.store) as store:
        own = (played for played in store.played() if bot.name in played.fixture.seats)
        fixtures = [*islice(own, _TIMED)]
    return request_times(bot, fixtures, rules, sandbox, packages=request.packages)


def _test(old: str, new: str, judgement: Judgement, *options: str) -> str:
    """Return the comparison of a bot with its copy at the tables that were judged."""
    variants = dict.fromkeys(table.variant for table in judgement.tables)
    players = dict.fromkeys(table.players for table in judgement.tables)
    where = [f"--variant {quote(name)}" for name in variants if [*variants] != ["bga"]]
    where += [f"--players {number}" for number in players if [*players] != [2]]
    words = ["arena compare", quote(old), quote(new), *where, *options]
    return " ".join(filter(None, words))


def _with_rivals(request: TableRequest) -> tuple[Bot, TableRequest]:
    """Return the bot to coach, and the request with its rivals."""
    first, *patterns = request.bots
    bot = find_bot(first, Path.cwd(), "BOT")
    if not patterns:
        patterns = [next(rival for rival in RIVALS if not _names(rival, bot))]
    elif any(_names(pattern, bot) for pattern in patterns):
        what = f"'{bot.name}' cannot play against itself"
        raise ArenaError(what, "--against", "name another bot")
    rivals = find_bots([(pattern, "--against") for pattern in patterns], Path.cwd())
    if bot.name in {rival.name for rival in rivals}:
        bots = find_bots([(pattern, "BOT") for pattern in (first, *patterns)], Path.cwd())
        bot = next(called for called in bots if called.source == bot.source)
    return bot, replace(request, bots=(first, *patterns))


def _names(pattern: str, bot: Bot) -> bool:
    """Tell whether a pattern names a bot, perhaps beside others."""
    sources = bot_sources(pattern, Path.cwd(), "--against")
    return bot.source.resolve() in {source.resolve() for source in sources}


class Choice(Struct, frozen=True):
    """A legal action of a turn."""

    action: DecisionAction
    chance: float
    """The chance to win after it."""
    cost: float
    """By how much that is less than after the best one."""


class Puzzle(Struct, frozen=True):
    """A turn of the bot as a puzzle: what it saw and did, and what each choice was worth."""

    decision: Decision
    seats: tuple[str, ...]
    dice: tuple[int, ...]
    """The dice of each seat."""
    rules: Rules
    request: Turn
    choices: list[Choice]
    """All that is legal, the best first."""


def puzzles(coaching: Coaching, store: Path) -> Iterator[Puzzle]:
    """Yield the most expensive turns, the dearest first; calls of calza are left out."""
    turns = [one for one in coaching.judgement.worst if one.action.do != "calza"]
    wanted = {decision.fixture for decision in turns}
    with Store(store) as opened:
        variants = opened.conditions().variants
        played = {
            one.fixture.index: one
            for one in opened.played(without_pruned=True)
            if one.fixture.index in wanted
        }
    for decision in turns:
        fixture = played[decision.fixture]
        yield _puzzle(decision, fixture, variants[fixture.fixture.variant])


def _puzzle(decision: Decision, played: PlayedFixture, rules: Rules) -> Puzzle:
    fixture = played.fixture
    [record] = [record for record in played.games if record.game == decision.game]
    [round_] = [one for one in walk(record, rules) if one.number == decision.round]
    [request] = [
        moment.request
        for moment in seat_moments(fixture, rules, record, decision.seat)
        if moment.step == decision.step and isinstance(moment.request, Turn)
    ]
    place = GameKey(fixture.index, record.game, fixture.seed)
    chances = choices(round_, decision, place)
    best = max(chances.values())
    return Puzzle(
        decision=decision,
        seats=fixture.seats,
        dice=round_.now.standing.dice,
        rules=rules,
        request=request,
        choices=[Choice(action, chance, best - chance) for action, chance in chances.items()],
    )
