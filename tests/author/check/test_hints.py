"""Hints from the words of faults alone: mistakes that take a compiler, a machine or much time."""

import json
from pathlib import Path

import pytest

from arena.author.check.hints.fault import Evidence, hint_for, of_build, place_of
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
    assert "Perhaps quantity and face are swapped: 3 x 5 would be legal" in hint_for(evidence)
    other = evidence._replace(came='{"id":7,"action":"bid","quantity":9,"face":9}')
    assert "lists every legal bid" in hint_for(other)
    assert "swapped" not in hint_for(other)


def test_crash_at_an_opening_says_that_there_are_no_bids() -> None:
    evidence = Evidence(Cause.CRASH, "killed by SIGSEGV", "", "", runtime="c", sent=(TURN,))
    assert hint_for(evidence).startswith("note that here `bids` is empty: it opens the round; a f")


def test_error_that_was_written_before_a_timeout_counts() -> None:
    stderr = "Traceback (most recent call last):\nMemoryError\n"
    evidence = Evidence(Cause.TIMEOUT, "no answer", "", stderr, late="silent", sent=(TURN,))
    assert "MiB of memory" in hint_for(evidence)
    assert "answer every turn" in hint_for(evidence._replace(stderr="thinking\n"))


ANSWERS = {
    "no tags in Go": (
        "go",
        '{"ID":7,"Action":"dudo"}',
        "'ID' for 'id', 'Action' for 'action': give",
    ),
    "small fields in Go": ("go", "{}", "names begin with a small letter"),
    "NaN in JavaScript": (
        "node",
        '{"id":7,"action":"bid","quantity":null,"face":2}',
        "`quantity` is null: JSON.stringify writes NaN so",
    ),
    "an undefined property in PHP": (
        "any",
        '{"id":7,"action":"bid","quantity":null,"face":2}',
        "`quantity` is null: its variable has no value",
    ),
    "a text in Perl": (
        "any",
        '{"id":7,"action":"bid","quantity":"1","face":2}',
        "`quantity` is a text: write the number without quotes",
    ),
    "a fraction in Lua": (
        "any",
        '{"id":7,"action":"bid","quantity":1.0,"face":2}',
        "`quantity` is 1.0, and must be written as an integer",
    ),
    "a truth": ("any", '{"id":true,"action":"dudo"}', "`id` is true, and must be an integer"),
    "a list in PHP": ("any", '[7,"dudo"]', "it is a list, and an answer is an object"),
    "an action in capitals": ("any", '{"id":7,"action":"DUDO"}', "is 'DUDO': write 'dudo'"),
    "nil in Lua": ("any", '{"id":7,"action":"bid","quantity":nil,"face":2}', "nil is no JSON"),
    "None in Python": ("python", '{"id":7,"quantity":None}', "None is no JSON"),
    "an empty variable": ("any", '{"id":7,"action":"bid","quantity":,"face":2}', "is missing"),
    "a hash in Ruby": ("any", '{:id=>7, :action=>"dudo"}', "JSON.generate"),
    "a hash in Ruby 3.4": ("any", '{"id" => 7, "action" => "dudo"}', "JSON.generate"),
    "a reference in Perl": ("any", "HASH(0x55d0)", "a reference"),
    "a map in Go": ("go", "map[action:dudo id:7]", "json.Marshal"),
    "an array in PHP": ("any", "Array", "json_encode"),
    "a byte order mark": ("any", '\ufeff{"id":7}', "an editor may have put it into the program"),
}
"""The runtime, the line that came, and what mends it."""


@pytest.mark.parametrize(("runtime", "came", "mend"), ANSWERS.values(), ids=ANSWERS)
def test_answer_that_is_none_is_explained(runtime: str, came: str, mend: str) -> None:
    evidence = Evidence(Cause.MALFORMED_LINE, "not valid JSON", came, "", runtime=runtime)
    assert mend in hint_for(evidence._replace(sent=(TURN,)))


