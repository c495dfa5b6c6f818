"""The rule books clause by clause, in our own words, with the switch behind each difference.

`arena rules` prints them and `docs/reference/rules.md` shows them. An arrow (→) marks our reading
of a document that is silent or unclear.
"""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from arena.game.rules.books import VARIANTS, Rules


class Clause(Struct, frozen=True):
    """One rule: what each document says, and the switch that implements the difference."""

    id: str
    title: str
    texts: dict[str, str]
    """What each of the four rule books says, by its id."""
    switch: str = ""
    """A field of Rules; "" if nobody plays it otherwise."""
    houses: Mapping[str, str] = MappingProxyType({})
    """What houses play that no rule book has, by the value of the switch."""

    @property
    def needs(self) -> str:
        """The field of Rules without which nothing of the clause is played, or ""."""
        if self.id in _OF_WILD_PACOS:
            return "pacos_wild"
        if self.id.startswith("CALZA"):
            return "calza"
        return "palifico" if self.id.startswith("PAL-") and self.id != "PAL-TRIGGER" else ""


_OF_WILD_PACOS = ("OPEN", "TO-PACOS", "FROM-PACOS", "PACOS-UP", "PACOS-ONCE")


def _clause(
    id_: str,
    title: str,
    every: str = "",
    switch: str = "",
    houses: Mapping[str, str] = MappingProxyType({}),
    **texts: str,
) -> Clause:
    """Make a clause: `every` holds for the books that have no text of their own."""
    return Clause(id_, title, {book: texts.get(book, every) for book in VARIANTS}, switch, houses)


