"""The worst turns of a bot as puzzles: what it saw, and what each choice was worth."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from arena.author.coach.coaching import Coaching
from arena.game.records import PlayedFixture
from arena.game.rules.books import Rules
from arena.game.walk import walk
from arena.game.wire.messages import Turn
from arena.league.store.store import Store
from arena.league.table.recorded_seat import seat_moments
from arena.playstats.coach.decisions import Decision, DecisionAction, GameKey, choices


class Choice(Struct, frozen=True):
    """A legal action of a turn."""

    action: DecisionAction
    chance: float
    """The chance to win after it."""
    cost: float
    """By how much that is less than after the best one."""


class Puzzle(Struct, frozen=True):
    """A turn of the bot."""

    decision: Decision
    seats: tuple[str, ...]
    dice: tuple[int, ...]
    """By seat."""
    book: str
    """The rule book."""
    request: Turn
    choices: list[Choice]
    """All that is legal, the best first."""


def puzzles(coaching: Coaching, store: Path) -> Iterator[Puzzle]:
    """Yield the most expensive turns, the dearest first; calls of calza are left out."""
    turns = [one for one in coaching.judgement.worst if one.action.do != "calza"]
    wanted = {decision.fixture for decision in turns}
    with Store(store) as opened:
        variants = opened.conditions().variants
        played = {
            one.fixture.index: one
            for one in opened.played(without_pruned=True)
            if one.fixture.index in wanted
        }
    for decision in turns:
        fixture = played[decision.fixture]
        yield _puzzle(decision, fixture, variants[fixture.fixture.variant])


def _puzzle(decision: Decision, played: PlayedFixture, rules: Rules) -> Puzzle:
    fixture = played.fixture
    [record] = [record for record in played.games if record.game == decision.game]
    [round_] = [one for one in walk(record, rules) if one.number == decision.round]
    [request] = [
        moment.request
        for moment in seat_moments(fixture, rules, record, decision.seat)
        if moment.step == decision.step and isinstance(moment.request, Turn)
    ]
    place = GameKey(fixture.index, record.game, fixture.seed)
    chances = choices(round_, decision, place)
    best = max(chances.values())
    return Puzzle(
        decision=decision,
        seats=fixture.seats,
        dice=round_.now.standing.dice,
        book=rules.name,
        request=request,
        choices=[Choice(action, chance, best - chance) for action, chance in chances.items()],
    )
