"""The walk over a recorded game, round by round, by the engine's own transitions.

Statistics, replays and explanations of games take the table from here, so that every rule is in
`arena.game.rules` alone.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType

from arena.game.records import BidMade, CallMade, Event, Faulted, GameRecord, RoundStarted
from arena.game.rules.books import Rules
from arena.game.rules.dice import Hand, count_face
from arena.game.rules.round import (
    Outcome,
    Round,
    Standing,
    calza,
    calza_seats,
    dudo,
    first_standing,
    leave,
    lose_die,
    place_all,
)
from arena.io.errors import ArenaError


class ForbiddenEventError(ArenaError):
    """A recorded event that the rules forbid at its place in the game."""


class PlayedRound(Struct, frozen=True):
    """A round from its dice to the call that settled it, or to the faults that made it void."""

    step: int
    """The place of its start among the events of the game, from 0; its bids follow."""
    number: int
    """From 0; void rounds count, too."""
    hands: tuple[Hand, ...]
    """The dice of each seat."""
    dice: int
    """How many dice are on the table."""
    wild: int | None
    bids: Sequence[BidMade]
    now: Round
    """The round after its bids."""
    call: CallMade | None
    """None if it is void."""
    faults: Sequence[Faulted]
    after: Standing
    """How the table stands after it."""

    @property
    def end(self) -> int:
        """The place of its call or its first fault among the events."""
        return self.step + 1 + len(self.bids)

    def step_of(self, event: BidMade | CallMade) -> int:
        """Return the place of one of its events among those of the game."""
        if isinstance(event, CallMade):
            return self.end
        # No bid comes twice in a round.
        return self.step + 1 + self.bids.index(event)

    def seen_by(self, seat: int) -> tuple[Hand, int, int | None]:
        """Return a seat's own dice, the number of the others, and the wild face.

        A seat can count the dice from the rounds so far, even if they are not shown.
        """
        own = self.hands[seat]
        return own, self.dice - len(own), self.wild

    def matching(self, face: int) -> int:
        """Return how many dice on the table count for a bid on a face."""
        return count_face(self.hands, face, self.wild)


class RecordedRound(NamedTuple):
    """A round by its record; the engine agrees with all of it but its bids and its dudo."""

    step: int
    """The place of its start among the events of the game, from 0; its bids follow."""
    number: int
    standing: Standing
    hands: tuple[Hand, ...]
    bids: Sequence[BidMade]
    call: CallMade | None
    faults: Sequence[Faulted]
    after: Standing


def walk(
    record: GameRecord, rules: Rules, max_rounds: int | UnsetType = UNSET
) -> Iterator[PlayedRound]:
    """Yield the rounds of a game; the last one may be unfinished, and none comes after the limit.

    Raises ForbiddenEventError at an event that the engine forbids. The dice and the first opener
    are those of the record; `arena.league.table.recorded_game` checks them against the seed.
    """
    for recorded in recorded_rounds(record, rules, max_rounds):
        first, number, standing, hands, bids, call, faults, after = recorded
        now = _placed(record, first, standing, bids)
        if call:
            _settled(record, first + len(bids) + 1, now, hands)
        yield PlayedRound(
            step=first,
            number=number,
            hands=hands,
            dice=sum(standing.dice),
            wild=standing.wild,
            bids=bids,
            now=now,
            call=call,
            faults=faults,
            after=after,
        )


def recorded_rounds(
    record: GameRecord, rules: Rules, max_rounds: int | UnsetType = UNSET
) -> Iterator[RecordedRound]:
    """Yield the rounds of a game to a caller that checks bids and dudos itself.

    Raises ForbiddenEventError at any other event that the engine forbids.
    """
    events = record.events
    if not events:
        return
    players = len(record.places)
    opener = events[0].opener if isinstance(events[0], RoundStarted) else 0
    standing = first_standing(rules, players, opener if opener in range(players) else 0)
    step = 0
    for number in count():
        if step == len(events):
            return
        if number == max_rounds:
            raise _forbidden(record, step)
        recorded = _round(record, step, number, standing)
        yield recorded
        step += 1 + len(recorded.bids) + (1 if recorded.call else len(recorded.faults))
        standing = recorded.after


def _round(record: GameRecord, first: int, number: int, standing: Standing) -> RecordedRound:
    events = record.events
    start = events[first]
    if not isinstance(start, RoundStarted) or not _is_start(start, number, standing):
        raise _forbidden(record, first)
    bids: list[BidMade] = []
    event: Event = start
    for step in range(first + 1, len(events)):
        event = events[step]
        if not isinstance(event, BidMade):
            break
        bids.append(event)
    if isinstance(event, CallMade):
        after = _after_call(record, first, standing, start.dice, bids, event)
        return RecordedRound(first, number, standing, start.dice, bids, event, (), after)
    _placed(record, first, standing, bids)
    faults, after = _faults(record, first + len(bids) + 1, standing)
    return RecordedRound(first, number, standing, start.dice, bids, None, faults, after)


def _after_call(
    record: GameRecord,
    first: int,
    standing: Standing,
    hands: tuple[Hand, ...],
    bids: Sequence[BidMade],
    call: CallMade,
) -> Standing:
    """Return the table after a call; a dudo that may be right is taken as it is recorded."""
    by_loser = standing.rules.next_opener != "winner"
    if call.call == "dudo" and not call.rivals and call.gainer is None and by_loser:
        loser = call.loser
        if loser is not None and 0 <= loser < len(standing.dice) and standing.dice[loser]:
            return lose_die(standing, loser)
    now = _placed(record, first, standing, bids)
    return _settled(record, first + len(bids) + 1, now, hands)


def _placed(record: GameRecord, first: int, standing: Standing, bids: Sequence[BidMade]) -> Round:
    """Return the round after its bids, if they are legal."""
    now = place_all(standing, bids)
    if now is None:
        legal = next(n for n in range(len(bids)) if place_all(standing, bids[: n + 1]) is None)
        raise _forbidden(record, first + legal + 1)
    return now


def _settled(record: GameRecord, step: int, now: Round, hands: tuple[Hand, ...]) -> Standing:
    """Return the table after the call at a step, if it is the engine's."""
    call = record.events[step]
    outcome = _outcome(call, now, hands) if isinstance(call, CallMade) else None
    if outcome is None:
        raise _forbidden(record, step)
    return outcome.after


