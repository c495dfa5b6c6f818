"""Page models of the conditions (rules, limits, sandboxes, machine, times) and of the rules."""

import platform
import shlex
from collections.abc import Mapping

from msgspec import Struct

from arena import __version__
from arena.game.records import Conditions, MachineInfo
from arena.game.rules.books import OPTIONS, SWITCHES, VARIANTS
from arena.game.rules.clauses import CLAUSES, Clause, by_text
from arena.game.wire.messages import PROTOCOL
from arena.playstats.league_summary import LeagueSummary, Timing
from arena.publish.data.results import LimitRow, Switch, Value, limit_rows, switches, values
from arena.publish.text import duration, readable_time

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
}


class Wording(Struct, frozen=True):
    """The text of a clause in some rule books."""

    text: str
    books: list[str]
    in_force: bool
    """Whether a variant of the league is played by one of these books."""


def clause_entries(conditions: Conditions) -> list[tuple[Clause, list[Wording], list[Value]]]:
    """Return every clause in the order of a game, with its switch's value in each variant."""
    played = {rules.name for rules in conditions.variants.values()}
    return [
        (
            clause,
            [Wording(text, books, not played.isdisjoint(books)) for text, books in by_text(clause)],
            values(conditions, clause.switch) if clause.switch else [],
        )
        for clause in CLAUSES
    ]


class RulesPage(Struct, frozen=True):
    """The page of the rules."""

    clauses: list[tuple[Clause, list[Wording], list[Value]]]
    books: Mapping[str, str]


def rules_page(conditions: Conditions) -> RulesPage:
    """Return what the page of the rules shows."""
    return RulesPage(clause_entries(conditions), {name: BOOKS[name] for name in VARIANTS})
