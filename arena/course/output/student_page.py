"""The page of a student: the mark, how it adds up, and what was found of the hand-in."""

import re
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from pathlib import Path

from msgspec import Struct

from arena.author.coach.words import did, named
from arena.course.config import FIELD, LEGAL, Course
from arena.course.lock import Lock
from arena.course.marks.graded import first_look_of
from arena.course.marks.marks import Mark
from arena.course.marks.result import Result
from arena.course.output.feedback import Feedback
from arena.course.output.league_site import LeagueSite
from arena.course.points import FAIR, Part, Share
from arena.course.terms.grades import Grade
from arena.playstats.coach.decisions import Decision, DecisionAction
from arena.publish.output.text import counted, fixed, percent
from arena.publish.pages.templates import render

_TIME = "%Y-%m-%d %H:%M:%S"
_TIMES, _MINUS = "\u00d7", "\u2212"


class PartLine(Struct, frozen=True):
    """A part of a mark, as the page says it."""

    name: str
    share: str
    reference: str
    how: str
    """The calculation."""
    points: str
    of: str
    interval: str


class StudentPage(Struct, frozen=True):
    """What the page shows."""

    course: str
    result: Result
    told: Feedback
    total: str
    facts: list[tuple[str, str]]
    """What is known of the hand-in, by what it is."""
    parts: list[PartLine]
    sums: list[str]
    """The parts added up, deductions and what was added by hand, the grade."""
    table: list[float]
    """The marks of all, if they are shown."""
    pseudonym: str
    page: str
    """That of the bot in the league's site; "" if it is not there."""
    site: str
    """Where that site is, relative to this page, or its address; "" if there is none to link to."""
    contact: str
    first_look: str
    """As `first_look_of` says it."""
    behind_door: bool
    replay: Callable[[Decision], str]
    hide: Callable[[str], str]
    """Leaves out the folders of the machine that graded."""
    did: Callable[[Decision], str] = did
    named: Callable[[DecisionAction], str] = named


class StudentPages:
    """Makes the pages of a grading's students."""

    def __init__(
        self, course: Course, lock: Lock, league: LeagueSite, finals: list[float], graded: datetime
    ) -> None:
        """Take the marks of all as `finals`; `graded` is when they were made."""
        self._course, self._lock, self._league, self._graded = course, lock, league, graded
        self._finals = finals if course.file.table else []
        self._hide = _hider(course)

    def render(self, result: Result, told: Feedback, *, behind_door: bool) -> str:
        """Return the page of a student."""
        file, league = self._course.file, self._league
        pseudonym, site = league.pseudonym(result), self._site(behind_door=behind_door)
        page = StudentPage(
            course=file.name,
            result=result,
            told=told,
            total=f"{file.marks.total:g}",
            facts=[*self._facts(result)],
            parts=[*_parts(result, self._lock)],
            sums=[*_sums(result.mark)] if result.mark else [],
            table=self._finals,
            pseudonym=pseudonym,
            page=f"{site}{league.pages[pseudonym]}" if site and pseudonym else "",
            site=site,
            contact=file.contact,
            first_look=first_look_of(self._course, self._lock),
            behind_door=behind_door,
            replay=lambda decision: f"{site}{league.replay(decision)}",
            hide=self._hide,
        )
        return render("course_student.html", page)

    def _site(self, *, behind_door: bool) -> str:
        """Return where the league's site is, with a slash at the end."""
        if self._league.store is None:
            return ""
        if address := self._course.file.site:
            return f"{address.rstrip('/')}/"
        return "" if behind_door else "../site/"

    def _facts(self, result: Result) -> Iterator[tuple[str, str]]:
        file, due = self._course.file, self._course.due[result.student.id]
        zone = due.deadline.tzinfo
        yield "Deadline", file.deadline
        if due.extension:
            longer = f" ({due.extension})" if due.extension.startswith("+") else ""
            yield "Extended for you to", f"{_clock(due.deadline, zone)}{longer}"
        if due.grace:
            yield "Grace", f"{due.grace:g} min"
        if result.student.team:
            yield "Team", result.student.team
        if hand_in := result.hand_in:
            delay = _delay(hand_in.days_late, hand_in.free_days)
            if hand_in.received:
                delay = f"{_clock(datetime.fromisoformat(hand_in.received), zone)}, {delay}"
            source = f" ({hand_in.time_source})" if hand_in.time_source else ""
            yield "Received", f"{delay}{source}"
            yield "What counts", hand_in.file
            if given := hand_in.given:
                yield "Source", f"{percent(given.share, 0)} of it is in {given.name}"
        yield "Graded", _clock(self._graded, zone)


