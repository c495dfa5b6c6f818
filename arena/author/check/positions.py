"""The tables of a check, and recorded positions: the same games of random players every time."""

from collections.abc import Callable, Generator, Iterator
from itertools import count
from random import Random
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import Cause, Fault, Fixture
from arena.game.referee import Notice, Referee
from arena.game.rules.books import BGA, VARIANTS, Rules
from arena.game.rules.round import max_rounds
from arena.game.wire.messages import Answer, CalzaOffer, Turn

SEED = "check"
"""Keys the dice and the seeds of every check."""
GAMES = 1000
"""Games that a table announces: more than all steps together play at it."""
_FORFEIT = 0.2
"""The chance that a rival faults instead of an answer."""
_GAMES = 100
"""Games that are recorded at a table."""
Player = Callable[[Turn | CalzaOffer, Random], Answer]
Moments = Generator["CheckMoment", Answer | None, None]
"""Goes on with the answer that it is sent; without one, with that of the recorded player."""


class CheckTable(NamedTuple):
    """A table of a check, and the seat of the bot."""

    rules: Rules
    players: int
    seat: int = 0

    def __str__(self) -> str:
        return f"{self.rules.name}, {self.players} players, seat {self.seat}"

    def fixture(self, name: str, games: int) -> Fixture:
        """Return a fixture of the bot against itself at this table."""
        rounds = max_rounds(self.rules, self.players)
        seats = (name,) * self.players
        return Fixture(SEED, 0, self.rules.name, seats, SEED, games, max_rounds=rounds)


def tables() -> list[CheckTable]:
    """Return tables of every size under every rule book, with every seat among them."""
    return [
        _table(index, rules, players)
        for index, rules in enumerate(VARIANTS.values())
        for players in range(2, 7)
    ]


def _table(index: int, rules: Rules, players: int) -> CheckTable:
    return CheckTable(rules, players, (index + players) % players)


FOR_TWO = CheckTable(BGA, 2)
BY_BOOK = [_table(index, rules, 3 + index) for index, rules in enumerate(VARIANTS.values())]
"""One for three to six players, each under another rule book."""
BY_BOOK_WITH_CALZA = [
    table._replace(rules=replace(table.rules, calza=True, lost_dice_visible=True))
    for table in BY_BOOK
]
SHARED = frozenset({FOR_TWO, *BY_BOOK, *BY_BOOK_WITH_CALZA})
"""Tables of several steps: a slow bot that is not reusable need not start for each of them."""


class CheckMoment(Struct, frozen=True):
    """A moment of a recorded game: what the seat hears, then what it is asked."""

    news: tuple[Notice, ...]
    request: Turn | CalzaOffer | None
    """None if the game ended."""
    illegal: Callable[[Answer], Fault | None]
    """Returns the fault that an answer to the request would be."""


def moments(table: CheckTable, play: Player, *, forfeits: bool = False) -> Moments:
    """Yield the moments of one game after another; with `forfeits` rivals fault now and then."""
    ids = count(1)
    for game in range(_GAMES):
        yield from _game(table, play, game, ids, forfeits=forfeits)


def _game(
    table: CheckTable, play: Player, game: int, ids: Iterator[int], *, forfeits: bool
) -> Moments:
    chance = Random(f"{SEED}/{table}/{game}")  # noqa: S311 - the same positions in each check
    rounds = max_rounds(table.rules, table.players)
    everyone = frozenset(range(table.players))
    referee = Referee(table.rules, table.players, SEED, game, everyone, max_rounds=rounds)
    while referee.waiting:
        seat = referee.waiting[0]
        asked = referee.request(seat, next(ids))
        answer = None
        if seat == table.seat:
            news = tuple(referee.notices)
            referee.notices.clear()
            answer = yield CheckMoment(
                news, asked, lambda answer: referee.illegal(table.seat, answer)
            )
        elif forfeits and chance.random() < _FORFEIT:
            referee.take(seat, Fault(Cause.TIMEOUT, ""))
            continue
        recorded = play(asked, chance)
        referee.take(seat, answer or recorded)
    yield CheckMoment(tuple(referee.notices), None, lambda _: None)


def random_player(asked: Turn | CalzaOffer, chance: Random) -> Answer:
    """Raise a little, on any face; doubt and call calza at times."""
    if isinstance(asked, CalzaOffer):
        return Answer(id=asked.id, action="calza" if chance.random() < 0.1 else "pass")
    if asked.dudo and (not asked.raises or chance.random() < 0.3):
        return Answer(id=asked.id, action="dudo")
    bids = chance.choice(asked.raises)
    quantity = min(bids.max, bids.min + chance.randrange(2))
    return Answer(id=asked.id, action="bid", quantity=quantity, face=bids.face)


def patient_player(asked: Turn | CalzaOffer, _: Random) -> Answer:
    """Raise as little as possible for as long as possible: rounds are long, to the last raise."""
    if isinstance(asked, CalzaOffer):
        return Answer(id=asked.id, action="pass")
    if not asked.raises:
        return Answer(id=asked.id, action="dudo")
    least = min(bids.min for bids in asked.raises if bids.face > 1 or len(asked.raises) == 1)
    faces = [bids.face for bids in asked.raises if bids.min == least]
    return Answer(id=asked.id, action="bid", quantity=least, face=min(faces))
