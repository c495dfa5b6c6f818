"""Hints from the words of faults alone: mistakes that take a compiler, a machine or much time."""

import json
from pathlib import Path

import pytest

from arena.author.check.hints.fault import Evidence, hint_for, of_build
from arena.bots.command import check_runnable, how_to_get
from arena.game.records import Cause
from arena.io.errors import ArenaError
from arena.io.yaml_file import parse_yaml

TURN = json.dumps(
    {"type": "turn", "id": 7, "bids": [], "raises": [{"face": 5, "min": 2, "max": 4}]}
)
SAID = {
    "async in Python": ("choose() returned <coroutine object choose at 0x7f>; it must", "asyncio"),
    "a coroutine as JSON": ("TypeError: Object of type coroutine is not JSON", "remove `async`"),
    "never awaited": ("RuntimeWarning: coroutine 'main' was never awaited", "remove `async`"),
    "export in CommonJS": ("SyntaxError: Unexpected token 'export'", ".mjs"),
    "require of a module": ("Error [ERR_REQUIRE_ESM]: require() of ES Module x", ".mjs"),
    "rustup": ("error: rustup could not choose a version of rustc to run", "apt-get install rustc"),
    "a home folder": (
        "exec /home/me/.pyenv/bin/python3: No such file or directory",
        "home folders",
    ),
}


@pytest.mark.parametrize("mistake", SAID)
def test_words_of_a_crash_are_answered(mistake: str) -> None:
    stderr, mend = SAID[mistake]
    assert mend in hint_for(Evidence(Cause.CRASH, "exit code 1", "", stderr, sent=(TURN,)))


LATER = [
    ("    type Bid = tuple\n         ^^^\nSyntaxError: invalid syntax", "3.12"),
    ("    def f[T](x: T) -> T:\n         ^\nSyntaxError: expected '('", "3.12"),
    ("    class A[T]:\n           ^\nSyntaxError: invalid syntax", "3.12"),
    ("SyntaxError: f-string: unmatched '['", "3.12"),
    ("SyntaxError: f-string expression part cannot include a backslash", "3.12"),
    ("ImportError: cannot import name 'batched' from 'itertools' (unknown location)", "3.12"),
    ("SyntaxError: multiple exception types must be parenthesized", "3.14"),
    ('    x = t"a{1}"\n         ^^^^^^\nSyntaxError: invalid syntax', "3.14"),
]
"""What Python 3.11 says of what later ones read."""


@pytest.mark.parametrize(("stderr", "version"), LATER)
def test_syntax_of_a_later_python_is_named_with_both_versions(stderr: str, version: str) -> None:
    evidence = Evidence(Cause.CRASH, "exit code 1", "", stderr, sent=(TURN,))
    here = Path("/usr/bin/python3").resolve().name.removeprefix("python")
    hint = hint_for(evidence)
    assert hint.startswith(
        f"it is written for Python {version} or later, and the sandbox's python3"
    )
    assert f"python3 is {here}:" in hint
    assert "python3 is older" in hint_for(evidence._replace(in_image=True))
    typo = "    typ Bid = tuple\n        ^^^\nSyntaxError: invalid syntax"
    assert hint_for(evidence._replace(stderr=typo)).startswith("correct the line")


def test_swapped_numbers_of_a_bid_are_noticed() -> None:
    came = '{"id":7,"action":"bid","quantity":5,"face":3}'
    evidence = Evidence(Cause.ILLEGAL_ACTION, "5 x 3 is no raise", came, "", sent=(TURN,))
    assert hint_for(evidence) == "quantity and face are swapped: the bid 3 x 5 would be legal"
    other = evidence._replace(came='{"id":7,"action":"bid","quantity":9,"face":9}')
    assert "lists every legal bid" in hint_for(other)


def test_crash_at_an_opening_says_that_there_are_no_bids() -> None:
    evidence = Evidence(Cause.CRASH, "killed by SIGSEGV", "", "", runtime="c", sent=(TURN,))
    assert hint_for(evidence).startswith("note that here `bids` is empty: it opens the round; a f")


def test_error_that_was_written_before_a_timeout_counts() -> None:
    stderr = "Traceback (most recent call last):\nMemoryError\n"
    evidence = Evidence(Cause.TIMEOUT, "no answer", "", stderr, late="silent", sent=(TURN,))
    assert "MiB of memory" in hint_for(evidence)
    assert "answer every turn" in hint_for(evidence._replace(stderr="thinking\n"))


BUILDS = {
    "cargo without vendor": ("error: no matching package named `rand` found", "cargo vendor"),
    "cargo offline": ("As a reminder, you're using offline mode (--offline)", "cargo vendor"),
    "rustup": ("error: rustup could not choose a version of cargo to run", "apt-get install"),
}


@pytest.mark.parametrize("mistake", BUILDS)
def test_words_of_a_build_are_answered(mistake: str) -> None:
    output, mend = BUILDS[mistake]
    assert mend in of_build(["cargo", "build"], output)


HEADERS = {
    "ARM64": b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xb7\x00",
    "RISC-V": b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xf3\x00",
    "Windows": b"MZ\x90\x00" + bytes(60),
    "macOS": b"\xcf\xfa\xed\xfe" + bytes(60),
}


@pytest.mark.parametrize("machine", HEADERS)
def test_program_of_another_machine_is_refused_by_its_header(tmp_path: Path, machine: str) -> None:
    program = tmp_path / "bot"
    program.write_bytes(HEADERS[machine])
    program.chmod(0o755)
    with pytest.raises(ArenaError, match=f"is for {machine}, and this machine is "):
        check_runnable("new", ["./bot"], tmp_path)


@pytest.mark.parametrize(
    ("program", "mend"),
    [(".venv/bin/python", "requirements.txt"), ("\u201cpython3", "typographic")],
)
def test_programs_that_are_never_there(tmp_path: Path, program: str, mend: str) -> None:
    assert mend in how_to_get([program, "bot.py"], tmp_path)


def test_colon_in_a_text_of_yaml_wants_quotes(tmp_path: Path) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text("name: a: b\n")
    with pytest.raises(ArenaError) as error:
        parse_yaml(path)
    assert "in quotes" in error.value.hint
