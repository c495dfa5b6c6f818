"""What the page of a table says, in words."""

from collections.abc import Sequence

from arena.game.records import Cause
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.game.wire.messages import FaultNotice, RoundEnd
from arena.publish.fault_words import CAUSES
from arena.publish.replay.steps import there

PLACES = ("", "1st", "2nd", "3rd", "4th", "5th", "6th")


def told_fault(fault: FaultNotice, names: Sequence[str]) -> str:
    """Tell a fault."""
    cause = CAUSES[Cause(fault.cause)].name
    return f"{names[fault.seat]} faults and is out: {cause}. The round is played again."


def told_round(end: RoundEnd, names: Sequence[str], seat: int) -> str:
    """Tell how a round ended."""
    last = end.bids[-1]
    bid = name_bid(Bid(last.quantity, last.face))
    call = f"{does(end.caller, 'call', names, seat)} {end.call} on {bid} by {names[last.seat]}"
    return f"{call}: {there(end.count)}. {_told_change(end, names, seat)}"


def _told_change(end: RoundEnd, names: Sequence[str], seat: int) -> str:
    if end.loser is not None:
        return f"{does(end.loser, 'lose', names, seat)} a die."
    if end.gainer is not None:
        return f"{does(end.gainer, 'regain', names, seat)} a die."
    return "Nobody loses a die."


def told_game(places: Sequence[int], names: Sequence[str]) -> str:
    """Tell how a game ended."""
    order = sorted(range(len(places)), key=lambda seat: places[seat])
    return "The game is over: " + ", ".join(f"{PLACES[places[s]]} {names[s]}" for s in order) + "."


def does(actor: int, verb: str, names: Sequence[str], seat: int) -> str:
    """Return a seat with a regular verb of the present: "You call", "honest calls"."""
    return f"You {verb}" if actor == seat else f"{names[actor]} {verb}s"
