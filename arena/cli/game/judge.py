"""`arena judge`: apply the rules to positions."""

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import click
import msgspec

from arena.cli.exit_codes import BAD_INPUT, FINDINGS, OK
from arena.cli.lost_output import while_read
from arena.cli.options import PathType
from arena.cli.output import say
from arena.game.rules.judge import Position, RefusedError, judge
from arena.game.wire.codec import StrictError, loads
from arena.io.errors import ArenaError
from arena.io.files import os_errors
from arena.io.validate import convert

MAX_LINE = 64 * 1024
"""Bytes, as in the protocol; an endless line must not fill the memory."""
_encode = msgspec.json.Encoder().encode


@click.command()
@click.argument("file", type=PathType(), default=Path("-"))
@click.option(
    "--json", "as_json", is_flag=True, help="Accepted for consistency: verdicts are always JSON."
)
def command(file: Path, *, as_json: bool) -> int:
    """Judge positions: one JSON object per line in FILE or on stdin, one verdict per line out.

    A verdict is open, resolved or illegal, and names the clauses behind it. An impossible position
    is refused (exit code 1), and so is a line that is not a position (exit code 2).
    """
    del as_json
    worst = OK
    for number, line in while_read(_lines(file)):
        verdict, code = _judge_line(line, f"{file}:{number}")
        click.echo(_encode(verdict))
        worst = max(worst, code)
    return worst


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
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
