"""The check of a submission, in a process of its own: from the bytes that came to a verdict.

Its last step is a trial: games among sample bots, in which only faults count.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from itertools import cycle, islice, pairwise
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.author.check.bench import CheckRequest
from arena.author.check.budget import HINT, Budget, BudgetedMultiplexer, BudgetSpentError, Charge
from arena.author.check.findings import CheckReport
from arena.author.check.run import check
from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.staging import BuildCache
from arena.bots.folder import canonical
from arena.bots.manifest import find_bots, load_bot
from arena.bots.models.config import check_granted
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import missing_image
from arena.bots.sessions.warm_pool import TableDice, TablePool, WarmPool
from arena.bots.workshop import open_workshop, sandbox_for
from arena.game.records import Fixture, LimitsInfo
from arena.game.rules.books import Rules
from arena.game.rules.round import max_rounds
from arena.game.seeds import fixture_seed
from arena.io.cores import claim_core, share_processor
from arena.io.errors import ArenaError
from arena.io.files import write_file
from arena.ladder.book.names import own_name
from arena.ladder.book.tables import CheckResult, ReportedFault, TimedStep
from arena.ladder.season.author_games import GameFault, faults_in
from arena.league.table.play_fixture import play_fixture

GAMES = 20
"""Games of a trial, at least."""
_COMPANY = ("honest", "odds", "random", "bluffer")
"""Sample bots in Python, which every sandbox can run; with one of them twice at a table of six."""
_GAMES = "games among sample bots"
_READ_ONLY = 0o444
_MOST_SHOWN = 8_192
"""Characters kept of each line of a conversation."""
_MOST_SAID = 500
"""Characters kept of what was wrong, where, and how to mend it."""
_SEED_BYTES = 16


class TrialTerms(Struct, frozen=True, kw_only=True):
    """The terms of a ladder under which versions are tried."""

    variants: dict[str, Rules]
    players: tuple[int, ...]
    limits: LimitsInfo
    sandbox: str
    images: dict[str, str]
    paths: tuple[str, ...] = ()
    trusted: bool
    packages: bool
    games: int
    """Games of a fixture."""
    builds: BuildCache | None = None
    """Where builds are looked for and kept; None builds the bots."""


class TrialFault(NamedTuple):
    """A fault of the version, and the place where it happened."""

    place: str
    fault: GameFault


def trial(terms: TrialTerms, bot: Bot, seed: str, budget: Budget) -> tuple[int, list[TrialFault]]:
    """Play the games of a trial; returns their number and the faults of the version.

    They are fixtures as those of a season, drawn from a seed as those are from its master seed, so
    that no bot behaves only while it is tried. Raises ArenaError if a bot cannot be made ready,
    BudgetSpentError if the version is awaited too long.
    """
    company = find_bots([(f"sample:{name}", "ladder") for name in _COMPANY], Path.cwd())
    sandbox = sandbox_for(
        [bot],
        terms.sandbox,
        trusted=terms.trusted,
        images=terms.images,
        paths=terms.paths,
        own=company,
    )
    # At least one table of each division, and tables for so many games.
    divisions = [(label, players) for label in terms.variants for players in terms.players]
    fixtures = max(len(divisions), ceil(GAMES / terms.games))
    tables = [
        _TrialTable(label, players, number)
        for number, (label, players) in enumerate(islice(cycle(divisions), fixtures))
    ]
    share_processor()
    with (
        open_workshop(sandbox, packages=terms.packages, builds=terms.builds) as workshop,
        closing(_Room(terms, seed, sandbox, budget)) as room,
    ):
        staged = workshop.stage(bot)
        rivals = [workshop.stage(rival) for rival in company]
        faults = [fault for table in tables for fault in room.play(table, staged, rivals)]
    return len(tables) * terms.games, faults


class _TrialTable(NamedTuple):
    label: str
    players: int
    number: int

    @property
    def seat(self) -> int:
        """The seat of the version."""
        return self.number % self.players

    def __str__(self) -> str:
        return f"{self.label}, {self.players} players, seat {self.seat}"


class _Room:
    """Plays fixtures as a worker does: a bot may serve at several tables."""

    def __init__(self, terms: TrialTerms, seed: str, sandbox: Sandbox, budget: Budget) -> None:
        self._terms = terms
        self._seed = seed
        self._sandbox = sandbox
        self._budget = budget
        self._pool = WarmPool()

    def close(self) -> None:
        """End the bots that wait for another table."""
        self._pool.end()

    def play(
        self, table: _TrialTable, bot: StagedBot, rivals: Sequence[StagedBot]
    ) -> Iterator[TrialFault]:
        """Play a fixture; yields the faults of the version."""
        bots = [rivals[(table.number + seat) % len(rivals)] for seat in range(table.players)]
        bots[table.seat] = bot
        rules = self._terms.variants[table.label]
        names = tuple(f"{bot.name}-{seat}" for seat, bot in enumerate(bots))
        rounds = max_rounds(rules, table.players)
        seed, games = fixture_seed(self._seed, str(table.number)), self._terms.games
        fixture = Fixture(seed, table.number, table.label, names, seed, games, max_rounds=rounds)
        with BudgetedMultiplexer(
            [bot.program for bot in bots],
            self._sandbox,
            self._terms.limits.complete(fixture.games),
            pool=TablePool(self._pool, TableDice(fixture.dice_key)),
            charge=Charge(self._budget, {table.seat}),
        ) as multiplexer:
            played = play_fixture(fixture, rules, multiplexer)
        for game in played.games:
            place = f"{table}, game {game.game + 1}"
            for fault in faults_in(played, rules, game, table.seat):
                yield TrialFault(place, fault)


class CheckOrder(TrialTerms, frozen=True, kw_only=True):
    """The submission to check, and the terms of the ladder that it must meet."""

    source: Path
    """The bytes as they came, or a version's file."""
    bot: str
    """The name that it was submitted under."""
    versions: Path
    """Where the canonical bytes are kept."""
    pin: bool
    """Whether a table has a core of its own."""
    seconds: float
    """How long the check waits for the bot, at most."""
    steps: int
    """How many of the steps of `arena check` come before the games."""
    models: tuple[str, ...] = ()
    """The language models that bots may ask."""

    @property
    def of(self) -> int:
        """How many steps the check has: those, and the games."""
        return self.steps + 1


