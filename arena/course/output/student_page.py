"""The page of a student: the mark, how it adds up, faults of the bot, what to try next."""

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path

from msgspec import Struct

from arena.author.check.findings import StepResult
from arena.author.coach.words import did, named
from arena.course.baselines import block, name_of, pairing_of
from arena.course.config import FIELD, LEGAL, BaselineEntry, Course
from arena.course.intake.checks import Checked
from arena.course.lock import Lock
from arena.course.marks import Mark, Result, first_look_of
from arena.course.output.league_site import LeagueSite
from arena.course.points import FAIR, Part, Share
from arena.game.records import Cause, Faulted, PlayedFixture
from arena.league.store.store import Store
from arena.playstats.coach.coach import Coach, Judgement
from arena.playstats.coach.decisions import Decision, DecisionAction
from arena.publish.templates import render
from arena.publish.text import counted, fixed, percent

_COACHED = 1
"""Blocks against each baseline whose faults are shown; without a league, they are coached."""
_FAULTS = 5
"""The most faults in games that are shown."""
_TIME = "%Y-%m-%d %H:%M:%S"
_TIMES, _MINUS = "\u00d7", "\u2212"


class Feedback(Struct, frozen=True):
    """What a student is told about a hand-in, beside the mark."""

    failed: list[StepResult]
    """Steps of its check that it did not pass."""
    faults: dict[Cause, int]
    """The number of faults of each kind in its first games against baselines."""
    details: list[str]
    """What happened, for the first of them."""
    judgement: Judgement | None
    """The coach's, of its games in the league that can be watched, or else against baselines."""
    watched: bool
    """Whether the judged games can be watched."""
    advice: list[str]
    """What to try next, most important first."""
    needs: list[str]
    """Why the teacher should look at it."""


def feedback_of(
    course: Course,
    lock: Lock,
    result: Result,
    checked: Checked | None,
    store: Store | None,
    league: LeagueSite,
) -> Feedback:
    """Return the feedback on a hand-in; `store` has the games against baselines."""
    failed = [step for step in checked.report.steps if not step.ok] if checked else []
    bot = result.hand_in.bot if result.hand_in else ""
    played: list[PlayedFixture] = []
    if bot and store and lock.shares:
        played = [*_first_tables(course, lock, bot, store)]
    events = [event for fixture in played for event in _faults(fixture, name_of(bot))]
    faults = Counter(event.cause for event in events)
    details = [f"{event.cause}: {event.detail}" for event in events[:_FAULTS]]
    at_table = name_of(result.hand_in.program) if result.hand_in else ""
    watched = [*league.games(at_table)]
    coach = Coach(at_table if watched else name_of(bot))
    for fixture in watched or played:
        coach.add(fixture, lock.terms.rules)
    judgement = coach.judgement() if coach.games else None
    needs = [*_needs(result, failed, faults)]
    advice = [*_advice(result, failed, faults, judgement, checked)]
    return Feedback(failed, dict(faults), details, judgement, bool(watched), advice, needs)


def _first_tables(course: Course, lock: Lock, bot: str, store: Store) -> Iterator[PlayedFixture]:
    """Yield the first tables of a bot against each baseline."""
    for name in course.file.marks.baselines:
        for number in range(_COACHED):
            for table in block(lock.terms, pairing_of(lock.terms, bot, name), number):
                yield from store.played([table.index], without_pruned=True)


def _faults(played: PlayedFixture, name: str) -> Iterator[Faulted]:
    seat = played.fixture.seats.index(name)
    for game in played.games:
        for event in game.events:
            if isinstance(event, Faulted) and event.seat == seat:
                yield event


