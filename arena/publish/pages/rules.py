"""Page model of the rules: every clause in each book's words, and what this league plays."""

from msgspec import Struct
from msgspec.structs import asdict

from arena.perudo.clauses import CLAUSES, Clause, by_text
from arena.perudo.rules import VARIANTS, Rules, changed_switches
from arena.records import LeagueInfo

BOOKS = {
    "bga": "the Asmodée version as Board Game Arena plays it",
    "classic": "a generic rule book of the web",
    "pressman": "Pressman Toy, 2008; it calls pacos “aces” and palifico “palafico”",
    "italian": "the Italian box rules by Fry and Fernandini",
}
"""What each rule book is."""

_WITHOUT_SWITCH = {"calza": "CALZA-WHO"}
"""The clause to read on an option that no single clause is about."""


def shown(value: object) -> str:
    """Return a switch's value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("_", " ")


class Value(Struct, frozen=True):
    """A switch's value in one variant; `book` is the rule book's where the league changed it."""

    variant: str
    shown: str
    book: str | None = None


class Wording(Struct, frozen=True):
    """What some rule books say of a clause."""

    text: str
    books: list[str]
    in_force: bool
    """Whether a variant of the league is played by one of these books."""


class ClauseEntry(Struct, frozen=True):
    """One clause on the page of rules."""

    id: str
    title: str
    wordings: list[Wording]
    switch: str
    values: list[Value]
    """The switch's in each variant of the league; empty where the clause has none."""


def clauses_of(switch: str) -> list[str]:
    """Return the ids of the clauses that a switch or option is about; at least one."""
    found = [clause.id for clause in CLAUSES if clause.switch == switch]
    return found or [_WITHOUT_SWITCH[switch]]


def values(league: LeagueInfo, switch: str) -> list[Value]:
    """Return what each variant of the league sets a switch or option to."""
    return [_value(label, rules, switch) for label, rules in league.variants.items()]


def _value(label: str, rules: Rules, switch: str) -> Value:
    mine, book = asdict(rules)[switch], asdict(VARIANTS[rules.name])[switch]
    return Value(label, shown(mine), shown(book) if switch in changed_switches(rules) else None)


def entries(league: LeagueInfo) -> list[ClauseEntry]:
    """Return every clause, in the order in which they come to bear in a game."""
    played = {rules.name for rules in league.variants.values()}
    return [_entry(clause, league, played) for clause in CLAUSES]


def _entry(clause: Clause, league: LeagueInfo, played: set[str]) -> ClauseEntry:
    return ClauseEntry(
        clause.id,
        clause.title,
        [Wording(text, books, not played.isdisjoint(books)) for text, books in by_text(clause)],
        clause.switch,
        values(league, clause.switch) if clause.switch else [],
    )
