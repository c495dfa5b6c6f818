"""The games of an environment: their rules, table size and limit of rounds; and one of them.

It is played action by action, by the referee of leagues, and observed as arrays.
"""

from collections.abc import Mapping
from itertools import count

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arena.game.records import Fault
from arena.game.referee import Referee
from arena.game.rules import books
from arena.game.rules.books import MAX_PLAYERS, MIN_PLAYERS, Rules
from arena.game.rules.round import max_rounds
from arena.game.wire.messages import Answer, CalzaOffer, Turn
from arena.io.errors import ArenaError
from arena.lab.env.perudo_policy import Array, Observation, Table, checked


class Setting(Struct, frozen=True):
    """The games of an environment."""

    rules: Rules
    players: int
    max_rounds: int | UnsetType = UNSET
    """The round after which the dice left decide; unset for no limit."""

    @property
    def table(self) -> Table:
        """The layout of observations and actions."""
        return Table(self.players, self.rules.starting_dice)

    def reward(self, place: int) -> float:
        """Return the reward of a finishing place: 1 for the winner, -1 for the last, 0 between.

        It grows with the share of rivals that a seat finishes ahead of, as a league's score does;
        those of all seats add up to 0.
        """
        return 1.0 - 2.0 * (place - 1) / (self.players - 1)


def setting(
    variant: str | Rules, players: int, starting_dice: int | None = None, *, calza: bool = False
) -> Setting:
    """Return the games of a rule book as leagues play them, or those of rules that are given.

    Rules have their own dice and calza. Raises ValueError for an unknown rule book or a wrong size.
    """
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise ValueError(f"{MIN_PLAYERS} to {MAX_PLAYERS} play at a table, not {players}")
    options: dict[str, object] = {"calza": calza}
    if starting_dice is not None:
        options["starting_dice"] = starting_dice
    try:
        rules = variant if isinstance(variant, Rules) else books.variant(variant, {}, **options)
    except ArenaError as error:
        raise ValueError(str(error)) from None
    return Setting(rules, players, max_rounds(rules, players))


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

    def drawn(self, seat: int | None = None) -> str:
        """Return the public state in a line, with the dice of a seat."""
        if self.seat is None:
            return f"the game is over, places {tuple(self.referee.places)}"
        bids = self.request.bids
        on_table = f"{bids[-1].quantity} of face {bids[-1].face}" if bids else "no bid"
        line = f"player_{self.seat} to act, dice left {self.referee.standing.dice}, {on_table}"
        if seat is None:
            return line
        return f"{line}, own dice {tuple(self.referee.request(seat, 0).dice)}"

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
        self.request: Turn | CalzaOffer = replace(request, bids=tuple(request.bids))
        self.mask = self._mask(request)

    def _mask(self, request: Turn | CalzaOffer) -> Array:
        if isinstance(request, CalzaOffer):
            return self._table.offer_mask()
        ranges = [(bids.face, bids.min, bids.max) for bids in request.raises]
        return self._table.mask(ranges, request.dudo)
