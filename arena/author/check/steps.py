"""The steps of a check, in their order: to add one, write a function and list it in STEPS."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby, islice, zip_longest
from typing import NamedTuple

from msgspec.structs import replace

from arena.author.check.bench import Bench, Tape
from arena.author.check.budget import BudgetedMultiplexer, Charge
from arena.author.check.findings import Finding, Findings
from arena.author.check.hints.fault import LINGERS, of_build, reports_error
from arena.author.check.meter import STEP_SECONDS, expected_starts, side_by_side
from arena.author.check.outside import why_no_build
from arena.author.check.positions import (
    BY_BOOK,
    BY_BOOK_WITH_CALZA,
    FOR_TWO,
    CheckMoment,
    CheckTable,
    Player,
    moments,
    patient_player,
    random_player,
    tables,
)
from arena.author.check.probe import Probe, finding_of
from arena.bots.builds.build import BuildFailedError
from arena.bots.builds.packages import PACKAGES
from arena.bots.builds.staging import check_program
from arena.bots.folder import BOT_LIMITS, is_ignored, walk
from arena.bots.manifest import load_bot
from arena.bots.models.gateway import Gateway
from arena.bots.runtimes import IMAGES
from arena.bots.sessions.session import SeatReply
from arena.bots.workshop import Workshop, sandbox_for
from arena.game.records import Cause, Fault, Faulted
from arena.game.rules.books import BGA
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.game.wire.codec import encode
from arena.game.wire.messages import Answer, Bye, CalzaOffer, Ready, Turn
from arena.io.errors import ArenaError, ShortageError
from arena.io.uptime import wait_readable
from arena.league.table.play_fixture import play_fixture

_FEW = 100
"""Positions that are asked in a step on one kind of position."""
_LONG = 15
"""The least number of bids in a long round."""
_AT_ONCE, _WRITES = 16, 6
"""Requests in one write, and how many writes."""
_CONCURRENT_GAMES = 16
_EXIT_SECONDS = 5.0
"""The most seconds from `bye` to the end of a bot, on a busy machine."""
_SHOWN = 5
"""Files that a finding names."""
_UNKNOWN_FIELDS = (
    "this step writes messages with other spacing, their fields in another order, and fields and"
    " types that are new: read each line with a JSON parser, and ignore what you do not know"
)
Wanted = Callable[[Turn | CalzaOffer], bool]
StepFunction = Callable[[Bench], Findings]
FIRST_ALONE = 5
"""The first step that can be left out: the earlier ones prepare the bot."""
FIRST_GAME = 6
"""The step after which a bot is known to play a game to its end."""


class CheckStep(NamedTuple):
    """One step: it yields the faults that it finds."""

    name: str
    about: str
    """Its purpose, in a few words."""
    run: StepFunction


def manifest(bench: Bench) -> Findings:
    """Read bot.yaml and the files; choose the sandbox. Raises ArenaError if none may be used."""
    request = bench.request
    try:
        bench.bot = request.bot or load_bot(request.source)
    except ArenaError as error:
        yield _refusal(error)
        return
    images = {**IMAGES, **request.images}
    sandbox = sandbox_for(
        [bench.bot],
        request.sandbox,
        trusted=request.trusted,
        images=images,
        paths=request.paths,
    )
    bench.workshop = Workshop(sandbox, bench.folder, request.packages, request.builds)
    bench.open_models()


def program(bench: Bench) -> Findings:
    """Look for the program that is started."""
    try:
        check_program(bench.bot, bench.sandbox)
    except ArenaError as error:
        yield _refusal(error)


def build(bench: Bench) -> Findings:
    """Copy the bot and build it."""

    def on_build(output: str, seconds: float) -> None:
        bench.build = output
        bench.budget.charge(seconds)

    try:
        bench.staged = bench.workshop.stage(bench.bot, on_build)
    except BuildFailedError as error:
        hint = of_build(bench.bot.build or (), bench.build)
        why = why_no_build(bench, hint)
        yield Finding(error.what, error.where, f"{hint}; {why}" if why else hint)
        return
    except ArenaError as error:
        yield _refusal(error)
        return
    if bench.build:
        bench.notes.append(f"{len(bench.build.splitlines())} lines of output")
    bench.files = _files(bench)


def start(bench: Bench) -> Findings:
    """Start the bot and greet it."""
    bench.tell(f"`ready` has to come within {bench.request.limits.start:g} s")
    with Probe(bench, FOR_TWO) as probe:
        greeted = probe.start()
    if isinstance(greeted, Ready):
        bench.ready = greeted
        seconds = bench.meter.starting
        bench.at_a_time = side_by_side(seconds, bench.request.limits.start)
        if bench.request.step is None:
            bench.pace.started(seconds, -(-expected_starts(greeted) // max(1, bench.at_a_time)))
    else:
        yield greeted


def first_turn(bench: Bench) -> Findings:
    """Ask for an opening bid and for an answer to one."""
    with Probe(bench, FOR_TWO) as probe:
        recorded = moments(FOR_TWO, patient_player)
        answers = _at_table(probe, recorded, lambda _: True, b"")
        yield from (answer for answer in islice(answers, 2) if isinstance(answer, Finding))
        probe.tell_rest(recorded)


def first_game(bench: Bench) -> Findings:
    """Play one game of two, against itself."""
    yield from _play(bench, FOR_TWO, 1)


def table_sizes(bench: Bench) -> Findings:
    """Play a game at tables of every size, under the rule books in turn, among random players."""
    sizes = (FOR_TWO, *BY_BOOK)
    until = time.monotonic() + STEP_SECONDS
    for begun, table in enumerate(sizes):
        if time.monotonic() > until:
            bench.notes.append(f"{begun} of {len(sizes)} games: it takes long")
            return
        bench.tell(f"{table.players} players")
        yield from _play_among_random(bench, table, until)
    bench.notes.append(f"{len(sizes)} games")


def positions(bench: Bench) -> Findings:
    """Put positions of all variants and table sizes to the bot."""
    at, most = tables(), bench.request.positions
    # A process that hears over a thousand messages, as in a league, shows what a few do not.
    in_one_go = most * 2 // 5
    each = -(-(most - in_one_go) // len(at))
    yield from _drill(bench, at, [in_one_go + each, *[each] * (len(at) - 1)])


def palifico(bench: Bench) -> Findings:
    """Put positions of palifico rounds to the bot."""
    yield from _drill(bench, BY_BOOK, _FEW, lambda asked: asked.palifico_seat is not None)


def last_raise(bench: Bench) -> Findings:
    """Put positions to the bot in which it can only doubt, or has one face left to raise."""

    def has_few_raises(asked: Turn | CalzaOffer) -> bool:
        return isinstance(asked, Turn) and len(asked.raises) < 2

    yield from _drill(bench, BY_BOOK, _FEW, has_few_raises, patient_player)


def long_rounds(bench: Bench) -> Findings:
    """Put positions after many bids to the bot."""
    yield from _drill(bench, BY_BOOK, _FEW, lambda asked: len(asked.bids) >= _LONG, patient_player)


def calza(bench: Bench) -> Findings:
    """Offer calza to a bot that asked for it."""
    if not (bench.ready and bench.ready.calza):
        bench.notes.append("it does not ask for calza")
        return
    yield from _drill(bench, BY_BOOK_WITH_CALZA, _FEW, lambda asked: isinstance(asked, CalzaOffer))


def concurrency(bench: Bench) -> Findings:
    """Play several games at a time, then ask in many, if the bot promises concurrent games.

    The answers must be those to the same requests one at a time. That is asked only of a bot whose
    answers are the same whenever it plays alone with one seed.
    """
    at_once = min(_AT_ONCE, bench.ready.concurrent_games if bench.ready else 1)
    if at_once == 1:
        bench.notes.append("it does not promise concurrent games")
        return
    yield from _play(bench, FOR_TWO, _CONCURRENT_GAMES)
    table = CheckTable(BGA, 3, 1)
    requests = _requests(table, at_once)
    by_game = [[*group] for _, group in groupby(requests, key=lambda request: request.game)]
    by_turn = [[request for request in row if request] for row in zip_longest(*by_game)]
    alone = [[request] for request in requests]
    runs = (by_turn, alone, alone)
    answers = []
    bench.processes.end_served()
    bench.start_ahead(len(runs))
    for writes in runs:
        told = _answers(bench, table, writes)
        if isinstance(told, Finding):
            yield told
            return
        answers.append(told)
    together, once, twice = answers
    if once != twice:
        bench.notes.append("not compared: its answers differ from run to run with one seed")
        return
    differing = [request for request in requests if together[request.id] != once[request.id]]
    if differing:
        first, count = differing[0], len(differing)
        yield Finding(
            what=f"with {_AT_ONCE} games at once, {count} answers differ from those one at a time",
            where=f"{table}, game {first.game}",
            hint="keep memory per game, and derive chance from hello.seed, game, round and"
            " len(bids); or do not say concurrent_games",
            sent=(json.dumps({"id": first.id, "game": first.game, "round": first.round}),),
            came=f"at once {_words(together[first.id])}, alone {_words(once[first.id])}",
        )


def unknown_fields(bench: Bench) -> Findings:
    """Write every message in another way, with fields and messages that no bot knows."""

    def edit(line: bytes) -> bytes:
        message = dict(reversed(json.loads(line).items()))
        unknown = {"x_later": {"a": [1, None, "é"]}}
        return json.dumps({**unknown, **message}).encode() + b"\n"

    table = [CheckTable(BGA, 3, 1)]
    for finding in _drill(bench, table, _FEW, edit=edit, extra=b'{"type":"x_later"}\n'):
        yield replace(finding, hint=_UNKNOWN_FIELDS)


def news(bench: Bench) -> Findings:
    """Tell the bot of all that can happen: calza, rivals that fault, games that end."""
    yield from _drill(
        bench, BY_BOOK_WITH_CALZA, _FEW, lambda asked: isinstance(asked, Turn), forfeits=True
    )


def no_models(bench: Bench) -> Findings:
    """Play a game in which each request to a model is refused, as when a cap is reached."""
    if bench.models:
        yield from _play(bench, FOR_TWO, 1, bench.models.refusing)


def own_folder(bench: Bench) -> Findings:
    """Look for files that the bot wrote to its folder, in this step or an earlier one."""
    yield from first_turn(bench)
    now, before = _files(bench), bench.files
    written = sorted(
        path for path in now.keys() | before.keys() if now.get(path) != before.get(path)
    )
    if written:
        more = ", ..." if len(written) > _SHOWN else ""
        yield Finding(
            f"it wrote to its own folder: {', '.join(written[:_SHOWN])}{more}",
            str(bench.request.source),
            "the folder is read-only in leagues: write to /tmp, or to standard error",
        )


def end_of_input(bench: Bench) -> Findings:
    """Say goodbye after an answer and end the input: the bot must exit."""
    with Probe(bench, FOR_TWO) as probe:
        ready = probe.start()
        asked = next(m.request for m in moments(FOR_TWO, random_player) if m.request)
        answer = ready if isinstance(ready, Finding) else probe.ask(asked)
        if isinstance(answer, Finding):
            yield answer
            return
        probe.bye(encode(Bye()))
        if not wait_readable([probe.running.exit_fd], _EXIT_SECONDS):
            yield Finding(
                "it did not exit after `bye` and the end of its input",
                hint="end the program when a read says that the input has ended"
                + LINGERS.get(bench.language, ""),
                sent=('{"type":"bye"}',),
            )


STEPS = (
    CheckStep("manifest", "bot.yaml and the files beside it", manifest),
    CheckStep("program", "what `command` and `build` name is there", program),
    CheckStep("build", "the build succeeds", build),
    CheckStep("start", "`ready` comes in time", start),
    CheckStep("first turn", "an opening and an answer to a bid", first_turn),
    CheckStep("first game", "one game of two", first_game),
    CheckStep("tables", "a game at every table size from 2 to 6", table_sizes),
    CheckStep("positions", "recorded positions of all variants", positions),
    CheckStep("palifico", "palifico rounds", palifico),
    CheckStep("last raise", "one face left to raise, or none", last_raise),
    CheckStep("long rounds", "many bids", long_rounds),
    CheckStep("calza", "offers of calza, if it asks for them", calza),
    CheckStep("concurrency", "several games at once, if `ready` says so", concurrency),
    CheckStep("unknown fields", "other spacing, order, fields and messages", unknown_fields),
    CheckStep("news", "calza, faults of rivals, ends of games", news),
    CheckStep("models", "a game without its language models, if it names any", no_models),
    CheckStep("own folder", "nothing was written to it", own_folder),
    CheckStep("end of input", "it exits after `bye`", end_of_input),
)


def _refusal(error: ArenaError) -> Finding:
    """Return the finding for a bot that is refused; raises ShortageError, which is no bot's."""
    if isinstance(error, ShortageError):
        raise error
    return Finding(error.what, error.where, error.hint)


