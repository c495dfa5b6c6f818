"""Real games between bot processes and scripted seats, with the arena's own rules and codec."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.game.rules import dice
from arena.game.rules.books import Rules
from arena.game.rules.dice import Hand
from arena.game.rules.round import (
    Bid,
    Outcome,
    Round,
    Standing,
    calza,
    calza_seats,
    dudo,
    first_standing,
    is_legal,
    leave,
    open_round,
    place,
    raises,
)
from arena.game.rules.view import SeatBid, seen_by
from arena.game.wire.messages import (
    PROTOCOL,
    Answer,
    CalzaOffer,
    FaultNotice,
    GameEnd,
    Hello,
    Limits,
    RoundEnd,
    ToBot,
    Turn,
    in_full,
)
from tests.sample_bots.players import Player

LIMITS = Limits(10.0, 2.0, 60.0)
Move = tuple[int, str, int, int]
"""Seat, action, quantity, face."""


@dataclass
class Table:
    """One table of players, for all games of a fixture."""

    rules: Rules
    seed: str
    players: Sequence[Player]
    wants_calza: set[int] = field(default_factory=set)
    faults: list[tuple[int, str]] = field(default_factory=list)
    """The seat and the reason of every fault so far."""
    moves: list[Move] = field(default_factory=list)
    """All moves so far."""
    _id: int = 0

    def begin(self, games: int) -> None:
        """Say hello to every seat."""
        for seat, player in enumerate(self.players):
            hello = Hello(
                protocol=PROTOCOL,
                seat=seat,
                seats=len(self.players),
                games=games,
                seed=1000 + seat,
                rules=in_full(self.rules),
                limits=LIMITS,
            )
            if player.begin(hello).calza:
                self.wants_calza.add(seat)

    def play(self, game: int) -> int:
        """Play one game to its end; return the seat that won."""
        highest = self.rules.first_opener == "highest_roll"
        seats = len(self.players)
        opener = dice.first_opener(self.seed, game, seats, highest_roll=highest)
        standing = first_standing(self.rules, seats, opener)
        places = [0] * seats
        number = 0
        while standing.winner is None:
            after = _RoundInPlay(self, game, number, standing).play()
            for seat in range(seats):
                if standing.dice[seat] and not after.dice[seat]:
                    places[seat] = standing.alive
            standing = after
            number += 1
        places[standing.winner] = 1
        self.tell(GameEnd(game=game, places=tuple(places)))
        return standing.winner

    def tell(self, message: ToBot) -> None:
        for player in self.players:
            player.tell(message)

    def next_id(self) -> int:
        self._id += 1
        return self._id


class _RoundInPlay:
    """One round: requests to the seats until a call or a fault ends it."""

    def __init__(self, table: Table, game: int, number: int, standing: Standing) -> None:
        self.table, self.game, self.number = table, game, number
        self.now: Round = open_round(standing)
        self.bids: list[SeatBid] = []
        self.hands: tuple[Hand, ...] = tuple(
            dice.roll(table.seed, game, number, seat, left)
            for seat, left in enumerate(standing.dice)
        )

    def play(self) -> Standing:
        """Play the round; returns the standing after it."""
        while True:
            after = self._offer_calza() or self._turn()
            if after is not None:
                return after

    def _turn(self) -> Standing | None:
        seat, legal = self.now.to_act, raises(self.now)
        dudo_too = self.now.bid is not None
        answer = self._ask(Turn, seat, raises=legal, dudo=dudo_too)
        if answer.action == "dudo" and dudo_too:
            return self._settle(dudo(self.now, self.hands))
        bid = Bid(answer.quantity, answer.face)
        if answer.action != "bid" or not is_legal(self.now, bid):
            return self._fault(seat, f"{answer} where {legal} and dudo={dudo_too} are legal")
        self.bids.append(SeatBid(seat, bid.quantity, bid.face))
        self.now = place(self.now, bid)
        return None

    def _offer_calza(self) -> Standing | None:
        """Ask every seat that wants to call and may; the nearest after the bidder counts."""
        callers = []
        for seat in calza_seats(self.now):
            if seat in self.table.wants_calza:
                answer = self._ask(CalzaOffer, seat)
                if answer.action not in ("calza", "pass"):
                    return self._fault(seat, f"{answer} to a calza offer")
                callers += [seat] if answer.action == "calza" else []
        return self._settle(calza(self.now, self.hands, callers[0])) if callers else None

    def _ask(self, kind: type[Turn] | type[CalzaOffer], seat: int, **more: object) -> Answer:
        view = seen_by(seat, self.now, self.hands, self.bids)
        number = self.table.next_id()
        fields = {name: getattr(view, name) for name in view.__struct_fields__} | more
        request = kind(id=number, game=self.game, round=self.number, **fields)
        answer = self.table.players[seat].ask(request)
        assert answer.id == number
        self.table.moves.append((seat, answer.action, answer.quantity, answer.face))
        return answer

    def _settle(self, outcome: Outcome) -> Standing:
        message = RoundEnd(
            game=self.game,
            round=self.number,
            palifico_seat=self.now.standing.palifico_seat,
            bids=self.bids,
            caller=outcome.caller,
            call=outcome.call,
            dice=self.hands,
            count=outcome.count,
            loser=outcome.loser,
            gainer=outcome.gainer,
        )
        self.table.tell(message)
        return outcome.after

    def _fault(self, seat: int, what: str) -> Standing:
        self.table.faults.append((seat, what))
        notice = FaultNotice(game=self.game, round=self.number, seat=seat, cause="illegal_action")
        self.table.tell(notice)
        return leave(self.now.standing, seat)
