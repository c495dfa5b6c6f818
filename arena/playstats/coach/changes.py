"""Changes of play that mend a kind of mistake, each a rule that an author can follow to the letter.

Whoever follows one plays as before where the rule does not apply. What it is worth is the sum, over
all decisions of a bot, of the chance to win after what the rule says, less that after what the bot
did (`arena.playstats.coach.decisions`). In words, "it" is the bot; chances are by its own dice
alone, as an author can compute them at a turn.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct

from arena.game.rules.books import FACES, PACO
from arena.game.rules.odds import bid_exact, bid_holds, unknown
from arena.game.rules.round import Bid, Raises
from arena.playstats.coach.decisions import (
    CALLS_CALZA,
    DOUBTS_EARLY,
    DOUBTS_LATE,
    Decision,
    DecisionAction,
    Position,
)

THRESHOLDS = tuple(step / 20 for step in range(1, 20))
"""The chances that a rule may tell doubts, or calls of calza, apart by."""
STEPS = (1, 2, 3)
"""Dice by which a rule may lower or raise a bid."""

Instead = Callable[[Position, DecisionAction], DecisionAction | None]
"""What a rule says at a position where the bot took an action; None if it says nothing."""
Choose = Callable[[Position], Raises | None]
Count = Callable[[Position, Bid], int]


class Change(Struct, frozen=True):
    """A rule that a bot could follow."""

    mends: str
    """The kind of mistake."""
    rule: str
    """What it is about: `doubt`, `calza`, `face`, `quantity`."""
    value: str | float
    """The threshold, the face, the quantity."""


def doubts_only_below(limit: float, at: Position, made: DecisionAction) -> DecisionAction | None:
    """Raise as surely as possible instead of doubting a bid that is likely enough to be true."""
    if made.do == "dudo" and at.last and true_chance(at.last, at) >= limit:
        return _lowest(surest(at))
    return None


def doubts_below(limit: float, at: Position, made: DecisionAction) -> DecisionAction | None:
    """Doubt a bid that is not likely enough to be true instead of raising it."""
    doubts = made.do == "bid" and at.last and true_chance(at.last, at) < limit
    return DecisionAction("dudo") if doubts else None


def calls_calza_above(limit: float, at: Position, made: DecisionAction) -> DecisionAction | None:
    """Do not call a bid exact that is not likely enough to be exact, but do the best else."""
    if made.do != "calza" or not at.last or exact_chance(at.last, at) >= limit:
        return None
    others = {action: value for action, value in at.values.items() if action.do != "calza"}
    return max(others, key=others.__getitem__)


def bids_on(choose: Choose, at: Position, made: DecisionAction) -> DecisionAction | None:
    """Bid on another face: an opening with the same quantity, a raise as low as possible."""
    legal = choose(at)
    if made.do != "bid" or legal is None:
        return None
    if at.last:
        return _lowest(legal) if legal.face != made.face else None
    return DecisionAction("bid", min(max(made.quantity, legal.min), legal.max), legal.face)


def bids_as_many(
    count: Count, sign: int, at: Position, made: DecisionAction
) -> DecisionAction | None:
    """Bid on the same face another quantity; `sign` says whether it may be more or fewer dice."""
    if made.do != "bid":
        return None
    legal = next(one for one in at.legal if one.face == made.face)
    quantity = min(max(count(at, made.bid), legal.min), legal.max)
    if sign * (quantity - made.quantity) <= 0:
        return None
    return DecisionAction("bid", quantity, made.face)


def true_chance(bid: Bid, at: Position) -> float:
    """Return how likely a bid is to be true, by the seat's own dice."""
    return bid_holds(bid, at.hand, at.unseen, at.wild)


def exact_chance(bid: Bid, at: Position) -> float:
    """Return how likely a bid is to be exact, by the seat's own dice."""
    return bid_exact(bid, at.hand, at.unseen, at.wild)


