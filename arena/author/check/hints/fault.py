"""Hints to mend a fault or a build, worked out from what was sent and what the bot wrote."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from arena.author.check.hints.answers import decoded, of_answer, of_bid
from arena.author.check.hints.missing import hides, of_import, refused
from arena.author.check.hints.patterns import (
    ANSWER_ONCE,
    BY_DETAIL,
    BY_OUTPUT,
    BY_STDERR,
    MEMORY,
    RUSTUP,
    RUSTUP_HINT,
    SHELL,
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
    Cause.ILLEGAL_ACTION: "each request lists every legal bid in `raises`, and no earlier one"
    " counts; `dudo` says whether you may doubt",
    Cause.CRASH: "its standard error says why",
    Cause.FLOOD: STDERR_ONLY,
    Cause.MALFORMED_LINE: "`arena help protocol` shows every answer",
}
_THROWN = re.compile(r"^\s+at \S.*:\d+:\d+\)?$|thread '.*' panicked|^panic: ", re.MULTILINE)
LINGERS = {
    "python": "; threads keep it alive, unless they are made with daemon=True",
    "node": "; a timer, a socket or a worker keeps it alive: process.exit() at `bye`",
    "java": "; threads, as of an executor, keep it alive: System.exit(0) at `bye`",
}
"""What keeps a program alive after its last line, by runtime."""
_REPORTED = (
    r"^Traceback|^\s+at \S.*:\d+:\d+\)?$|thread '.*' panicked|^panic: "
    r"|(?:Warning|Notice):  ?\w.* on line \d+$|^\S+: (?:line )?\d+: .*(?:not found|error|bad)"
)
"""What languages report of an error after which a program can go on."""
_OTHER_ID = re.compile(r"^id (\d{1,9}) is not open; open: (\d+) \(")
_PLACES = re.compile(
    r"\bFile \"(?:[^\"\n]*/)?([^\"/\n]+)\", line (\d+)"
    r"|(?<![^\s\"'(/@])([\w-]+\.\w{1,5})(?::| line | on line )(\d+)"
)
"""The name of a file and a line, as Python writes them, and as most languages do."""
_ANSWERED = 2
"""Turns of which the last one can be called the longest."""
_UNENDED = {
    "rust": ": println! writes one, print! does not",
    "java": ": println() writes one, print() does not",
    "go": ": fmt.Println writes one, fmt.Print does not",
    "node": ": console.log writes one, process.stdout.write does not",
    "c": ": puts() writes one, printf() does not",
    "python": ": print() writes one, sys.stdout.write() does not",
}
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
    kind = decoded(line).get("type", "")
    return kind if isinstance(kind, str) else ""


def legal_answer(line: str) -> str:
    """Return an answer that is legal after a message; one to a turn if it wants none."""
    message = decoded(line)
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
    messages = [decoded(line) for line in sent]
    message = messages[-1] if messages else {}
    if not message:
        return ""
    missing = _MISSING.search(stderr)
    # It may have read no further than to a notice before the request.
    lacking = [one for one in messages if missing and one and missing[1] not in one]
    if missing and lacking:
        first = message if message in lacking else lacking[0]
        kind, name = first.get("type"), missing[1]
        what = f"the message that was sent, `{kind}`, has no '{name}'"
        elsewhere = any(name in one for one in messages)
        if not elsewhere and (near := get_close_matches(name, list(first), 1)):
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
    told: tuple[str, ...] = ()
    """All lines that the process was sent."""

    @property
    def asked(self) -> str:
        """The type of the message that was to be answered."""
        kind = kind_of(self.request)
        return kind if kind in {"hello", "calza"} else "turn"

    @property
    def example(self) -> str:
        """An answer to that message that is legal."""
        return legal_answer(self.request)

    @property
    def request(self) -> str:
        """The line that was to be answered, "" if there is none."""
        return self.sent[-1] if self.sent else ""


def hint_for(evidence: Evidence) -> str:
    """Return how to mend a fault, "" if nothing is known."""
    came, stderr = evidence.came[:_LOOKED_AT], evidence.stderr[-_LOOKED_AT:]
    evidence = evidence._replace(came=came, stderr=stderr)
    if "no newline" in evidence.detail or evidence.late == "unended":
        return f"end every line with a newline{_UNENDED.get(evidence.runtime, '')}"
    if evidence.late:
        # What it wrote of an error before it was stopped says more than that it was late.
        said = of_import(evidence.stderr, evidence.files, in_image=evidence.in_image)
        said = said or (_of_text(evidence.stderr, BY_STDERR, evidence) if _traced(evidence) else "")
        return said or _of_late(evidence)
    if evidence.cause is Cause.ILLEGAL_ACTION:
        return _of_illegal(evidence)
    if hint := (
        _of_text(evidence.stderr, SHELL, evidence)
        or _of_later_python(evidence)
        or of_import(evidence.stderr, evidence.files, in_image=evidence.in_image)
        or _of_program(evidence)
        or of_message(evidence.stderr, evidence.sent)
        or _of_hidden(evidence)
        or _of_malformed(evidence)
        or _of_patterns(evidence)
    ):
        return hint + _at_place(evidence)
    if evidence.cause is Cause.CRASH and not evidence.stderr.strip():
        return "it wrote nothing to standard error: repeat it without the arena, as below"
    if evidence.cause is Cause.CRASH and (place := place_of(evidence.stderr, evidence.files)):
        return f"look at {place}: {_BY_CAUSE[Cause.CRASH]}"
    if evidence.cause is Cause.TIMEOUT:
        return f"answer every {evidence.asked}, as with {evidence.example}{_of_longest(evidence)}"
    return _BY_CAUSE.get(evidence.cause, "")


def _traced(evidence: Evidence) -> bool:
    """Return whether standard error ends with an error that a language reports."""
    return "Traceback" in evidence.stderr or bool(_THROWN.search(evidence.stderr))


def reports_error(stderr: str) -> bool:
    """Return whether a language or a shell reports an error, after which a bot may have gone on."""
    words = stderr[-_LOOKED_AT:]
    return bool(re.search(_REPORTED, words, re.MULTILINE))


def _of_illegal(evidence: Evidence) -> str:
    shell = _of_text(evidence.stderr, SHELL, evidence)
    if shell or reports_error(evidence.stderr):
        return shell or "its standard error tells of an error, after which it went on"
    near = of_bid(evidence.came, evidence.request)
    told = _BY_CAUSE[Cause.ILLEGAL_ACTION]
    return f"{near}. {told[0].upper()}{told[1:]}" if near else told


def _of_hidden(evidence: Evidence) -> str:
    """Return that a file in the bot's folder hides a module of Python, which may have printed."""
    if evidence.cause is not Cause.MALFORMED_LINE or evidence.asked != "hello":
        return ""
    file = hides(evidence.files) if evidence.runtime == "python" else ""
    return f"note that {file} hides the module of Python; {STDERR_ONLY}" if file else ""


