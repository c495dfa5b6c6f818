"""Leaks in words: the change of a rule, what the bot does now, how and where better actions differ.

"It" is the bot. Chances are by its own dice alone, as an author can compute them at a turn.
"""

from collections.abc import Iterator, Mapping, Sequence

from arena.game.rules.books import FACES, PACO
from arena.playstats.coach.changes import Change, held
from arena.playstats.coach.decisions import DOUBTS_EARLY, Decision, Position

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