def _clock(moment: datetime, zone: tzinfo | None) -> str:
    return f"{moment.astimezone(zone):{_TIME}} {zone}"


def _delay(days: int, free: int) -> str:
    costless = f", {free} of them without a deduction" if free else ""
    return f"{counted(days, 'day')} late{costless}" if days else "on time"


def _parts(result: Result, lock: Lock) -> Iterator[PartLine]:
    for name, part in result.mark.parts.items() if result.mark else ():
        reference = lock.shares.get(name)
        yield PartLine(
            name=_called(name, lock),
            share=percent(part.share.share, 2) if part.share else "",
            reference=percent(reference.share, 2) if reference else "",
            how=_how(name, part, result, lock),
            points=fixed(part.points),
            of=f"{part.of:g}",
            interval=f"{fixed(part.low)} to {fixed(part.high)}" if part.share else "",
        )


def _called(name: str, lock: Lock) -> str:
    against = f"against {name}" if name in lock.terms.baselines else name
    return {LEGAL: "legal play", FIELD: "all others"}.get(name, against)


def _how(name: str, part: Part, result: Result, lock: Lock) -> str:
    """Return the calculation of a part, or the teacher's reason."""
    if name not in {LEGAL, FIELD, *lock.terms.baselines}:
        return result.mark.reasons.get(name, "not marked yet") if result.mark else ""
    if result.hand_in is None:
        return "nothing was handed in"
    if name == LEGAL:
        steps, of = result.hand_in.steps, result.hand_in.of
        return f"{steps} of {of} steps of the check passed: {part.of:g} {_TIMES} {steps} ÷ {of}"
    if part.share is None:
        return "no games"
    if name == FIELD:
        games = counted(part.share.games, "game")
        return f"of {games} won: {part.of:g} {_TIMES} {_percent(part.share.share)} %"
    return _against(part.share, lock.shares[name], part.of)


def _against(share: Share, reference: Share, of: float) -> str:
    """Return the calculation of a part against a baseline."""
    games = counted(share.games, "game")
    if share.share <= FAIR:
        return f"of {games}: no points up to one half"
    if share.share >= reference.share:
        return f"of {games}: all points from the reference's share on"
    won, whole = _percent(share.share), _percent(reference.share)
    return f"of {games}: {of:g} {_TIMES} ({won} {_MINUS} 50) ÷ ({whole} {_MINUS} 50)"


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def _sums(mark: Mark) -> Iterator[str]:
    """Yield how a mark is added up; parts to two decimals may be a hundredth off their sum."""
    parts = [fixed(part.points) for part in mark.parts.values()]
    points = mark.total.points
    exact = fixed(sum(map(float, parts))) == fixed(points)
    yield f"{' + '.join(parts)} {'=' if exact else '≈'} {fixed(points)}"
    if mark.deduction:
        days = counted(mark.days_late - mark.free_days, "day")
        left = max(0.0, points - mark.deduction)
        why = f"for {days} after the deadline{'' if left else ', 0 at least'}"
        yield f"{fixed(points)} {_MINUS} {mark.deduction:g} = {fixed(left)}, {why}"
        points = left
    for entry in mark.added:
        sign = "+" if entry.points >= 0 else _MINUS
        more = f"{fixed(points)} {sign} {abs(entry.points):g} = {fixed(points + entry.points)}"
        yield f"{more}, {entry.part}: {entry.reason}"
        points += entry.points
    if points < 0:
        yield f"0 at least: {fixed(mark.final)}"
    if mark.grade:
        yield _grade(mark.grade)


def _grade(grade: Grade) -> str:
    if grade.is_raised:
        why = f"the points lead to {grade.by_points}, their interval reaches the better one"
        return f"Grade {grade.name}: {why}"
    return f"Grade {grade.name}"


def _hider(course: Course) -> Callable[[str], str]:
    """Return what leaves out of texts the folders that only this machine has."""
    own = course.submissions, course.folder
    roots = *own, *(root.resolve() for root in own), Path(tempfile.gettempdir()), Path.home()
    known = sorted({str(root) for root in roots} - {".", "/"}, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w/.])(?:{'|'.join(map(re.escape, known))})/(?:[^\s:'\"]*/)?")
    return lambda text: pattern.sub("", text)
