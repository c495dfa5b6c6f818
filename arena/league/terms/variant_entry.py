"""A variant in league.yaml: a rule book, options, and switches that differ from the book."""

from msgspec import Struct

from arena.game.rules.books import Rules, changed_switches, variant
from arena.io.errors import ArenaError


class VariantEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A variant with options, in league.yaml."""

    variant: str
    label: str = ""
    calza: bool = False
    lost_dice_visible: bool = False
    starting_dice: int = 5
    overrides: dict[str, bool | int | str] = {}


def labelled_rules(entry: str | VariantEntry, where: str) -> tuple[str, Rules]:
    """Return a variant's label and rules; raises ArenaError, with its place, if it has none."""
    full = VariantEntry(entry) if isinstance(entry, str) else entry
    try:
        rules = variant(
            full.variant,
            dict(full.overrides),
            calza=full.calza,
            lost_dice_visible=full.lost_dice_visible,
            starting_dice=full.starting_dice,
        )
    except ArenaError as error:
        raise ArenaError(error.what, where, error.hint) from None
    return full.label or _label(rules), rules


def _label(rules: Rules) -> str:
    """Name a variant by its rule book and how it differs from it."""
    parts = [rules.name]
    parts += ["calza"] if rules.calza else []
    parts += ["visible"] if rules.lost_dice_visible else []
    parts += [f"{rules.starting_dice} dice"] if rules.starting_dice != 5 else []
    parts += sorted(changed_switches(rules))
    return "+".join(parts)
