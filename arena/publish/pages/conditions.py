"""The conditions of a league, and its rules: page models, and data tables."""

import platform
import shlex
from collections.abc import Collection, Mapping
from typing import Annotated

from msgspec import Struct
from msgspec.structs import asdict, fields

from arena import __version__
from arena.game.records import Conditions, MachineInfo
from arena.game.rules.books import OPTIONS, SWITCHES, VARIANTS, Rules, book_of, changed_switches
from arena.game.rules.clauses import CLAUSES, MEANINGS, Clause, by_text, text
from arena.game.wire.messages import PROTOCOL
from arena.playstats.league_summary import LeagueSummary, Timing
from arena.publish.data.schema import DataTable, LeagueHead, TableRow, table
from arena.publish.text import duration, readable_time
from arena.ratings.columns import Bot, Players, Variant, Whole, doc


@table("bots")
class BotRow(TableRow, frozen=True):
    """The bots as they entered."""

    name: Bot
    author: Annotated[str, doc("Who wrote it.")]
    version: Annotated[str, doc("As its author calls it.")]
    runtime: Annotated[str, doc("What it is written for.")]
    tags: Annotated[tuple[str, ...], doc("What its author sorts it under.")]
    digest: Annotated[str, doc("SHA-256 over the bot's files, hexadecimal.")]


@table("rules")
class RuleRow(TableRow, frozen=True):
    """Every rule switch and option of every variant."""

    variant: Variant
    book: Annotated[str, doc("The rule book that the variant started from.")]
    switch: Annotated[str, doc("The switch's or option's name.")]
    value: Annotated[str, doc("What is played.")]
    changed_from: Annotated[str | None, doc("The rule book's value if the league changed it.")]
    clauses: Annotated[tuple[str, ...], doc("The clauses of the rules that it is about.")]


@table("limits")
class LimitRow(TableRow, frozen=True):
    """The limits of bots."""

    name: Annotated[str, doc("The limit's name in league.yaml.")]
    value: Annotated[str, doc("Its value, with the unit.")]
    words: Annotated[str, doc("What is limited.")]


@table("played")
class PlayedRow(TableRow, frozen=True):
    """How much was played."""

    variant: Variant
    players: Players
    fixtures: Annotated[Whole, doc("Fixtures played.")]
    games: Annotated[Whole, doc("Games played.")]
    decisions: Annotated[Whole, doc("Answers asked of bots.")]


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