def _files(bench: Bench) -> dict[str, tuple[int, int]]:
    """Return the size and the time of every file in the staged folder, without packages."""
    folder = bench.staged.folder
    return {
        str(path.relative_to(folder)): (info.st_size, info.st_mtime_ns)
        for path, info in walk(
            folder, BOT_LIMITS, lambda name: is_ignored(name) or name == PACKAGES
        )
        if not path.is_dir()
    }


class _FaultError(Exception):
    def __init__(self, seat: int, fault: Fault) -> None:
        super().__init__(fault.detail)
        self.seat = seat
        self.fault = fault


class _HaltingMultiplexer(BudgetedMultiplexer):
    """Raises _FaultError at the first fault: the other seats need not play on for minutes.

    `starting` is how long it waited for bots to be ready, in seconds.
    """

    starting = 0.0

    def wait(self) -> Sequence[SeatReply]:
        began = time.monotonic()
        replies = super().wait()
        if any(isinstance(reply, Ready) for _, _, reply in replies):
            self.starting += time.monotonic() - began
        for seat, _, reply in replies:
            if isinstance(reply, Fault):
                raise _FaultError(seat, reply)
        return replies


def _play(bench: Bench, table: CheckTable, games: int, gateway: Gateway | None = None) -> Findings:
    tapes = [Tape() for _ in range(table.players)]
    programs = [bench.staged.program] * table.players
    limits = replace(bench.request.limits, restarts=0).complete(games)
    fixture = table.fixture(bench.bot.name, games)

    def log(seat: int, direction: str, line: bytes) -> None:
        tapes[seat].add(direction, line)

    bench.start_ahead()
    pool, seats = bench.processes.for_table(), range(table.players)
    with _HaltingMultiplexer(
        programs,
        bench.sandbox,
        limits,
        log,
        pool,
        gateway or bench.gateway,
        charge=Charge(bench.budget, seats, bench.pace),
    ) as multiplexer:
        try:
            played = play_fixture(fixture, table.rules, multiplexer)
            # Only illegal actions do not end a game here.
            faults = [
                (event.seat, Fault(event.cause, event.detail))
                for record in played.games
                for event in record.events
                if isinstance(event, Faulted) and event.cause is Cause.ILLEGAL_ACTION
            ]
        except _FaultError as error:
            faults = [(error.seat, error.fault)]
    for seat, fault in faults:
        said = multiplexer.stderr[seat]
        if fault.cause is Cause.ILLEGAL_ACTION and not reports_error(said):
            said = ""
        yield finding_of(bench, table._replace(seat=seat), fault, tapes[seat], said)
    bench.meter.starting += multiplexer.starting
    bench.keep_stderr(multiplexer)


