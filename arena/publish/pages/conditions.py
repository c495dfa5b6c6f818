"""Page model of the conditions: every rule switch, option and limit, by name and in words."""

import platform
import shlex
from typing import Any

from msgspec import Struct

from arena import __version__
from arena.perudo.rules import OPTIONS, SWITCHES, changed_switches
from arena.playstats.league_summary import LeagueSummary
from arena.playstats.timing import Timing
from arena.publish.output.text import duration, moment
from arena.publish.pages.rules import Value, clauses_of, shown, values
from arena.publish.pages.sandboxes import PROMISES, Promise
from arena.records import LeagueInfo, LimitsInfo, MachineInfo
from arena.wire.messages import PROTOCOL

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


class SwitchRow(Struct, frozen=True):
    """One switch across the league's variants."""

    name: str
    words: str
    values: list[Value]
    clauses: list[str]
    """Where the rule books speak of it."""


def _rows(league: LeagueInfo, names: frozenset[str]) -> list[SwitchRow]:
    return [
        SwitchRow(name, words, values(league, name), clauses_of(name))
        for name, words in WORDS.items()
        if name in names
    ]


def switches(league: LeagueInfo) -> list[SwitchRow]:
    """Return all rule switches, those that a league may override."""
    return _rows(league, SWITCHES)


def options(league: LeagueInfo) -> list[SwitchRow]:
    """Return the options that a table chooses freely."""
    return _rows(league, OPTIONS)


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


class Box(Struct, frozen=True):
    """A sandbox that bots played in."""

    name: str
    fixtures: int
    promise: Promise | None
    """None for one that this arena does not know."""


def boxes(league: LeagueInfo, facts: LeagueSummary) -> list[Box]:
    """Return the sandboxes that were used, or the one that is to be used."""
    used = dict(sorted(facts.sandboxes.items())) or {league.sandbox: 0}
    return [Box(name, fixtures, PROMISES.get(name)) for name, fixtures in used.items()]


class Fact(Struct, frozen=True):
    """One line of a list of facts."""

    name: str
    value: str


def machine(info: MachineInfo | None) -> list[Fact]:
    """Return what is known of the machine that the league began on."""
    if info is None:
        return []
    return [
        Fact("Processor", info.processor),
        Fact("Cores", str(info.cores)),
        Fact("Memory", f"{info.memory / 2**30:.1f} GiB"),
        Fact("System", info.system),
        Fact("Python", info.python),
    ]


def versions(league: LeagueInfo) -> list[Fact]:
    """Return what played, and what made the report of it."""
    from importlib.metadata import version

    return [
        Fact("Arena that played", league.arena_version),
        Fact("Wire protocol", str(PROTOCOL)),
        Fact("Arena that wrote this", __version__),
        Fact("Python that rated", platform.python_version()),
        Fact("numpy that rated", version("numpy")),
    ]


def times(known: Timing | None) -> list[Fact]:
    """Return when and how fast was played."""
    if known is None:
        return []
    return [
        Fact("First fixture stored", moment(known.began)),
        Fact("Last fixture stored", moment(known.ended)),
        Fact("Wall time, without pauses", duration(known.wall)),
        Fact("At the tables, in sum", duration(known.tables)),
        Fact("Games a second", f"{known.games_per_second:,.1f}"),
        Fact("Decisions a second", f"{known.decisions_per_second:,.0f}"),
    ]


def model(league: LeagueInfo, facts: LeagueSummary, known: Timing | None) -> dict[str, Any]:
    """Return what the page of conditions shows beyond the league itself."""
    return {
        "switches": switches(league),
        "options": options(league),
        "limits": limits(league.limits),
        "boxes": boxes(league, facts),
        "machine": machine(league.machine),
        "versions": versions(league),
        "times": times(known),
        "quoted_seed": shlex.quote(league.seed),
    }
