"""House rules: a rule book in a file, with a name, a base and the switches that differ."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.game.rules.books import (
    BOOKS,
    OPTIONS,
    SWITCHES,
    Rules,
    book_of,
    changed,
    changed_switches,
    variant,
)
from arena.io.errors import ArenaError, check_known, did_you_mean
from arena.io.yaml_file import convert, in_words, locate, parse_yaml

SUFFIXES = (".yaml", ".yml")
_MAX_NAME = 40
_HINT = "for example `name: our house`"

Switches = dict[str, bool | int | str]
At = Callable[[str], str]
"""Returns the place of a key, as `$.switches.palifico`, for an error."""


class HouseBook(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The keys of a rule book in a file (`docs/reference/rules.md`)."""

    name: str
    base: str = "bga"
    """The rule book from which the switches differ."""
    switches: Switches = {}
    calza: bool = False
    lost_dice_visible: bool = False
    starting_dice: int = 5


def is_file(name: str) -> bool:
    """Return whether a variant is named by a file."""
    return name.endswith(SUFFIXES)


def rules_named(name: str, folder: Path = Path(), **options: object) -> Rules:
    """Return the rules of a book's name or of a file; options that are None are the book's.

    A file is looked for from `folder` on.

    Raises ArenaError for an unknown name, with the nearest, and with the line that is wrong.
    """
    given = {key: value for key, value in options.items() if value is not None}
    if is_file(name):
        return changed(load_house(folder / name), {}, **given)
    if name not in BOOKS:
        hint = f"{did_you_mean(name, BOOKS)}, or a file of rules: NAME.yaml"
        raise ArenaError(f"unknown variant '{name}'", hint=hint)
    return variant(name, {}, **given)


def load_house(path: Path) -> Rules:
    """Read a rule book from a file; raises ArenaError with the line that is wrong."""
    data, marks = parse_yaml(path)
    if data is None:
        raise ArenaError("the file is empty", str(path), _HINT)
    house = convert(data, marks, path, HouseBook)
    return house_rules(house, lambda key: locate(path, marks, key))


def house_rules(house: HouseBook, at: At) -> Rules:
    """Return the rules of a house; raises ArenaError that names the place."""
    name = house.name.strip()
    if not name or len(name) > _MAX_NAME or not name.isprintable():
        what = f"a name has 1 to {_MAX_NAME} characters, all of them visible"
        raise ArenaError(what, at("$.name"), _HINT)
    if name in BOOKS:
        hint = "give your rules a name of their own"
        raise ArenaError(f"'{name}' is a rule book of the arena", at("$.name"), hint)
    check_known(house.base, BOOKS, f"unknown rule book '{house.base}'", at("$.base"))
    rules = replace(BOOKS[house.base], name=name, base=house.base)
    rules = with_switches(rules, house.switches, lambda key: at(f"$.switches.{key}"))
    try:
        return changed(
            rules,
            {},
            calza=house.calza,
            lost_dice_visible=house.lost_dice_visible,
            starting_dice=house.starting_dice,
        )
    except ArenaError as error:
        raise ArenaError(error.what, at("$.starting_dice"), error.hint) from None


def with_switches(rules: Rules, switches: Switches, at: At) -> Rules:
    """Return rules with some switches changed; raises ArenaError with the place of the wrong one.

    `at` returns the place of a switch.
    """
    for key, value in switches.items():
        if key in OPTIONS:
            what, hint = f"'{key}' is an option, not a switch", "write it one level up"
            raise ArenaError(what, at(key), hint)
        check_known(key, SWITCHES, f"unknown rule switch '{key}'", at(key))
        try:
            rules = changed(rules, {key: value})
        except ArenaError as error:
            raise ArenaError(in_words(error.what), at(key), error.hint) from None
    return rules


def entry_of(rules: Rules) -> dict[str, object]:
    """Return rules as an entry of `variants` in league.yaml."""
    options = {option: getattr(rules, option) for option in sorted(OPTIONS)}
    switches = changed_switches(rules)
    if rules.name in BOOKS:
        return {"variant": rules.name, **options, "overrides": switches}
    book = book_of(rules).name
    return {"rules": {"name": rules.name, "base": book, "switches": switches, **options}}
