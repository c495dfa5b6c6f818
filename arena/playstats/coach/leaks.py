"""The leaks of a bot: kinds of mistakes, where they are, and the change that is worth most."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from arena.playstats.coach.changes import CHANGES, Change, gains, true_chance
from arena.playstats.coach.decisions import Decision, Judged
from arena.playstats.coach.judgement import Leak, Total
from arena.playstats.coach.words import advice, better, features, now, percent, with_dice
from arena.playstats.style import MILLION

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
        """What was done."""
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
        kept = {(one.fixture, one.game): one for one in reversed(order)}
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
        return Leak(
            what=f"{name} {_whereabouts(mistakes, palifico=palifico)}".rstrip(),
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


def _whereabouts(mistakes: _Mistakes, *, palifico: bool) -> str:
    if palifico:
        return "in palifico"
    [(dice, cost)] = mistakes.by_dice.most_common(1)
    return with_dice(dice) if cost >= _NEARLY_ALL * mistakes.by_dice.total() else ""


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