def surest(at: Position) -> Raises | None:
    """Return the face whose lowest legal bid is most likely to be true, by the seat's own dice."""
    return max(at.legal, key=lambda one: true_chance(Bid(one.min, one.face), at), default=None)


def longest(at: Position) -> Raises | None:
    """Return the face that the seat holds most of, wild pacos counted; of equal ones the lowest."""
    return max(at.legal, key=lambda one: (held(at, one.face), -one.min), default=None)


def face_on_table(at: Position) -> Raises | None:
    """Return the face of the bid on the table."""
    return next((one for one in at.legal if at.last and one.face == at.last.face), None)


def pacos(at: Position) -> Raises | None:
    """Return the pacos."""
    return next((one for one in at.legal if one.face == PACO), None)


def held(at: Position, face: int) -> int:
    """Return how many of the seat's own dice count for a bid on a face."""
    return -unknown(0, face, at.hand, 0, at.wild)[0]


def expected(at: Position, face: int) -> int:
    """Return how many dice are to be expected to count for a bid on a face, rounded down."""
    needed, unseen, faces = unknown(0, face, at.hand, at.unseen, at.wild)
    return unseen * faces // FACES - needed


FACES_TO_BID: Mapping[str, Choose] = {
    "longest": longest,
    "surest": surest,
    "table": face_on_table,
    "pacos": pacos,
}
QUANTITIES: Mapping[str, Count] = {
    "lowest": lambda _at, _bid: 0,
    "held": lambda at, bid: held(at, bid.face),
    "held + 1": lambda at, bid: held(at, bid.face) + 1,
    "expected": lambda at, bid: expected(at, bid.face),
}


def _by(step: int, _at: Position, bid: Bid) -> int:
    return bid.quantity + step


def _calls() -> Iterator[tuple[Change, Instead]]:
    for limit in THRESHOLDS:
        yield Change(DOUBTS_EARLY, "doubt", limit), partial(doubts_only_below, limit)
        yield Change(DOUBTS_LATE, "doubt", limit), partial(doubts_below, limit)
        yield Change(CALLS_CALZA, "calza", limit), partial(calls_calza_above, limit)


def _bids(verb: str) -> Iterator[tuple[Change, Instead]]:
    for name, choose in FACES_TO_BID.items():
        yield Change(f"{verb} on the wrong face", "face", name), partial(bids_on, choose)
    for word, sign in (("high", -1), ("low", 1)):
        steps: dict[str, Count] = {f"{sign * step:+d}": partial(_by, sign * step) for step in STEPS}
        for name, count in {**steps, **QUANTITIES}.items():
            change = Change(f"{verb} too {word}", "quantity", name)
            yield change, partial(bids_as_many, count, sign)


OPENINGS: Mapping[Change, Instead] = dict(_bids("opens"))
AFTER_A_BID: Mapping[Change, Instead] = {**dict(_calls()), **dict(_bids("raises"))}
CHANGES = (*OPENINGS, *AFTER_A_BID)


def gains(at: Position, made: DecisionAction) -> Iterator[tuple[Change, float]]:
    """Yield the changes that would change a decision, each with what it would be worth here."""
    rules = AFTER_A_BID if at.last else OPENINGS
    for change, instead in rules.items():
        action = instead(at, made)
        if action is not None and action != made and action in at.values:
            yield change, at.values[action] - at.values[made]


def _lowest(legal: Raises | None) -> DecisionAction | None:
    return DecisionAction("bid", legal.min, legal.face) if legal else None


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_FACES: Mapping[str | float, str] = {
    "longest": "the face that it holds most of, wild pacos counted",
    "surest": "the face whose lowest legal bid is most likely to be true by its own dice",
    "table": "the face of the bid on the table",
    "pacos": "pacos",
}
_QUANTITIES: Mapping[str | float, str] = {
    "held": "as many dice as it holds itself, wild pacos counted",
    "held + 1": "one die more than it holds itself, wild pacos counted",
    "expected": "as many dice as are to be expected: its own and, rounded down, a third of the"
    " others (a sixth for pacos and in palifico)",
}
_TAIL = 0.1
"""The share of mistakes at either end that is left out where it is said how far they go."""


