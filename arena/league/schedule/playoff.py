"""The playoff of a league with `until: winner`: who plays on, and who is first.

It begins once all blocks are played. Its fixtures follow from the results before them: those of the
whole passes that the league played, and of each pass of the playoff. They count for nothing else.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from hashlib import sha256
from itertools import chain, combinations, count

import numpy as np
from msgspec import UNSET, Struct

from arena.game.records import Division, Fixture, PlayoffInfo
from arena.game.rules.round import max_rounds
from arena.game.seeds import block_seed, fixture_seed
from arena.league.changes import playing
from arena.league.schedule.epoch import whole_pass
from arena.league.schedule.schedule import Schedule, divisions
from arena.ratings.racing import Race, by_block, by_opponent

Places = Sequence[Sequence[int]]
"""The finishing places at a table, game by game, by seat."""
_Pass = Sequence[Fixture]
"""The fixtures of all divisions in which everyone in it met everyone equally often."""


class PlayoffVerdict(Struct, frozen=True):
    """The state of a playoff after its last complete pass."""

    left: tuple[str, ...]
    """The bots that can be first, best first."""
    terms: PlayoffInfo
    games: int
    """Games of the complete passes, without those of the league before."""
    finished: bool
    """Whether one bot is left, or the games are spent."""

    @property
    def winner(self) -> str | None:
        """The bot that is first, if one is left."""
        return self.left[0] if len(self.left) == 1 else None


class Playoff:
    """The fixtures of a playoff, as far as results decide them."""

    def __init__(
        self, schedule: Schedule, terms: PlayoffInfo, places: Mapping[str, Places]
    ) -> None:
        """Follow a schedule of which all is played; `places` has the results by fixture."""
        self._schedule = schedule
        self._terms = terms
        self._places = places
        self._passes: list[_Pass] = []
        self._complete = 0
        self._left_over = terms.games
        self._index = schedule.playoff_index
        self._race = Race(playing(schedule.conditions), terms.confidence)
        for fixtures in filter(self._is_played, _whole_passes(schedule)):
            self._count(fixtures)
        self._draw()

    def due(self) -> list[Fixture]:
        """Return what is left of the pass that is played now; nothing once the playoff is over."""
        self._advance()
        last = chain.from_iterable(self._passes[self._complete :])
        return [fixture for fixture in last if fixture.id not in self._places]

    def wanted(self) -> list[Fixture]:
        """Return all fixtures that were due so far."""
        self._advance()
        return [*chain.from_iterable(self._passes)]

    def verdict(self) -> PlayoffVerdict:
        """Return who can be first after the last complete pass."""
        self._advance()
        left = tuple([bot for bot in self._race.order() if bot in self._race.left])
        games = sum(fixture.games for fixture in chain(*self._passes[: self._complete]))
        return PlayoffVerdict(left, self._terms, games, self._complete == len(self._passes))

    def _advance(self) -> None:
        """Judge the pass that was played, and draw the next one, as long as that is possible."""
        while self._complete < len(self._passes):
            fixtures = self._passes[self._complete]
            if not self._is_played(fixtures):
                return
            self._count(fixtures)
            self._complete += 1
            self._draw()

    def _is_played(self, fixtures: _Pass) -> bool:
        return all(fixture.id in self._places for fixture in fixtures)

    def _draw(self) -> None:
        """Draw a pass of those that are left, unless one is or it is too long."""
        players = self._schedule.conditions.players
        names = sorted(self._race.order()[: max(len(self._race.left), *players)])
        if len(self._race.left) < 2 or len(names) < max(players):
            return
        fixtures = [*self._fixtures(names)]
        self._left_over -= sum(fixture.games for fixture in fixtures)
        if self._left_over >= 0:
            self._passes.append(fixtures)
            self._index += len(fixtures)
            self._schedule.add_playoff(fixtures)

    def _fixtures(self, names: Sequence[str]) -> Iterator[Fixture]:
        """Yield the fixtures of the next pass, in which these bots play."""
        conditions = self._schedule.conditions
        index = count(self._index)
        for division in divisions(conditions):
            variant, players = division
            rules, per_die = conditions.variants[variant], conditions.rounds_per_die
            rounds = max_rounds(rules, players, per_die) if per_die else UNSET
            played = {
                fixture.block for fixture in chain(*self._passes) if fixture.division == division
            }
            first_block = len(self._schedule.blocks[division]) + len(played)
            name = f"{variant}/{players}/{conditions.changes}/playoff {len(self._passes)}"
            seed = conditions.seed
            tables = whole_pass(names, players, f"{seed}/playoff", f"{seed}/{name}")
            for place, seats in ((at, seats) for at, block in enumerate(tables) for seats in block):
                at = next(index)
                id_ = sha256(f"{self._schedule.key}/playoff/{at}/{seats}".encode()).hexdigest()[:16]
                yield Fixture(
                    id=id_,
                    index=at,
                    variant=variant,
                    seats=seats,
                    seed=fixture_seed(seed, id_),
                    games=conditions.games,
                    block=first_block + place,
                    dice=block_seed(seed, f"{name}/{place}") if conditions.shared_dice else "",
                    max_rounds=rounds,
                )

    def _count(self, fixtures: _Pass) -> None:
        """Let the race judge a pass: the shares of rivals beaten, division by division."""
        bots = sorted({bot for fixture in fixtures for bot in fixture.seats})
        number = {bot: at for at, bot in enumerate(bots)}
        by_division: defaultdict[Division, list[Fixture]] = defaultdict(list)
        for fixture in fixtures:
            by_division[fixture.division].append(fixture)
        for division, played in by_division.items():
            players = division.players
            blocks = sorted({fixture.block for fixture in played})
            by_seat = np.zeros((2, len(bots), len(bots)))
            by_blocks = np.zeros((len(blocks), len(bots)))
            for fixture in played:
                seats = [number[bot] for bot in fixture.seats]
                beaten = (players - np.array(self._places[fixture.id]).mean(0)) / (players - 1)
                if players == 2:
                    by_seat[[0, 1], seats, seats[::-1]] = beaten
                else:
                    by_blocks[blocks.index(fixture.block), seats] += beaten / players
            ahead = by_opponent(by_seat) if players == 2 else by_block(by_blocks)
            self._race.add(bots, ahead, fixtures[0].games)
        self._race.judge()


def _whole_passes(schedule: Schedule) -> Iterator[_Pass]:
    """Yield the passes of the league in which all that play now met, without those left partial."""
    names = set(playing(schedule.conditions))
    by_division = [
        [*_passes_of(blocks, names, division.players)]
        for division, blocks in schedule.blocks.items()
    ]
    for passes in zip(*by_division, strict=False):
        yield [*chain.from_iterable(passes)]


def _passes_of(blocks: Sequence[_Pass], names: Set[str], players: int) -> Iterator[_Pass]:
    size = len(names) - 1
    for start in range(0, len(blocks) - size + 1, size):
        fixtures = [*chain.from_iterable(blocks[start : start + size])]
        met = Counter(
            frozenset(pair) for fixture in fixtures for pair in combinations(fixture.seats, 2)
        )
        everyone = len(fixtures) == size * (size + 1) and set().union(*met) == names
        if everyone and (players > 2 or len(set(met.values())) == 1):
            yield fixtures


def playoff_in_words(verdict: PlayoffVerdict) -> str:
    """Return the state of a playoff in a line."""
    after = f"after {verdict.games:,} games"
    if verdict.winner:
        return f"playoff: {verdict.winner} is first at {verdict.terms.confidence:.4g}, {after}"
    ended = "; its games are spent" if verdict.finished else ""
    return f"playoff: {', '.join(verdict.left)} can be first, {after}{ended}"
