"""`arena judge`, `perft`, `rules`: apply the rules, count with them, print them."""

import sys
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Literal

import click
import msgspec
from msgspec.structs import replace

from arena.cli.exit_codes import BAD_INPUT, FINDINGS, OK, while_read
from arena.cli.options import PathType, json_option
from arena.cli.output import print_json, print_result, say
from arena.game.rules.books import (
    BOOKS,
    MAX_PLAYERS,
    MAX_STARTING_DICE,
    MIN_PLAYERS,
    VARIANTS,
    Rules,
)
from arena.game.rules.clauses import CLAUSES, Clause, by_text, differs, text, value
from arena.game.rules.judge import Position, RefusedError, judge
from arena.game.rules.round import first_standing, perft
from arena.game.wire.codec import StrictError, loads
from arena.io.errors import ArenaError
from arena.io.files import os_errors
from arena.io.structs import convert
from arena.league.terms.house import load_house, rules_named

MAX_LINE = 64 * 1024
"""Bytes, as in the protocol; an endless line must not fill the memory."""
_encode = msgspec.json.Encoder().encode
_KEY = "→ marks our reading of a document that is silent or unclear; a league may set a [switch]."


@click.command()
@click.argument("file", type=PathType(), default=Path("-"))
@click.option(
    "--json", "as_json", is_flag=True, help="Accepted for consistency: verdicts are always JSON."
)
@click.option(
    "--rules",
    "houses",
    type=PathType(),
    metavar="FILE",
    multiple=True,
    help="The file of a house's rules, which positions may name as their variant; repeat it.",
)
def judge_(file: Path, houses: tuple[Path, ...], *, as_json: bool) -> int:
    """Judge positions: one JSON object per line in FILE or on stdin, one verdict per line out.

    A verdict is open, resolved or illegal, and names the clauses behind it. An impossible position
    is refused (exit code 1), and so is a line that is not a position (exit code 2).
    """
    del as_json
    worst = OK
    books = {**BOOKS, **{rules.name: rules for rules in map(load_house, houses)}}
    for number, line in while_read(_positions(file)):
        verdict, code = _judge_line(line, f"{file}:{number}", books)
        click.echo(_encode(verdict))
        worst = max(worst, code)
    return worst


def _positions(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers; raises ArenaError for a long one."""
    with (
        os_errors("cannot be read", file),
        sys.stdin.buffer if str(file) == "-" else file.open("rb") as source,
    ):
        for number in count(1):
            line = source.readline(MAX_LINE + 1)
            if len(line) > MAX_LINE:
                what = f"a line of more than {MAX_LINE // 1024} KiB"
                raise ArenaError(what, f"{file}:{number}", "one position per line")
            if line.strip():
                yield number, line
            elif not line:
                return


def _judge_line(
    line: bytes, where: str, books: Mapping[str, Rules]
) -> tuple[dict[str, object], int]:
    """Return the verdict on a line and its exit code."""
    id_: object = None
    try:
        value = loads(line)
        id_ = value.get("id") if isinstance(value, dict) else None
        verdict = judge(convert(value, Position), books)
        return {"id": id_, **msgspec.to_builtins(verdict)}, OK
    except RefusedError as error:
        return _refused(id_, str(error)), FINDINGS
    except StrictError as error:
        reason = str(error)
    except ArenaError as error:
        reason = "; ".join(filter(None, (error.what, error.hint)))
    say(f"error: {ArenaError(reason, where)}")
    return _refused(id_, reason), BAD_INPUT


def _refused(id_: object, reason: str) -> dict[str, object]:
    return {"id": id_, "verdict": "refused", "reason": reason}


@click.command()
@click.argument("variant_name", metavar="VARIANT")
@click.option(
    "--players",
    type=click.IntRange(MIN_PLAYERS, MAX_PLAYERS),
    required=True,
    help="Players at the table.",
)
@click.option(
    "--starting-dice",
    type=click.IntRange(1, MAX_STARTING_DICE),
    required=True,
    help="Dice of each player.",
)
@click.option(
    "--round",
    "kind",
    type=click.Choice(["normal", "palifico"]),
    default="normal",
    show_default=True,
    help="Which round to count; a palifico round is the first of its game.",
)
@json_option
def perft_(
    variant_name: str,
    players: int,
    starting_dice: int,
    kind: Literal["normal", "palifico"],
    *,
    as_json: bool,
) -> None:
    """Count all non-empty bid sequences of a round of VARIANT from its opening.

    Calza is off, and quantities go up to the players x starting dice on the table. The count checks
    move generators against each other: what may be bid, whether or not a game gets there.
    """
    standing = first_standing(rules_named(variant_name, starting_dice=starting_dice), players, 0)
    if kind == "palifico":
        standing = replace(standing, palifico_seat=0)
    count = perft(standing)
    shape = {"variant": variant_name, "players": players, "starting_dice": starting_dice}
    print_result({**shape, "round": kind, "sequences": count}, str(count), as_json=as_json)


@click.command()
@click.argument("variant", required=False)
@click.option(
    "--diff", nargs=2, metavar="A B", help="Print only differences between the rules A and B."
)
@json_option
def rules(variant: str | None, diff: tuple[str, str] | None, *, as_json: bool) -> None:
    """Print the rules by clause: of the four rule books, of VARIANT, or the differences of two.

    VARIANT, A and B are rule books or files of a house's rules. With --diff, the switch behind each
    difference is named.
    """
    if variant and diff:
        raise ArenaError("VARIANT and --diff do not go together", hint="leave one of them out")
    named = diff or ((variant,) if variant else tuple(VARIANTS))
    every = [rules_named(name) for name in named]
    books = {rules.name: rules for rules in every}
    if any(books[rules.name] != rules for rules in every):
        raise ArenaError(f"both are called '{every[0].name}'", hint="rename one in its file")
    clauses = [clause for clause in CLAUSES if not diff or differs(clause, *every)]
    if as_json:
        data = [
            {
                "id": clause.id,
                "title": clause.title,
                "switch": clause.switch or None,
                "needs": clause.needs or None,
                "books": {
                    book: {"text": text(clause, rules), "value": value(clause, rules) or None}
                    for book, rules in books.items()
                },
                "houses": dict(clause.houses),
            }
            for clause in clauses
        ]
        print_json(data)
        return
    for clause in clauses:
        click.echo(f"{clause.id}: {clause.title}")
        for line in _texts(clause, books):
            click.echo(f"  {line}")
    click.echo(f"\n{_KEY}")


def _texts(clause: Clause, books: Mapping[str, Rules]) -> Iterator[str]:
    """Say each text once, with the rules that have it if not all do."""
    for words, having in by_text(clause, books):
        who = "" if len(having) == len(books) else f"{', '.join(having)}: "
        setting = value(clause, books[having[0]])
        yield f"{who}{words}" + (f" [{clause.switch}: {setting}]" if setting else "")
