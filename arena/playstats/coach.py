"""The cost of a bot's decisions: in all, by kind, and the worst; and its calibration."""

from collections import Counter
from collections.abc import Callable, Iterator
from heapq import heappush, heappushpop
from math import sqrt

from msgspec import Struct

from arena.game.records import Division, Fixture, GameRecord, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.walk import walk
from arena.playstats.decisions import Decision, GameKey, Judged, Verb, judge_round
from arena.playstats.style import BINS, MILLION, Calibration
from arena.ratings.maths.intervals import Z95

WORST = 10
"""Decisions that are kept."""
LEAST_OFTEN = 5
"""A kind of decision that is rarer is not called a leak."""
LEAST_COST = 0.005
"""Wins per game that a leak costs at least, at the lower end of its interval."""
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Cost(Struct, frozen=True):
    """Wins given up per game."""

    per_game: float
    error: float
    """Its standard error: how it varies from game to game."""

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval."""
        return Z95 * self.error


class Leak(Struct, frozen=True):
    """A kind of decision that costs clearly more than nothing."""

    what: str
    """Such as "doubts too early with three dice"."""
    kind: str
    palifico: bool
    dice: int | None
    """The bot's own dice; None in palifico rounds, which count together."""
    times: int
    of: int
    """How often it did the same in such rounds at all, be that bidding, doubting or calling."""
    cost: Cost


class TableCost(Struct, frozen=True):
    """The cost at the tables of a division."""

    variant: str
    players: int
    games: int
    cost: Cost


class CalibrationBin(Struct, frozen=True):
    """Bids that were about as likely to be true, by the bidder's own dice."""

    low: float
    high: float
    bids: int
    expected: float
    """The mean of their probabilities."""
    held: float
    """The share that was true."""


class Judgement(Struct, frozen=True):
    """The judgement of a bot's decisions."""

    games: int
    decisions: int
    cost: Cost
    tables: list[TableCost]
    """By division, as the games came."""
    worst: list[Decision]
    """The most expensive first."""
    leaks: list[Leak]
    """The most expensive first."""
    calibration: list[CalibrationBin]


class _Sum:
    """A cost that is added up, game by game."""

    def __init__(self) -> None:
        self.times = self.games = 0
        self._total = self._squares = self._game = 0.0

    def add(self, loss: float) -> None:
        self.times += 1
        self._game += loss

    def end_game(self) -> None:
        self._total += self._game
        self._squares += self._game**2
        self._game = 0.0
        self.games += 1

    def cost(self, games: int = 0) -> Cost:
        """Return the cost per game; of `games` if it was not there in all of them."""
        games = games or self.games
        mean = self._total / games
        variance = max(0.0, self._squares / games - mean**2)
        return Cost(mean, sqrt(variance / max(1, games - 1)))


Hear = Callable[[Decision], None]
_Occasion = tuple[Verb, bool, int | None]
"""The action, whether the round was a palifico, and the number of the bot's own dice."""


class Coach:
    """Judges the games of one bot, fixture by fixture; equal games give equal judgements.

    `hear` is called with every decision.
    """

    def __init__(self, bot: str, hear: Hear = lambda _: None) -> None:
        self.bot, self._hear = bot, hear
        self._all = _Sum()
        self._tables: dict[Division, _Sum] = {}
        self._kinds: dict[tuple[str, _Occasion], _Sum] = {}
        self._occasions: Counter[_Occasion] = Counter()
        self._worst: list[tuple[float, tuple[int, ...], Decision]] = []
        self._calibration = Calibration()

    def add(self, played: PlayedFixture, rules: Rules) -> None:
        """Judge the games of a fixture; raises ForbiddenEventError if the rules forbid an event."""
        fixture = played.fixture
        for seat, name in enumerate(fixture.seats):
            if name == self.bot:
                for record in played.games:
                    self._add_game(fixture, record, rules, seat)

    def _add_game(self, fixture: Fixture, record: GameRecord, rules: Rules, seat: int) -> None:
        table = self._tables.setdefault(fixture.division, _Sum())
        place = GameKey(fixture.index, record.game, fixture.seed)
        for judged in _judged(record, rules, seat, place):
            table.add(judged.decision.loss)
            self._add(judged)
        for total in (self._all, table, *self._kinds.values()):
            total.end_game()

    def _add(self, judged: Judged) -> None:
        decision, bins = judged.decision, self._calibration
        self._hear(decision)
        self._all.add(decision.loss)
        dice = None if decision.palifico else decision.dice
        occasion = decision.action.do, decision.palifico, dice
        self._occasions[occasion] += 1
        if decision.kind:
            self._kinds.setdefault((decision.kind, occasion), _Sum()).add(decision.loss)
            order = -decision.fixture, -decision.game, -decision.step, -decision.seat
            keep = heappush if len(self._worst) < WORST else heappushpop
            keep(self._worst, (decision.loss, order, decision))
        if decision.action.do == "bid":
            at = min(BINS - 1, int(judged.chance * BINS))
            bins.bids[at] += 1
            bins.held[at] += judged.held
            bins.said[at] += round(judged.chance * MILLION)

    @property
    def games(self) -> int:
        """How many games were judged so far."""
        return self._all.games

    def judgement(self) -> Judgement:
        """Return what is said of the games so far; there must be some."""
        return Judgement(
            games=self.games,
            decisions=self._all.times,
            cost=self._all.cost(),
            tables=[
                TableCost(*division, total.games, total.cost())
                for division, total in self._tables.items()
            ],
            worst=[decision for _, _, decision in sorted(self._worst, reverse=True)],
            leaks=sorted(self._leaks(), key=lambda leak: -leak.cost.per_game),
            calibration=list(_bins(self._calibration)),
        )

    def _leaks(self) -> Iterator[Leak]:
        for (kind, occasion), total in self._kinds.items():
            _, palifico, dice = occasion
            cost = total.cost(self.games)
            if total.times >= LEAST_OFTEN and cost.per_game - cost.half_width > LEAST_COST:
                of = self._occasions[occasion]
                where = f"with {_dice(dice)}" if dice else "in palifico"
                yield Leak(f"{kind} {where}", kind, palifico, dice, total.times, of, cost)


def _judged(record: GameRecord, rules: Rules, seat: int, place: GameKey) -> Iterator[Judged]:
    for played in walk(record, rules):
        if played.hands[seat]:
            yield from judge_round(played, seat, place)


def _dice(number: int) -> str:
    return "one die" if number == 1 else f"{_NUMBERS[number]} dice"


def _bins(calibration: Calibration) -> Iterator[CalibrationBin]:
    counts = zip(calibration.bids, calibration.held, calibration.said, strict=True)
    for at, (bids, held, said) in enumerate(counts):
        if bids:
            low, high = at / BINS, (at + 1) / BINS
            yield CalibrationBin(low, high, bids, said / bids / MILLION, held / bids)
