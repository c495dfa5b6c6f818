"""From the files of a course to the bots that play: hand-ins chosen, checked and staged."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from arena.author.check.context import CheckRequest
from arena.author.check.steps.all_steps import STEPS
from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.cache import BuildCache
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.workshop import Workshop, open_workshop, sandbox_for
from arena.course.config import Course
from arena.course.deadlines import stamp
from arena.course.intake.checks import POSITIONS, Checked, check_all, check_key
from arena.course.intake.choice import Choice, HandIn, choose
from arena.course.intake.hand_ins import bot_in, content_hash, hand_ins_of
from arena.course.lock import LockedHandIn
from arena.course.marks.result import grading
from arena.io.errors import ArenaError

CHECKS, BUILDS = "checks", "builds"
Tell = Callable[[str], None]


class Options(Struct, frozen=True):
    """Options of grading; None stands for the value in course.yaml."""

    sandbox: str | None = None
    workers: int = 1
    trusted: bool = False
    accept_changes: bool = False


class Entries(Struct, frozen=True):
    """The bots that play, and the hand-ins that they come from."""

    hand_ins: dict[str, LockedHandIn]
    """By the id of the student."""
    notes: dict[str, str]
    strangers: list[str]
    """Names of files that belong to nobody on the roster."""
    sources: dict[str, Path]
    """The bot's folder or archive in each hand-in, by the id of the student."""
    bots: dict[str, StagedBot]
    """By digest: hand-ins, baselines and the reference."""
    sandbox: Sandbox


@contextmanager
def entries(course: Course, sandbox: str, options: Options, tell: Tell) -> Iterator[Entries]:
    """Yield what plays, as long as its files are staged.

    Raises ArenaError if the sandbox does not work, or a bot of the course does not start there.
    """
    with hand_ins_of(course) as (hand_ins, strangers):
        for name in strangers:
            tell(f"'{name}' belongs to nobody on the roster")
        choices = _choices(course, hand_ins)
        counts = {id_: choice.hand_in for id_, choice in choices.items() if choice.hand_in}
        hashes = {id_: content_hash(hand_in.source) for id_, hand_in in counts.items()}
        keys = {id_: check_key(id_, content) for id_, content in hashes.items()}
        sources = {id_: bot_in(hand_in.source) for id_, hand_in in counts.items()}
        _make_private(grading(course))
        checked = check_all(
            {keys[id_]: _request(course, at, sandbox, options) for id_, at in sources.items()},
            grading(course) / CHECKS,
            options.workers,
            tell,
        )
        own = _own_bots(course)
        bots = [load_bot(at) for id_, at in sources.items() if checked[keys[id_]].starts]
        chosen = sandbox_for([*own, *bots], sandbox, trusted=options.trusted)
        packages, builds = course.file.packages, _builds(course)
        with open_workshop(chosen, packages=packages, builds=builds) as workshop:
            staged = {bot.info.digest: workshop.stage(bot) for bot in own}
            staged |= _staged(bots, workshop, tell)
            locked = {
                id_: _locked(
                    hand_in, choices[id_].days_late, hashes[id_], checked[keys[id_]], staged
                )
                for id_, hand_in in counts.items()
            }
            notes = {id_: choice.note for id_, choice in choices.items()}
            yield Entries(locked, notes, strangers, sources, staged, chosen)


def _choices(course: Course, hand_ins: Iterable[HandIn]) -> dict[str, Choice]:
    """Return the hand-in of each student that counts, by the student's id."""
    by_student: dict[str, list[HandIn]] = {student.id: [] for student in course.students}
    for hand_in in hand_ins:
        by_student[hand_in.student].append(hand_in)
    return {
        id_: choose(theirs, course.due[id_], course.file.late.days)
        for id_, theirs in by_student.items()
    }


def _own_bots(course: Course) -> list[Bot]:
    """Return the baselines and the reference."""
    baselines = list(course.baselines.values())
    return [*baselines, course.reference] if course.reference else baselines


def _make_private(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise ArenaError(f"it cannot be made: {error.strerror}", str(folder)) from None


def _request(course: Course, source: Path, sandbox: str, options: Options) -> CheckRequest:
    return CheckRequest(
        source,
        sandbox,
        trusted=options.trusted,
        packages=course.file.packages,
        limits=course.file.limits,
        builds=_builds(course),
        every_fault=True,
        positions=POSITIONS,
    )


def _builds(course: Course) -> BuildCache:
    return BuildCache(grading(course) / BUILDS)


def _staged(bots: list[Bot], workshop: Workshop, tell: Tell) -> dict[str, StagedBot]:
    """Stage hand-ins; one whose build succeeds in its check and not now does not play."""
    staged = {}
    for bot in bots:
        try:
            staged[bot.info.digest] = workshop.stage(bot)
        except ArenaError as error:
            tell(f"'{bot.source.name}' does not play: {error}")
    return staged


def _locked(
    hand_in: HandIn,
    days_late: int,
    content: str,
    checked: Checked,
    staged: Mapping[str, StagedBot],
) -> LockedHandIn:
    plays = checked.starts and checked.digest in staged
    return LockedHandIn(
        file=hand_in.name,
        received=stamp(hand_in.received),
        days_late=days_late,
        content=content,
        bot=checked.digest if plays else "",
        steps=checked.passed,
        of=len(STEPS),
    )