@pytest.mark.parametrize(
    "came",
    [
        '{"id":7,"action":"dudo","by":null}',
        '{"id":7,"action":"bid","quantity":2,"face":5}',
        '{"id":7,"action":"fly","note":"None, nil"}',
        "I hold: None, 2 and 3",
        "thinking about map of dice",
    ],
)
def test_other_lines_get_no_hint_on_numbers_or_notation(came: str) -> None:
    evidence = Evidence(Cause.MALFORMED_LINE, "not valid JSON", came, "", sent=(TURN,))
    assert hint_for(evidence).startswith("print nothing but answers")


PROGRAMS = {
    "a class in another case": ("Could not find or load main class bot", "did you mean 'Bot'?"),
    "classes in another folder": (
        "Error: Could not find or load main class Bot",
        "-cp of `command` must name the folder into which `build` writes Bot.class",
    ),
    "a module of Perl": (
        "Can't locate JSON/XS.pm in @INC (you may need to install the JSON::XS module)",
        "no module 'JSON::XS': put it into the bot's folder; JSON::PP comes with Perl",
    ),
    "a module of Ruby": ("cannot load such file -- oj (LoadError)", "no module 'oj'"),
    "a module of Lua": ("lua: bot.lua:1: module 'cjson' not found:\n\tno field", "'cjson'"),
    "a jar": ("java.lang.NoClassDefFoundError: com/google/gson/Gson", "its jar into -cp"),
    "a nil map": ("panic: assignment to entry in nil map\n\ngoroutine 1", "make(map[...]...)"),
    "a deadlock": ("fatal error: all goroutines are asleep - deadlock!", "every goroutine waits"),
    "line ends of Windows": ("bot.sh: 3: \r: not found\n", "CRLF"),
    "line ends of Windows in bash": ("bot.sh: line 2: $'\\r': command not found", "CRLF"),
    "a test of bash": ("bot.sh: 17: [[: not found\n", "`command: bash ...`"),
    "a substitution of bash": ("bot.sh: 17: Bad substitution\n", "`command: bash ...`"),
}


@pytest.mark.parametrize("mistake", PROGRAMS)
def test_words_of_other_languages_are_answered(mistake: str) -> None:
    stderr, mend = PROGRAMS[mistake]
    files = ("Bot.java", "bot.sh", "bot.yaml")
    evidence = Evidence(Cause.CRASH, "exit code 1", "", stderr, sent=(TURN,), files=files)
    assert mend in hint_for(evidence)
    # A program that only prints such a word among others has another fault.
    words = "the bot.sh of [[ and the map is nil: JSON not found\n"
    assert mend not in hint_for(evidence._replace(stderr=words))


TRACE = 'Traceback (most recent call last):\n  File "/tmp/x/bot.py", line 9, in choose\n'
PLACES = {
    "Python, in a library": (
        f'{TRACE}  File "/usr/lib/python3.11/json/encoder.py", line 180, in x\nValueError: x\n',
        "bot.py, line 9",
    ),
    "Python, in the helper": (
        f'{TRACE}  File "/tmp/x/perudo.py", line 80, in chance\nValueError: x\n',
        "bot.py, line 9",
    ),
    "Go": ("panic: x\n\ngoroutine 1 [running]:\n\t/tmp/x/bot.go:34 +0x1a9\n", "bot.go, line 34"),
    "Java": ("Exception in x\n\tat Bot.choose(Bot.java:14)\n", "Bot.java, line 14"),
    "Perl": ("Can't call method at bot.pl line 3.\n", "bot.pl, line 3"),
    "PHP": ("PHP Fatal error: x in /tmp/x/bot.php on line 9\n", "bot.php, line 9"),
    "Lua": ("lua: bot.lua:7: attempt to index a nil value\n", "bot.lua, line 7"),
    "another's file": ("at node:internal/main.js:3:1\nother.py:4\n", ""),
    "a time of day": ("12:30 bot.py done\n", ""),
}