class _Teller:
    """Tells the ladder, and the budget, which step is tried."""

    def __init__(self, told: Connection, budget: Budget, of: int) -> None:
        self._told = told
        self._of = of
        self._budget = budget
        self._begun: list[tuple[str, float]] = []
        """The names of the steps, and when they began by the monotonic clock."""

    def trying(self, number: int, steps: int, name: str) -> None:
        """Tell the name of a step."""
        del steps
        self._budget.step = f"step {number} of {self._of}, {name}"
        self._told.send(name)
        self._begun.append((name, time.monotonic()))

    def timed(self) -> list[TimedStep]:
        """Return the steps that were begun; the last one ends now."""
        times = [*(began for _, began in self._begun), time.monotonic()]
        return [
            TimedStep(name, round(end - began, 3))
            for (name, _), (began, end) in zip(self._begun, pairwise(times), strict=True)
        ]

    def note(self, text: str) -> None:
        """Ignore what is said to a person at a terminal."""

    def warn(self, text: str) -> None:
        """Ignore a warning: the budget ends a slow check."""


def check_submission(order: CheckOrder, told: Connection) -> bytes:
    """Check a submission and store its canonical bytes; returns a `CheckResult` as JSON.

    The name of each step is sent to `told` when it begins.
    """
    budget = Budget(order.seconds)
    teller = _Teller(told, budget, order.of)
    result = _checked(order, teller, budget)
    return msgspec.json.encode(replace(result, awaited=budget.used, timed=teller.timed()))


