"""What a language says of a fault reaches the author with its line of source and the mark below."""

from pathlib import Path

import pytest

from arena.cli.author.marked import is_mark, of_compiler, of_stderr
from tests.cli.command import run_process

PYTHON = """\
Traceback (most recent call last):
  File "/tmp/x/bot.py", line 3, in <module>
    odds = 1 / zero
           ~~^~~~~~
ZeroDivisionError: division by zero
"""
NODE = """\
/tmp/x/bot.js:2
  consol.log(1);
  ^

ReferenceError: consol is not defined
    at Object.<anonymous> (/tmp/x/bot.js:2:3)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)
    at Module.load (node:internal/modules/cjs/loader:1266:32)

Node.js v20.20.2
"""
GCC = """\
bot.c: In function 'main':
bot.c:4:17: error: invalid operands to binary *
    4 |     int x = "a" * 3;
      |             ~~~ ^
      |             |
      |             char *
bot.c:5:5: error: expected ';'
"""
RUST = """\
warning: unused variable: `y`
error[E0308]: mismatched types
 --> bot.rs:2:18
  |
2 |     let x: i32 = "a";
  |            ---   ^^^ expected `i32`, found `&str`
  |            |
  |            expected due to this
"""


def test_python_shows_the_mark_below_its_source() -> None:
    assert of_stderr(PYTHON) == PYTHON.splitlines()


def test_node_shows_the_file_and_the_mark_before_the_error() -> None:
    assert of_stderr(NODE)[:4] == [
        "/tmp/x/bot.js:2",
        "  consol.log(1);",
        "  ^",
        "ReferenceError: consol is not defined",
    ]


def test_first_error_of_a_compiler_is_shown_down_to_its_mark() -> None:
    assert of_compiler(GCC) == GCC.splitlines()[1:4]
    assert of_compiler(RUST) == RUST.splitlines()[1:6]
    assert of_compiler("make: *** [all] error 2\n") == []
    assert of_compiler("a word ^ of none\n") == []


@pytest.mark.parametrize("at", [0, 60, 190])
def test_long_line_of_source_is_cut_around_its_mark(at: int) -> None:
    source = "x" * at + "!" + "y" * (200 - at)
    shown = of_stderr(f"{source}\n{' ' * at}^\nSyntaxError: no\n")
    above, mark, _ = shown
    assert above[mark.index("^")] == "!"
    assert len(above) <= 66


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        ("    ^^^^", True),
        ("    ~~~~^^^", True),
        ("  |            ---   ^^^ expected `i32`", True),
        ("      |     ^~~~~~", True),
        ("2 ^ 3", False),
        ("    x = a ^ b", False),
        ("  |", False),
        ("-----", False),
    ],
)
def test_only_lines_of_marks_are_marks(line: str, marks: bool) -> None:
    assert is_mark(line) == marks


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False)],
)
def test_mark_is_in_colour_only_where_a_person_wants_it(
    tmp_path: Path, variables: dict[str, str], coloured: bool
) -> None:
    (tmp_path / "bot.yaml").write_text("name: x\ncommand: ./bot\nbuild: sh build.sh\n")
    (tmp_path / "build.sh").write_text(f"cat >&2 <<'END'\n{GCC}END\nexit 1\n")
    ran = run_process(
        "check", ".", "--sandbox", "process", "--trust-bots", cwd=tmp_path, env=variables
    )
    assert ran.code == 2
    mark = "  build:       |             ~~~ ^"
    assert (f"\x1b[31m{mark}\x1b[0m\n" if coloured else f"{mark}\nerror: ") in ran.err
    assert ("\x1b" in ran.err) == coloured


def test_program_that_wrote_no_error_has_no_lines() -> None:
    assert of_stderr("") == of_compiler("") == []
