"""One game, action by action: played by the referee of leagues, observed as arrays."""

from collections.abc import Mapping
from itertools import count

from msgspec.structs import replace

from arena.game.records import Fault
from arena.game.referee import Referee
from arena.game.wire.messages import Answer, CalzaOffer
from arena.lab.env.perudo_policy import Array, Observation, Table, checked
from arena.lab.env.setting import Setting
from arena.league.table.live_seat import Request


class Game:
    """A game in progress; every seat is offered calza where it may call it.

    `seat` acts next, None when the game is over: of those that are offered calza, the nearest to
    the bidder. `request` is its request from the arena, `mask` has its legal actions. Dice are
    rolled from the key and the number of the game, as in a league.
    """

    def __init__(self, setting: Setting, table: Table, key: str, number: int) -> None:
        everyone = frozenset(range(setting.players)) if setting.rules.calza else frozenset[int]()
        limit = setting.max_rounds
        referee = Referee(setting.rules, setting.players, key, number, everyone, max_rounds=limit)
        self.referee = referee
        self._table = table
        self._ids = count(1)
        self._ask()

    def observation(self, seat: int) -> Observation:
        """Return a seat's view and its legal actions: none unless it acts next."""
        acts = seat == self.seat
        # At the end every seat sees the last bids.
        request = self.request if acts else self.referee.request(seat, 0)
        bids = [(bid.seat, bid.quantity, bid.face) for bid in request.bids]
        standing = self.referee.standing
        palifico = standing.palifico_seat, standing.palifico_used
        offer = acts and self.referee.offering
        seen = self._table.observation(seat, request.dice, standing.dice, palifico, bids, offer)
        mask = self.mask.copy() if acts else self._table.mask((), dudo=False)
        return {"observation": seen, "action_mask": mask}

    def act(self, action: object) -> None:
        """Take an action of the seat that acts next; raises ValueError if it is not legal."""
        answer = self._table.answer(checked(action, self.mask))
        self.take(Answer(id=0, **answer))

    def take(self, reply: Answer | Fault) -> Fault | None:
        """Take an answer or a fault of the seat that acts next; an illegal answer is a fault.

        Returns the fault. That seat is out of the game then, and the round is played again.
        """
        assert self.seat is not None  # noqa: S101 - narrows the type: nobody answers after the end
        fault = self.referee.take(self.seat, reply)
        self._ask()
        return fault

    def forfeit(self, faults: Mapping[int, Fault]) -> None:
        """Take seats out of the game, whoever acts next."""
        self.referee.forfeit(dict(faults))
        self._ask()

    def _ask(self) -> None:
        waiting = self.referee.waiting
        self.seat = waiting[0] if waiting else None
        if self.seat is None:
            self.mask = self._table.mask((), dudo=False)
            return
        request = self.referee.request(self.seat, next(self._ids))
        # The referee goes on to write to its list of bids.
        self.request: Request = replace(request, bids=tuple(request.bids))
        self.mask = self._mask(request)

    def _mask(self, request: Request) -> Array:
        if isinstance(request, CalzaOffer):
            return self._table.offer_mask()
        ranges = [(bids.face, bids.min, bids.max) for bids in request.raises]
        return self._table.mask(ranges, request.dudo)
