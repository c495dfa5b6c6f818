"""The four rule books as data, with a named switch for each rule on which they differ.

A new switch is a field of Rules; its text and its meaning go into `clauses.py`, its effect into
`round.py`, its second reading into `tests/oracle/bidding.py`; one that lets raises depend on more
than the bid and the kind of round also concerns `Positions` in `game/referee.py`; one about
palifico, calza or revealing concerns `judge.py`, one about hidden dice `view.py`; one that forbids
a move gets its reason in `explain.py`, and a kind of bidder in `playstats/scan/tables.py` if it
asks for more than the last bid; one that changes what a call costs also concerns
`publish/replay_steps.py`, `playstats/mistakes.py` and `playstats/scan/games.py`. All other code
follows the engine, but for the arrays and equilibria of the lab, which refuse rules that use it
(`unknown_switch`). Then run `make protocol`. A default keeps stores readable. An option that a
league file names outside `overrides` also goes into OPTIONS and `league/terms/config.py`.
"""

from collections.abc import Collection, Mapping
from typing import Annotated, Final, Literal

from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import asdict, fields, replace

from arena.io.errors import ArenaError, check_known
from arena.io.structs import convert

Seat = Annotated[int, Meta(ge=0, le=5)]
"""A seat at the table; play goes 0, 1, 2, ... to the left."""
Face = Annotated[int, Meta(ge=1, le=6)]
"""The face that a die shows; 1 is a paco."""
Count = Annotated[int, Meta(ge=0)]

MIN_PLAYERS = 2
MAX_PLAYERS = 6
MAX_STARTING_DICE = 10
FACES: Final = 6
PACO = 1
"""The wild face (clauses TO-PACOS, PAL-WILD)."""


class Rules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The rules of one game: the switches, and the options of a table.

    The first switches are the rules on which the documents differ. Those with a default are rules
    on which the documents agree and houses do not: the default is that of the documents, and is
    left out where rules are written, so that stored bytes do not change. Each field names its
    clauses.
    """

    name: str
    """The rule book, or the house that plays so: only a name, which the game never tests."""
    first_opener: Literal["random", "highest_roll"]
    """Who opens the first round: a random seat, or the highest single die (FIRST)."""
    raise_quantity_and_face: bool
    """One raise may name more dice and a higher face (RAISE-BOTH)."""
    raise_to_lower_face: bool
    """More dice of a lower face is a raise (RAISE-DOWN)."""
    palifico_once: bool
    """A seat has at most one palifico round per game (PAL-ONCE, CALZA-REPAL)."""
    palifico_with_two_left: bool
    """Palifico rounds are played when only two players are left (PAL-TWO)."""
    veteran_may_raise_face: bool
    """In a palifico round a seat with one die that has had its own may raise the face
    (PAL-VETERAN)."""
    calza_by_next: bool
    """The player whose turn is next may call calza (CALZA-WHO)."""
    calza_beats_turn: bool
    """A calza in the same moment as the action of the player on turn counts (CALZA-WHEN). Only
    `judge` reads it: at a live table calza is offered before the player on turn is asked."""
    calza_in_palifico: bool
    """Calza may be called in a palifico round (CALZA-PAL)."""
    calza_with_two_left: bool
    """Calza may be called when only two players are left (CALZA-TWO)."""
    reveal: Literal["unstated", "caller_first", "at_once"]
    """The order in which dice are uncovered (REVEAL)."""

    calza: bool
    """Option: calza is played at all."""
    lost_dice_visible: bool
    """Option: everyone sees how many dice each seat has left (LOST-DICE)."""
    starting_dice: int
    """Option: dice that each seat starts with, 1 to 10 (SETUP: 5)."""

    base: str = ""
    """The rule book that a house's rules started from; "" for a rule book itself."""
    palifico: bool = True
    """Palifico rounds are played at all (PAL-TRIGGER)."""
    pacos_wild: bool = True
    """Pacos count for every face in a normal round; otherwise they are a face like the others
    (WILD)."""
    open_with_pacos: bool = False
    """Anybody may open a round with pacos (OPEN)."""
    from_pacos_one_more: bool = True
    """Back from pacos takes twice as many and one more; otherwise twice as many, and pacos take
    more than half (FROM-PACOS, TO-PACOS)."""
    ones_high: bool = False
    """Where pacos are not wild, they are the highest face instead of the lowest (FACES)."""
    next_opener: Literal["loser", "winner", "left"] = "loser"
    """Who opens after a round: who lost it, who won it, or the player to the left of the last
    opener (STARTER, CALZA-START)."""
    palifico_opener_may_raise_face: bool = False
    """In a palifico round the opener may raise the face when its turn comes again (PAL-LOCK)."""
    calza_by_bidder: bool = False
    """The bidder may call calza on its own bid (CALZA-BIDDER)."""
    calza_needs_lost_die: bool = False
    """Only a player who has lost a die may call calza (CALZA-LOST)."""


