"""A bot tried before its deadline: the check of a course, and some games against its baselines."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from msgspec import Meta, Struct

from arena import __version__
from arena.author.check.bench import CheckRequest
from arena.author.check.findings import CheckReport
from arena.author.check.run import CheckListener, check
from arena.author.check.steps import STEPS
from arena.bots.bot import Bot
from arena.bots.manifest import find_bot
from arena.bots.sandboxes.registry import AUTO
from arena.bots.workshop import open_workshop, sandbox_for
from arena.course.baselines import (
    PER_BLOCK,
    BaselineGames,
    BaselineRecord,
    blocks_of,
    conditions,
    name_of,
)
from arena.course.config import LEGAL, BaselineEntry, MarksEntry
from arena.course.field import hand_in_info, renamed
from arena.course.intake.checks import POSITIONS, Checked
from arena.course.lock import GradingTerms
from arena.course.points import Part, Share, Total, against, certain, share_of, total_of
from arena.game.records import LimitsInfo
from arena.game.rules.books import variant
from arena.io.errors import ArenaError
from arena.io.yaml_file import convert, parse_yaml
from arena.league.play.dispatcher import RunListener, play_due
from arena.league.play.process_pool import ProcessEngine
from arena.league.store.store import Store

_EXAMPLE = MarksEntry(
    total=100,
    legal=30,
    baselines={
        "random": BaselineEntry("sample:random", 30),
        "honest": BaselineEntry("sample:honest", 30),
    },
    field=10,
)


class TrialFile(Struct, frozen=True):
    """The keys of course.yaml that a trial needs: a teacher may give out these alone."""

    marks: MarksEntry = _EXAMPLE
    reference: str = "sample:odds"
    variant: str = "bga"
    limits: LimitsInfo = LimitsInfo()
    packages: bool = False


class TrialRequest(Struct, frozen=True):
    """The bot to try, and how."""

    source: Path
    """A folder, an archive or `sample:NAME`."""
    course: Path | None = None
    """A course.yaml, or a part of it; None for the worked example."""
    games: Annotated[int, Meta(ge=1)] = 2 * PER_BLOCK
    """Against each baseline, rounded up to whole blocks."""
    sandbox: str = AUTO
    workers: int = 1
    trusted: bool = False


class TrialShare(Struct, frozen=True):
    """What a bot won against a baseline."""

    part: Part
    reference: Share


class Trial(Struct, frozen=True):
    """What a trial found."""

    report: CheckReport
    steps: int
    """Passed."""
    of: int
    shares: dict[str, TrialShare]
    """By the name of the baseline; none of a bot that does not start."""
    total: Total
    """Without the field."""
    most: float
    field: float
    """Points that games against all others bring, at most."""


def try_bot(request: TrialRequest, checking: CheckListener, listener: RunListener) -> Trial | None:
    """Check a bot and play it against baselines, on dice drawn now; None if it was stopped.

    Raises ArenaError if one of the bots may not run, or the course cannot be read.
    """
    file, base = _terms(request.course)
    bot = find_bot(str(request.source), Path.cwd(), "BOT")
    report = check(
        CheckRequest(
            bot.source,
            request.sandbox,
            trusted=request.trusted,
            packages=file.packages,
            limits=file.limits,
            every_fault=True,
            positions=POSITIONS,
            bot=bot,
        ),
        checking,
    )
    if report.interrupted:
        return None
    checked = Checked(report, bot.info.digest)
    shares = _Games(request, file, base, bot).play(listener) if checked.starts else {}
    if shares is None:
        return None
    return _trial(file, checked, shares)


def _trial(file: TrialFile, checked: Checked, shares: Mapping[str, TrialShare]) -> Trial:
    marks = file.marks
    parts = {LEGAL: certain(marks.legal * checked.passed / len(STEPS), marks.legal)}
    parts |= {name: certain(0.0, entry.points) for name, entry in marks.baselines.items()}
    parts |= {name: share.part for name, share in shares.items()}
    return Trial(
        report=checked.report,
        steps=checked.passed,
        of=len(STEPS),
        shares=dict(shares),
        total=total_of(parts),
        most=sum(part.of for part in parts.values()),
        field=marks.field,
    )


def _terms(path: Path | None) -> tuple[TrialFile, Path]:
    """Return what a trial needs of a course, and the folder in which its bots lie."""
    if path is None:
        return TrialFile(), Path.cwd()
    path = path / "course.yaml" if path.is_dir() else path
    data, positions = parse_yaml(path)
    if not isinstance(data, dict):
        raise ArenaError("no keys of a course", str(path), "arena help course")
    known = {key: data[key] for key in TrialFile.__struct_fields__ if key in data}
    return convert(known, positions, path, TrialFile), path.absolute().parent


class _Games:
    """The games of a bot, and of the reference, against the baselines."""

    def __init__(self, request: TrialRequest, file: TrialFile, base: Path, bot: Bot) -> None:
        self._request, self._file, self._bot = request, file, bot
        where = str(request.course or "course.yaml")
        entries = file.marks.baselines.items()
        self._own = {name: find_bot(entry.bot, base, where) for name, entry in entries}
        self._reference = find_bot(file.reference, base, where)

    def play(self, listener: RunListener) -> dict[str, TrialShare] | None:
        """Return the shares of the bot; None if it was stopped."""
        own = [*self._own.values(), self._reference]
        sandbox = sandbox_for(
            [self._bot], self._request.sandbox, trusted=self._request.trusted, own=own
        )
        terms = self._grading_terms(sandbox.name)
        count = -(-self._request.games // PER_BLOCK)
        plan = dict.fromkeys(self._own, count)
        bots = {bot.info.digest: bot for bot in [self._bot, *own]}
        infos = [hand_in_info(key, bot.info) for key, bot in bots.items()]
        infos += [renamed(bot.info, name) for name, bot in self._own.items()]
        info = conditions(terms, infos, "trial")
        players = [self._bot.info.digest, terms.reference]
        with (
            open_workshop(sandbox, packages=self._file.packages) as workshop,
            TemporaryDirectory() as folder,
            Store(Path(folder) / "games.sqlite", create=True) as store,
        ):
            staged = {key: workshop.stage(bot) for key, bot in bots.items()}
            seated = {name_of(key): one for key, one in staged.items()}
            seated |= {name: staged[bot.info.digest] for name, bot in self._own.items()}
            store.begin(info)
            played = BaselineRecord(store)
            games = BaselineGames(store, played, terms, players, lambda _: plan)
            engine = ProcessEngine(sandbox, self._request.workers)
            with listener.progress(len(games.due())) as on_result:
                if not play_due(info, seated, engine, games, listener, on_result):
                    return None
            return self._shares(played, terms, plan)

    def _grading_terms(self, sandbox: str) -> GradingTerms:
        return GradingTerms(
            arena=__version__,
            seed=secrets.token_hex(16),
            sandbox=sandbox,
            rules=variant(self._file.variant, {}, calza=False),
            limits=self._file.limits,
            precision=0.0,
            budget=0,
            reference_games=0,
            scheme="",
            baselines={name: bot.info.digest for name, bot in self._own.items()},
            reference=self._reference.info.digest,
        )

    def _shares(
        self, played: BaselineRecord, terms: GradingTerms, plan: Mapping[str, int]
    ) -> dict[str, TrialShare]:
        won = {
            bot: blocks_of(played, terms, bot, plan)
            for bot in (self._bot.info.digest, terms.reference)
        }
        if not all(list_ for each in won.values() for list_ in each.values()):
            raise ArenaError("a table killed its workers", hint="arena check says more of the bot")
        shares = {}
        for name, entry in self._file.marks.baselines.items():
            own, best = (
                share_of(won[bot][name], PER_BLOCK)
                for bot in (self._bot.info.digest, terms.reference)
            )
            if not best.beats:
                what = f"the reference does not clearly beat the baseline '{name}' in these games"
                raise ArenaError(what, hint="play more: --games 1000")
            shares[name] = TrialShare(against(own, best.share, entry.points), best)
        return shares