@pytest.mark.parametrize(("stderr", "place"), PLACES.values(), ids=PLACES)
def test_line_of_the_bot_at_which_it_ended_is_named(stderr: str, place: str) -> None:
    kinds = ("py", "go", "pl", "php", "lua")
    files = ("Bot.java", "perudo.py", *(f"bot.{kind}" for kind in kinds))
    assert place_of(stderr, files) == place


def test_id_of_an_earlier_request_is_told_from_one_that_is_made_up() -> None:
    detail, came = "id 7 is not open; open: 9 (turn)", '{"id":7,"action":"dudo"}'
    evidence = Evidence(Cause.MALFORMED_LINE, detail, came, "", sent=(TURN,))
    assert hint_for(evidence).startswith("ids are not counted, and 9 is asked: answer each")
    told = evidence._replace(told=(TURN,))
    assert hint_for(told).startswith("7 is the id of an earlier request, and 9 is asked")


def test_length_of_a_request_is_noted_only_if_none_was_longer() -> None:
    long = TURN.replace('"bids": []', '"bids": [{}, {}, {}]')
    evidence = Evidence(Cause.TIMEOUT, "no answer", "", "", sent=(long,), told=(TURN, long))
    assert "the longest request so far" in hint_for(evidence)
    for told in [(long,), (long, TURN), (long, long)]:
        assert "longest" not in hint_for(evidence._replace(sent=told[-1:], told=told))


def test_line_without_its_newline_is_told_from_one_that_is_not_flushed() -> None:
    evidence = Evidence(Cause.TIMEOUT, "not ready", "", "", late="unended", runtime="rust")
    assert (
        hint_for(evidence) == "end every line with a newline: println! writes one, print! does not"
    )
    assert "newline" not in hint_for(evidence._replace(late="unflushed"))


def test_half_of_a_bid_is_rounded_up_in_pacos() -> None:
    asked = {
        "type": "turn",
        "id": 7,
        "bids": [{"seat": 0, "quantity": 5, "face": 4}],
        "raises": [{"face": 1, "min": 3, "max": 9}],
    }
    evidence = Evidence(
        Cause.ILLEGAL_ACTION,
        "too few",
        '{"id":7,"action":"bid","quantity":2,"face":1}',
        "",
        sent=(json.dumps(asked),),
    )
    assert "half of 5 is rounded up" in hint_for(evidence)
    other = evidence._replace(came='{"id":7,"action":"bid","quantity":1,"face":1}')
    assert "on face 1, 3 to 9 would be legal" in hint_for(other)
    assert "half" not in hint_for(other)
    only_dudo = evidence._replace(sent=(json.dumps({**asked, "raises": []}),))
    assert "`raises` is empty: it can only doubt" in hint_for(only_dudo)


def test_error_after_which_a_bot_went_on_is_named_with_an_illegal_move() -> None:
    came = '{"id":7,"action":"bid","quantity":9,"face":5}'
    said = "PHP Warning:  Undefined variable $x in /tmp/x/bot.php on line 9\n"
    evidence = Evidence(Cause.ILLEGAL_ACTION, "too high", came, said, sent=(TURN,))
    assert "tells of an error" in hint_for(evidence)
    assert "tells of an error" not in hint_for(evidence._replace(stderr="my error is 0.4\n"))


def test_file_with_the_name_of_a_module_is_noted_only_for_talk_at_the_start() -> None:
    hello = '{"type":"hello"}'
    evidence = Evidence(
        Cause.MALFORMED_LINE, "not a JSON object", "4", "", runtime="python", sent=(hello,)
    )
    hiding = evidence._replace(files=("bot.py", "random.py"))
    assert hint_for(hiding).startswith("note that random.py hides")
    for other in (
        evidence._replace(files=("bot.py", "lib/random.py")),
        hiding._replace(runtime="node"),
        hiding._replace(sent=(TURN,)),
    ):
        assert "hides" not in hint_for(other)


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
