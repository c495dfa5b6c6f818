"""The coach: judges a bot's games, decision by decision, and finds its leaks."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from heapq import heappush, heappushpop
from math import hypot, sqrt

from msgspec import Struct

from arena.game.records import Division, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.walk import walk
from arena.playstats.coach.changes import (
    CHANGES,
    Change,
    advice,
    better,
    features,
    gains,
    now,
    percent,
    true_chance,
    with_dice,
)
from arena.playstats.coach.decisions import Decision, GameKey, Judged, judge_round
from arena.playstats.style import BINS, MILLION, Calibration
from arena.ratings.maths.intervals import Z95


class Cost(Struct, frozen=True):
    """Wins per game: given up, or to be gained."""

    per_game: float
    error: float
    """Its standard error: how it varies from game to game."""

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval."""
        return Z95 * self.error

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.per_game - self.half_width


class Leak(Struct, frozen=True):
    """A kind of mistake that a change of one rule mends, for clearly more wins than none."""

    what: str
    """Such as "doubts too early with three dice"."""
    kind: str
    palifico: bool
    times: int
    of: int
    """How often it did the same in such rounds at all: opening, raising, doubting or calling."""
    cost: Cost
    """What all these mistakes cost against the best actions."""
    rule: str
    """What the change is about: `doubt`, `calza`, `face` or `quantity`."""
    value: str | float
    """The chance to tell doubts or calls apart by, the face, or the quantity."""
    advice: str
    """The change in words."""
    now: str
    """What the bot does now, in words; may be empty."""
    worth: Cost
    """What the change gains, if all else stays the same."""
    better: list[str]
    """How the better actions differ, such as "its longest face in 41 of 50"."""
    where: list[str]
    """Where these mistakes are more frequent than such turns, such as "41 of 50 on pacos"."""
    examples: list[Decision]
    """The most expensive ones, each with another hand."""


class TableCost(Struct, frozen=True):
    """The games at the tables of a division."""

    variant: str
    players: int
    games: int
    won: int
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
    won: int
    decisions: int
    mendable: Cost
    """What all leaks together are worth: the sum of their changes."""
    cost: Cost
    """What all decisions cost against the best actions. It does not rank bots."""
    tables: list[TableCost]
    """By division, as the games came."""
    worst: list[Decision]
    """The most expensive first."""
    leaks: list[Leak]
    """The one first whose change is worth most."""
    calibration: list[CalibrationBin]


class Total:
    """A cost that is added up, game by game."""

    def __init__(self) -> None:
        self.times = self.games = 0
        self._total = self._squares = self._game = 0.0

    def add(self, value: float) -> None:
        """Count a decision of the current game."""
        self.times += 1
        self._game += value

    def end_game(self) -> None:
        """Let the next decisions count for another game."""
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


LEAST_OFTEN = 5
"""A kind of mistake that is rarer is not called a leak."""
LEAST_WORTH = 0.005
"""Wins per game that its change gains at least, at the lower end of its interval."""
EXAMPLES = 3
"""Decisions that are shown of a leak."""
_MOST = 0.5
"""The share of mistakes that a feature is named for."""
_MORE = 0.2
"""By how much that is above its share of all such turns."""
_NEARLY_ALL = 0.8
"""The share of the cost that is with a number of dice for which the leak is named."""

_Kind = tuple[str, bool]
"""A kind of mistake, and whether in palifico rounds."""


class _Mistakes:
    """Those of a kind."""

    def __init__(self) -> None:
        self.total = Total()
        self.better, self.where = Counter[str](), Counter[str]()
        self.by_dice = Counter[int]()
        """What they cost by the number of the bot's dice, in millionths."""
        self.chances: list[float] = []
        """How likely the bids on the table were to be true."""
        self.occasion = ""
        """What was done: open, raise, doubt, or call calza."""
        self.examples: list[Decision] = []

    def add(self, judged: Judged) -> None:
        decision = judged.decision
        self.total.add(decision.loss)
        if words := better(decision, judged.position):
            self.better[words] += 1
        self.where.update(features(decision, judged.position))
        self.by_dice[decision.dice] += round(MILLION * decision.loss)
        if (last := judged.position.last) is not None:
            self.chances.append(true_chance(last, judged.position))
        self.occasion = _occasion(decision)
        order = sorted([*self.examples, decision], key=_dearest_first)
        kept = {tuple(sorted(one.hand)): one for one in reversed(order)}
        self.examples = sorted(kept.values(), key=_dearest_first)[:EXAMPLES]