def _play_among_random(bench: Bench, table: CheckTable, until: float) -> Findings:
    """Play a game that goes on with what the bot answers, as far as that is legal.

    Nothing is asked any more after `until`, by the monotonic clock.
    """
    recorded = moments(table, random_player)
    moment = next(recorded)
    with Probe(bench, table) as probe:
        ready = probe.start()
        if isinstance(ready, Finding):
            yield ready
            return
        while moment.request:
            if time.monotonic() > until:
                probe.tell_rest(chain([moment], recorded))
                return
            for notice in moment.news:
                probe.tell(notice)
            answer = probe.ask(moment.request)
            if isinstance(answer, Finding):
                yield answer
                return
            fault = moment.illegal(answer)
            if fault:
                yield probe.finding(fault)
            moment = recorded.send(None if fault else answer)
        for notice in moment.news:
            probe.tell(notice)


def _drill(
    bench: Bench,
    at: Sequence[CheckTable],
    most: int | Sequence[int],
    wanted: Wanted = lambda _: True,
    play: Player = random_player,
    *,
    edit: Callable[[bytes], bytes] | None = None,
    extra: bytes = b"",
    forfeits: bool = False,
) -> Findings:
    """Put `most` positions to the bot, as many at each table, or so many at each.

    `extra` is sent before each position.
    """
    shares = [-(-most // len(at))] * len(at) if isinstance(most, int) else most
    total = sum(shares)
    until = time.monotonic() + STEP_SECONDS
    asked = 0
    for table, share in zip(at, shares, strict=True):
        recorded = moments(table, play, forfeits=forfeits)
        with Probe(bench, table, edit) as probe:
            for answered in islice(_at_table(probe, recorded, wanted, extra), share):
                if isinstance(answered, Finding):
                    yield answered
                asked += 1
                bench.tell(f"{asked:,} of {total:,} positions")
                if time.monotonic() > until:
                    bench.notes.append(f"{asked:,} of {total:,} positions: it takes long")
                    probe.tell_rest(recorded)
                    return
            probe.tell_rest(recorded)
    bench.notes.append(f"{asked:,} positions")


def _at_table(
    probe: Probe, recorded: Iterator[CheckMoment], wanted: Wanted, extra: bytes
) -> Iterator[Answer | Finding]:
    """Yield the answers to the wanted positions; ends when the bot had to be stopped."""
    ready = probe.start()
    if isinstance(ready, Finding):
        yield ready
        return
    for moment in recorded:
        for notice in moment.news:
            probe.tell(notice)
        if moment.request is None or not wanted(moment.request):
            continue
        if extra:
            probe.tell_line(extra)
        answer = probe.ask(moment.request)
        if isinstance(answer, Finding):
            yield answer
            return
        fault = moment.illegal(answer)
        yield probe.finding(fault) if fault else answer


def _requests(table: CheckTable, games: int) -> list[Turn | CalzaOffer]:
    """Return the first requests of so many games, game by game."""
    chosen: list[list[Turn | CalzaOffer]] = [[] for _ in range(games)]
    for moment in moments(table, random_player):
        asked = moment.request
        if asked and asked.game == games:
            break
        if asked and len(chosen[asked.game]) < _WRITES:
            chosen[asked.game].append(asked)
    return [request for game in chosen for request in game]


def _answers(
    bench: Bench, table: CheckTable, writes: Sequence[Sequence[Turn | CalzaOffer]]
) -> dict[int, Answer] | Finding:
    answers: dict[int, Answer] = {}
    # A process that served before may draw other chances. No other step uses this table.
    bench.processes.end_served()
    with Probe(bench, table) as probe:
        ready = probe.start()
        if isinstance(ready, Finding):
            return ready
        for requests in writes:
            replies = probe.ask_all(requests)
            if isinstance(replies, Finding):
                return replies
            answers |= replies
    return answers


def _words(answer: Answer) -> str:
    if answer.action == "bid":
        return name_bid(Bid(answer.quantity, answer.face))
    return answer.action
