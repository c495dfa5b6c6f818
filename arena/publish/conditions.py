"""Page model of the conditions: every rule switch, option and limit, by name and in words."""

import shlex
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from arena.perudo.rules import OPTIONS, SWITCHES, VARIANTS, Rules, changed_switches
from arena.records import LeagueInfo, LimitsInfo

WORDS = {
    "first_opener": "Who opens the first round",
    "raise_quantity_and_face": "One raise may name more dice and a higher face",
    "raise_to_lower_face": "More dice of a lower face is a raise",
    "palifico_once": "A seat has at most one palifico round a game",
    "palifico_with_two_left": "Palifico rounds are played when only two players are left",
    "veteran_may_raise_face": (
        "In a palifico round a seat with one die that had its own before may raise the face"
    ),
    "calza_by_next": "The player whose turn is next may call calza",
    "calza_beats_turn": "A calza in the same moment as the action of the player on turn counts",
    "calza_in_palifico": "Calza may be called in a palifico round",
    "calza_with_two_left": "Calza may be called when only two players are left",
    "reveal": "The order in which dice are uncovered",
    "calza": "Calza is played",
    "lost_dice_visible": "Everyone sees how many dice each seat has left",
    "starting_dice": "Dice a seat starts with",
}
"""What each switch and option means, in the order of the rule books."""


class Value(Struct, frozen=True):
    """A switch's value in one variant; `book` is the rule book's where the league changed it."""

    shown: str
    book: str | None = None


class SwitchRow(Struct, frozen=True):
    """One switch across the league's variants."""

    name: str
    words: str
    values: tuple[Value, ...]


def shown(value: object) -> str:
    """Return a switch's value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("_", " ")


def _value(rules: Rules, name: str) -> Value:
    value = shown(asdict(rules)[name])
    if name not in changed_switches(rules):
        return Value(value)
    return Value(value, shown(asdict(VARIANTS[rules.name])[name]))


def _rows(variants: Mapping[str, Rules], names: frozenset[str]) -> list[SwitchRow]:
    return [
        SwitchRow(name, words, tuple(_value(rules, name) for rules in variants.values()))
        for name, words in WORDS.items()
        if name in names
    ]


def switches(league: LeagueInfo) -> list[SwitchRow]:
    """Return all rule switches, those that a league may override."""
    return _rows(league.variants, SWITCHES)


def options(league: LeagueInfo) -> list[SwitchRow]:
    """Return the options that a table chooses freely."""
    return _rows(league.variants, OPTIONS)


class Limit(Struct, frozen=True):
    """One limit with its unit."""

    name: str
    value: str
    words: str


def limits(info: LimitsInfo) -> list[Limit]:
    """Return the limits that bots played under."""
    return [
        Limit("start", f"{info.start:g} s", "from a bot's launch until it is ready"),
        Limit("answer", f"{info.answer:g} s", "for each answer"),
        Limit("game", f"{info.game:g} s", "for all answers of a bot in one game together"),
        Limit(
            "wall",
            f"{info.wall:g} times",
            "as long as that by the wall clock, where answers are timed by the bot's own processor"
            " time",
        ),
        Limit("freeze", shown(info.freeze), "a bot is stopped while no answer is awaited from it"),
        Limit("restarts", f"{info.restarts}", "fresh starts of a bot within a fixture"),
        Limit(
            "concurrent_games",
            f"{info.concurrent_games}",
            "games of a fixture under way at a time, at most, where all its bots can play so many",
        ),
    ]


def changes(league: LeagueInfo) -> dict[str, int]:
    """Return how many switches each variant changed against its rule book."""
    return {label: len(changed_switches(rules)) for label, rules in league.variants.items()}


def model(league: LeagueInfo) -> dict[str, Any]:
    """Return what the page of conditions shows beyond the league itself."""
    return {
        "switches": switches(league),
        "options": options(league),
        "limits": limits(league.limits),
        "quoted_seed": shlex.quote(league.seed),
    }
