"""A league's rules and limits by name and in words, for pages and for data tables."""

from collections.abc import Collection, Mapping

from msgspec import Struct
from msgspec.structs import asdict, fields

from arena.game.records import LeagueInfo
from arena.game.rules.books import OPTIONS, SWITCHES, VARIANTS, Rules, changed_switches
from arena.game.rules.clauses import CLAUSES, MEANINGS
from arena.publish.data.result_rows import LimitRow, RuleRow

_WITHOUT_SWITCH = {"calza": "CALZA-WHO"}
"""The clause to read on an option that no single clause is about."""


class Value(Struct, frozen=True):
    """A switch's value in one variant."""

    variant: str
    shown: str
    book: str | None = None
    """The rule book's value, if the league changed it."""


class Switch(Struct, frozen=True):
    """A switch or option across the league's variants."""

    name: str
    words: str
    values: list[Value]
    clauses: tuple[str, ...]


def switches(league: LeagueInfo, names: Collection[str]) -> list[Switch]:
    """Return these switches or options, in the order of the rule books.

    Raises LookupError if one has no description, or no clause to read.
    """
    order = [field.name for field in fields(Rules)]
    return [
        Switch(name, _described(name, MEANINGS), values(league, name), clauses_of(name))
        for name in sorted(names, key=order.index)
    ]


def clauses_of(switch: str) -> tuple[str, ...]:
    """Return the ids of the clauses that a switch or option is about; at least one.

    Raises LookupError if there is none.
    """
    ids = tuple(clause.id for clause in CLAUSES if clause.switch == switch)
    return ids or (_described(switch, _WITHOUT_SWITCH),)


def _described(switch: str, descriptions: Mapping[str, str]) -> str:
    if switch not in descriptions:
        what = f"the site does not know the rule switch '{switch}'"
        raise LookupError(f"{what}: it needs a clause, and a description in MEANINGS of {__name__}")
    return descriptions[switch]


def values(league: LeagueInfo, switch: str) -> list[Value]:
    """Return what each variant of the league sets a switch or option to."""
    return [_value(label, rules, switch) for label, rules in league.variants.items()]


def _value(label: str, rules: Rules, switch: str) -> Value:
    ours, book = asdict(rules)[switch], asdict(VARIANTS[rules.name])[switch]
    return Value(label, shown(ours), shown(book) if switch in changed_switches(rules) else None)


def shown(value: object) -> str:
    """Return a switch's value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("_", " ")


def rule_rows(league: LeagueInfo) -> list[RuleRow]:
    """Return every switch and option of every variant."""
    return [
        RuleRow(
            value.variant,
            league.variants[value.variant].name,
            switch.name,
            value.shown,
            value.book,
            switch.clauses,
        )
        for switch in switches(league, SWITCHES) + switches(league, OPTIONS)
        for value in switch.values
    ]


def limit_rows(league: LeagueInfo) -> list[LimitRow]:
    """Return the limits that bots played under."""
    info = league.limits
    rows = [
        LimitRow("start", f"{info.start:g} s", "from a bot's launch until it is ready"),
        LimitRow("answer", f"{info.answer:g} s", "for each answer"),
        LimitRow("game", f"{info.game:g} s", "for all answers of a bot in one game together"),
        LimitRow(
            "wall",
            f"{info.wall:g} times",
            "as long as that by the wall clock, if answers are timed by the bot's own CPU time",
        ),
        LimitRow("freeze", shown(info.freeze), "a bot is stopped while no answer is awaited"),
        LimitRow("restarts", f"{info.restarts}", "fresh starts of a bot within a fixture"),
        LimitRow(
            "concurrent_games",
            f"{info.concurrent_games}",
            "games of a fixture under way at a time, if all its bots can play so many",
        ),
    ]
    if info.fixture:
        what = "wall time of a bot for all its answers in a fixture together"
        rows.append(LimitRow("fixture", f"{info.fixture:g} s", what))
    if info.model:
        what = "wall time in which language models may work for one answer"
        rows.append(LimitRow("model", f"{info.model:g} s", what))
    if league.rounds_per_die:
        what = "per die at the start; then the dice left decide the game"
        rows.append(LimitRow("rounds", f"{league.rounds_per_die} rounds", what))
    return rows
