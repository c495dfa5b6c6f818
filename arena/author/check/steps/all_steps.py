"""The steps of a check, in their order: to add one, write a function and list it here."""

from collections.abc import Callable
from typing import NamedTuple

from arena.author.check.context import Bench
from arena.author.check.findings import Finding, Findings
from arena.author.check.hints.build import of_build
from arena.author.check.meter import expected_starts, side_by_side
from arena.author.check.outside import why_no_build
from arena.author.check.probe import Probe
from arena.author.check.steps import drills, games
from arena.author.check.steps.positions import moments, random_player
from arena.author.check.tables import FOR_TWO
from arena.bots.builds.build import BuildFailedError
from arena.bots.builds.packages import PACKAGES
from arena.bots.builds.staging import check_program
from arena.bots.folder import BOT_LIMITS, is_ignored, walk
from arena.bots.manifest import load_bot
from arena.bots.runtimes import IMAGES
from arena.bots.workshop import Workshop, sandbox_for
from arena.game.wire.codec import encode
from arena.game.wire.messages import Bye, Ready
from arena.io.errors import ArenaError
from arena.io.shortage import ShortageError
from arena.io.uptime import wait_readable

_EXIT_SECONDS = 5.0
"""The most seconds from `bye` to the end of a bot, on a busy machine."""
_SHOWN = 5
"""Files that a finding names."""

StepFunction = Callable[[Bench], Findings]


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


def concurrency(bench: Bench) -> Findings:
    """Play many games at once, and ask in as many."""
    yield from games.concurrent_games(bench)
    yield from drills.concurrent(bench)


def own_folder(bench: Bench) -> Findings:
    """Look for files that the bot wrote to its folder, in this step or an earlier one."""
    yield from drills.first_turn(bench)
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
                hint="end the program when a read says that the input has ended",
                sent=('{"type":"bye"}',),
            )


STEPS = (
    CheckStep("manifest", "bot.yaml and the files beside it", manifest),
    CheckStep("program", "what `command` and `build` name is there", program),
    CheckStep("build", "the build succeeds", build),
    CheckStep("start", "`ready` comes in time", start),
    CheckStep("first turn", "an opening and an answer to a bid", drills.first_turn),
    CheckStep("first game", "one game of two", games.first_game),
    CheckStep("tables", "a game at every table size from 2 to 6", games.table_sizes),
    CheckStep("positions", "recorded positions of all variants", drills.positions),
    CheckStep("palifico", "palifico rounds", drills.palifico),
    CheckStep("last raise", "one face left to raise, or none", drills.last_raise),
    CheckStep("long rounds", "many bids", drills.long_rounds),
    CheckStep("calza", "offers of calza, if it asks for them", drills.calza),
    CheckStep("concurrency", "several games at once, if `ready` says so", concurrency),
    CheckStep("unknown fields", "other spacing, order, fields and messages", drills.unknown_fields),
    CheckStep("news", "calza, faults of rivals, ends of games", drills.news),
    CheckStep("models", "a game without its language models, if it names any", games.no_models),
    CheckStep("own folder", "nothing was written to it", own_folder),
    CheckStep("end of input", "it exits after `bye`", end_of_input),
)
FIRST_ALONE = 5
"""The first step that can be left out: the earlier ones prepare the bot."""
FIRST_GAME = 6
"""The step after which a bot is known to play a game to its end."""


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
