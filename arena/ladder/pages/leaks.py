"""Why a version loses: what its decisions cost, with the games in which they were made."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from arena.author.coach.words import at_table, did, named
from arena.game.records import PlayedFixture
from arena.game.rules.books import Rules
from arena.playstats.coach.coach import Coach
from arena.playstats.coach.decisions import Decision, DecisionAction
from arena.playstats.coach.judgement import Judgement, Leak

_LEAKS = 3
_WORST = 10


class Why(Struct, frozen=True):
    """What the page shows."""

    version: str
    judged: Judgement
    leaks: Sequence[Leak]
    worst: Sequence[Decision]
    did: Callable[[Decision], str] = did
    named: Callable[[DecisionAction], str] = named
    at_table: Callable[[Decision], str] = at_table


def why(version: str, fixtures: Iterable[tuple[PlayedFixture, Rules]]) -> Why | None:
    """Judge some fixtures of a version; None if it decided nothing in them."""
    coach = Coach(version)
    for played, rules in fixtures:
        coach.add(played, rules)
    if not coach.games:
        return None
    judged = coach.judgement()
    return Why(version, judged, judged.leaks[:_LEAKS], judged.worst[:_WORST])
