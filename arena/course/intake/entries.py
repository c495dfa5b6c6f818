"""From the files of a course to the bots that play: hand-ins chosen, checked and staged."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import file_digest, sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.author.alike.by_text import LEAST
from arena.author.alike.sources import arenas_kgrams, kgrams_of, read_source
from arena.author.check.bench import CheckRequest
from arena.author.check.steps import STEPS
from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.staging import BuildCache
from arena.bots.folder import files_of
from arena.bots.manifest import MANIFEST, load_bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.workshop import Workshop, open_workshop, sandbox_for
from arena.course.config import Course, Options
from arena.course.intake.checks import POSITIONS, Checked, CheckedHandIn, check_all, check_key
from arena.course.intake.download import is_folder
from arena.course.intake.hand_ins import (
    BEST,
    Choice,
    HandIn,
    Intake,
    Works,
    choose,
    hand_ins_by_student,
    taken,
)
from arena.course.lock import Given, LockedHandIn
from arena.course.marks import grading
from arena.course.moments import stamp
from arena.course.reference.draw import program
from arena.course.roster import Student
from arena.io.errors import ArenaError
from arena.io.files import os_errors
from arena.ladder.folder import make_private

_MOSTLY = 0.8
"""A bot has next to no source of its own if this share of it is from elsewhere."""
CHECKS = "checks"
BUILDS = "builds"
Tell = Callable[[str], None]
"""Hears how it goes, in lines of words."""


class Entries(Struct, frozen=True):
    """The bots that play, and the hand-ins that they come from."""

    hand_ins: dict[str, LockedHandIn]
    """The hand-in that counts, by the id of the student."""
    candidates: dict[str, list[LockedHandIn]]
    """All hand-ins of which the best one counts, if there are several, by the id of the student."""
    notes: dict[str, str]
    """Why this hand-in counts, or none, by the id of the student."""
    sources: dict[str, Path]
    """The folder or archive of the bot in each hand-in, by the name of the hand-in."""
    bots: dict[str, StagedBot]
    """The bots of hand-ins, the baselines and the reference, by digest."""
    sandbox: Sandbox


@contextmanager
def entries(
    course: Course, intake: Intake, sandbox: str, options: Options, tell: Tell
) -> Iterator[Entries]:
    """Choose the hand-ins that count, check them, and yield the bots while they are staged.

    Raises ArenaError if the sandbox does not work, or a bot of the course does not start in it.
    """
    with os_errors("it cannot be made", grading(course)):
        if course.week:
            make_private(course.folder)
        make_private(grading(course))
    checks = _Checks(course, sandbox, options, tell)
    pools = hand_ins_by_student(course, intake.hand_ins)
    choices = checks.choices(pools)
    candidates: dict[str, list[HandIn]] = {}
    if course.file.resubmissions == BEST:
        candidates = checks.candidates(pools)
    own = course.own_bots
    bots = checks.bots()
    chosen = sandbox_for([*own, *bots.values()], sandbox, trusted=options.trusted)
    packages, builds = course.file.packages, _builds(course)
    with open_workshop(chosen, packages=packages, builds=builds) as workshop:
        staged = {bot.info.digest: workshop.stage(bot) for bot in own}
        staged |= _staged([*bots.values()], workshop, tell)
        locked = _Locked(course, checks, bots, staged)
        counts = {id_: choice.hand_in for id_, choice in choices.items() if choice.hand_in}
        yield Entries(
            hand_ins={id_: locked.entry(id_, hand_in) for id_, hand_in in counts.items()},
            candidates={
                id_: [locked.entry(id_, one) for one in more] for id_, more in candidates.items()
            },
            notes={id_: choice.note for id_, choice in choices.items()},
            sources={one.name: one.inside.bot for one in intake.hand_ins if one.inside.bot},
            bots=staged,
            sandbox=chosen,
        )


class _Checks:
    """Checks as many hand-ins as it takes to know which ones count."""

    def __init__(self, course: Course, sandbox: str, options: Options, tell: Tell) -> None:
        self._course = course
        self._sandbox = sandbox
        self._options = options
        self._tell = tell
        self._units = {student.id: student.unit for student in course.students}
        # All by the name of the hand-in.
        self._contents: dict[str, str] = {}
        self._checks: dict[str, Checked] = {}
        self._bots: dict[str, Path] = {}

    def choices(self, pools: Mapping[Student, Sequence[HandIn]]) -> dict[str, Choice]:
        """Return the hand-in that counts, by the id of the student."""
        while True:
            choices = {student.id: self._choice(student, pool) for student, pool in pools.items()}
            chosen = [choice.hand_in for choice in choices.values() if choice.hand_in]
            if not self._check(chosen):
                return choices

    def candidates(self, pools: Mapping[Student, Sequence[HandIn]]) -> dict[str, list[HandIn]]:
        """Return the hand-ins that start, if there are several, by the id of the student."""
        days, due = self._course.file.late.days, self._course.due
        may = {student.id: taken(pool, due[student.id], days) for student, pool in pools.items()}
        self._check([hand_in for each in may.values() for hand_in in each])
        start = {
            id_: [one for one in each if self.checked(one).starts] for id_, each in may.items()
        }
        return {id_: each for id_, each in start.items() if len(each) > 1}

    def checked(self, hand_in: HandIn) -> Checked:
        """Return the check of a hand-in."""
        return self._checks[hand_in.name]

    def content(self, hand_in: HandIn) -> str:
        """Return the SHA-256 over the files of a hand-in."""
        return self._contents[hand_in.name]

    def bots(self) -> dict[str, Bot]:
        """Return the bots that start, by the names of their hand-ins."""
        starting = [name for name, checked in self._checks.items() if checked.starts]
        return {name: load_bot(self._bots[name]) for name in starting}

    def _choice(self, student: Student, pool: Sequence[HandIn]) -> Choice:
        works = {
            hand_in.name: Works(checked.starts, checked.report.ok)
            for hand_in in pool
            if (checked := self._checks.get(hand_in.name))
        }
        return choose(pool, self._course.due[student.id], self._course.file.late.days, works)

    def _check(self, hand_ins: Iterable[HandIn]) -> bool:
        """Check the hand-ins that were not checked yet; returns whether there were any."""
        left = {one.name: one for one in hand_ins if one.name not in self._checks}
        self._contents |= {name: content_of(one) for name, one in left.items()}
        self._bots |= {name: one.inside.bot for name, one in left.items() if one.inside.bot}
        keys = {
            name: check_key(self._units[one.student], self._contents[name])
            for name, one in left.items()
        }
        requests = {
            keys[name]: CheckedHandIn(one.student, name, self._request(one.inside.bot), one.inside)
            for name, one in left.items()
        }
        checks = grading(self._course) / CHECKS
        found = check_all(requests, checks, self._options.workers, self._tell)
        self._checks |= {name: found[key] for name, key in keys.items()}
        return bool(left)

    def _request(self, bot: Path | None) -> CheckRequest:
        file = self._course.file
        return CheckRequest(
            bot or self._course.submissions,
            self._sandbox,
            trusted=self._options.trusted,
            packages=file.packages,
            limits=file.limits,
            builds=_builds(self._course),
            every_fault=True,
            positions=POSITIONS,
        )


class _Locked:
    """Makes the entries of hand-ins in course.lock."""

    def __init__(
        self,
        course: Course,
        checks: _Checks,
        bots: Mapping[str, Bot],
        staged: Mapping[str, StagedBot],
    ) -> None:
        self._course = course
        self._checks = checks
        self._staged = staged
        given = GivenOut(course.starter)
        self._given = {name: given.of(bot) for name, bot in bots.items()}
        self._programs = {name: program_of(bot) for name, bot in bots.items()}

    def entry(self, id_: str, hand_in: HandIn) -> LockedHandIn:
        """Return the entry of a hand-in for a student, given by id."""
        due = self._course.due[id_]
        checked = self._checks.checked(hand_in)
        plays = checked.starts and checked.digest in self._staged
        receipt = hand_in.receipt
        days = receipt.days_late(due)
        return LockedHandIn(
            file=hand_in.name,
            received=receipt.said(due) if receipt.moment else "",
            days_late=days,
            content=self._checks.content(hand_in),
            bot=checked.digest if plays else "",
            steps=checked.passed,
            of=len(STEPS),
            program=self._programs[hand_in.name] if plays else "",
            deadline=stamp(due.deadline),
            zone=due.zone,
            grace=due.grace,
            extension=due.extension,
            free_days=min(days, self._course.free_days[id_]),
            sign=hand_in.sign,
            time_source=receipt.source,
            given=self._given.get(hand_in.name),
        )


def _builds(course: Course) -> BuildCache:
    return BuildCache(grading(course) / BUILDS)


def _staged(bots: list[Bot], workshop: Workshop, tell: Tell) -> dict[str, StagedBot]:
    """Stage the bots of hand-ins; one that cannot be built this time does not play."""
    staged = {}
    for bot in bots:
        try:
            staged[bot.info.digest] = workshop.stage(bot)
        except ArenaError as error:
            tell(f"'{bot.source.name}' does not play: {error}")
    return staged


class GivenOut:
    """The source of bots that students have without writing them.

    These are kits, samples, starters, and the program of references.
    """

    def __init__(self, starter: Mapping[str, Path]) -> None:
        """Take the folders that were given out, by name; what comes with the arena is added."""
        self._kgrams = {
            **arenas_kgrams(),
            "the reference of a course": kgrams_of(program()),
            **{name: kgrams_of(at) for name, at in starter.items()},
        }
        self._all = frozenset().union(*self._kgrams.values())

    def of(self, bot: Bot) -> Given | None:
        """Return where a bot comes from that has next to no source of its own; None for others.

        Names, numbers, texts, comments and the order of the parts make no difference.
        """
        try:
            source = read_source(bot.folder, self._all)
        except ArenaError:
            return None
        own = kgrams_of(bot.folder)
        if len(source.chosen) >= LEAST or len(own & self._all) < _MOSTLY * max(1, len(own)):
            return None
        shares = {name: len(own & theirs) / len(own) for name, theirs in self._kgrams.items()}
        name = max(shares, key=lambda name: shares[name])
        return Given(name, shares[name])


def program_of(bot: Bot) -> str:
    """Return the SHA-256 over all of a bot except the names in its bot.yaml."""
    manifest = bot.folder / MANIFEST
    files = {
        path.relative_to(bot.folder).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in files_of(bot.folder)
        if path != manifest
    }
    decisive = [files, bot.command, bot.build, bot.info.runtime]
    return sha256(msgspec.json.encode(decisive, order="deterministic")).hexdigest()


def content_of(hand_in: HandIn) -> str:
    """Return the SHA-256 over the files of a hand-in, whatever the hand-in itself is called."""
    if len(hand_in.files) == 1:
        return content_hash(*hand_in.files.values())
    each = {name: content_hash(path) for name, path in sorted(hand_in.files.items())}
    return sha256(msgspec.json.encode(each)).hexdigest()


def content_hash(source: Path) -> str:
    """Return the SHA-256 over a file or folder; for a link, it is that over its target's path."""
    total = sha256()
    for path in sorted(source.rglob("*")) if is_folder(source) else [source]:
        name = os.fsencode(path.relative_to(source).as_posix())
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            total.update(b"%b\0-> %b\n" % (name, os.fsencode(path.readlink())))
        elif stat.S_ISREG(mode):
            with path.open("rb") as file:
                content = file_digest(file, "sha256").hexdigest()
            total.update(b"%b\0%b\n" % (name, content.encode()))
    return total.hexdigest()