def switches(conditions: Conditions, names: Collection[str]) -> list[Switch]:
    """Return these switches or options, in the order of the rule books.

    Raises LookupError if one has no description, or no clause to read.
    """
    order = [field.name for field in fields(Rules)]
    return [
        Switch(name, _described(name, MEANINGS), values(conditions, name), clauses_of(name))
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


def values(conditions: Conditions, switch: str) -> list[Value]:
    """Return what each variant of the league sets a switch or option to."""
    found = []
    for label, rules in conditions.variants.items():
        book = asdict(book_of(rules))[switch]
        changed = switch in changed_switches(rules)
        found.append(Value(label, shown(asdict(rules)[switch]), shown(book) if changed else None))
    return found


def shown(value: object) -> str:
    """Return a switch's value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("_", " ")


def rule_rows(conditions: Conditions) -> list[RuleRow]:
    """Return every switch and option of every variant."""
    return [
        RuleRow(
            value.variant,
            conditions.variants[value.variant].name,
            switch.name,
            value.shown,
            value.book,
            switch.clauses,
        )
        for switch in switches(conditions, SWITCHES) + switches(conditions, OPTIONS)
        for value in switch.values
    ]


def limit_rows(conditions: Conditions) -> list[LimitRow]:
    """Return the limits that bots played under."""
    info = conditions.limits
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
    if conditions.rounds_per_die:
        what = "per die at the start; then the dice left decide the game"
        rows.append(LimitRow("rounds", f"{conditions.rounds_per_die} rounds", what))
    return rows


_INODES = "The number of files in /tmp is not capped, and each takes some of the machine's memory."
_KERNEL = "Bots share the machine's kernel: a vulnerability in it is a way out."
_SIGNALS = "Two bots at a table can signal each other by how busy they keep the machine."


class Promise(Struct, frozen=True):
    """The limits of a sandbox."""

    keeps: tuple[str, ...]
    open: tuple[str, ...]
    """Attacks that the sandbox does not prevent."""


PROMISES = {
    "docker": Promise(
        (
            "No network, no sight of other processes, no privileges.",
            "Files: those of its image and its own folder, read-only, and a small /tmp.",
            "Memory, processes and one core, capped for all of a bot together.",
            "All that a bot started ends with its fixture, and with the arena.",
        ),
        (_KERNEL, _SIGNALS),
    ),
    "bubblewrap": Promise(
        (
            "No network, no sight of other processes, no privileges.",
            "Files: its own folder and the system's programs, read-only, and a small /tmp.",
            "Memory and open files of a process are capped, and the number of processes.",
            "All that a bot started ends with its fixture, and with the arena.",
        ),
        (
            _INODES,
            "Without a control group, memory is capped by process and CPU time not at all.",
            _KERNEL,
            _SIGNALS,
        ),
    ),
    "process": Promise(
        (
            "Memory, open files and the largest file of a process are capped.",
            "A clean environment, and no way to type into the operator's terminal.",
        ),
        (
            "A bot may do all that your user may: read, write, fill disks, signal, connect.",
            "The number of a bot's processes and threads is not capped.",
            "A System V memory segment of a bot outlives it.",
            "What a bot started may stay when the arena is killed.",
            "Two bots can signal each other by locks and counters.",
        ),
    ),
}
"""The limits of each sandbox, in the words of benchmarks/results/hostile.md."""


def machine(info: MachineInfo | None) -> dict[str, str]:
    """Return what is known of the machine that the league began on, by name."""
    if info is None:
        return {}
    found = {
        "Processor": info.processor,
        "Cores": str(info.cores),
        "Memory": f"{info.memory / 2**30:.1f} GiB",
        "System": info.system,
        "Python": info.python,
        "numpy": info.numpy,
    }
    return {name: value for name, value in found.items() if value}


def versions(conditions: Conditions) -> dict[str, str]:
    """Return the versions of what played and of what wrote the report."""
    from importlib.metadata import version

    return {
        "Arena that played": conditions.arena_version,
        "Wire protocol": str(PROTOCOL),
        "Arena that wrote this": __version__,
        "Python that rated": platform.python_version(),
        "numpy that rated": version("numpy"),
    }


def times(known: Timing | None) -> dict[str, str]:
    """Return when and how fast the league was played."""
    if known is None:
        return {}
    return {
        "First fixture stored": readable_time(known.began),
        "Last fixture stored": readable_time(known.ended),
        "Wall time, without pauses": duration(known.wall),
        "Time at the tables, in total": duration(known.tables),
        "Games per second": f"{known.games_per_second:,.1f}",
        "Decisions per second": f"{known.decisions_per_second:,.0f}",
    }


class ConditionsPage(Struct, frozen=True):
    """The page of conditions, beyond the league itself."""

    switches: list[Switch]
    options: list[Switch]
    limits: list[LimitRow]
    sandboxes: dict[str, int]
    """Fixtures played in each."""
    promises: Mapping[str, Promise]
    machine: dict[str, str]
    versions: dict[str, str]
    times: dict[str, str]
    seeds: list["SeedFacts"]
    store_root: str
    """The hash that pins the store."""


def conditions_page(
    conditions: Conditions, summary: LeagueSummary, timing: Timing | None, store_root: str
) -> ConditionsPage:
    """Return what the page of conditions shows."""
    return ConditionsPage(
        switches=switches(conditions, SWITCHES),
        options=switches(conditions, OPTIONS),
        limits=limit_rows(conditions),
        sandboxes=dict(sorted(summary.sandboxes.items())) or {conditions.sandbox: 0},
        promises=PROMISES,
        machine=machine(conditions.machine),
        versions=versions(conditions),
        times=times(timing),
        seeds=seeds(conditions),
        store_root=store_root,
    )


class SeedFacts(Struct, frozen=True):
    """A master seed, and the hash that was published before it was used."""

    title: str
    """Which one it is, if there were several."""
    seed: str
    """"" if it is withheld."""
    commitment: str

    @property
    def quoted(self) -> str:
        """The seed as a word for the shell."""
        return shlex.quote(self.seed)


def seeds(conditions: Conditions) -> list[SeedFacts]:
    """Return the league's master seeds, first to last: it got another when bots joined."""
    last = conditions.seed, conditions.commitment
    pairs = [*((pair.seed, pair.commitment) for pair in conditions.earlier_seeds), last]
    several = len(pairs) > 1
    return [
        SeedFacts(f" {number}" if several else "", *pair) for number, pair in enumerate(pairs, 1)
    ]


BOOKS = {
    "bga": "the Asmodée version as Board Game Arena plays it",
    "classic": "a generic rule book from the web",
    "pressman": "Pressman Toy, 2008; it calls pacos “aces” and palifico “palafico”",
    "italian": "the Italian box rules by Fry and Fernandini",
    "liars-dice": "liar's dice: no wild face, no palifico, a higher bid of any face",
}


class Wording(Struct, frozen=True):
    """The text of a clause in some rule books."""

    text: str
    books: list[str]
    in_force: bool
    """Whether a variant of the league is played by one of these books."""


def clause_entries(conditions: Conditions) -> list[tuple[Clause, list[Wording], list[Value]]]:
    """Return every clause in the order of a game, with its switch's value in each variant."""
    books = {**VARIANTS, **_others(conditions)}
    return [
        (
            clause,
            [
                Wording(words, having, words in _played(clause, conditions))
                for words, having in by_text(clause, books)
            ],
            values(conditions, clause.switch) if clause.switch else [],
        )
        for clause in CLAUSES
    ]


def _others(conditions: Conditions) -> dict[str, Rules]:
    """Return the rules of the league that are not one of the four books', by their name."""
    variants = conditions.variants.values()
    return {rules.name: rules for rules in variants if rules.name not in VARIANTS}


def _played(clause: Clause, conditions: Conditions) -> set[str]:
    """Return the texts of a clause by which the league plays."""
    return {text(clause, rules) for rules in conditions.variants.values()}


class RulesPage(Struct, frozen=True):
    """The page of the rules."""

    clauses: list[tuple[Clause, list[Wording], list[Value]]]
    books: Mapping[str, str]


def rules_page(conditions: Conditions) -> RulesPage:
    """Return what the page of the rules shows."""
    books = {name: BOOKS[name] for name in VARIANTS}
    for name, rules in _others(conditions).items():
        books[name] = BOOKS.get(name, f"rules of a house, from {rules.base}")
    return RulesPage(clause_entries(conditions), books)


def tables(conditions: Conditions, summary: LeagueSummary) -> list[DataTable]:
    """Return the data tables of the bots, the rules, the limits and how much was played."""
    head = LeagueHead(conditions.name)
    fields = BotRow.__struct_fields__
    bots = [BotRow(**{name: getattr(bot, name) for name in fields}) for bot in conditions.bots]
    played = [
        PlayedRow(*division, total.fixtures, total.games, total.decisions)
        for division, total in summary.played.items()
    ]
    return [
        DataTable(BotRow, head, bots),
        DataTable(RuleRow, head, rule_rows(conditions)),
        DataTable(LimitRow, head, limit_rows(conditions)),
        DataTable(PlayedRow, head, played),
    ]
