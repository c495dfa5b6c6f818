"""The page of a table: the boxes of the seats, the buttons of all legal moves, and what is said."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from arena import __version__
from arena.author.web_table.person import (
    Shown,
    Snapshot,
    does,
    legal_bids,
    listed,
    told_game,
)
from arena.game.rules.books import FACES, PACO
from arena.game.rules.clauses import in_words
from arena.game.rules.dice import count_face
from arena.game.rules.explain import name_bid, there
from arena.game.rules.round import Bid
from arena.game.table import PLACES, SeatShown, TableShown, counted_faces
from arena.game.wire.messages import CalzaOffer, Turn
from arena.publish.links import Identity, identities
from arena.publish.replay_steps import likely
from arena.publish.templates import render

_IN_ROW = 5
"""Bids of a face that are shown at once; the others unfold."""
_SAFE = 0.9
"""The chance, by the person's own dice, from which on a bid is no question: one such is shown."""


class Move(Struct, frozen=True):
    """A button of the page."""

    value: str
    """The move that the button sends."""
    label: str
    """What the button does, for screen readers."""
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
    """Return the buttons of the legal bids, a row for each face."""
    bids = legal_bids(shown.snapshot.request)
    rows = []
    for face in [*range(PACO + 1, FACES + 1), PACO]:
        moves = list[Move]()
        first = 0
        for bid in bids:
            if bid.face != face:
                continue
            odds = shown.snapshot.odds.get((bid.quantity, face))
            if odds and odds.holds >= _SAFE:
                first = len(moves)
            holds = likely(odds.holds) if odds and shown.with_odds else ""
            label = name_bid(bid) + (f", holds with {holds}" if holds else "")
            short = holds.replace("under ", "<").replace("over ", ">")
            moves.append(Move(f"bid {bid.quantity} {face}", label, str(bid.quantity), short))
        if moves:
            name = name_bid(Bid(2, face)).removeprefix("2 ")
            first = min(first, max(0, len(moves) - _IN_ROW))
            end = first + _IN_ROW
            rows.append(FaceRow(face, name, moves[first:end], moves[:first] + moves[end:]))
    return rows


def calls_of(shown: Shown, ladder: str = "") -> list[Move]:
    """Return the buttons that are no bids; the first is the main one.

    On a ladder, others can be played at once.
    """
    snapshot = shown.snapshot
    if snapshot.request:
        return list(_answers(shown, snapshot.request))
    if shown.over:
        leave = Move("leave", "Leave the table", "Leave the table")
        if not ladder:
            return [leave]
        return [Move("again", "Again", "Again"), Move("harder", "Harder", "Harder"), leave]
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


class BidRow(Struct, frozen=True):
    """A bid of the round."""

    name: str
    mark: str
    quantity: int
    face: int
    true: str
    """Whether it was true, once the dice are shown."""


class TablePage(Struct, frozen=True):
    """All that the page says."""

    number: int
    arena: str
    kind: str
    title: str
    about: str
    round: int
    now: str
    faults: Sequence[str]
    shown: TableShown
    """The person sits at place 0."""
    rows: list[FaceRow]
    calls: list[Move]
    bids: list[BidRow]
    story: Sequence[str]
    with_odds: bool
    over: bool
    rules: list[tuple[str, str]]
    ladder: str
    """The name of the ladder that it belongs to; "" on the person's own machine."""
    replay: str
    """Where the replay of the last game is; "" if there is none."""


class ClosedPage(Struct, frozen=True):
    """The page of a table that the person left."""

    stored: bool


def table_html(
    shown: Shown, *, ladder: str = "", replay: str = "", entered: Iterable[str] = ()
) -> str:
    """Return the page of a table; `entered` are bots that got their marks before its own."""
    marks = identities(shown.names, entered)
    return render("play/table.html", table_page(shown, marks, ladder=ladder, replay=replay))


def closed_html(*, stored: bool) -> str:
    """Return the page of a table that was left."""
    return render("play/closed.html", ClosedPage(stored))


def table_page(
    shown: Shown, marks: Mapping[str, Identity], *, ladder: str = "", replay: str = ""
) -> TablePage:
    """Return the page model of what is shown."""
    snapshot = shown.snapshot
    names, hello = shown.names, shown.hello
    others = [name for seat, name in enumerate(names) if seat != hello.seat]
    return TablePage(
        number=shown.number,
        arena=__version__,
        kind=snapshot.kind,
        title=f"You against {listed(others)}",
        about=_about(shown),
        round=snapshot.round + 1,
        now=_now(shown),
        faults=snapshot.faults,
        shown=_table(shown, marks),
        rows=rows_of(shown),
        calls=calls_of(shown, ladder),
        bids=[
            BidRow(
                name=names[bid.seat],
                mark=marks[names[bid.seat]].classes,
                quantity=bid.quantity,
                face=bid.face,
                true=_truth(snapshot, bid.quantity, bid.face),
            )
            for bid in snapshot.bids
        ],
        # The rounds before this one, the newest first.
        story=snapshot.story[-2 if snapshot.end else -1 :: -1],
        with_odds=shown.with_odds,
        over=shown.over,
        rules=in_words(hello.rules),
        ladder=ladder,
        replay=replay,
    )


