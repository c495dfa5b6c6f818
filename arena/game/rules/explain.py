"""Reasons for the rules' decisions in words, with the clause ids of `docs/reference/rules.md`."""

from typing import Literal

from arena.game.rules.books import FACES, PACO
from arena.game.rules.round import (
    ONES_HIGH,
    ONES_LOW,
    Bid,
    Outcome,
    Round,
    Standing,
    calza_seats,
    is_legal,
    least_from_pacos,
    least_pacos,
    may_gain,
    may_raise_face,
)

Illegality = tuple[str, list[str]]
"""A reason and the clauses behind it."""

_NAMES = ("", "paco", "two", "three", "four", "five", "six")
_PLURALS = ("", "pacos", "twos", "threes", "fours", "fives", "sixes")


def name_bid(bid: Bid) -> str:
    """Return a bid in words: "8 sixes", "1 paco"."""
    return f"{bid.quantity} {_NAMES[bid.face] if bid.quantity == 1 else _PLURALS[bid.face]}"


def there(count: int) -> str:
    """Return how many dice match, in words."""
    return f"there is {count}" if count == 1 else f"there are {count}"


def why_illegal_bid(now: Round, seat: int, bid: Bid) -> Illegality | None:
    """Return why a seat may not make this bid now, or None if it may."""
    if seat != now.to_act:
        return _not_on_turn(now)
    if not PACO <= bid.face <= FACES:
        return f"a die has no face {bid.face}", ["SETUP"]
    if is_legal(now, bid):
        return None
    if bid.quantity < 1:
        return "a bid names at least one die", ["SETUP"]
    if bid.quantity > now.standing.cap:
        cap = now.standing.cap
        return f"the game started with {cap} dice: no bid goes above that", ["OVER-TOTAL"]
    if now.bid is None:
        return "only a palifico player may open with pacos", ["OPEN"]
    if now.standing.palifico_seat is not None:
        return _why_not_in_palifico(now, now.bid, bid)
    return _why_not_a_raise(now, now.bid, bid)


def why_illegal_call(now: Round, seat: int, call: Literal["dudo", "calza"]) -> Illegality | None:
    """Return why a seat may not call dudo or calza now, or None if it may."""
    if call == "calza":
        return None if seat in calza_seats(now) else _why_no_calza(now, seat)
    if seat != now.to_act:
        reason, clauses = _not_on_turn(now)
        return reason, ["DUDO", *clauses]
    return None if now.bid else ("there is no bid to doubt yet", ["DUDO"])


def clauses_of(now: Round, outcome: Outcome, contested: list[str]) -> list[str]:
    """Return the clauses that decided an outcome, in the order in which they applied."""
    wild = ["PAL-WILD"] if now.standing.palifico_seat is not None else []
    wild += [] if now.standing.rules.pacos_wild else ["WILD"]
    shown = ["REVEAL"] if now.standing.rules.reveal != "unstated" else []
    if outcome.call == "calza":
        settled = ["CALZA-RIGHT" if outcome.loser is None else "CALZA-WRONG"]
    else:
        stands = now.bid is not None and outcome.count >= now.bid.quantity
        settled = ["DUDO", "TIE"] if stands else ["DUDO"]
    return [*contested, *settled, *wild, *shown, *_next_round_clauses(now.standing, outcome)]


def _next_round_clauses(before: Standing, outcome: Outcome) -> list[str]:
    after, loser = outcome.after, outcome.loser
    opens = ["CALZA-START"] if outcome.call == "calza" else ["STARTER"]
    if loser is None:
        return opens
    if after.winner is not None:
        return ["OUT", "WIN"]
    if not after.dice[loser]:
        return ["CALZA-START", "OUT"] if outcome.call == "calza" else ["OUT"]
    return [*opens, *_palifico_clauses(before, after, loser)]


def _palifico_clauses(before: Standing, after: Standing, loser: int) -> list[str]:
    """Return the clauses that give or deny the loser a palifico round."""
    if after.dice[loser] != 1:
        return []
    if after.palifico_seat is not None:
        return ["PAL-TRIGGER"]
    if not before.rules.palifico:
        return ["PAL-TRIGGER"]
    again = after.palifico_used[loser] and before.rules.palifico_once
    return ["PAL-TRIGGER", "PAL-ONCE" if again else "PAL-TWO"]


