"""A person who plays in the browser: the table on one side, the requests of a page on the other.

The bots play on while the person still looks at the end of a round: what comes next waits in a
queue, and the page never gets dice before the person asks for the snapshot that shows them.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Condition
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import Cause
from arena.game.rules.dice import Hand
from arena.game.rules.explain import name_bid, there
from arena.game.rules.round import Bid
from arena.game.rules.view import SeatBid
from arena.game.table import PLACES
from arena.game.wire.messages import (
    Answer,
    CalzaOffer,
    FaultNotice,
    GameEnd,
    Hello,
    RoundEnd,
    ToBot,
    Turn,
)
from arena.league.table.person import DiceLeft, LeftError, Odds
from arena.publish.replay_steps import CAUSES

PATIENCE = 600.0
"""Seconds without a request of a page after which the person counts as gone."""
_SETTLES = 1.0
"""Seconds that a move waits for the others, so that the next page seldom says "The others play"."""
_LOOKS = 1.0
"""Seconds after which a wait ends to look around: a signal just before a wait does not end it."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """A table while the person decides or waits, or at the end of a round or a game."""

    kind: Literal["waiting", "turn", "calza", "round_end", "game_end"] = "waiting"
    game: int = 0
    round: int = 0
    counts: tuple[int, ...] = ()
    """The dice that each seat has left."""
    hands: tuple[Hand, ...] = ()
    """By seat; empty where the dice are hidden."""
    bids: Sequence[SeatBid] = ()
    palifico_seat: int | None = None
    wild: int | None = None
    """The wild face of the round."""
    faults: tuple[str, ...] = ()
    """The faults since the last snapshot, in words."""
    story: tuple[str, ...] = ()
    """The rounds of this game that are over, in words."""
    request: Turn | CalzaOffer | None = None
    odds: dict[tuple[int, int], Odds] = {}
    """The odds of the last bid and of every legal one, by quantity and face."""
    end: RoundEnd | None = None
    places: tuple[int, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether the person is to decide."""
        return self.request is not None


def legal_bids(request: Turn | CalzaOffer | None) -> list[Bid]:
    """Return every legal bid, face by face."""
    if not isinstance(request, Turn):
        return []
    return [
        Bid(quantity, raises.face)
        for raises in request.raises
        for quantity in range(raises.min, raises.max + 1)
    ]


def answer_to(request: Turn | CalzaOffer, move: str) -> Answer | None:
    """Return the answer that a move stands for ("dudo", "bid 5 4"); None if it is not legal."""
    calls = ("calza", "pass") if isinstance(request, CalzaOffer) else ("dudo",) * request.dudo
    if move in calls:
        return msgspec.convert({"id": request.id, "action": move}, Answer)
    for bid in legal_bids(request):
        if move == f"bid {bid.quantity} {bid.face}":
            return Answer(id=request.id, action="bid", quantity=bid.quantity, face=bid.face)
    return None


def told_fault(fault: FaultNotice, names: Sequence[str]) -> str:
    """Say who faulted and how."""
    cause = CAUSES[Cause(fault.cause)].name
    return f"{names[fault.seat]} faults and is out: {cause}. The round is played again."


