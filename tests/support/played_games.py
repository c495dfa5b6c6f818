"""Real games for replays: the referee's own records, of players who do whatever is legal."""

from random import Random

from arena.game.records import Cause, Fault, Fixture, GameRecord, PlayedFixture
from arena.game.referee import Referee
from arena.game.rules.books import Rules
from arena.game.wire.messages import Answer, Turn


def play(
    rules: Rules, players: int, seed: str, game: int, faults: dict[int, Fault] | None = None
) -> GameRecord:
    """Play one game; `faults` by the number of the decision that they come instead of."""
    chance = Random(f"{seed}/{game}")
    referee = Referee(rules, players, seed, game, frozenset(range(players)))
    decisions = 0
    while referee.waiting:
        seat = referee.waiting[0]
        fault = (faults or {}).get(decisions)
        referee.take(seat, fault or _answer(referee, seat, chance))
        decisions += 1
    return referee.record


def _answer(referee: Referee, seat: int, chance: Random) -> Answer:
    asked = referee.request(seat, 0)
    if not isinstance(asked, Turn):
        return Answer(id=0, action="calza" if chance.random() < 0.05 else "pass")
    if asked.dudo and (not asked.raises or chance.random() < 0.3):
        return Answer(id=0, action="dudo")
    one = chance.choice(asked.raises)
    quantity = min(one.max, one.min + chance.randrange(2))
    return Answer(id=0, action="bid", quantity=quantity, face=one.face)


def fixture(
    index: int, label: str, rules: Rules, seats: tuple[str, ...], games: int, **kept: str
) -> PlayedFixture:
    """A fixture of real games; the second seat to decide in game 1 faults, saying `detail`."""
    fix = Fixture(f"{index:016x}", index, label, seats, f"seed/{index}", games)
    fault = {3: Fault(Cause.ILLEGAL_ACTION, kept.get("detail", "quantity must grow"))}
    records = [
        play(rules, len(seats), fix.seed, game, fault if game == 1 else None)
        for game in range(games)
    ]
    return PlayedFixture(fix, records, "bubblewrap", "cpu", 100, 1.0)
