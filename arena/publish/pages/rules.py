"""Page model of the rules: every clause in each book's words, and what this league plays."""

from msgspec import Struct

from arena.perudo.clauses import CLAUSES, Clause, by_text
from arena.publish.data.conditions import Value, values
from arena.records import LeagueInfo

BOOKS = {
    "bga": "the Asmodée version as Board Game Arena plays it",
    "classic": "a generic rule book of the web",
    "pressman": "Pressman Toy, 2008; it calls pacos “aces” and palifico “palafico”",
    "italian": "the Italian box rules by Fry and Fernandini",
}
"""What each rule book is."""


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
    """The switch's in each variant of the league; empty if the clause has none."""


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
