"""Records of games on dice that a test chose, by the engine's own transitions."""

from collections.abc import Sequence

from arena.game.records import BidMade, CallMade, Event, Faulted, RoundStarted
from arena.game.rules.books import Rules
from arena.game.rules.dice import Hand
from arena.game.rules.round import (
    Bid,
    Outcome,
    calza,
    dudo,
    first_standing,
    leave,
    open_round,
    place,
)

Action = tuple[int, int] | str | Faulted
"""A bid (quantity and face) or a dudo of the seat on turn, a calza ("calza 2"), or a fault."""


def round_events(
    rules: Rules, hands: Sequence[Sequence[Hand]], rounds: Sequence[Sequence[Action]]
) -> list[Event]:
    """The events of the first rounds of a game that seat 0 opens, with the hands of each round."""
    standing, events = first_standing(rules, len(hands[0]), 0), list[Event]()
    for number, (dice, actions) in enumerate(zip(hands, rounds, strict=True)):
        table = tuple(dice)
        assert tuple(map(len, table)) == standing.dice
        events.append(RoundStarted(number, standing.opener, standing.palifico_seat, table))
        now = open_round(standing)
        for action in actions:
            if isinstance(action, Faulted):
                events.append(action)
                standing = leave(standing, action.seat)
            elif isinstance(action, tuple):
                events.append(BidMade(now.to_act, *action))
                now = place(now, Bid(*action))
            else:
                callers = [int(seat) for seat in action.split()[1:]]
                outcome = calza(now, table, callers[0]) if callers else dudo(now, table)
                events.append(_call(outcome, callers[1:]))
                standing = outcome.after
    return events


def _call(outcome: Outcome, rivals: Sequence[int]) -> CallMade:
    return CallMade(
        outcome.caller, outcome.call, outcome.count, outcome.loser, outcome.gainer, tuple(rivals)
    )