def _table(shown: Shown, marks: Mapping[str, Identity]) -> TableShown:
    snapshot, names = shown.snapshot, shown.names
    bid, end = _last_bid(snapshot), snapshot.end
    verdict = "" if bid else "no bid yet"
    if snapshot.kind == "waiting" and not bid:
        verdict = "…"
    false = end is not None and bid is not None and end.count < bid.quantity
    if end:
        verdict = f"{there(end.count)}: {'false' if false else 'true'}"
    ended = snapshot.kind == "game_end"
    return TableShown(
        seats=[_seat(shown, seat, marks) for seat in range(len(names))],
        bid=bid,
        verdict=verdict,
        false=false,
        winner=does(snapshot.places.index(1), "win", names, shown.hello.seat) if ended else "",
        most=max((*snapshot.counts, *map(len, snapshot.hands)), default=0),
    )


def _last_bid(snapshot: Snapshot) -> Bid | None:
    last = snapshot.bids[-1] if snapshot.bids else None
    return Bid(last.quantity, last.face) if last else None


def _about(shown: Shown) -> str:
    snapshot, hello = shown.snapshot, shown.hello
    parts = [hello.rules.name]
    if hello.games > 1:
        parts.append(f"game {snapshot.game + 1} of {hello.games}")
    parts.append(f"round {snapshot.round + 1}")
    if snapshot.kind != "game_end":
        parts.append(f"{sum(snapshot.counts)} dice left")
    if snapshot.palifico_seat is not None:
        whose = shown.names[snapshot.palifico_seat]
        parts.append(f"palifico of {whose}: pacos are not wild")
    return ", ".join(parts)


def _now(shown: Shown) -> str:
    """Say what the person has to do, or what happened."""
    snapshot = shown.snapshot
    names, seat = shown.names, shown.hello.seat
    match snapshot.kind:
        case "turn" if not snapshot.bids:
            return "You open the round: bid."
        case "turn" | "calza":
            last = snapshot.bids[-1]
            bid = name_bid(Bid(last.quantity, last.face))
            if shown.with_odds:
                odds = snapshot.odds[last.quantity, last.face]
                bid += f" (it holds with {likely(odds.holds)}, is exact with {likely(odds.exact)})"
            todo = "raise it, or call dudo." if snapshot.kind == "turn" else "is it exact?"
            return f"{names[last.seat]} bids {bid}: {todo}"
        case "round_end":
            return snapshot.story[-1]
        case "game_end":
            return told_game(snapshot.places, names)
    out = snapshot.counts[seat] == 0
    return "You are out; the others play on." if out else "The others play."


def _seat(shown: Shown, seat: int, marks: Mapping[str, Identity]) -> SeatShown:
    snapshot, names = shown.snapshot, shown.names
    hand = sorted(snapshot.hands[seat]) if snapshot.hands else []
    left = snapshot.counts[seat] if snapshot.counts else 0
    did = _did(shown, seat)
    classes = _classes(snapshot, seat, left)
    return SeatShown(
        name=names[seat],
        mark=marks[names[seat]].classes,
        place=(seat - shown.hello.seat) % len(names),
        dice=hand,
        counted=counted_faces(_last_bid(snapshot), snapshot.wild),
        hidden=0 if hand or snapshot.end or snapshot.places else left,
        word=did if isinstance(did, str) else "",
        bid=did if isinstance(did, Bid) else None,
        classes=f"{classes} mine" if seat == shown.hello.seat else classes,
        fresh=_fresh(shown, seat),
    )


def _did(shown: Shown, seat: int) -> str | Bid:
    """Return what a seat did last."""
    snapshot, end = shown.snapshot, shown.snapshot.end
    if snapshot.places:
        return PLACES[snapshot.places[seat]]
    if end and seat in (end.loser, end.gainer):
        change = "loses a die" if seat == end.loser else "regains a die"
        return change if snapshot.counts[seat] else "is out"
    if end and seat == end.caller:
        return end.call
    last = next((bid for bid in reversed(snapshot.bids) if bid.seat == seat), None)
    if last:
        return Bid(last.quantity, last.face)
    return "" if snapshot.counts[seat] else "out"


def _classes(snapshot: Snapshot, seat: int, left: int) -> str:
    if snapshot.places:
        return "acts" if snapshot.places[seat] == 1 else "gone"
    if not left and not (snapshot.hands and snapshot.hands[seat]):
        return "gone"
    acts = snapshot.request.seat if snapshot.request else None
    if snapshot.end:
        acts = snapshot.end.caller
    return "acts" if seat == acts else ""


def _fresh(shown: Shown, seat: int) -> int:
    bids = [bid.seat for bid in shown.snapshot.bids]
    since = bids[::-1].index(shown.hello.seat) if shown.hello.seat in bids else len(bids)
    others = bids[len(bids) - since :]
    return others.index(seat) + 1 if shown.snapshot.asks and seat in others else 0


def _truth(snapshot: Snapshot, quantity: int, face: int) -> str:
    if not snapshot.end:
        return ""
    dice = tuple(die for hand in snapshot.hands for die in hand)
    count = count_face((dice,), face, snapshot.wild)
    return f"{'true' if count >= quantity else 'false'}: {count}"
