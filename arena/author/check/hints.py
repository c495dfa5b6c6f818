"""Hints to mend a fault, worked out from the bot's output."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from arena.author.check.missing_module import of_import
from arena.author.check.timeout_cause import Late
from arena.bots.runtimes import RUNTIMES, Runtime
from arena.bots.sandboxes.base import MIB, Quota
from arena.game.records import Cause

_MEMORY = f"a bot may use {Quota().memory // MIB} MiB of memory"
_FILE_SIZE = f"a file may have {Quota().file_size // MIB} MiB at most"
_BID = '{{"id": 7, "action": "bid", "quantity": 3, "face": 4}}'
_STDERR_ONLY = "print nothing but answers to standard output; standard error is yours"
_BY_STDERR = (
    (
        r"choose\(\) returned .*; it must return",
        "look for a path through choose() that ends without `return bid(...)` or `return dudo()`",
    ),
    (r"choose called neither", "look for a path through choose that calls neither of them"),
    (r"(?:SyntaxError|IndentationError|TabError):", "correct the line that the traceback names"),
    (
        r"MemoryError|[Cc]annot allocate memory|bad_alloc|heap out of memory|OutOfMemoryError",
        _MEMORY,
    ),
    (
        r"Read-only file system|EROFS|Permission denied: '(?!/)",
        "the bot's folder is read-only: write to /tmp, or to standard error",
    ),
    (
        r"failed to execute (\S+): No such file|exec:? (\S+): no such file",
        "the interpreter that the first line of {0} names is not in the sandbox",
    ),
    (r"KeyError: '(\w+)'", "the message that was sent has no '{0}'"),
)
"""Patterns in standard error; {0} is their first group."""
_BY_OUTPUT = (
    (
        r"\(Pdb\)|^> .*\(\d+\)|^--(?:Return|Call)--",
        "remove breakpoint(): it uses standard input and output; in arena debug, the terminal",
    ),
    (r"^\W?ready\W?$", 'answer hello with {{"type": "ready"}}'),
    (r"^\ufeff|^\\xff\\xfe|\x00|\\x00", "write UTF-8, without a byte order mark"),
)
"""Patterns in the line that came."""
_BY_DETAIL = (
    (r"SIGKILL", f"{_MEMORY}: the kernel ends what takes more"),
    (
        r"SIGXFSZ",
        f"{_FILE_SIZE}; .NET before 10: `command: env DOTNET_EnableWriteXorExecute=0 dotnet ...`",
    ),
    (r"SIGSEGV|SIGABRT|SIGBUS", "a fault of the program itself: run it under a debugger"),
    (r"cannot be started: Exec format", "the program is for another machine, or lacks `#!`"),
    (r"exit code 0", "it ended by itself: read on after a game, until `bye` or the end of input"),
    (r"not open", "answer each turn and calza once, with its `id`; answer nothing else"),
    (r"not a JSON object", f"an answer is {_BID}; {_STDERR_ONLY}"),
    (r"not valid JSON", _STDERR_ONLY),
    (r"the bid has no", f"as in {_BID}"),
    (r"`type`", 'answer hello with {{"type": "ready"}}'),
)
_BY_CAUSE = {
    Cause.ILLEGAL_ACTION: "the request lists every legal bid in `raises`; `dudo` says whether you"
    " may doubt",
    Cause.CRASH: "its standard error says why",
    Cause.FLOOD: _STDERR_ONLY,
    Cause.MALFORMED_LINE: "`arena help protocol` shows every answer",
}


class Evidence(NamedTuple):
    """The evidence of a fault."""

    cause: Cause
    detail: str
    came: str
    stderr: str
    late: str = ""
    """The kind of `Late`, "" if it was not late."""
    runtime: str = "any"
    in_image: bool = False
    """Whether the sandbox has the programs of an image."""
    files: Sequence[str] = ()
    """The paths in the bot's folder."""


def hint_for(evidence: Evidence) -> str:
    """Return how to mend a fault, "" if nothing is known."""
    if "no newline" in evidence.detail:
        return "end every line with a newline"
    if evidence.late:
        return _of_late(evidence)
    if hint := of_import(evidence.stderr, evidence.files, in_image=evidence.in_image):
        return hint
    for text, patterns in (
        (evidence.came, _BY_OUTPUT),
        (evidence.stderr, _BY_STDERR),
        (evidence.detail, _BY_DETAIL),
    ):
        for pattern, hint in patterns:
            if match := re.search(pattern, text, re.MULTILINE):
                return hint.format(*match.groups())
    if evidence.cause is Cause.CRASH and not evidence.stderr.strip():
        return "it wrote nothing to standard error: run its command in its folder, and type a hello"
    return _BY_CAUSE.get(evidence.cause, "")


def named(late: Late, before: float) -> str:
    """Say what came of a bot that was late `before` seconds after it was asked."""
    if late.kind == "slow":
        return f"; its line came after {before + late.seconds:.1f} s"
    if late.kind == "unflushed":
        return (
            "; no line came and it is blocked reading; after its input was closed it wrote"
            f" {late.text[:80]!r}"
        )
    if late.kind == "silent":
        return "; it sleeps, and wrote nothing when its input was closed, either"
    return f"; after {before + late.seconds:.1f} s it is still busy"


def _flush(runtime: Runtime) -> str:
    how = runtime.flush
    return f"Flush standard output after every line: {how}. " if how else ""


def _of_late(evidence: Evidence) -> str:
    if evidence.late == "unflushed":
        runtime = RUNTIMES.get(evidence.runtime, RUNTIMES["any"])
        return f"{_flush(runtime)}Read a line at a time: {runtime.reads}"
    if evidence.late == "slow":
        return "do less before `ready`" if "ready" in evidence.detail else "think less"
    if "ready" in evidence.detail:
        return 'answer hello with {"type": "ready"}, and read lines, not until the end of input'
    if "(calza" in evidence.detail:
        return "answer calza with calza or pass, or do not say `calza` in `ready`"
    return "answer every turn"