def _checked(order: CheckOrder, teller: _Teller, budget: Budget) -> CheckResult:
    limit = order.limits.answer
    try:
        bot = load_bot(order.source)
        _check_name(bot, order)
        check_granted(bot.info.models, order.models, str(order.source))
        digest = keep(bot, order.versions)
    except ArenaError as error:
        where = error.where.replace(str(order.source), f"the archive of {order.bot}")
        fault = _reported(error.what, where, error.hint)
        return CheckResult(ok=False, faults=[fault], limit=limit)
    if image := missing_image(order.sandbox, bot.info.runtime, order.images):
        what = f"this ladder has no image for the runtime '{bot.info.runtime}'"
        hint = f"use another runtime, or ask the operator for '{image}'"
        fault = ReportedFault(what, "bot.yaml", hint)
        return CheckResult(ok=False, digest=digest, faults=[fault], limit=limit)
    # As the version that will play, whose files these are.
    bot = replace(bot, source=(order.versions / f"{digest}.tar").resolve())
    request = CheckRequest(
        bot.source,
        bot=bot,
        sandbox=order.sandbox,
        images=order.images,
        paths=order.paths,
        trusted=order.trusted,
        packages=order.packages,
        limits=order.limits,
        builds=order.builds,
        budget=budget,
        last=order.steps,
    )
    report = check(request, teller)
    result = _result(report, digest, limit)
    if not report.ok:
        return result
    teller.trying(order.of, order.of, _GAMES)
    return _with_games(result, bot, order, budget)


def _check_name(bot: Bot, order: CheckOrder) -> None:
    submitted = own_name(order.bot)
    if bot.name != submitted:
        what = f"bot.yaml calls it '{bot.name}', but it was submitted as '{submitted}'"
        raise ArenaError(what, "bot.yaml", "use one name: a new name is a new bot")


def _result(report: CheckReport, digest: str, limit: float) -> CheckResult:
    """Return the result of the steps of `arena check`."""
    faults = [
        _reported(
            finding.what,
            finding.where,
            finding.hint,
            asked=finding.sent[-1] if finding.sent else "",
            came=finding.came,
            stderr=finding.stderr,
        )
        for step in report.steps
        for finding in step.findings
    ]
    return CheckResult(
        ok=report.ok,
        digest=digest,
        faults=faults,
        steps=sum(step.ok for step in report.steps),
        build=report.build,
        stderr=report.stderr,
        clock=report.measured.clock if report.measured else "",
        median=report.measured.median if report.measured else None,
        p99=report.measured.p99 if report.measured else None,
        limit=limit,
    )


def _with_games(result: CheckResult, bot: Bot, order: CheckOrder, budget: Budget) -> CheckResult:
    """Play among sample bots, and add what the bot did wrong there."""
    if order.pin:
        claim_core("perudo-arena-check")
    games = 0
    seed = token_hex(_SEED_BYTES)
    try:
        games, trial_faults = trial(order, bot, seed, budget)
        faults = [
            _reported(
                fault.what, place, asked=fault.asked, came=fault.answered, stderr=fault.stderr
            )
            for place, fault in trial_faults
        ]
    except BudgetSpentError as error:
        faults = [ReportedFault(str(error), hint=HINT)]
    return replace(result, ok=not faults, faults=faults, games=games, seed=seed)


def keep(bot: Bot, versions: Path) -> str:
    """Store the canonical bytes of a bot, if they are not there, and return their SHA-256."""
    content = canonical(bot)
    digest = sha256(content).hexdigest()
    path = versions / f"{digest}.tar"
    if not path.exists():
        write_file(path, content, _READ_ONLY, durable=True)
    return digest


def _reported(
    what: str, where: str, hint: str = "", *, asked: str = "", came: str = "", stderr: str = ""
) -> ReportedFault:
    """Return a fault without the folders of this machine.

    What a bot or its files may have made long is cut; standard error is cut already.
    """
    name = Path(where).name if where.startswith("/") else where
    return ReportedFault(
        what=what[:_MOST_SAID],
        where=name[:_MOST_SAID],
        hint=hint[:_MOST_SAID],
        asked=asked[:_MOST_SHOWN],
        came=came[:_MOST_SHOWN],
        stderr=stderr,
    )
