"""A game as steps for a replay, each told in words, with the chances of its bids."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Literal, NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arena.game.records import (
    BidMade,
    CallMade,
    Cause,
    DecidedBy,
    Decision,
    Exchange,
    Faulted,
    GameRecord,
)
from arena.game.rules.books import Rules
from arena.game.rules.dice import Hand, count_face
from arena.game.rules.explain import name_bid, there
from arena.game.rules.odds import at_least, bid_exact, bid_holds, unknown
from arena.game.rules.round import Bid
from arena.game.table import PLACES
from arena.game.walk import PlayedRound, walk
from arena.playstats.luck import has_luck, round_luck
from arena.publish.text import CACHED, clipped, one_line, percent, signed


class CauseWords(Struct, frozen=True):
    """A cause in words."""

    name: str
    meaning: str
    did: str
    """A verb phrase that follows the bot's name."""


CAUSES = {
    Cause.TIMEOUT: CauseWords("too slow", "no answer within a limit", "answers too late"),
    Cause.CRASH: CauseWords("crashed", "the program ended or could not be started", "crashes"),
    Cause.ILLEGAL_ACTION: CauseWords(
        "against the rules", "an answer that the rules forbid", "breaks a rule"
    ),
    Cause.MALFORMED_LINE: CauseWords(
        "not readable",
        "a line that is not strict JSON, or not an answer to what was asked",
        "sends an answer that cannot be read",
    ),
    Cause.FLOOD: CauseWords(
        "wrote too much", "a line too long, or much output that nobody asked for", "sends too much"
    ),
}
"""Every cause, in the vocabulary's order."""


_SHOWN = 2000
"""Characters of an answer."""
Words = Mapping[tuple[int, int, int], str]
"""What is said of a decision: by round, bids that were made before, and seat."""


def words_of(exchanges: Iterable[Exchange], game: int, shown: Container[str]) -> Words:
    """Return what those models wrote last in a game that are shown."""
    return {
        (one.round, one.bids, one.seat): clipped(one_line(one.answer), _SHOWN)
        for one in exchanges
        if one.game == game and one.model in shown and one.answer
    }


DECIDED = {
    DecidedBy.MODEL: "Its model decided.",
    DecidedBy.RETRY: "Its model decided, asked again.",
    DecidedBy.FALLBACK: "Its own program decided, not its model.",
    DecidedBy.CAPPED: "Its own program decided: a cap of its model was reached.",
    DecidedBy.UNSAID: "It asked its model, and does not say who decided.",
}
"""Who made a decision, in words."""


def deciders_of(decisions: Iterable[Decision], game: int) -> Words:
    """Return who made the decisions of bots with language models in a game, in words."""
    return {
        (one.round, one.bids, one.seat): DECIDED[one.by] for one in decisions if one.game == game
    }


DETAIL_SHOWN = 1000
"""Characters of a fault's detail; the data files have all."""


class Rolled(Struct, frozen=True):
    """A round: what was on the table, and the step with which it starts."""

    number: int
    first: int
    opener: int
    palifico: int | None
    dice: tuple[Hand, ...]
    wild: bool
    """Whether pacos are wild."""


class Step(Struct, frozen=True, omit_defaults=True):
    """One step of a replay. Step n is event n of the record; the last says how the game ended.

    The words are in three parts, so that a reader who sees through one seat's eyes is told no more:
    what everybody heard, what it looked like to the one who acted, and how it really was.
    """

    kind: Literal["round", "bid", "call", "fault", "end"]
    seat: int
    """The opener, the bidder, the caller, the seat that faulted, or the winner."""
    said: str
    round: int | None = None
    """A place in the list of rounds; None before the first dice."""
    knew: str = ""
    truth: str = ""
    word: str = ""
    """The call, or the cause of a fault in words."""
    quantity: int = 0
    face: int = 0
    odds: str = ""
    """The probability that a bid is true, or a call is right, as the one who acted knew it."""
    chance: float = 0.0
    """This probability in per cent, for a bar."""
    bluff: bool = False
    """Whether it is a bid that was less likely than not."""
    count: int | None = None
    """The dice that match the bid, with all dice known."""
    right: bool | None = None
    """Whether the bid was true, or the call right."""


