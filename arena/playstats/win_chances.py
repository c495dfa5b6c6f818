"""The chance to win a game with the dice that are left: what the end of a round is worth."""

from functools import lru_cache

from arena.game.rules.books import Rules
from arena.game.rules.round import Standing
from arena.playstats import luck

_STANDINGS = 1 << 16


def win_chance(standing: Standing, seat: int) -> float:
    """Return the chance of a seat to win, if all seats play alike.

    At a table of two it is that of baseline bots (`arena.playstats.luck`). Where there are more
    seats, each that is left is taken to be as likely as any other to lose the coming round.
    """
    if standing.winner is not None or not standing.dice[seat]:
        return float(standing.winner == seat)
    if luck.has_luck(standing.rules, len(standing.dice)):
        chance = luck.win_chance(standing)
        return chance if seat == 0 else 1 - chance
    others = [dice for at, dice in enumerate(standing.dice) if dice and at != seat]
    return _by_dice(standing.rules, standing.dice[seat], tuple(sorted(others)))


@lru_cache(_STANDINGS)
def _by_dice(rules: Rules, own: int, others: tuple[int, ...]) -> float:
    if not own or not others:
        return float(own > 0)
    if luck.has_luck(rules, 1 + len(others)):
        return _against_one(rules, own, others[0])
    losers = range(len(others))
    after = [_by_dice(rules, own, _without_die(others, at)) for at in losers]
    return (sum(after) + _by_dice(rules, own - 1, others)) / (1 + len(others))


@lru_cache(_STANDINGS)
def _against_one(rules: Rules, own: int, other: int) -> float:
    """Return the chance to win against one other seat, whoever opens."""
    openers = (Standing(rules, (own, other), (True, True), opener) for opener in range(2))
    return sum(map(luck.win_chance, openers)) / 2


def _without_die(dice: tuple[int, ...], at: int) -> tuple[int, ...]:
    left = [*dice[:at], dice[at] - 1, *dice[at + 1 :]]
    return tuple(sorted(number for number in left if number))