def _is_start(start: RoundStarted, number: int, standing: Standing) -> bool:
    return (
        start.number == number
        and start.opener == standing.opener
        and start.palifico_seat == standing.palifico_seat
        and tuple(map(len, start.dice)) == standing.dice
        and standing.alive > 1
    )


def _outcome(event: CallMade, now: Round, hands: tuple[Hand, ...]) -> Outcome | None:
    """Return the engine's outcome of a call; None if it is not the recorded one, or no call."""
    if event.call == "dudo":
        if now.bid is None or event.seat != now.to_act or event.rivals:
            return None
        outcome = dudo(now, hands)
    else:
        callers = event.seat, *event.rivals
        if callers != tuple([seat for seat in calza_seats(now) if seat in callers]):
            return None
        outcome = calza(now, hands, event.seat)
    result = outcome.count, outcome.loser, outcome.gainer
    return outcome if result == (event.count, event.loser, event.gainer) else None


def _faults(
    record: GameRecord, first: int, standing: Standing
) -> tuple[Sequence[Faulted], Standing]:
    """Return the faults that made a round void, and how the table stands after them."""
    faults: list[Faulted] = []
    for step in range(first, len(record.events)):
        event = record.events[step]
        if isinstance(event, RoundStarted) and faults:
            break
        if not isinstance(event, Faulted) or standing.winner is not None:
            raise _forbidden(record, step)
        if event.seat not in range(len(standing.dice)) or not standing.dice[event.seat]:
            raise _forbidden(record, step)
        standing = leave(standing, event.seat)
        faults.append(event)
    return faults, standing


def _forbidden(record: GameRecord, step: int) -> ForbiddenEventError:
    what = f"the rules forbid {record.events[step]!r}"
    return ForbiddenEventError(what, f"game {record.game}, event {step}", "run `arena verify`")