CLAUSES: tuple[Clause, ...] = (
    _clause(
        "SETUP",
        "dice and players",
        "2 to 6 players, 5 dice each; bids name a face from 1 (paco) to 6 and at least one die",
        classic="5 dice each; → 2 to 6 players",
        italian="5 dice each; → 2 to 6 players",
        switch="starting_dice",
    ),
    _clause(
        "FIRST",
        "who opens the first round",
        "a random player",
        classic="“roll the dice”: → the highest single die, ties roll again",
        pressman="the highest single die; → ties roll again",
        switch="first_opener",
    ),
    _clause("TURN", "direction", "play passes to the left", classic="play passes clockwise"),
    _clause(
        "OPEN",
        "opening on pacos",
        "only a player whose palifico round it is may open with pacos",
        switch="open_with_pacos",
        houses={"true": "anybody may open with pacos"},
    ),
    _clause(
        "WILD",
        "pacos in a normal round",
        "wild: they count for every face",
        switch="pacos_wild",
        houses={
            "false": "a face like the others: anybody may open with them, and OPEN, TO-PACOS, "
            "FROM-PACOS and PACOS-UP do not apply"
        },
    ),
    _clause(
        "FACES",
        "the order of the faces where pacos are not wild",
        "→ from 1 to 6: pacos are the lowest",
        switch="ones_high",
        houses={"true": "from 2 to 6, then 1: pacos are the highest"},
    ),
    _clause(
        "RAISE-QTY",
        "more dice of the same face",
        "a raise; → by any number",
        pressman="a raise, by any number",
        italian="a raise, by any number (from five to seven in the example)",
    ),
    _clause("RAISE-FACE", "as many dice of a higher face", "a raise; faces may be skipped"),
    _clause(
        "RAISE-BOTH",
        "more dice and a higher face in one raise",
        "not allowed",
        classic="→ not allowed",
        pressman="allowed",
        switch="raise_quantity_and_face",
    ),
    _clause(
        "RAISE-DOWN",
        "more dice of a lower face",
        "not allowed",
        classic="→ not allowed",
        pressman="allowed: eight twos may follow seven fours",
        switch="raise_to_lower_face",
    ),
    _clause(
        "TO-PACOS",
        "from a number to pacos",
        "at least half as many, rounded up",
        switch="from_pacos_one_more",
        houses={"false": "→ more than half as many, so that no bid comes twice"},
    ),
    _clause(
        "FROM-PACOS",
        "from pacos to a number",
        "at least twice as many and one more, of any face",
        switch="from_pacos_one_more",
        houses={"false": "at least twice as many, of any face"},
    ),
    _clause("PACOS-UP", "more pacos after pacos", "a raise by at least one"),
    _clause(
        "PACOS-ONCE",
        "the same number of pacos twice in a round",
        "→ cannot happen: it follows from the other clauses",
        pressman="not allowed: it follows from the other clauses",
    ),
    _clause(
        "OVER-TOTAL",
        "a bid above the dice",
        "→ allowed up to the dice that the game started with, so that the limit does not "
        "reveal how many are left",
    ),
    _clause(
        "DUDO", "who may doubt, and when", "only the player on turn, and only when there is a bid"
    ),
    _clause("TIE", "as many as the bid, or more", "the bid stands and the doubter loses a die"),
    _clause(
        "STARTER",
        "who opens the next round",
        "the player who lost the die",
        switch="next_opener",
        houses={
            "winner": "who won the call; → whoever falls to one die opens a palifico round",
            "left": "the player to the left of the last opener; → whoever falls to one die opens "
            "a palifico round",
        },
    ),
    _clause(
        "OUT", "the loser's last die", "the player is out; the next to the left who has dice opens"
    ),
    _clause(
        "PAL-TRIGGER",
        "when a palifico round is played",
        "right after a player falls to one die, opened by that player",
        switch="palifico",
        houses={"false": "never"},
    ),
    _clause(
        "PAL-ONCE",
        "how often a player is palifico",
        "once per game",
        classic="→ at every fall to one die",
        italian="only in the round right after; → at every fall to one die",
        switch="palifico_once",
    ),
    _clause("PAL-WILD", "pacos in a palifico round", "not wild: a face like the others"),
    _clause(
        "PAL-LOCK",
        "the face in a palifico round",
        "is the opener's, for all; only the number of dice rises",
        pressman="is the opener's, for the other players; → for the opener, too",
        switch="palifico_opener_may_raise_face",
        houses={
            "true": "is the opener's, for the others; the opener may raise it when its turn comes "
            "again, and those who follow are bound to the new one"
        },
    ),
    _clause(
        "PAL-VETERAN",
        "a player with one die who was palifico before",
        "→ is bound to the face like everyone",
        pressman="may raise the face; those who follow are bound to the new one",
        switch="veteran_may_raise_face",
    ),
    _clause(
        "PAL-TWO",
        "palifico when two players are left",
        "→ is played",
        pressman="is not played: pacos are wild, the face is free",
        switch="palifico_with_two_left",
    ),
    _clause(
        "CALZA-WHO",
        "who may call calza",
        "everyone with dice but the bidder",
        classic="→ everyone with dice but the bidder",
        pressman="everyone with dice but the player whose turn is next; → nor the bidder",
        italian="everyone with dice but the bidder and the player whose turn is next",
        switch="calza_by_next",
    ),
    _clause(
        "CALZA-BIDDER",
        "calza on one's own bid",
        "not allowed",
        classic="→ not allowed",
        pressman="“any player except for the player whose turn is next”: → not allowed",
        switch="calza_by_bidder",
        houses={"true": "allowed; → the bidder is the furthest from the bid, and uncovers last"},
    ),
    _clause(
        "CALZA-LOST",
        "calza by a player who has lost no die",
        "→ allowed",
        switch="calza_needs_lost_die",
        houses={"true": "not allowed"},
    ),
    _clause(
        "CALZA-WHEN",
        "until when",
        "until the next bid or dudo; → one in the same moment counts",
        classic="→ until the next bid or dudo; one in the same moment counts",
        pressman="after any bid; → one in the same moment as the next action counts",
        italian="until the player on turn acts; one in the same moment does not count",
        switch="calza_beats_turn",
    ),
    _clause(
        "CALZA-MANY",
        "several callers at once",
        "→ the nearest after the bidder counts",
        italian="the nearest after the bidder counts",
    ),
    _clause(
        "CALZA-PAL",
        "calza in a palifico round",
        "not allowed",
        bga="→ allowed",
        switch="calza_in_palifico",
    ),
    _clause(
        "CALZA-TWO",
        "calza when two players are left",
        "not allowed",
        bga="→ allowed",
        switch="calza_with_two_left",
    ),
    _clause(
        "CALZA-RIGHT",
        "exactly as many as the bid",
        "the caller regains a lost die, never above the dice that the game started with",
    ),
    _clause("CALZA-WRONG", "not exactly as many", "the caller loses a die, the bidder is safe"),
    _clause(
        "CALZA-START",
        "who opens after a calza",
        "the caller; → the next to the left when the caller is out",
        pressman="→ the caller, or the next to the left when the caller is out",
        switch="next_opener",
        houses={
            "winner": "the caller of a right calza; of a wrong one the bidder",
            "left": "the player to the left of the last opener",
        },
    ),
    _clause(
        "CALZA-REPAL",
        "falling to one die again after a calza",
        "gives no second palifico round",
        classic="→ gives one, as every fall does",
        italian="→ gives one, as every fall does",
        switch="palifico_once",
    ),
    _clause(
        "LOST-DICE",
        "how many dice the others have left",
        "→ hidden; showing it to all is an option",
        bga="→ hidden; showing it to all is an option of the document",
        pressman="hidden; → showing it to all is an option",
        italian="hidden; showing it to all is an option",
        switch="lost_dice_visible",
    ),
    _clause(
        "REVEAL",
        "the order of uncovering",
        "→ no order",
        pressman="the caller first, then in turn, the bidder last",
        italian="all at once",
        switch="reveal",
    ),
    _clause("WIN", "the end", "the last player with a die wins"),
)
"""In the order in which they apply in a game."""

