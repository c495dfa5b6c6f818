"""The four rule books switch by switch, and how a table's rules are made from them."""

import msgspec
import pytest

from arena.game.rules import books as rules
from arena.game.rules import dice, judge, round, view  # noqa: A004 - a round of the game
from arena.game.rules.books import (
    SWITCHES,
    VARIANTS,
    Count,
    Face,
    Rules,
    Seat,
    changed_switches,
    variant,
)
from arena.io.errors import ArenaError

BOOKS = ("bga", "classic", "pressman", "italian")
# The values in the order of BOOKS.
TABLE: dict[str, tuple[object, object, object, object]] = {
    "first_opener": ("random", "highest_roll", "highest_roll", "random"),
    "raise_quantity_and_face": (False, False, True, False),
    "raise_to_lower_face": (False, False, True, False),
    "palifico_once": (True, False, True, False),
    "palifico_with_two_left": (True, True, False, True),
    "veteran_may_raise_face": (False, False, True, False),
    "calza_by_next": (True, True, False, False),
    "calza_beats_turn": (True, True, True, False),
    "calza_in_palifico": (True, False, False, False),
    "calza_with_two_left": (True, False, False, False),
    "reveal": ("unstated", "unstated", "caller_first", "at_once"),
}
# What every book has, and what a house may have.
HOUSES: dict[str, tuple[object, object]] = {
    "palifico": (True, False),
    "pacos_wild": (True, False),
    "open_with_pacos": (False, True),
    "from_pacos_one_more": (True, False),
    "ones_high": (False, True),
    "next_opener": ("loser", "winner"),
    "palifico_opener_may_raise_face": (False, True),
    "calza_by_bidder": (False, True),
    "calza_needs_lost_die": (False, True),
}


def test_every_switch_of_every_book() -> None:
    assert tuple(VARIANTS) == BOOKS
    assert set(TABLE) | set(HOUSES) == SWITCHES
    for at, book in enumerate(BOOKS):
        assert VARIANTS[book].name == book
        found = {switch: getattr(VARIANTS[book], switch) for switch in TABLE}
        assert found == {switch: values[at] for switch, values in TABLE.items()}
        houses = {switch: getattr(VARIANTS[book], switch) for switch in HOUSES}
        assert houses == {switch: usual for switch, (usual, _) in HOUSES.items()}


@pytest.mark.parametrize("book", BOOKS)
def test_options_have_their_default_values(book: str) -> None:
    plain = VARIANTS[book]
    assert (plain.calza, plain.lost_dice_visible, plain.starting_dice) == (False, False, 5)
    assert variant(book, {}) == plain


@pytest.mark.parametrize("switch", sorted(SWITCHES))
@pytest.mark.parametrize("book", BOOKS)
def test_a_switch_overridden_is_the_only_one_changed(book: str, switch: str) -> None:
    was = getattr(VARIANTS[book], switch)
    value = next(other for other in (TABLE | HOUSES)[switch] if other != was)
    changed = variant(book, {switch: value}, calza=True)
    assert changed == msgspec.structs.replace(VARIANTS[book], calza=True, **{switch: value})
    assert changed_switches(changed) == {switch: value}
    assert changed_switches(variant(book, {switch: was}, starting_dice=3)) == {}


def test_overriding_with_the_same_value_is_no_change() -> None:
    spelt = "".join(["un", "stated"])
    assert spelt is not VARIANTS["bga"].reveal
    assert changed_switches(msgspec.structs.replace(VARIANTS["bga"], reveal=spelt)) == {}


@pytest.mark.parametrize("dice", [1, 10])
def test_fewest_and_most_starting_dice(dice: int) -> None:
    assert variant("bga", {}, starting_dice=dice).starting_dice == dice


@pytest.mark.parametrize("dice", [-1, 0, 11])
def test_starting_dice_out_of_range_are_refused(dice: int) -> None:
    what = f"^a game starts with 1 to 10 dice per seat, not {dice}$"
    with pytest.raises(ArenaError, match=what):
        variant("bga", {}, starting_dice=dice)


def test_unknown_names_suggest_the_nearest() -> None:
    with pytest.raises(ArenaError, match=r"^unknown variant 'pressmen'") as unknown:
        variant("pressmen", {})
    assert "pressman" in str(unknown.value.hint)
    with pytest.raises(ArenaError, match=r"^unknown rule switch 'palifico_onse'") as unknown:
        variant("bga", {"palifico_onse": True})
    assert "palifico_once" in str(unknown.value.hint)


@pytest.mark.parametrize("key", ["name", "calza", "lost_dice_visible", "starting_dice"])
def test_only_switches_can_be_overridden(key: str) -> None:
    with pytest.raises(ArenaError, match=f"^unknown rule switch '{key}'"):
        variant("bga", {key: 1})


def test_switch_of_the_wrong_type_is_refused() -> None:
    with pytest.raises(ArenaError, match=r"^variant 'bga': .*reveal") as wrong:
        variant("bga", {"reveal": "never"})
    assert wrong.value.__suppress_context__


@pytest.mark.parametrize(("what", "low", "high"), [(Seat, 0, 5), (Face, 1, 6), (Count, 0, 60)])
def test_annotated_ranges_are_enforced(what: object, low: int, high: int) -> None:
    assert [msgspec.convert(number, what) for number in (low, high)] == [low, high]
    for number in (low - 1, high + 1):
        if what is not Count or number < low:
            with pytest.raises(msgspec.ValidationError):
                msgspec.convert(number, what)


# ---------------------------------------------------------------- plain data

STRUCTS = [
    found
    for module in (dice, judge, round, rules, view)
    for found in vars(module).values()
    if isinstance(found, type)
    and issubclass(found, msgspec.Struct)
    and found is not msgspec.Struct
    and found.__module__ == module.__name__
]
READ = [
    judge.BidAction,
    judge.DudoAction,
    judge.CalzaAction,
    judge.RoundInfo,
    judge.Position,
    Rules,
]


@pytest.mark.parametrize("struct", STRUCTS)
def test_structs_are_frozen(struct: type[msgspec.Struct]) -> None:
    assert struct.__struct_config__.frozen


@pytest.mark.parametrize("struct", READ)
def test_unknown_keys_are_refused(struct: type[msgspec.Struct]) -> None:
    assert struct.__struct_config__.forbid_unknown_fields


def test_switches_are_given_by_name() -> None:
    assert not Rules.__match_args__
    assert not judge.Position.__match_args__
