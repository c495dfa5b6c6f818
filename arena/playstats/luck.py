"""How lucky the dice of a game were, at tables of two.

The luck of a round is who would have lost a die on its dice among baseline bots
(`arena.playstats.baseline`), less the same over all deals of that round, times what a die is worth:
the difference that it makes to a baseline bot's chance to win. The bots that played decide which
rounds there are, but not how the dice fall, so whatever they do, the luck of a game is 0 on
average. Void rounds count, too: a bot might fault on bad dice only.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from arena.game.records import LUCK_UNIT, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.rules.round import Standing, lose_die
from arena.game.walk import PlayedRound, walk

if TYPE_CHECKING:
    from arena.playstats.baseline import Outcomes

MOST_DICE = 6
"""The most dice at the start: with more there are too many deals to play all of them."""
_STANDINGS = 4096
"""Size of the caches of what may come before a round."""


def has_luck(rules: Rules, players: int) -> bool:
    """Tell whether luck is measured in such games."""
    return players == 2 and rules.starting_dice <= MOST_DICE


def rated_luck(played: PlayedFixture, rules: Rules) -> tuple[int, ...]:
    """Return the luck of each game as a FixtureResult has it; empty where it has none."""
    fixture = played.fixture
    if fixture.dice or not has_luck(rules, len(fixture.seats)):
        return ()
    return tuple([game_luck(walk(record, rules, fixture.max_rounds)) for record in played.games])


def game_luck(rounds: Iterable[PlayedRound]) -> int:
    """Return the luck of a game's dice for seat 0, in thousandths of a win."""
    luck = 0.0
    for played in rounds:
        luck += round_luck(played)
    return round(luck * LUCK_UNIT)


def round_luck(played: PlayedRound) -> float:
    """Return the luck of a round's dice for seat 0, in wins; what seat 0 gains seat 1 loses."""
    standing = played.now.standing
    opener = standing.opener
    deals, die = stake(standing)
    lost = deals.of(played.hands[opener], played.hands[1 - opener]) - deals.mean
    return -lost * die if opener == 0 else lost * die


@lru_cache(_STANDINGS)
def win_chance(standing: Standing) -> float:
    """Return the chance that seat 0 wins a game between baseline bots."""
    if standing.winner is not None:
        return float(standing.winner == 0)
    opener, lost = standing.opener, _outcomes(standing).mean
    chances = [win_chance(lose_die(standing, seat, 1 - seat)) for seat in (opener, 1 - opener)]
    return lost * chances[0] + (1 - lost) * chances[1]


@lru_cache(_STANDINGS)
def stake(standing: Standing) -> "tuple[Outcomes, float]":
    """Return the outcomes of the coming round, and what they decide: a die's worth, in wins."""
    die = win_chance(lose_die(standing, 1, 0)) - win_chance(lose_die(standing, 0, 1))
    return _outcomes(standing), die


@lru_cache(_STANDINGS)
def _outcomes(standing: Standing) -> "Outcomes":
    from arena.playstats.baseline import outcomes  # numpy is slow to import

    return outcomes(standing)