def told_round(end: RoundEnd, names: Sequence[str], seat: int) -> str:
    """Say how a round ended."""
    last = end.bids[-1]
    bid = name_bid(Bid(last.quantity, last.face))
    call = f"{does(end.caller, 'call', names, seat)} {end.call} on {bid} by {names[last.seat]}"
    change = "Nobody loses a die."
    if end.loser is not None:
        change = f"{does(end.loser, 'lose', names, seat)} a die."
    elif end.gainer is not None:
        change = f"{does(end.gainer, 'regain', names, seat)} a die."
    return f"{call}: {there(end.count)}. {change}"


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence: `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def told_game(places: Sequence[int], names: Sequence[str]) -> str:
    """Say how a game ended."""
    order = sorted(range(len(places)), key=lambda seat: places[seat])
    return "The game is over: " + ", ".join(f"{PLACES[places[s]]} {names[s]}" for s in order) + "."


def does(actor: int, verb: str, names: Sequence[str], seat: int) -> str:
    """Return a seat with a regular verb of the present: "You call", "honest calls"."""
    return f"You {verb}" if actor == seat else f"{names[actor]} {verb}s"


class Shown(NamedTuple):
    """The snapshot that the page shows, and how."""

    number: int
    """It grows with every change."""
    names: Sequence[str]
    hello: Hello
    snapshot: Snapshot
    with_odds: bool
    over: bool
    """Whether the last game is over, and all games are stored."""


class WebPerson:
    """Shows a person what happens, and waits for moves; used by two threads and more.

    The thread of the table calls `meet`, `hear`, `decide` and `stay`; the others belong to the
    server of the page.
    """

    def __init__(
        self,
        on_seated: Callable[[], None],
        patience: float = PATIENCE,
        settles: float = _SETTLES,
    ) -> None:
        """`on_seated` is called when there is a table to show; times are in seconds."""
        self._on_seated = on_seated
        self._patience, self._settles = patience, settles
        self._names: Sequence[str] = ()
        self._hello: Hello | None = None
        self._dice = DiceLeft()
        self._faults: tuple[str, ...] = ()
        self._story: tuple[str, ...] = ()
        self._last = Snapshot()
        """The last snapshot that was made, shown or not."""
        self._end: Snapshot | None = None
        """The end of the last game; it is shown when the games are stored."""
        self._changed = Condition()
        self._number = 0
        self._snapshot = Snapshot()
        self._queue: deque[Snapshot] = deque()
        self._with_odds = False
        self._answer: Answer | None = None
        self._left = False
        self._visited = time.monotonic()

    def meet(self, names: Sequence[str]) -> None:
        """Take the names at the table, by seat."""
        self._names = names

    def hear(self, message: ToBot) -> None:
        """Take what happened into the queue; raises LeftError if the person left."""
        with self._changed:
            if self._left:
                raise LeftError
            if isinstance(message, GameEnd):
                self._end_game(message)
            self._dice.hear(message)
            if isinstance(message, FaultNotice):
                self._faults += (told_fault(message, self._names),)
            elif isinstance(message, RoundEnd):
                self._end_round(message)
            elif isinstance(message, Hello):
                self._hello = message
                self._snapshot = self._last = Snapshot(counts=tuple(self._dice.counts))
        if isinstance(message, Hello):
            self._on_seated()

    def decide(self, request: Turn | CalzaOffer) -> Answer:
        """Wait for a legal answer; raises LeftError if the person leaves or is long gone."""
        with self._changed:
            self._add(self._asked(request))
            while (answer := self._answer) is None:
                self._wait()
            self._answer = None
        return answer

    def stay(self) -> None:
        """Show how the last game ended, until the person leaves or is long gone.

        Call it once the games are stored: the page says so.
        """
        with self._changed:
            if self._end:
                self._add(self._end)
            with suppress(LeftError):
                while True:
                    self._wait()

    def _wait(self) -> None:
        """Wait for a change; raises LeftError if the person left or is long gone."""
        rest = self._visited + self._patience - time.monotonic()
        if self._left or rest <= 0:
            raise LeftError
        self._changed.wait(min(rest, _LOOKS))

    def _asked(self, request: Turn | CalzaOffer) -> Snapshot:
        hands: list[Hand] = [()] * len(self._names)
        hands[request.seat] = request.dice
        bids = legal_bids(request)
        if request.bids:
            bids.append(Bid(request.bids[-1].quantity, request.bids[-1].face))
        return self._new(
            kind="turn" if isinstance(request, Turn) else "calza",
            game=request.game,
            round=request.round,
            hands=tuple(hands),
            bids=request.bids,
            palifico_seat=request.palifico_seat,
            wild=self._dice.wild(request.palifico_seat),
            request=request,
            odds={(bid.quantity, bid.face): self._dice.odds(bid, request) for bid in bids},
        )

    def _end_round(self, end: RoundEnd) -> None:
        self._story += (told_round(end, self._names, self._seat),)
        self._add(
            self._new(
                kind="round_end",
                game=end.game,
                round=end.round,
                hands=end.dice,
                bids=end.bids,
                palifico_seat=end.palifico_seat,
                wild=self._dice.wild(end.palifico_seat),
                end=end,
            )
        )

    def _end_game(self, end: GameEnd) -> None:
        last = self._last
        ended = self._new(kind="game_end", game=end.game, round=last.round, places=end.places)
        self._story = ()
        if self._hello and end.game == self._hello.games - 1:
            self._end = ended
        else:
            self._add(ended)

    @property
    def _seat(self) -> int:
        return self._hello.seat if self._hello else 0

    def _new(self, **values: object) -> Snapshot:
        counts, faults = tuple(self._dice.counts), self._faults
        self._faults = ()
        return replace(Snapshot(counts=counts, faults=faults, story=self._story), **values)

    def _add(self, snapshot: Snapshot) -> None:
        self._last = snapshot
        self._queue.append(snapshot)
        if self._snapshot.kind == "waiting":
            self._go_on()

    # What the page asks for

    def visit(self) -> None:
        """Note that the person is there."""
        with self._changed:
            self._visit()

    def shown(
        self, after: int | None = None, timeout: float = 0.0, *, visit: bool = True
    ) -> Shown | None:
        """Return what to show, or None if it is still that of number `after` in `timeout` s.

        Unless it is no `visit`, it shows that the person is there.
        """
        with self._changed:
            if visit:
                self._visit()
            if after is not None:
                self._changed.wait_for(lambda: self._number != after or self._left, timeout)
                if visit:
                    self._visit()
            if self._number == after or self._hello is None:
                return None
            snapshot, hello = self._snapshot, self._hello
            over = snapshot.kind == "game_end" and snapshot.game == hello.games - 1
            return Shown(self._number, self._names, hello, snapshot, self._with_odds, over)

    def act(self, number: int, move: str) -> None:
        """Do what a button of the page says; nothing if the page is not the one that is shown."""
        with self._changed:
            self._visit()
            if number != self._number:
                return
            if move == "odds":
                self._with_odds = not self._with_odds
                self._notify()
            elif move in {"next", "skip"} and not self._snapshot.asks:
                self._go_on(skipping=move == "skip")
            else:
                self._take(move)
            self._changed.wait_for(
                lambda: self._left or self._snapshot.kind != "waiting", self._settles
            )

    def leave(self) -> None:
        """Leave the table."""
        with self._changed:
            self._left = True
            self._changed.notify_all()

    def _visit(self) -> None:
        self._visited = time.monotonic()

    def _notify(self) -> None:
        self._number += 1
        self._changed.notify_all()

    def _take(self, move: str) -> None:
        request = self._snapshot.request
        answer = answer_to(request, move) if request else None
        if request is None or answer is None:
            return
        bids = list(request.bids)
        if answer.action == "bid":
            bids.append(SeatBid(request.seat, answer.quantity, answer.face))
        self._answer = answer
        self._snapshot = replace(
            self._snapshot, kind="waiting", bids=bids, request=None, odds={}, faults=()
        )
        self._notify()

    def _go_on(self, *, skipping: bool = False) -> None:
        """Show the next snapshot, or that the others play."""
        if not self._queue:
            self._snapshot = replace(
                self._snapshot, kind="waiting", hands=(), bids=(), end=None, faults=(), places=()
            )
        while self._queue:
            self._snapshot = self._queue.popleft()
            if not skipping or self._snapshot.kind != "round_end":
                break
        self._notify()
