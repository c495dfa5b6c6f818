"""`arena judge`, `perft`, `rules`: apply the rules, count with them, print them."""

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Literal

import click
import msgspec
from msgspec.structs import replace

from arena.cli.exit_codes import BAD_INPUT, FINDINGS, OK, while_read
from arena.cli.options import PathType, json_option
from arena.cli.output import print_json, print_result, say
from arena.game.rules.books import MAX_PLAYERS, MAX_STARTING_DICE, MIN_PLAYERS, variant
from arena.game.rules.clauses import BOOKS, CLAUSES, Clause, by_text, differs, value
from arena.game.rules.judge import Position, RefusedError, judge
from arena.game.rules.round import first_standing, perft
from arena.game.wire.codec import StrictError, loads
from arena.io.errors import ArenaError, check_known
from arena.io.files import os_errors
from arena.io.structs import convert

MAX_LINE = 64 * 1024
"""Bytes, as in the protocol; an endless line must not fill the memory."""
_encode = msgspec.json.Encoder().encode
_KEY = "→ marks our reading of a document that is silent or unclear; a league may set a [switch]."


@click.command()
@click.argument("file", type=PathType(), default=Path("-"))
@click.option(
    "--json", "as_json", is_flag=True, help="Accepted for consistency: verdicts are always JSON."
)
def judge_(file: Path, *, as_json: bool) -> int:
    """Judge positions: one JSON object per line in FILE or on stdin, one verdict per line out.

    A verdict is open, resolved or illegal, and names the clauses behind it. An impossible position
    is refused (exit code 1), and so is a line that is not a position (exit code 2).
    """
    del as_json
    worst = OK
    for number, line in while_read(_positions(file)):
        verdict, code = _judge_line(line, f"{file}:{number}")
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


def _judge_line(line: bytes, where: str) -> tuple[dict[str, object], int]:
    """Return the verdict on a line and its exit code."""
    id_: object = None
    try:
        value = loads(line)
        id_ = value.get("id") if isinstance(value, dict) else None
        verdict = judge(convert(value, Position))
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
    standing = first_standing(variant(variant_name, {}, starting_dice=starting_dice), players, 0)
    if kind == "palifico":
        standing = replace(standing, palifico_seat=0)
    count = perft(standing)
    shape = {"variant": variant_name, "players": players, "starting_dice": starting_dice}
    print_result({**shape, "round": kind, "sequences": count}, str(count), as_json=as_json)


@click.command()
@click.argument("variant", required=False)
@click.option(
    "--diff", nargs=2, metavar="A B", help="Print only differences between the rule books A and B."
)
@json_option
def rules(variant: str | None, diff: tuple[str, str] | None, *, as_json: bool) -> None:
    """Print the rules by clause: of all rule books, of VARIANT, or the differences between two.

    With --diff, the switch behind each difference is named.
    """
    if variant and diff:
        raise ArenaError("VARIANT and --diff do not go together", hint="leave one of them out")
    books = list(diff or ([variant] if variant else BOOKS))
    for book in books:
        check_known(book, BOOKS, f"unknown variant '{book}'")
    clauses = [clause for clause in CLAUSES if not diff or differs(clause, *diff)]
    if as_json:
        data = [
            {
                "id": clause.id,
                "title": clause.title,
                "switch": clause.switch or None,
                "books": {
                    book: {"text": clause.texts[book], "value": value(clause, book) or None}
                    for book in books
                },
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


def _texts(clause: Clause, books: list[str]) -> list[str]:
    """Say each text once, with the rule books that have it if not all do."""
    lines = []
    for text, having in by_text(clause):
        shown = [book for book in having if book in books]
        who = "" if shown == books else f"{', '.join(shown)}: "
        switches = {value(clause, book) for book in shown} - {""}
        switch = f" [{clause.switch}: {switches.pop()}]" if switches else ""
        lines += [f"{who}{text}{switch}"] if shown else []
    return lines
