"""What a student is told beside the mark: faults, the most expensive decisions, what to try."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from arena.author.check.findings import StepResult
from arena.course.config import Course
from arena.course.games.baseline_games import pairing_of
from arena.course.games.tables import block, name_of
from arena.course.intake.checks import Checked
from arena.course.lock import Lock
from arena.course.marks.result import Result
from arena.course.output.league_site import LeagueSite
from arena.game.records import Cause, Faulted, PlayedFixture
from arena.league.store.store import Store
from arena.playstats.coach import Coach, Judgement

_COACHED = 1
"""Blocks against each baseline whose faults are shown; without a league they are coached."""
_FAULTS = 5
"""Faults in games that are shown."""


class Feedback(Struct, frozen=True):
    """What was found of a hand-in."""

    failed: list[StepResult]
    """Steps of its check."""
    faults: dict[Cause, int]
    """In its first games against baselines."""
    details: list[str]
    """Of the first of them."""
    judgement: Judgement | None
    """Of its games in the league that can be watched; of those against baselines without one."""
    watched: bool
    """Whether the judged games can be watched."""
    advice: list[str]
    """What to try next, most important first."""
    needs: list[str]
    """Why the teacher should look, if the teacher should."""


def feedback_of(
    course: Course,
    lock: Lock,
    result: Result,
    checked: Checked | None,
    store: Store | None,
    league: LeagueSite,
) -> Feedback:
    """Return what to tell of a hand-in; `store` has the games against baselines."""
    failed = [step for step in checked.report.steps if not step.ok] if checked else []
    bot = result.hand_in.bot if result.hand_in else ""
    played = [*_played(course, lock, bot, store)] if bot and store and lock.shares else []
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


def _played(course: Course, lock: Lock, bot: str, store: Store) -> Iterator[PlayedFixture]:
    """Yield the first tables of a hand-in against each baseline."""
    for name in course.file.marks.baselines:
        for number in range(_COACHED):
            for table in block(lock.terms, pairing_of(lock.terms, bot, name), number):
                yield from store.played(table.index, table.index, without_pruned=True)


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
        yield f"look at where it {leak.what}: {leak.cost.per_game:.3f} wins a game"
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
