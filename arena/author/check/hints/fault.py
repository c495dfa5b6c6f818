"""Hints to mend a fault or a build, worked out from what was sent and what the bot wrote."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import msgspec

from arena.author.check.hints.missing import of_import, refused
from arena.author.check.hints.patterns import (
    BY_DETAIL,
    BY_OUTPUT,
    BY_STDERR,
    MEMORY,
    RUSTUP,
    RUSTUP_HINT,
    STDERR_ONLY,
    Patterns,
)
from arena.author.check.timeout_cause import Late
from arena.bots.runtimes import PROGRAMS, RUNTIMES
from arena.game.records import Cause

_ERROR = re.compile(r"\b(?:error|fatal|cannot|undefined)\b|not found$", re.IGNORECASE)
_NO_NETWORK = re.compile(
    r"EAI_AGAIN|ENOTFOUND|ENETUNREACH|name resolution|[Cc]ould(?: not|n't) resolve host"
    r"|NewConnectionError|network is unreachable|dial tcp|spurious network error"
)
_FETCHES = re.compile(r"\b(?:pip3?|npm|yarn|pnpm) (?:install|ci|add)\b")
_NETWORK_HINT = (
    "a build has no network: put what it needs into the folder; name Python packages in"
    " requirements.txt, for leagues with `packages: true` and for --packages here"
)
_NO_CRATES = re.compile(
    r"using offline mode|no matching package named|attempting to make an HTTP request"
)
_CRATES_HINT = (
    "a build has no network: run `cargo vendor` in the bot's folder, and put the lines that it"
    " prints into .cargo/config.toml"
)
_HOME = re.compile(r"/home/|/root/|/Users/|(?:^|/)\.?v?env/bin/")
_NO_HOME = (
    "; it sees no home folders and no virtual environments: name a program of /usr/bin, packages"
    " in requirements.txt"
)
_SIGNALS = re.compile(r"SIGSEGV|SIGABRT|SIGFPE|SIGBUS|SIGTRAP|SIGILL")
_UNDEFINED = re.compile(r"undefined reference to [`'](\w+)'")
_LATER_PYTHON = {
    "3.12": re.compile(
        r"^ +(?:type \w+.*=|(?:async )?def \w+\[|class \w+\[).*\n[ ^]+\nSyntaxError"
        r"|SyntaxError: f-string: (?:unmatched|expecting '}')"
        r"|f-string expression part cannot include"
        r"|cannot import name '(?:batched|override|TypeAliasType)'",
        re.MULTILINE,
    ),
    "3.14": re.compile(
        r"multiple exception types must be parenthesized"
        r"|^ +.*\bt['\"].*\n[ ^]+\nSyntaxError",
        re.MULTILINE,
    ),
}
"""What an older Python says of the syntax, or a name, that a version brought."""
_PYTHON = Path("/usr/bin/python3")
_PLACE = re.compile(r"^--> ")
_MATHS = frozenset({"pow", "exp", "log", "sqrt", "sin", "cos", "floor", "ceil", "lgamma", "fmod"})
_MOST = 200
"""Characters of a line of output that are kept."""
_MISSING = re.compile(r"KeyError: '([a-z]\w*)'")
_OF_EMPTY = re.compile(
    r"IndexError|(?:arg|iterable argument) is (?:an )?empty|Reduce of empty array"
    r"|undefined \(reading '(?:seat|quantity|face|min|max)'\)"
    r"|index out of bounds: the len is 0|`None` value"
)
_OF_NULL = re.compile(r"NoneType|null \(reading|null is not iterable")
"""Python, Node.js and Rust say so of what is empty or null."""
_EMPTY = {"bids": "is empty: it opens the round", "raises": "is empty: it can only doubt"}
_NULL = {
    "dice_counts": "is null: lost dice are not visible",
    "palifico_seat": "is null: it is no palifico round",
}
_BY_CAUSE = {
    Cause.ILLEGAL_ACTION: "the request lists every legal bid in `raises`; `dudo` says whether you"
    " may doubt",
    Cause.CRASH: "its standard error says why",
    Cause.FLOOD: STDERR_ONLY,
    Cause.MALFORMED_LINE: "`arena help protocol` shows every answer",
}
_THROWN = re.compile(r"^\s+at \S.*:\d+:\d+\)?$|thread '.*' panicked|^panic: ", re.MULTILINE)
_NO_PROGRAM = re.compile(
    r"exec(?:ute|:)? (\S+): [Nn]o such file|env: \W(\S+?)\W: No such file"
    r"|sh: (?:line )?(?:\d+: )?(?:exec: )?(\S+?): (?:command )?not found"
)
"""Messages of programs that start another one, if that is not there."""
_LOOKED_AT = 8192
"""Characters of the end of standard error, and of the line that came, that are searched: a search
may take the square of them, and bots choose what they write."""


def of_build(command: Sequence[str], output: str) -> str:
    """Return the first error of a build that failed and its cause, or how to mend it if known."""
    if _NO_NETWORK.search(output) or _FETCHES.search(" ".join(command)):
        return _NETWORK_HINT
    if _NO_CRATES.search(output):
        return _CRATES_HINT
    if re.search(RUSTUP, output):
        return RUSTUP_HINT
    if missing := _UNDEFINED.search(output):
        lacks = "-lm at its end" if missing[1] in _MATHS else "every .c file and library"
        return f"{missing[0]}: `build` must name {lacks}"
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["it wrote nothing"]
    at = next((number for number, line in enumerate(lines) if _ERROR.search(line)), -1)
    first = lines[at]
    if 0 <= at < len(lines) - 1 and _PLACE.match(lines[at + 1]):  # of rustc
        first = f"{_PLACE.sub('', lines[at + 1])}: {first}"
    if "Caused by:" in lines[at:-1]:  # of Cargo, whose last line says most
        return f"{first[:_MOST]}: {lines[-1][:_MOST]}"
    return first[:_MOST]


def kind_of(line: str) -> str:
    """Return the type of a message, "" if it has none."""
    kind = _decoded(line).get("type", "")
    return kind if isinstance(kind, str) else ""


def legal_answer(line: str) -> str:
    """Return an answer that is legal after a message; one to a turn if it wants none."""
    message = _decoded(line)
    if message.get("type") == "hello":
        return '{"type": "ready"}'
    id_ = message.get("id", 7)
    if message.get("type") == "calza":
        return f'{{"id": {id_}, "action": "pass"}}'
    match message.get("raises", [{"face": 4, "min": 3}]):
        case [{"face": face, "min": quantity}, *_]:
            return f'{{"id": {id_}, "action": "bid", "quantity": {quantity}, "face": {face}}}'
    return f'{{"id": {id_}, "action": "dudo"}}'


def of_message(stderr: str, sent: Sequence[str]) -> str:
    """Return what the last message lacks that a program looked for in vain; "" if nothing."""
    message = _decoded(sent[-1]) if sent else {}
    if not message:
        return ""
    if (missing := _MISSING.search(stderr)) and missing[1] not in message:
        kind, name = message.get("type"), missing[1]
        what = f"the message that was sent, `{kind}`, has no '{name}'"
        if near := get_close_matches(name, list(message), 1):
            return f"{what}; did you mean '{near[0]}'?"
        return what if kind == "turn" else f"{what}: look at `type` first"
    null = bool(_OF_NULL.search(stderr))
    # Kits make null of an empty `bids`: there is no last bid.
    meanings = {**(_EMPTY if null or _OF_EMPTY.search(stderr) else {}), **(_NULL if null else {})}
    facts = {
        name: f"`{name}` {meaning}"
        for name, meaning in meanings.items()
        if name in message and message[name] in ([], None)
    }
    told = [fact for name, fact in facts.items() if name in stderr] or [*facts.values()]
    return f"note that here {', and '.join(told)}" if told else ""


def _decoded(line: str) -> dict[str, object]:
    try:
        message = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return {}
    return message if isinstance(message, dict) else {}


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
    sent: tuple[str, ...] = ()
    """The lines since its last answer."""
    interpreter: str = ""
    """The program that its first line names, "" if it is no script."""

    @property
    def asked(self) -> str:
        """The type of the message that was to be answered."""
        kind = kind_of(self._last)
        return kind if kind in {"hello", "calza"} else "turn"

    @property
    def example(self) -> str:
        """An answer to that message that is legal."""
        return legal_answer(self._last)

    @property
    def _last(self) -> str:
        return self.sent[-1] if self.sent else ""


def hint_for(evidence: Evidence) -> str:
    """Return how to mend a fault, "" if nothing is known."""
    came, stderr = evidence.came[:_LOOKED_AT], evidence.stderr[-_LOOKED_AT:]
    evidence = evidence._replace(came=came, stderr=stderr)
    if "no newline" in evidence.detail:
        return "end every line with a newline"
    if evidence.late:
        # What it wrote of an error before it was stopped says more than that it was late.
        said = of_import(evidence.stderr, evidence.files, in_image=evidence.in_image)
        said = said or (_of_text(evidence.stderr, BY_STDERR, evidence) if _traced(evidence) else "")
        return said or _of_late(evidence)
    if evidence.cause is Cause.ILLEGAL_ACTION and (hint := _of_swapped(evidence)):
        return hint
    if hint := (
        _of_later_python(evidence)
        or of_import(evidence.stderr, evidence.files, in_image=evidence.in_image)
        or _of_program(evidence)
        or of_message(evidence.stderr, evidence.sent)
        or _of_patterns(evidence)
    ):
        return hint
    if evidence.cause is Cause.CRASH and not evidence.stderr.strip():
        return "it wrote nothing to standard error: repeat it without the arena, as below"
    return _BY_CAUSE.get(evidence.cause, "")


def _traced(evidence: Evidence) -> bool:
    """Return whether standard error ends with an error that a language reports."""
    return "Traceback" in evidence.stderr or bool(_THROWN.search(evidence.stderr))


def _of_swapped(evidence: Evidence) -> str:
    """Return that a bid would be legal with its two numbers swapped; "" if not."""
    bid, asked = _decoded(evidence.came), _decoded(evidence.sent[-1] if evidence.sent else "")
    quantity, face, raises = bid.get("quantity"), bid.get("face"), asked.get("raises")
    for row in raises if isinstance(raises, list) else ():
        low, high = row.get("min", 0), row.get("max", 0)
        if row.get("face") == quantity and isinstance(face, int) and low <= face <= high:
            return f"quantity and face are swapped: the bid {face} x {quantity} would be legal"
    return ""


def _of_later_python(evidence: Evidence) -> str:
    """Return that a program is written for a later Python than runs it; "" if it is not."""
    for version, words in _LATER_PYTHON.items():
        if words.search(evidence.stderr):
            here = _PYTHON.resolve().name.removeprefix("python")
            older = f"is {here}" if here[:2] == "3." and not evidence.in_image else "is older"
            what = f"it is written for Python {version} or later, and the sandbox's python3 {older}"
            return f"{what}: write it otherwise, or name a later one in `command`"
    return ""


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


def _of_patterns(evidence: Evidence) -> str:
    """Return how to mend a fault by its words; what is empty or null may have ended a program."""
    texts = ((evidence.came, BY_OUTPUT), (evidence.stderr, BY_STDERR), (evidence.detail, BY_DETAIL))
    found = (_of_text(text, patterns, evidence) for text, patterns in texts)
    hint = next(filter(None, found), "")
    opens = '"bids":[]' in (evidence.sent[-1] if evidence.sent else "").replace(" ", "")
    if opens and _SIGNALS.search(evidence.detail) and evidence.asked == "turn":
        return f"note that here `bids` {_EMPTY['bids']}; {hint}"
    return hint


def _of_text(text: str, patterns: Patterns, evidence: Evidence) -> str:
    """Return the hint of the first pattern in a text, "" if none is there."""
    node = evidence.runtime == "node"
    values = {
        "asked": evidence.asked,
        "example": evidence.example,
        "reads": RUNTIMES[evidence.runtime].reads,
        "memory": f"; Node.js ends so, too, when memory is short: {MEMORY}" if node else "",
    }
    for pattern, hint in patterns:
        if match := re.search(pattern, text, re.MULTILINE):
            return hint.format(*match.groups(), **values)
    return ""


def _of_program(evidence: Evidence) -> str:
    """Return how to mend a program that was not found, "" if none was looked for."""
    failed = _NO_PROGRAM.search(evidence.stderr)
    name = next(filter(None, failed.groups())) if failed else ""
    how, in_folder = "it starts", name.removeprefix("./") in evidence.files
    if evidence.interpreter and in_folder:
        how, name = "its first line names", evidence.interpreter
    if not name:
        return ""
    near = get_close_matches(name.rpartition("/")[2], PROGRAMS, 1)
    mend = f"; did you mean '{near[0]}'?" if near else ""
    if _HOME.search(name):
        mend = _NO_HOME
    return f"{how} {name}, which the sandbox does not have{mend}"


def _of_late(evidence: Evidence) -> str:
    runtime = RUNTIMES[evidence.runtime]
    if evidence.late == "unflushed":
        how = runtime.flush
        flush = f"Flush standard output after every line: {how}. " if how else ""
        return f"{flush}Read a line at a time: {runtime.reads}"
    if evidence.late == "slow":
        return "do less before `ready`" if "ready" in evidence.detail else "think less"
    if evidence.late in {"busy", "silent"} and (files := refused(evidence.stderr)):
        return f"it was refused {files[-1]}, and went on without it: its standard error says why"
    if evidence.late == "busy":
        return f"look for a loop that takes long or never ends, before it answers {evidence.asked}"
    if "ready" in evidence.detail:
        return f"answer hello with {evidence.example}. Read a line at a time: {runtime.reads}"
    if "(calza" in evidence.detail:
        return "answer calza with calza or pass, or do not say `calza` in `ready`"
    return f"answer every turn, as with {evidence.example}"
