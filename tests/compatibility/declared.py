"""JSON Schemas of all that later versions of the same major keep; `make schemas` writes them.

`schemas/` has them as they were promised. Keys and values may be added; `python -m
tests.compatibility.declared` refuses to take one out, and says what would be lost.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import arena.publish.site  # noqa: F401 -- it declares all tables
from arena.bots.manifest import Manifest
from arena.course.by_hand import ByHand
from arena.course.changes import GradingOutcome
from arena.course.config import CourseFile
from arena.course.intake.checks import Checked
from arena.course.lock import Lock
from arena.game.records import (
    Conditions,
    Exchange,
    Fixture,
    GameRecord,
    MachineInfo,
    QuarantinedFixture,
)
from arena.game.rules.judge import Position
from arena.game.wire.schemas import schemas as wire_schemas
from arena.io.renamed import RENAMED
from arena.io.structs import components
from arena.ladder.book.tables import CheckResult
from arena.ladder.config import LadderFile, SeasonTerms
from arena.ladder.door import api
from arena.ladder.season.season import TwinResult
from arena.league.changes import Change
from arena.league.store.rows import Record
from arena.league.terms.config import LeagueFile
from arena.league.terms.house import HouseBook
from arena.publish.data.schema import TABLE_TYPES
from arena.publish.export import ROWS
from tests.cli.every_command import every_command
from tests.compatibility.printed import ERROR, PRINTED
from tests.compatibility.shape import Schema, lost, plain

FOLDER = Path(__file__).with_name("schemas")
READ = {"written", "stored", "answered"}
"""Folders of what later versions read: they keep defaults, and ask for no key more."""

WRITTEN = {
    "bot.yaml": Manifest,
    "course.yaml": CourseFile,
    "house.yaml": HouseBook,
    "judge": Position,
    "ladder.yaml": LadderFile,
    "league.yaml": LeagueFile,
    "marks-by-hand": ByHand,
}
"""What people write."""
STORED = {
    "league-change": Change,
    "league-conditions": Conditions,
    "league-exchange": Exchange,
    "league-fixture": Fixture,
    "league-game": GameRecord,
    "league-machine": MachineInfo,
    "league-quarantine": QuarantinedFixture,
    "league-record": Record,
    "ladder-check": CheckResult,
    "ladder-season": SeasonTerms,
    "ladder-twins": TwinResult,
    "course-check": Checked,
    "course-lock": Lock,
    "course-outcome": GradingOutcome,
}
DOOR = {
    "health": api.Health,
    "me": api.Me,
    "order-receipt": api.OrderReceipt,
    "problem": api.Problem,
    "receipt": api.Receipt,
    "standings": api.StandingsInfo,
    **{f"event-{event.name}": event.payload for event in api.FEED},
}


def schema_of(*kinds: Any) -> Schema:
    """Return the schema of what is of one of these types."""
    found, parts = components(kinds)
    whole = found[0] if len(found) == 1 else {"anyOf": [*found]}
    return {**whole, "$defs": parts}


def declared() -> dict[str, Schema]:
    """Return the schemas of this version by their files, as they are read back."""
    return {name: json.loads(text_of(schema)) for name, schema in _declared()}


def _declared() -> Iterator[tuple[str, Schema]]:
    yield from ((f"written/{name}", schema_of(kind)) for name, kind in WRITTEN.items())
    yield from ((f"stored/{name}", schema_of(kind)) for name, kind in STORED.items())
    yield from ((f"published/{kind.name}", kind.schema) for kind in TABLE_TYPES.values())
    yield from ((f"exported/{name}", schema_of(kind)) for name, (kind, _) in ROWS.items())
    yield from ((f"door/{name}", schema_of(kind)) for name, kind in DOOR.items())
    yield "written/commands", commands()
    yield "answered/order", schema_of(api.OrderRequest)
    wire = wire_schemas()
    yield "answered/from_bot", wire["from_bot.json"]
    yield "sent/to_bot", wire["to_bot.json"]
    yield "sent/record", wire["record.json"]
    yield from ((f"printed/{name.replace(' ', '-')}", schema_of(*p)) for name, p in PRINTED.items())
    yield "printed/error", schema_of(ERROR)


def kept() -> dict[str, Schema]:
    """Return the schemas that were promised, by their files."""
    paths = sorted(FOLDER.rglob("*.json"))
    return {
        str(path.relative_to(FOLDER).with_suffix("")): json.loads(path.read_bytes())
        for path in paths
    }


def text_of(schema: Schema) -> str:
    """Return the text of a file."""
    return json.dumps(plain(schema), indent=1, sort_keys=True) + "\n"


def commands() -> Schema:
    """Return the commands and the options of each as a schema: `$.ladder init.--sandbox`."""
    keys: Schema = {
        name: {"properties": {option: {} for each in command.params for option in options(each)}}
        for name, command in every_command().items()
    }
    return {"type": "object", "properties": keys}


def options(parameter: click.Parameter) -> list[str]:
    """Return what an option is called; nothing for an argument."""
    return [] if isinstance(parameter, click.Argument) else [*parameter.opts]


def _renamed() -> Iterator[str]:
    """Yield where the old names stood that still work."""
    files = {kind.__name__: f"written/{name}: $." for name, kind in WRITTEN.items()}
    for entry in RENAMED:
        program, *words = entry.where.split()
        if program in files:
            yield f"{files[program]}{entry.old}"
        elif entry.old.startswith("-"):
            yield f"written/commands: $.{' '.join(words)}.{entry.old}"
        else:
            yield f"written/commands: $.{' '.join([*words, entry.old])}"


def broken(before: dict[str, Schema], now: dict[str, Schema]) -> list[str]:
    """Return the promises that are not kept any more, each after its file."""
    gone = [f"{name}: no longer declared" for name in before.keys() - now.keys()]
    for name in before.keys() & now.keys():
        read = name.partition("/")[0] in READ
        gone += [f"{name}: {line}" for line in lost(before[name], now[name], read=read)]
    ends = tuple(f"{path}{end}" for path in _renamed() for end in (":", ".", "[", "("))
    return sorted(line for line in gone if not line.startswith(ends))


def write() -> None:
    """Write the schemas, unless one takes a promise back."""
    now = declared()
    if gone := broken(kept(), now):
        sys.exit("\n".join(["promised (docs/reference/stability.md), and gone:", *gone]))
    for name, schema in now.items():
        path = FOLDER / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(schema), encoding="utf-8")


if __name__ == "__main__":
    write()
