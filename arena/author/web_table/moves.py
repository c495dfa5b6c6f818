"""The buttons of a table: every legal bid, the calls, and what goes on."""

from collections.abc import Iterator

from msgspec import Struct

from arena.author.web_table.person import Shown
from arena.author.web_table.snapshot import legal_bids
from arena.game.rules.books import FACES, PACO
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.game.wire.messages import CalzaOffer, Turn
from arena.publish.replay.steps import likely

_IN_ROW = 5
"""Bids of a face that are shown at once; those above them unfold."""


class Move(Struct, frozen=True):
    """A button."""

    value: str
    """What is sent."""
    label: str
    """What it does, for those who hear it."""
    text: str
    odds: str = ""
    key: str = ""


class FaceRow(Struct, frozen=True):
    """The legal bids on a face."""

    face: int
    name: str
    moves: list[Move]
    more: list[Move]


def rows_of(shown: Shown) -> list[FaceRow]:
    """Return the legal bids."""
    bids = legal_bids(shown.snapshot.request)
    rows = []
    for face in [*range(PACO + 1, FACES + 1), PACO]:
        moves = [_bid_move(shown, bid) for bid in bids if bid.face == face]
        if moves:
            name = name_bid(Bid(2, face)).removeprefix("2 ")
            rows.append(FaceRow(face, name, moves[:_IN_ROW], moves[_IN_ROW:]))
    return rows


def _bid_move(shown: Shown, bid: Bid) -> Move:
    holds = likely(shown.snapshot.odds[bid.quantity, bid.face].holds) if shown.with_odds else ""
    label = name_bid(bid) + (f", holds with {holds}" if holds else "")
    short = holds.replace("under ", "<").replace("over ", ">")
    return Move(f"bid {bid.quantity} {bid.face}", label, str(bid.quantity), short)


def calls_of(shown: Shown) -> list[Move]:
    """Return the buttons that are no bids; the first is the main one."""
    snapshot = shown.snapshot
    if snapshot.request:
        return list(_answers(shown, snapshot.request))
    if shown.over:
        return [Move("leave", "Leave the table", "Leave the table")]
    if snapshot.kind == "game_end":
        return [Move("next", "Next game", "Next game", key="Enter")]
    if snapshot.kind != "round_end":
        return []
    going_on = [Move("next", "Go on", "Go on", key="Enter")]
    if not snapshot.counts[shown.hello.seat]:
        going_on.append(Move("skip", "To the end of the game", "To the end of the game"))
    return going_on


def _answers(shown: Shown, request: Turn | CalzaOffer) -> Iterator[Move]:
    odds = None
    if shown.with_odds and request.bids:
        last = request.bids[-1]
        odds = shown.snapshot.odds[last.quantity, last.face]
    if isinstance(request, CalzaOffer):
        exact = likely(odds.exact) if odds else ""
        yield Move("calza", "Calza", "Calza", exact, "C")
        yield Move("pass", "Pass", "Pass", key="P")
    elif request.dudo:
        right = likely(1 - odds.holds) if odds else ""
        yield Move("dudo", "Dudo", "Dudo", right, "D")