def _needs(result: Result, failed: Sequence[StepResult], faults: Counter[Cause]) -> Iterator[str]:
    if result.hand_in is None:
        yield "nothing was handed in"
        return
    if not result.hand_in.bot:
        yield "it never plays: its check says why"
    elif failed or faults.keys() - {Cause.TIMEOUT}:
        yield "it faults"
    found = [finding.what for step in failed for finding in step.findings]
    if faults[Cause.TIMEOUT] or any(what.startswith(Cause.TIMEOUT) for what in found):
        yield "it is too slow"
    for name, part in result.mark.parts.items() if result.mark else ():
        if part.share and name != "field" and part.share.loses:
            yield f"it loses to {name} ({100 * part.share.share:.0f} % won)"


def _advice(
    result: Result,
    failed: Sequence[StepResult],
    faults: Counter[Cause],
    judgement: Judgement | None,
    checked: Checked | None,
) -> Iterator[str]:
    if result.hand_in is None:
        yield "hand in a bot: `arena new my-bot` makes one that already plays"
        return
    if failed or faults:
        yield "mend the faults first: `arena check YOUR-BOT` shows each with what was sent"
    leaks = judgement.leaks[:2] if judgement else []
    for leak in leaks:
        yield f"it {leak.what}: {leak.advice} (worth {leak.worth.per_game:.3f} wins a game)"
    parts = result.mark.parts.items() if result.mark else ()
    short = [
        (part.of - part.points, name) for name, part in parts if part.share and name != "field"
    ]
    for missing, name in sorted(short, reverse=True)[:1]:
        if missing > 0:
            yield f"most points are left against {name}: up to {missing:.1f}"
    yield from checked.report.advice if checked else ()
    if result.hand_in.bot:
        yield "try a change with `arena compare OLD NEW` before you hand it in"


class PartLine(Struct, frozen=True):
    """A part of a mark, in words and numbers as the page shows them."""

    name: str
    share: str
    reference: str
    how: str
    """How the points were calculated."""
    points: str
    of: str
    interval: str


class StudentPage(Struct, frozen=True):
    """What the page of a student shows."""

    course: str
    result: Result
    told: Feedback
    total: str
    facts: list[tuple[str, str]]
    """Names and values, such as the deadline and when the hand-in was received."""
    parts: list[PartLine]
    sums: list[str]
    """The sum of the parts, the deduction, points by hand and the grade, a line for each."""
    table: list[float]
    """The marks of all students; empty if they are not shown."""
    pseudonym: str
    page: str
    """The address of the bot's page in the league's site; "" if it is not there."""
    site: str
    """The address of that site, with a slash at its end; "" if there is none to link to."""
    contact: str
    first_look: str
    """As `first_look_of` says it."""
    behind_door: bool
    replay: Callable[[Decision], str]
    hide: Callable[[str], str]
    """Takes the folders of this machine out of a text."""
    did: Callable[[Decision], str] = did
    named: Callable[[DecisionAction], str] = named


