"""A bot tried before its deadline: the check of a course, and some games against its baselines."""

import random
import secrets
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
from arena.bots.workshop import sandbox_for
from arena.course.baselines import (
    PER_BLOCK,
)
from arena.course.config import LEGAL, MarksEntry, read_keys
from arena.course.estimate import play_apart
from arena.course.intake.checks import POSITIONS, Checked
from arena.course.lock import GradingTerms
from arena.course.plan import ONE_EXERCISE, REFERENCE, WEEKS
from arena.course.points import Part, Share, Total, against, certain, share_of, total_of
from arena.course.reference.draw import draw_reference
from arena.game.records import LimitsInfo
from arena.io.errors import ArenaError
from arena.io.yaml_file import convert
from arena.league.play.dispatcher import RunListener
from arena.league.terms.house import rules_named


class TrialFile(Struct, frozen=True):
    """The keys of course.yaml that a trial needs: a teacher may give out these alone."""

    marks: MarksEntry = ONE_EXERCISE
    reference: str | None = None
    """None draws one, as `arena course init` does."""
    variant: str = "bga"
    limits: LimitsInfo = LimitsInfo()
    packages: bool = False


class TrialRequest(Struct, frozen=True):
    """The bot to try, and how."""

    source: Path
    """A folder, an archive or `sample:NAME`."""
    course: Path | None = None
    """A course.yaml or a part of one; None for the worked example."""
    week: str = ""
    """The week of that course, or of the four that docs/guides/pack describes; "" for none."""
    games: Annotated[int, Meta(ge=1)] = 2 * PER_BLOCK
    """Games against each baseline, rounded up to whole blocks."""
    sandbox: str = AUTO
    workers: int = 1
    trusted: bool = False


class TrialShare(Struct, frozen=True):
    """The points of a bot against a baseline, and the share that the reference won."""

    part: Part
    reference: Share


class Trial(Struct, frozen=True):
    """The result of a trial."""

    report: CheckReport
    steps: int
    """Steps of the check that were passed."""
    of: int
    """Steps of the check."""
    shares: dict[str, TrialShare]
    """By the name of the baseline; empty if the bot does not start."""
    total: Total
    """The sum of the points, without those of the field."""
    most: float
    """The most that this sum can be."""
    field: float
    """The most points of games against all others, which a trial does not play."""


def try_bot(request: TrialRequest, checking: CheckListener, listener: RunListener) -> Trial | None:
    """Check a bot and play it against baselines, on dice drawn now; None if it was stopped.

    Raises ArenaError if one of the bots may not run, or the course cannot be read.
    """
    file, base = _terms(request.course, request.week)
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
    marks = file.marks
    shares: dict[str, TrialShare] | None = {}
    if checked.starts:
        with TemporaryDirectory() as folder:
            drawn = Path(folder).resolve() / "reference"
            shares = _shares(request, file, base, bot, listener, drawn)
    if shares is None:
        return None
    parts = {LEGAL: certain(marks.legal * checked.passed / len(STEPS), marks.legal)}
    parts |= {name: certain(0.0, entry.points) for name, entry in marks.baselines.items()}
    parts |= {name: share.part for name, share in shares.items()}
    return Trial(
        report=checked.report,
        steps=checked.passed,
        of=len(STEPS),
        shares=shares,
        total=total_of(parts),
        most=sum(part.of for part in parts.values()),
        field=marks.field,
    )


def _terms(path: Path | None, week: str) -> tuple[TrialFile, Path]:
    """Return the keys of a course that a trial needs, and the folder that its paths start from."""
    if path is None:
        return TrialFile(_marks_of(week)), Path.cwd()
    path, data, positions = read_keys(path, week)
    if not isinstance(data, dict):
        raise ArenaError("no keys of a course", str(path), "arena help course")
    known = {key: data[key] for key in TrialFile.__struct_fields__ if key in data}
    return convert(known, positions, path, TrialFile), path.absolute().parent


def _marks_of(week: str) -> MarksEntry:
    if not week:
        return ONE_EXERCISE
    planned = {str(number): each.marks for number, each in enumerate(WEEKS, 1)}
    if week not in planned:
        hint = f"1 to {len(WEEKS)}; for the weeks of another course give --course too"
        raise ArenaError(f"there is no week '{week}'", "--week", hint)
    return planned[week]


def _shares(
    request: TrialRequest,
    file: TrialFile,
    base: Path,
    bot: Bot,
    listener: RunListener,
    drawn: Path,
) -> dict[str, TrialShare] | None:
    """Let a bot and the reference play the baselines; returns None if it was stopped.

    `drawn` is the folder for a reference, if the course names none.
    """
    where = str(request.course or "course.yaml")
    entries = file.marks.baselines
    if file.reference is None:
        draw_reference(drawn, random.SystemRandom())
    reference = find_bot(file.reference or str(drawn), base, where)
    itself = file.reference or REFERENCE
    baselines = {
        name: reference if entry.bot == itself else find_bot(entry.bot, base, where)
        for name, entry in entries.items()
    }
    own = [*baselines.values(), reference]
    sandbox = sandbox_for([bot], request.sandbox, trusted=request.trusted, own=own)
    terms = GradingTerms(
        arena=__version__,
        seed=secrets.token_hex(16),
        sandbox=sandbox.name,
        rules=rules_named(file.variant, base, calza=False),
        limits=file.limits,
        precision=0.0,
        budget=0,
        reference_games=0,
        scheme="",
        baselines={name: baseline.info.digest for name, baseline in baselines.items()},
        reference=reference.info.digest,
    )
    won = play_apart(
        terms,
        [bot, *own],
        [bot.info.digest, terms.reference],
        dict.fromkeys(baselines, -(-request.games // PER_BLOCK)),
        sandbox,
        listener,
        workers=request.workers,
        packages=file.packages,
    )
    if won is None:
        return None
    if not all(blocks for each in won.values() for blocks in each.values()):
        raise ArenaError("a table killed its workers", hint="arena check says more of the bot")
    shares = {}
    for name, entry in entries.items():
        best = share_of(won[terms.reference][name], PER_BLOCK)
        if entry.all is None and not best.beats(entry.none):
            what = f"the reference does not clearly beat the baseline '{name}' in these games"
            raise ArenaError(what, hint="play more: --games 1000")
        share = share_of(won[bot.info.digest][name], PER_BLOCK)
        none, whole = entry.scale(best.share)
        shares[name] = TrialShare(against(share, whole, entry.points, none), best)
    return shares