def advice(change: Change, *, palifico: bool) -> str:
    """Return a change in words: what the bot should do from now on."""
    where = "in palifico: " if palifico else ""
    return where + _rule(change)


def _rule(change: Change) -> str:
    verb, value = change.mends.partition("s ")[0], change.value
    match change.rule:
        case "doubt" if change.mends == DOUBTS_EARLY:
            return f"doubt a bid only if it is {_unlikely(change)}; otherwise raise"
        case "doubt":
            return f"doubt every bid that is {_unlikely(change)}"
        case "calza":
            least = percent(float(change.value))
            return f"call a bid exact only if that is at least {least} likely by its own dice"
        case "face":
            height = "as low as is legal" if verb == "raise" else "with as many dice as now"
            return f"{verb} on {_FACES[value]}, {height}"
    return f"{verb} {_quantity(change)}, on the same face"


def _unlikely(change: Change) -> str:
    return f"less than {percent(float(change.value))} likely to be true by its own dice"


def _quantity(change: Change) -> str:
    least = "at most" if change.mends.endswith("high") else "at least"
    if change.value == "lowest":
        return "as low as is legal"
    if change.value in _QUANTITIES:
        return f"with {least} {_QUANTITIES[change.value]}"
    step = int(change.value)
    return f"with {dice_in_words(abs(step))} {'more' if step > 0 else 'fewer'}"


def now(change: Change, chances: Sequence[float]) -> str:
    """Return how likely the bids on the table were to be true when the mistakes were made.

    One in ten was less likely, one in ten more.
    """
    if change.rule != "doubt":
        return ""
    low, high = (quantile(sorted(chances), share) for share in (_TAIL, 1 - _TAIL))
    verb = "doubts" if change.mends == DOUBTS_EARLY else "raises"
    likely = (
        percent(low) if percent(low) == percent(high) else f"{100 * low:.0f} to {percent(high)}"
    )
    return f"it {verb} bids that are {likely} likely"


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def better(decision: Decision, at: Position) -> str:
    """Return how the best action differs from what was done; "" if its kind says it all."""
    made, best = decision.action, decision.best
    if best.do != "bid":
        return ""
    if made.do != "bid":
        return f"a raise on {_face(best.face, at)}"
    if made.face != best.face:
        return _face(best.face, at)
    step = best.quantity - made.quantity
    return f"{dice_in_words(abs(step))} {'more' if step > 0 else 'fewer'}"


def _face(face: int, at: Position) -> str:
    """Return what a face is to a seat."""
    if held(at, face) == max(held(at, each) for each in range(1, FACES + 1)):
        return "its longest face"
    if at.last and face == at.last.face:
        return "the face on the table"
    if face == PACO:
        return "pacos"
    return "another face that it holds" if face in at.hand else "a face that it holds none of"


def features(decision: Decision, at: Position) -> Iterator[str]:
    """Yield what can be said of a turn, whatever was done."""
    yield with_dice(decision.dice)
    if at.wild in at.hand:
        yield "with a paco of its own"
    if at.last:
        if at.last.face == PACO:
            yield "on a bid of pacos"
        elif at.last.face not in at.hand:
            yield "on a face that it holds none of"
        if len(decision.bids) == 1:
            yield "on the first bid of a round"


def with_dice(number: int) -> str:
    """Return the number of a bot's own dice as a feature of a turn."""
    return f"with {dice_in_words(number)}"


def percent(chance: float) -> str:
    """Return a chance in percent."""
    return f"{100 * chance:.0f} %"


def dice_in_words(number: int) -> str:
    """Return a number of dice, such as "one die"."""
    word = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return f"{word} {'die' if number == 1 else 'dice'}"