BGA = Rules(
    name="bga",
    first_opener="random",
    raise_quantity_and_face=False,
    raise_to_lower_face=False,
    palifico_once=True,
    palifico_with_two_left=True,
    veteran_may_raise_face=False,
    calza_by_next=True,
    calza_beats_turn=True,
    calza_in_palifico=True,
    calza_with_two_left=True,
    reveal="unstated",
    calza=False,
    lost_dice_visible=False,
    starting_dice=5,
)
CLASSIC = Rules(
    name="classic",
    first_opener="highest_roll",
    raise_quantity_and_face=False,
    raise_to_lower_face=False,
    palifico_once=False,
    palifico_with_two_left=True,
    veteran_may_raise_face=False,
    calza_by_next=True,
    calza_beats_turn=True,
    calza_in_palifico=False,
    calza_with_two_left=False,
    reveal="unstated",
    calza=False,
    lost_dice_visible=False,
    starting_dice=5,
)
PRESSMAN = Rules(
    name="pressman",
    first_opener="highest_roll",
    raise_quantity_and_face=True,
    raise_to_lower_face=True,
    palifico_once=True,
    palifico_with_two_left=False,
    veteran_may_raise_face=True,
    calza_by_next=False,
    calza_beats_turn=True,
    calza_in_palifico=False,
    calza_with_two_left=False,
    reveal="caller_first",
    calza=False,
    lost_dice_visible=False,
    starting_dice=5,
)
ITALIAN = Rules(
    name="italian",
    first_opener="random",
    raise_quantity_and_face=False,
    raise_to_lower_face=False,
    palifico_once=False,
    palifico_with_two_left=True,
    veteran_may_raise_face=False,
    calza_by_next=False,
    calza_beats_turn=False,
    calza_in_palifico=False,
    calza_with_two_left=False,
    reveal="at_once",
    calza=False,
    lost_dice_visible=False,
    starting_dice=5,
)

VARIANTS: dict[str, Rules] = {rules.name: rules for rules in (BGA, CLASSIC, PRESSMAN, ITALIAN)}
"""The four rule books of Perudo by their ids (`docs/reference/rules.md`)."""

LIARS_DICE = replace(
    PRESSMAN,
    name="liars-dice",
    base="pressman",
    palifico=False,
    pacos_wild=False,
    calza_by_next=True,
    calza_with_two_left=True,
    reveal="unstated",
)
"""Liar's dice as most of its descriptions have it: a higher bid has more dice of any face, or as
many of a higher one; no wild face, no palifico."""

BOOKS: dict[str, Rules] = {**VARIANTS, LIARS_DICE.name: LIARS_DICE}
"""Every rule book that ships with the arena, by its name."""

OPTIONS = frozenset({"calza", "lost_dice_visible", "starting_dice"})
"""Fields that a league chooses freely; not part of a rule book."""
_NAMES = frozenset({"name", "base"})
SWITCHES = frozenset(field.name for field in fields(Rules)) - OPTIONS - _NAMES
"""The rules on which documents and houses differ; a league may override each."""


def variant(name: str, overrides: Mapping[str, object], **options: object) -> Rules:
    """Return a rule book with some switches overridden and the table's options chosen.

    Raises ArenaError for an unknown variant or switch (with the nearest name), a value of the
    wrong type, and starting_dice out of range.
    """
    check_known(name, BOOKS, f"unknown variant '{name}'")
    return changed(BOOKS[name], overrides, **options)


def changed(rules: Rules, overrides: Mapping[str, object], **options: object) -> Rules:
    """Return rules with some switches and options changed; raises ArenaError as `variant`."""
    for key in overrides:
        check_known(key, SWITCHES, f"unknown rule switch '{key}'")
    try:
        rules = convert({**asdict(rules), **overrides, **options}, Rules)
    except ArenaError as error:
        raise ArenaError(f"variant '{rules.name}': {error.what}", hint=error.hint) from None
    if not 1 <= rules.starting_dice <= MAX_STARTING_DICE:
        raise ArenaError(
            f"a game starts with 1 to {MAX_STARTING_DICE} dice per seat, not {rules.starting_dice}"
        )
    return rules


def book_of(rules: Rules) -> Rules:
    """Return the rule book that rules started from."""
    return BOOKS.get(rules.name) or BOOKS[rules.base]


def changed_switches(rules: Rules) -> dict[str, object]:
    """Return the switches whose values differ from those of the rule book."""
    book = asdict(book_of(rules))
    return {
        key: value for key, value in asdict(rules).items() if key in SWITCHES and value != book[key]
    }


def unknown_switch(rules: Rules, known: Collection[str]) -> str:
    """Return the first field that rules use and that is not `known`, or "".

    A field at its default is not in use: it plays as the rule books without it.
    """
    unknown = [field for field in fields(rules) if field.name not in {*known, *_NAMES}]
    used = [
        field.name
        for field in unknown
        if field.default is NODEFAULT or getattr(rules, field.name) != field.default
    ]
    return used[0] if used else ""
