"""The coach: judges a bot's games, decision by decision."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from heapq import heappush, heappushpop
from math import hypot

from arena.game.records import Division, Fixture, GameRecord, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.walk import walk
from arena.playstats.coach.decisions import Decision, GameKey, Judged, judge_round
from arena.playstats.coach.judgement import CalibrationBin, Cost, Judgement, TableCost, Total
from arena.playstats.coach.leaks import LeakFinder
from arena.playstats.style import BINS, MILLION, Calibration

WORST = 10
"""Decisions that are kept."""

Hear = Callable[[Decision], None]


class Coach:
    """Judges the games of one bot, fixture by fixture; equal games give equal judgements.

    `hear` is called with every decision.
    """

    def __init__(self, bot: str, hear: Hear = lambda _: None) -> None:
        self.bot, self._hear = bot, hear
        self._all = Total()
        self._tables: dict[Division, Total] = {}
        self._won: Counter[Division] = Counter()
        self._leaks = LeakFinder()
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
        table = self._tables.setdefault(fixture.division, Total())
        place = GameKey(fixture.index, record.game, fixture.seed)
        for judged in _judged(record, rules, seat, place):
            table.add(judged.decision.loss)
            self._add(judged)
        self._won[fixture.division] += record.places[seat] == 1
        for total in (self._all, table, self._leaks):
            total.end_game()

    def _add(self, judged: Judged) -> None:
        decision, bins = judged.decision, self._calibration
        self._hear(decision)
        self._all.add(decision.loss)
        self._leaks.add(judged)
        if decision.kind:
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
        leaks = sorted(self._leaks.leaks(self.games), key=lambda leak: -leak.worth.per_game)
        return Judgement(
            games=self.games,
            won=self._won.total(),
            decisions=self._all.times,
            mendable=_sum(leak.worth for leak in leaks),
            cost=self._all.cost(),
            tables=[
                TableCost(*division, total.games, self._won[division], total.cost())
                for division, total in self._tables.items()
            ],
            worst=[decision for _, _, decision in sorted(self._worst, reverse=True)],
            leaks=leaks,
            calibration=list(_bins(self._calibration)),
        )


def _sum(costs: Iterable[Cost]) -> Cost:
    """Return the sum of costs whose errors are taken for independent."""
    every = [*costs]
    mean = sum(cost.per_game for cost in every)
    return Cost(mean, hypot(*(cost.error for cost in every)))


def _judged(record: GameRecord, rules: Rules, seat: int, place: GameKey) -> Iterator[Judged]:
    for played in walk(record, rules):
        if played.hands[seat]:
            yield from judge_round(played, seat, place)


def _bins(calibration: Calibration) -> Iterator[CalibrationBin]:
    counts = zip(calibration.bids, calibration.held, calibration.said, strict=True)
    for at, (bids, held, said) in enumerate(counts):
        if bids:
            low, high = at / BINS, (at + 1) / BINS
            yield CalibrationBin(low, high, bids, said / bids / MILLION, held / bids)