class Replay(Struct, frozen=True):
    """One game, ready to be shown."""

    game: int
    places: tuple[int, ...]
    rounds: list[Rolled]
    steps: list[Step]


def replay(
    record: GameRecord,
    seats: Sequence[str],
    rules: Rules,
    max_rounds: int | UnsetType = UNSET,
    words: Words = MappingProxyType({}),
    deciders: Words = MappingProxyType({}),
) -> Replay:
    """Tell a game by its seats' names; raises ForbiddenEventError if `rules` forbid an event.

    `words` are what models wrote, which those see who see with a seat's eyes, `deciders` are who
    decided, which everybody sees.
    """
    rounds: list[Rolled] = []
    steps: list[Step] = []
    alive, luck = len(seats), 0.0
    measured = has_luck(rules, len(seats))
    for played in walk(record, rules, max_rounds):
        standing = played.now.standing
        start = played.number, played.step, standing.opener, standing.palifico_seat
        rounds.append(Rolled(*start, played.hands, played.wild is not None))
        told = _Teller(played, seats, tuple(chain(*played.hands))).steps()
        steps += _with_words(told, played.number, words, deciders)
        alive = played.after.alive
        luck += round_luck(played) if measured else 0.0
    by_dice = alive > 1 and len(rounds) == max_rounds
    said = [_told_end(record, seats, len(rounds), by_dice=by_dice)]
    said += [_told_luck(luck, seats)] if measured else []
    winner, last = record.places.index(1), len(rounds) - 1 if rounds else None
    steps.append(Step("end", winner, " ".join(said), last))
    return Replay(record.game, record.places, rounds, steps)


def _with_words(
    steps: Iterable[Step], number: int, words: Words, deciders: Words
) -> Iterator[Step]:
    """Add to each action of a round what is said of it; the round's start comes before them."""
    for place, step in enumerate(steps, -1):
        decision, told = (number, place, step.seat), step
        if step.kind in ("bid", "call"):
            if wrote := words.get(decision):
                told = replace(told, knew=f"{step.knew} Its model wrote: {wrote}")
            if decided := deciders.get(decision):
                told = replace(told, said=f"{step.said} {decided}")
        yield told


