"""What decides the games of a course, and what they are worth."""

import secrets

from arena import __version__
from arena.bots.sandboxes.registry import AUTO, make_sandbox
from arena.course.config import Course, scheme
from arena.course.intake.entries import Options
from arena.course.lock import GradingTerms, Lock


def terms_of(course: Course, old: Lock | None, options: Options) -> GradingTerms:
    """Return what decides games now; the seed and the sandbox stay those of the first time."""
    file = course.file
    sandbox = options.sandbox or (
        old.terms.sandbox if old and file.sandbox == AUTO else file.sandbox
    )
    return GradingTerms(
        arena=__version__,
        seed=old.terms.seed if old else secrets.token_hex(16),
        sandbox=make_sandbox(sandbox).name,
        rules=course.rules,
        limits=file.limits,
        precision=file.precision,
        quick=file.precision != course.planned_precision,
        budget=file.budget,
        reference_games=file.reference_games,
        scheme=scheme(course),
        baselines={name: bot.info.digest for name, bot in course.baselines.items()},
        reference=course.reference.info.digest if course.reference else "",
    )
