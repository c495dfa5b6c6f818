"""Reasons for the rules' decisions in words, with the clause ids of `docs/reference/rules.md`."""

from typing import Literal

from arena.game.rules.books import FACES, PACO
from arena.game.rules.round import Bid, Outcome, Round, Standing, calza_seats, is_legal, is_veteran

Illegality = tuple[str, list[str]]
"""A reason and the clauses behind it."""

_NAMES = ("", "paco", "two", "three", "four", "five", "six")
_PLURALS = ("", "pacos", "twos", "threes", "fours", "fives", "sixes")


def name_bid(bid: Bid) -> str:
    """Return a bid in words: "8 sixes", "1 paco"."""
    return f"{bid.quantity} {_NAMES[bid.face] if bid.quantity == 1 else _PLURALS[bid.face]}"


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
    if seat == now.bidder:
        return "the bidder may not call calza on its own bid", ["CALZA-WHO"]
    if standing.palifico_seat is not None and not rules.calza_in_palifico:
        return "no calza in a palifico round", ["CALZA-PAL"]
    if standing.alive == 2 and not rules.calza_with_two_left:
        return "no calza when two players are left", ["CALZA-TWO"]
    return "the player whose turn is next may not call calza", ["CALZA-WHO"]


def _why_not_in_palifico(now: Round, last: Bid, bid: Bid) -> Illegality:
    veteran = now.standing.rules.veteran_may_raise_face and is_veteran(now.standing, now.to_act)
    clauses = ["PAL-LOCK", "PAL-VETERAN"] if veteran else ["PAL-LOCK"]
    if bid.face == last.face:
        return f"to raise {name_bid(last)} takes at least {last.quantity + 1}", [clauses[0]]
    if not veteran:
        return f"the face is locked to {_PLURALS[last.face]} in a palifico round", clauses
    if bid.face < last.face:
        return "a palifico veteran may raise the face, not lower it", clauses
    if bid.quantity > last.quantity:
        return f"a raise of the face keeps the quantity, {last.quantity}", [*clauses, "RAISE-BOTH"]
    return f"a higher face takes at least {last.quantity}", clauses


def _why_not_a_raise(now: Round, last: Bid, bid: Bid) -> Illegality:
    if PACO in (last.face, bid.face):
        return _why_not_with_pacos(last, bid)
    if bid.face == last.face:
        return f"to raise {name_bid(last)} takes at least {last.quantity + 1}", ["RAISE-QTY"]
    if bid.face < last.face:
        reason = f"a face below {_NAMES[last.face]} can only follow a bid of pacos"
        if now.standing.rules.raise_to_lower_face:
            reason = f"a lower face takes more dice: at least {last.quantity + 1}"
        return reason, ["RAISE-DOWN"]
    if bid.quantity < last.quantity:
        return f"a higher face takes at least {last.quantity} dice", ["RAISE-FACE"]
    reason = f"a raise to a higher face keeps the quantity, {last.quantity}: not both at once"
    return reason, ["RAISE-FACE", "RAISE-BOTH"]


def _why_not_with_pacos(last: Bid, bid: Bid) -> Illegality:
    if last.face != PACO:
        least = (last.quantity + 1) // 2
        return f"to answer {name_bid(last)} with pacos takes at least {least}", ["TO-PACOS"]
    if bid.face == PACO:
        return f"to raise {name_bid(last)} takes at least {last.quantity + 1}", ["PACOS-UP"]
    least = 2 * last.quantity + 1
    return f"to answer {name_bid(last)} with a number takes at least {least}", ["FROM-PACOS"]
