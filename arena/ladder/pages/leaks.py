"""Why a version loses: what its decisions cost, with the games in which they were made."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from arena.author.coach.words import at_table, did, named
from arena.game.records import PlayedFixture
from arena.game.rules.books import Rules
from arena.playstats.coach import Coach, Judgement, Leak
from arena.playstats.decisions import Decision, DecisionAction

_LEAKS = 3
_WORST = 10


class LeakWithGame(Struct, frozen=True):
    """A leak, and the decision of its kind that cost most."""

    leak: Leak
    worst: Decision


class Why(Struct, frozen=True):
    """What the page shows."""

    version: str
    judged: Judgement
    leaks: Sequence[LeakWithGame]
    worst: Sequence[Decision]
    did: Callable[[Decision], str] = did
    named: Callable[[DecisionAction], str] = named
    at_table: Callable[[Decision], str] = at_table


def why(version: str, fixtures: Iterable[tuple[PlayedFixture, Rules]]) -> Why | None:
    """Judge some fixtures of a version; None if it decided nothing in them."""
    dearest: dict[tuple[str, bool, int | None], Decision] = {}

    def hear(decision: Decision) -> None:
        dice = None if decision.palifico else decision.dice
        key = decision.kind, decision.palifico, dice
        if key not in dearest or decision.loss > dearest[key].loss:
            dearest[key] = decision

    coach = Coach(version, hear)
    for played, rules in fixtures:
        coach.add(played, rules)
    if not coach.games:
        return None
    judged = coach.judgement()
    leaks = [
        LeakWithGame(leak, dearest[leak.kind, leak.palifico, leak.dice])
        for leak in judged.leaks[:_LEAKS]
    ]
    return Why(version, judged, leaks, judged.worst[:_WORST])