def _of_malformed(evidence: Evidence) -> str:
    if evidence.cause is not Cause.MALFORMED_LINE:
        return ""
    if ids := _OTHER_ID.search(evidence.detail):
        earlier = any(decoded(line).get("id") == int(ids[1]) for line in evidence.told)
        wrong = f"{ids[1]} is the id of an earlier request" if earlier else "ids are not counted"
        return f"{wrong}, and {ids[2]} is asked: {ANSWER_ONCE}"
    wrong = of_answer(evidence.came, evidence.asked, evidence.runtime)
    return f"{wrong}; as in {evidence.example}" if wrong else ""


def _at_place(evidence: Evidence) -> str:
    place = place_of(evidence.stderr, evidence.files)
    return f" ({place})" if place and evidence.cause is Cause.CRASH else ""


def place_of(stderr: str, files: Sequence[str]) -> str:
    """Return the file of the bot, and the line in it, at which its program ended; "" if unknown."""
    names = {name.rpartition("/")[2]: name for name in files}
    innermost_last = "Traceback" in stderr
    places = [
        (names[name], line)
        for found in _PLACES.finditer(stderr)
        for name, line in [(found[1] or found[3], found[2] or found[4])]
        if name in names
    ]
    own = [place for place in places if not place[0].startswith("perudo.")] or places
    if not own:
        return ""
    file, line = own[-1 if innermost_last else 0]
    return f"{file}, line {line}"


def _of_longest(evidence: Evidence) -> str:
    """Return that the line at which it fell silent is the longest so far; "" if it is not."""
    asked = [len(line) for line in evidence.told if kind_of(line) == "turn"]
    if evidence.asked != "turn" or len(asked) < _ANSWERED or asked[-1] <= max(asked[:-1]):
        return ""
    return (
        f"; note that this is the longest request so far, {asked[-1]} bytes, and a line may have"
        " 64 KiB: is a buffer too short?"
    )


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
    if late.kind == "unended":
        return f"; after its input was closed it wrote {late.text[:80]!r}, with no newline"
    if late.kind == "silent":
        return "; it sleeps, and wrote nothing when its input was closed, either"
    return f"; after {before + late.seconds:.1f} s it is still busy"


def _of_patterns(evidence: Evidence) -> str:
    """Return how to mend a fault by its words; what is empty or null may have ended a program."""
    texts = ((evidence.came, BY_OUTPUT), (evidence.stderr, BY_STDERR), (evidence.detail, BY_DETAIL))
    found = (_of_text(text, patterns, evidence) for text, patterns in texts)
    hint = next(filter(None, found), "")
    if _opens(evidence) and _SIGNALS.search(evidence.detail):
        return f"note that here `bids` {_EMPTY['bids']}; {hint}"
    return hint


def _opens(evidence: Evidence) -> bool:
    """Return whether it was to open a round."""
    return evidence.asked == "turn" and '"bids":[]' in evidence.request.replace(" ", "")


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
    answer = f"answer every turn, as with {evidence.example}"
    if evidence.late == "silent" and not evidence.stderr.strip():
        opens = f"; note that here `bids` {_EMPTY['bids']}" if _opens(evidence) else ""
        return f"{answer}{opens}; if it catches errors, have it write them to standard error"
    return f"{answer}{_of_longest(evidence)}"