MEANINGS = {
    "first_opener": "Who opens the first round",
    "raise_quantity_and_face": "One raise may name more dice and a higher face",
    "raise_to_lower_face": "More dice of a lower face is a raise",
    "palifico_once": "A seat has at most one palifico round per game",
    "palifico_with_two_left": "Palifico rounds are played when only two players are left",
    "veteran_may_raise_face": (
        "In a palifico round a seat with one die that had its own before may raise the face"
    ),
    "calza_by_next": "The player whose turn is next may call calza",
    "calza_beats_turn": (
        "A calza in the same moment as the action of the player on turn counts: for `judge` alone"
    ),
    "calza_in_palifico": "Calza may be called in a palifico round",
    "calza_with_two_left": "Calza may be called when only two players are left",
    "reveal": "The order in which dice are uncovered",
    "palifico": "Palifico rounds are played at all",
    "pacos_wild": "Pacos count for every face in a normal round",
    "open_with_pacos": "Anybody may open a round with pacos",
    "from_pacos_one_more": "Back from pacos takes twice as many and one more, not just twice",
    "ones_high": "Where pacos are not wild, they are the highest face",
    "next_opener": "Who opens after a round: its loser, its winner, or the left of the last opener",
    "palifico_opener_may_raise_face": (
        "In a palifico round the opener may raise the face when its turn comes again"
    ),
    "calza_by_bidder": "The bidder may call calza on its own bid",
    "calza_needs_lost_die": "Only a player who has lost a die may call calza",
    "calza": "Calza is played",
    "lost_dice_visible": "Everyone sees how many dice each seat has left",
    "starting_dice": "Dice that each seat starts with",
}
"""Each switch and option of Rules in words, in the order of the rule books."""


def value(clause: Clause, rules: Rules) -> str:
    """Return the value of a clause's switch, as in league.yaml; "" if there is no switch."""
    return _written(getattr(rules, clause.switch)) if clause.switch else ""


def _written(setting: object) -> str:
    return str(setting).lower() if isinstance(setting, bool) else str(setting)


def in_words(rules: Rules) -> list[tuple[str, str]]:
    """Return rules in words: the title and the text of each clause that applies."""
    played = [one for one in CLAUSES if not one.needs or getattr(rules, one.needs)]
    return [(clause.title, text(clause, rules)) for clause in played]


def in_force(rules: Rules) -> list[str]:
    """Return rules in words, a line for each clause, without the marks of our readings."""
    return [f"{title}: {words}".replace("→ ", "") for title, words in in_words(rules)]


def text(clause: Clause, rules: Rules) -> str:
    """Return what a clause says by some rules: the text of a book that has its switch set so.

    The text of the book that they started from comes first.
    """
    setting = value(clause, rules)
    alike = (
        clause.texts[book]
        for book in (rules.name, rules.base, *VARIANTS)
        if book in VARIANTS and value(clause, VARIANTS[book]) == setting
    )
    return next(alike, clause.houses.get(setting, setting))


def differs(clause: Clause, rules: Rules, other: Rules) -> bool:
    """Return whether rules differ in play by a clause, whatever their words."""
    return value(clause, rules) != value(clause, other)


def by_text(
    clause: Clause, books: Mapping[str, Rules] = MappingProxyType(VARIANTS)
) -> list[tuple[str, list[str]]]:
    """Return the distinct texts of a clause, each with the names of the rules that have it."""
    having: dict[str, list[str]] = {}
    for name, rules in books.items():
        having.setdefault(text(clause, rules), []).append(name)
    return list(having.items())
