"""Leaks, decisions and requests in words, for the terminal and the page."""

from arena.author.coach.coaching import RequestKind
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.playstats.coach.coach import Leak
from arena.playstats.coach.decisions import Decision, DecisionAction

REQUESTS: dict[RequestKind, str] = {
    "opening": "opening",
    "reply": "reply to a bid",
    "palifico": "turn in palifico",
    "calza": "offer of calza",
}


def did(decision: Decision) -> str:
    """Return what a bot did, such as "raises 3 fives to 4 fives"."""
    if decision.last is None:
        return f"opens with {name_bid(decision.action.bid)}"
    last = name_bid(decision.last.bid)
    match decision.action.do:
        case "bid":
            return f"raises {last} to {name_bid(decision.action.bid)}"
        case "dudo":
            return f"doubts {last}"
        case _:
            return f"calls {last} exact"


def named(action: DecisionAction) -> str:
    """Return an action as an alternative, such as "4 fives" or "dudo"."""
    return name_bid(action.bid) if action.do == "bid" else action.do


def at_table(decision: Decision) -> str:
    """Return how many dice the bot had, such as "2 of 7 dice"."""
    return f"{decision.dice} of {decision.table} dice{', palifico' if decision.palifico else ''}"


def bids(decision: Decision) -> str:
    """Return the bids that a bot had heard, its own in brackets, such as "1 two, (3 twos)"."""
    names = [(bid.seat, name_bid(Bid(bid.quantity, bid.face))) for bid in decision.bids]
    return ", ".join(f"({name})" if seat == decision.seat else name for seat, name in names)


def leak_facts(leak: Leak) -> dict[str, str]:
    """Return what is known of a leak beside its change, by name."""
    facts = {"now": leak.now, "better": ", ".join(leak.better), "where": ", ".join(leak.where)}
    return {name: text for name, text in facts.items() if text}