class LeakFinder:
    """Looks for leaks in a bot's decisions, game by game."""

    def __init__(self) -> None:
        self._mistakes = defaultdict[_Kind, _Mistakes](_Mistakes)
        self._gains = defaultdict[tuple[Change, bool], Total](Total)
        self._times = Counter[tuple[str, bool]]()
        self._turns = defaultdict[tuple[str, bool], Counter[str]](Counter)

    def add(self, judged: Judged) -> None:
        """Count a decision of the current game."""
        decision, position = judged.decision, judged.position
        palifico = decision.palifico
        self._times[_occasion(decision), palifico] += 1
        self._turns[_turn(decision), palifico].update(["", *features(decision, position)])
        if decision.kind:
            self._mistakes[decision.kind, palifico].add(judged)
        for change, gain in gains(position, decision.action):
            self._gains[change, palifico].add(gain)

    def end_game(self) -> None:
        """Let the next decisions count for another game."""
        for mistakes in self._mistakes.values():
            mistakes.total.end_game()
        for gain in self._gains.values():
            gain.end_game()

    def leaks(self, games: int) -> Iterator[Leak]:
        """Yield the leaks that were found in so many games."""
        for kind, mistakes in self._mistakes.items():
            best = self._best_change(kind, games)
            if best and mistakes.total.times >= LEAST_OFTEN:
                worth = self._gains[best, kind[1]].cost(games)
                if worth.low > LEAST_WORTH:
                    yield self._leak(kind, mistakes, best, games)

    def _best_change(self, kind: _Kind, games: int) -> Change | None:
        name, palifico = kind
        worth = {
            change: self._gains[change, palifico].cost(games).per_game
            for change in CHANGES
            if change.mends == name and (change, palifico) in self._gains
        }
        return max(worth, key=worth.__getitem__, default=None)

    def _leak(self, kind: _Kind, mistakes: _Mistakes, change: Change, games: int) -> Leak:
        name, palifico = kind
        times = mistakes.total.times
        [(dice, cost)] = mistakes.by_dice.most_common(1)
        if palifico:
            whereabouts = "in palifico"
        elif cost >= _NEARLY_ALL * mistakes.by_dice.total():
            whereabouts = with_dice(dice)
        else:
            whereabouts = ""
        return Leak(
            what=f"{name} {whereabouts}".rstrip(),
            kind=name,
            palifico=palifico,
            times=times,
            of=self._times[mistakes.occasion, palifico],
            cost=mistakes.total.cost(games),
            rule=change.rule,
            value=change.value,
            advice=advice(change, palifico=palifico),
            now=now(change, mistakes.chances),
            worth=self._gains[change, palifico].cost(games),
            better=[f"{words} in {n} of {times}" for words, n in mistakes.better.most_common(2)],
            where=[*self._where(mistakes, palifico=palifico)],
            examples=mistakes.examples,
        )

    def _where(self, mistakes: _Mistakes, *, palifico: bool) -> Iterator[str]:
        """Yield features that mistakes have clearly more often than all such turns."""
        turns = self._turns[_turn(mistakes.examples[0]), palifico]
        times, of = mistakes.total.times, turns[""]
        for feature, number in mistakes.where.most_common():
            if number >= _MOST * times and number / times >= turns[feature] / of + _MORE:
                share = percent(turns[feature] / of)
                yield f"{number} of {times} {feature} (of all such turns {share})"


def _occasion(decision: Decision) -> str:
    """Return what was done."""
    if decision.action.do == "bid":
        return "raise" if decision.last else "open"
    return decision.action.do


def _turn(decision: Decision) -> str:
    """Return what could be done."""
    occasion = _occasion(decision)
    return occasion if occasion in ("open", "calza") else "reply"


def _dearest_first(decision: Decision) -> tuple[float, int, int, int]:
    return -decision.loss, decision.fixture, decision.game, decision.step


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
                    table = self._tables.setdefault(fixture.division, Total())
                    place = GameKey(fixture.index, record.game, fixture.seed)
                    for round_ in walk(record, rules):
                        if round_.hands[seat]:
                            for judged in judge_round(round_, seat, place):
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
        bins = self._calibration
        counts = zip(bins.bids, bins.held, bins.said, strict=True)
        # The errors of leaks are taken for independent.
        mendable = Cost(
            sum(leak.worth.per_game for leak in leaks), hypot(*(leak.worth.error for leak in leaks))
        )
        return Judgement(
            games=self.games,
            won=self._won.total(),
            decisions=self._all.times,
            mendable=mendable,
            cost=self._all.cost(),
            tables=[
                TableCost(*division, total.games, self._won[division], total.cost())
                for division, total in self._tables.items()
            ],
            worst=[decision for _, _, decision in sorted(self._worst, reverse=True)],
            leaks=leaks,
            calibration=[
                CalibrationBin(at / BINS, (at + 1) / BINS, bids, said / bids / MILLION, held / bids)
                for at, (bids, held, said) in enumerate(counts)
                if bids
            ],
        )