class _Teller(NamedTuple):
    """Tells one round."""

    played: PlayedRound
    seats: Sequence[str]
    dice: Hand
    """All dice on the table."""

    def steps(self) -> Iterator[Step]:
        yield self._start()
        yield from map(self._bid, self.played.bids)
        if self.played.call and self.played.now.bid:
            yield self._call(self.played.call, self.played.now.bid)
        yield from map(self._fault, self.played.faults)

    def _start(self) -> Step:
        played, standing = self.played, self.played.now.standing
        counts = [f"{name} {n}" for name, n in zip(self.seats, standing.dice, strict=True) if n]
        dice = "1 die" if played.dice == 1 else f"{played.dice} dice"
        opener = self.seats[standing.opener]
        said = f"Round {played.number + 1}. {dice}: {', '.join(counts)}. {opener} opens."
        if standing.palifico_seat is not None:
            said += f" It is the palifico round of {self.seats[standing.palifico_seat]}."
        return Step("round", standing.opener, said, played.number)

    def _bid(self, event: BidMade) -> Step:
        seat = event.seat
        quantity = event.quantity
        face = event.face
        own, unseen, wild = self.played.seen_by(seat)
        odds = _odds_of_bid(at_least(*unknown(quantity, face, own, unseen, wild)))
        count = count_face((self.dice,), face, wild)
        true = count >= quantity
        return Step(
            "bid",
            seat,
            f"{self.seats[seat]} bids {_named(quantity, face)}.",
            self.played.number,
            knew=odds.knew,
            truth=_truth(count, true=true),
            quantity=quantity,
            face=face,
            odds=odds.words,
            chance=odds.chance,
            bluff=odds.bluff,
            count=count,
            right=true,
        )

    def _call(self, event: CallMade, bid: Bid) -> Step:
        own = self.played.seen_by(event.seat)
        chance = bid_exact(bid, *own) if event.call == "calza" else 1.0 - bid_holds(bid, *own)
        odds = likely(chance)
        return Step(
            "call",
            event.seat,
            " ".join(self._told(event, bid)),
            self.played.number,
            knew=f"Odds by own dice: {odds}.",
            word=event.call,
            quantity=bid.quantity,
            face=bid.face,
            odds=odds,
            chance=round(100 * chance, 1),
            count=event.count,
            right=event.right,
        )

    def _told(self, event: CallMade, bid: Bid) -> Iterator[str]:
        yield f"{self.seats[event.seat]} calls {event.call}."
        if event.rivals:
            rivals = ", ".join(self.seats[seat] for seat in event.rivals)
            yield f"{rivals} did so in the same moment, but further off."
        yield f"The bid is {name_bid(bid)}, and {there(event.count)}."
        if event.loser is not None:
            out = "" if self.played.after.dice[event.loser] else " and is out"
            yield f"{self.seats[event.loser]} loses a die{out}."
        elif event.gainer is not None:
            yield f"{self.seats[event.gainer]} gains a die."
        else:
            yield "Nobody loses a die."

    def _fault(self, event: Faulted) -> Step:
        cause = CAUSES[event.cause].name
        said = f"{self.seats[event.seat]} faults and is out: {cause}."
        detail = clipped(one_line(event.detail), DETAIL_SHOWN)
        said = f"{said} {detail}".strip()
        return Step("fault", event.seat, said, self.played.number, word=cause)


class _BidOdds(NamedTuple):
    """How likely a bid was to be true, as the bidder knew it: fields of its step."""

    words: str
    knew: str
    chance: float
    bluff: bool


# Few chances, bids and counts differ, and a site tells of a million bids.
@lru_cache(CACHED)
def _odds_of_bid(chance: float) -> _BidOdds:
    words, bluff = likely(chance), chance < 0.5
    knew = f"Odds by own dice: {words}{', a bluff' if bluff else ''}."
    return _BidOdds(words, knew, round(100 * chance, 1), bluff)


@lru_cache(CACHED)
def _named(quantity: int, face: int) -> str:
    return name_bid(Bid(quantity, face))


@lru_cache(CACHED)
def _truth(count: int, *, true: bool) -> str:
    return f"In truth {there(count)}: the bid is {'true' if true else 'false'}."


def _told_end(record: GameRecord, seats: Sequence[str], rounds: int, *, by_dice: bool) -> str:
    order = sorted(range(len(seats)), key=lambda seat: record.places[seat])
    said = ", ".join(f"{PLACES[record.places[seat]]} {seats[seat]}" for seat in order)
    why = f" after {rounds} rounds, its limit, by the dice that are left" if by_dice else ""
    return f"The game is over{why}: {said}."


def _told_luck(luck: float, seats: Sequence[str]) -> str:
    """Tell the luck of a game, given that of seat 0 in wins."""
    wins = signed(abs(luck))
    if not wins.startswith("+"):
        return "Luck of the dice: none for either."
    return f"Luck of the dice: {wins} wins for {seats[luck < 0]}."


def likely(chance: float) -> str:
    """Return a chance in whole per cent; only what is certain is 0 % or 100 %."""
    if 0 < chance < 0.005:
        return f"under {percent(0.01, 0)}"
    if 0.995 <= chance < 1:
        return f"over {percent(0.99, 0)}"
    return percent(chance, 0)