class StudentPages:
    """Makes the pages of the students of a grading."""

    def __init__(
        self, course: Course, lock: Lock, league: LeagueSite, finals: list[float], graded: datetime
    ) -> None:
        """Take the marks of all students, `finals`, and the time of the grading, `graded`."""
        self._course = course
        self._lock = lock
        self._league = league
        self._graded = graded
        self._finals = finals if course.file.table else []
        self._hide = _hider(course)

    def render(self, result: Result, told: Feedback, *, behind_door: bool) -> str:
        """Return the page of a student."""
        file = self._course.file
        league = self._league
        pseudonym = league.pseudonym(result)
        site = self._site(behind_door=behind_door)
        page = StudentPage(
            course=self._course.title,
            result=result,
            told=told,
            total=f"{file.marks.total:g}",
            facts=[*self._facts(result)],
            parts=[*_parts(result, self._lock, file.marks.baselines)],
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
        """Return the address of the league's site as a page links to it; "" for none."""
        if self._league.store is None:
            return ""
        if address := self._course.file.site:
            week = self._course.week
            return f"{address.rstrip('/')}/{f'{week.folder}/' if week else ''}"
        return "" if behind_door else "../site/"

    def _facts(self, result: Result) -> Iterator[tuple[str, str]]:
        file, due = self._course.file, self._course.due[result.student.id]
        zone = due.deadline.tzinfo
        yield "Deadline", file.deadline
        if due.extension:
            longer = f" ({due.extension})" if due.extension.startswith("+") else ""
            yield "Extended for you to", f"{_clock(due.deadline, zone)}{longer}"
        if due.grace:
            yield "Grace", f"{due.grace / 60:g} min"
        if result.student.team:
            yield "Team", result.student.team
        if hand_in := result.hand_in:
            free = hand_in.free_days
            costless = f", {free} of them without a deduction" if free else ""
            delay = "on time"
            if hand_in.days_late:
                delay = f"{counted(hand_in.days_late, 'day')} late{costless}"
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


def _parts(
    result: Result, lock: Lock, baselines: Mapping[str, BaselineEntry]
) -> Iterator[PartLine]:
    names = {name: f"against {name}" for name in lock.terms.baselines}
    names |= {LEGAL: "legal play", FIELD: "all others"}
    for name, part in result.mark.parts.items() if result.mark else ():
        reference = lock.shares.get(name)
        yield PartLine(
            name=names.get(name, name),
            share=percent(part.share.share, 2) if part.share else "",
            reference=percent(reference.share, 2) if reference else "",
            how=_how(name, part, result, baselines, reference),
            points=fixed(part.points),
            of=f"{part.of:g}",
            interval=f"{fixed(part.low)} to {fixed(part.high)}" if part.share else "",
        )


def _how(
    name: str,
    part: Part,
    result: Result,
    baselines: Mapping[str, BaselineEntry],
    reference: Share | None,
) -> str:
    """Return how the points of a part were calculated, or the teacher's reason for them."""
    if name not in {LEGAL, FIELD, *baselines}:
        return result.mark.reasons.get(name, "not marked yet") if result.mark else ""
    if result.hand_in is None:
        return "nothing was handed in"
    if name == LEGAL:
        steps, of = result.hand_in.steps, result.hand_in.of
        return f"{steps} of {of} steps of the check passed: {part.of:g} {_TIMES} {steps} ÷ {of}"
    if part.share is None:
        return (result.mark.withheld if result.mark else "") or "no games"
    if name == FIELD:
        games = counted(part.share.games, "game")
        return f"of {games} won: {part.of:g} {_TIMES} {_percent(part.share.share)} %"
    return _against(part.share, baselines[name], reference, part.of)


def _against(share: Share, entry: BaselineEntry, reference: Share | None, of: float) -> str:
    """Return how the points against a baseline were calculated."""
    games = counted(share.games, "game")
    none, best = entry.scale(reference.share if reference else 1.0)
    if share.share <= none:
        least = "one half" if none == FAIR else f"{100 * none:g} %"
        return f"of {games}: no points up to {least}"
    if share.share >= best:
        most = "the reference's share" if entry.all is None else f"{100 * best:g} %"
        return f"of {games}: all points from {most} on"
    won, whole = _percent(share.share), _percent(best)
    least = f"{100 * none:g}"
    return f"of {games}: {of:g} {_TIMES} ({won} {_MINUS} {least}) ÷ ({whole} {_MINUS} {least})"


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def _sums(mark: Mark) -> Iterator[str]:
    """Yield lines that add a mark up; rounded parts may differ from their sum by a hundredth."""
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
        why = f": the points lead to {mark.grade.by_points}, their interval reaches the better one"
        yield f"Grade {mark.grade.name}{why if mark.grade.is_raised else ''}"


def _hider(course: Course) -> Callable[[str], str]:
    """Return a function that takes the folders of this machine out of a text."""
    own = course.submissions, course.base
    roots = *own, *(root.resolve() for root in own), Path(tempfile.gettempdir()), Path.home()
    known = sorted({str(root) for root in roots} - {".", "/"}, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w/.])(?:{'|'.join(map(re.escape, known))})/(?:[^\s:'\"]*/)?")
    return lambda text: pattern.sub("", text)