def _not_on_turn(now: Round) -> Illegality:
    return f"it is the turn of seat {now.to_act}", ["TURN"]


def _why_no_calza(now: Round, seat: int) -> Illegality:
    standing, rules = now.standing, now.standing.rules
    if not rules.calza:
        return "calza is not played at this table", ["CALZA-WHO"]
    if now.bid is None:
        return "there is no bid to call calza on yet", ["CALZA-WHEN"]
    if not standing.dice[seat]:
        return "only a player with dice may call calza", ["CALZA-WHO"]
    if seat == now.bidder and not rules.calza_by_bidder:
        return "the bidder may not call calza on its own bid", ["CALZA-WHO"]
    if standing.palifico_seat is not None and not rules.calza_in_palifico:
        return "no calza in a palifico round", ["CALZA-PAL"]
    if standing.alive == 2 and not rules.calza_with_two_left:
        return "no calza when two players are left", ["CALZA-TWO"]
    if rules.calza_needs_lost_die and not may_gain(standing, seat):
        return "only a player who has lost a die may call calza", ["CALZA-LOST"]
    return "the player whose turn is next may not call calza", ["CALZA-WHO"]


def _why_not_in_palifico(now: Round, last: Bid, bid: Bid) -> Illegality:
    free = may_raise_face(now.standing, now.to_act)
    veteran = free and now.to_act != now.standing.palifico_seat
    clauses = ["PAL-LOCK", "PAL-VETERAN"] if veteran else ["PAL-LOCK"]
    if bid.face == last.face:
        return f"to raise {name_bid(last)} takes at least {last.quantity + 1}", [clauses[0]]
    if not free:
        return f"the face is locked to {_PLURALS[last.face]} in a palifico round", clauses
    if _is_lower(now, bid.face, last.face):
        who = "a palifico veteran" if veteran else "the opener"
        return f"{who} may raise the face, not lower it", clauses
    if bid.quantity > last.quantity:
        return f"a raise of the face keeps the quantity, {last.quantity}", [*clauses, "RAISE-BOTH"]
    return f"a higher face takes at least {last.quantity}", clauses


def _why_not_a_raise(now: Round, last: Bid, bid: Bid) -> Illegality:
    if now.standing.wild is not None and PACO in (last.face, bid.face):
        return _why_not_with_pacos(now, last, bid)
    if bid.face == last.face:
        return f"to raise {name_bid(last)} takes at least {last.quantity + 1}", ["RAISE-QTY"]
    if _is_lower(now, bid.face, last.face):
        reason = f"a face below {_NAMES[last.face]} can only follow a bid of pacos"
        if now.standing.wild is None:
            reason = f"a face below {_NAMES[last.face]} cannot follow it"
        if now.standing.rules.raise_to_lower_face:
            reason = f"a lower face takes more dice: at least {last.quantity + 1}"
        return reason, ["RAISE-DOWN"]
    if bid.quantity < last.quantity:
        return f"a higher face takes at least {last.quantity} dice", ["RAISE-FACE"]
    reason = f"a raise to a higher face keeps the quantity, {last.quantity}: not both at once"
    return reason, ["RAISE-FACE", "RAISE-BOTH"]


def _is_lower(now: Round, face: int, other: int) -> bool:
    """Return whether a face is lower than another in this round (FACES)."""
    high = now.standing.rules.ones_high and now.standing.wild is None
    order = ONES_HIGH if high else ONES_LOW
    return order.index(face) < order.index(other)


def _why_not_with_pacos(now: Round, last: Bid, bid: Bid) -> Illegality:
    one_more = now.standing.rules.from_pacos_one_more
    if last.face != PACO:
        least = least_pacos(last.quantity, one_more=one_more)
        return f"to answer {name_bid(last)} with pacos takes at least {least}", ["TO-PACOS"]
    if bid.face == PACO:
        return f"to raise {name_bid(last)} takes at least {last.quantity + 1}", ["PACOS-UP"]
    least = least_from_pacos(last.quantity, one_more=one_more)
    return f"to answer {name_bid(last)} with a number takes at least {least}", ["FROM-PACOS"]
