"""A bot that floods: what is printed stays small, says how much was left out, and is harmless."""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from arena.bots.sandboxes.run_once import IN_ALL, LEAST
from arena.bots.sessions.multiplexer import MAX_ANSWER
from arena.bots.sessions.session import MAX_STDERR
from tests.cli.asked import FIXTURE
from tests.cli.command import HANG, TRUSTED, Ran, arena, bot, environment, run, run_process
from tests.support.bot_programs import program, start, turn
from tests.support.sampling import sample

MUCH = 1 << 20
"""Bytes of a flood."""
SPELLED = 5
"""Characters that are printed for a byte, at most: `\\x1b`, and beginnings of lines."""
FLOOD = """
def flood(fd=2, block=b"noise\\x1b]0;owned\\x07\\r\\n", many=MUCH):
    left = many
    while left > 0:
        left -= os.write(fd, block * (65_536 // len(block)))
""".replace("MUCH", str(MUCH))
PADDED = turn("answer(m, note='x' * 60_000)")
FLOODS = {
    "before ready": start('(flood(), say(\'{"type":"ready"}\'))'),
    "between answers": turn("(answer(m), flood())"),
    "while answering": turn("(flood(), answer(m))"),
    "at news": "def told(m): flood()\n",
    "without newlines": turn("(flood(block=b'x'), answer(m))"),
    "no UTF-8": turn("(flood(block=b'\\xff\\x9b'), answer(m))"),
    "then it ends": turn("(flood(), sys.exit('the very end'))"),
}


@pytest.fixture
def played(played_by_mine: Path) -> Path:
    """The folder of a league in which the bot behaved."""
    return played_by_mine


def flooding(folder: Path, body: str) -> Path:
    return bot(folder, program(FLOOD + body), name="mine")


def size(text: str) -> int:
    return len(text.encode())


def printable(text: str) -> bool:
    return all(char.isprintable() or char == "\n" for char in text)


def left_out(text: str) -> list[str]:
    return re.findall(r"\.\.\. [\d.]+ \w+ more of standard error left out", text)


def debug(folder: Path, cwd: Path, *more: object) -> Ran:
    return run_process("debug", "league.yaml", FIXTURE, 0, "--as", folder, *TRUSTED, *more, cwd=cwd)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "more"),
    sample([*((name, ()) for name in FLOODS), ("then it ends", ("--json",))], 2, "floods"),
)
def test_debug_prints_little_of_a_flood(
    played: Path, tmp_path: Path, name: str, more: tuple[str, ...]
) -> None:
    ran = debug(flooding(tmp_path / "new", FLOODS[name]), played, *more)
    assert left_out(ran.err), ran.err[-500:]
    assert "asked: " in ran.err
    assert printable(ran.out + ran.err)
    steps = ran.err.count("left out")
    assert size(ran.err) < SPELLED * MAX_STDERR * (steps + 1) + 10_000
    assert size(ran.out) < SPELLED * MAX_STDERR + 200_000
    if name == "then it ends" and not more:
        assert "stderr: the very end" in ran.out


@pytest.mark.slow
def test_debug_prints_little_of_a_flood_out_of_bubblewrap(played: Path, tmp_path: Path) -> None:
    new = flooding(tmp_path / "new", FLOODS["while answering"])
    words = ("debug", "league.yaml", FIXTURE, 0, "--as", new, "--sandbox", "bubblewrap")
    ran = run_process(*words, cwd=played)
    steps = len(left_out(ran.err))
    assert steps == ran.out.count("  step ") > 0
    assert size(ran.err) < SPELLED * MAX_STDERR * steps + 10_000


@pytest.mark.slow
def test_interrupted_flood_says_how_much_was_left_out(played: Path, tmp_path: Path) -> None:
    """A bot writes for ever, and Ctrl-C comes when more was read than is shown."""
    os.mkfifo(tmp_path / "far")
    far = f"open({str(tmp_path / 'far')!r}, 'w').close()"
    new = flooding(tmp_path / "new", turn(f"(flood(), {far}, [flood() for _ in iter(int, 1)])"))
    words = ("debug", "league.yaml", FIXTURE, 0, "--as", new, *TRUSTED)
    with (
        (tmp_path / "err").open("wb") as err,
        subprocess.Popen(
            arena(*words), cwd=played, env=environment(), stdout=subprocess.DEVNULL, stderr=err
        ) as running,
    ):
        (tmp_path / "far").read_bytes()
        running.send_signal(signal.SIGINT)
        assert running.wait(HANG) == 130
    said = (tmp_path / "err").read_text()
    assert len(left_out(said)) == 1
    assert size(said) < SPELLED * MAX_STDERR + 10_000


@pytest.mark.slow
def test_debug_prints_little_of_many_floods(played: Path, tmp_path: Path) -> None:
    new = flooding(tmp_path / "new", turn("(flood(many=300_000), answer(m))"))
    words = ("debug", "league.yaml", FIXTURE, "--as", new, *TRUSTED)
    ran = run_process(*words, cwd=played)
    asked = ran.out.count("  step ")
    assert asked * 300_000 > 2 * IN_ALL
    assert size(ran.err) < SPELLED * (IN_ALL + 2 * asked * LEAST) + 200 * asked
    assert len(left_out(ran.err)) >= asked


def test_debug_prints_all_of_a_little(played: Path, tmp_path: Path) -> None:
    body = turn("(flood(block=b'x' * 60_000, many=1), answer(m))")
    ran = debug(flooding(tmp_path / "new", body), played)
    assert ran.err.count("x") >= 60_000 * ran.out.count("  step ") > 0
    assert left_out(ran.err) == []


ILLEGAL = """
def act(m):
    global turns
    turns += 1
    if turns == 13:
        sys.exit("the very end")
    flood()
    say(json.dumps({"id": m["id"], "action": "pass", "note": "x" * 60_000}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", sample(["debug", "rerun"], 1, "many illegal actions"))
def test_many_illegal_actions_are_told_in_short(played: Path, tmp_path: Path, command: str) -> None:
    new = flooding(tmp_path / "new", ILLEGAL)
    words = (command, "league.yaml", FIXTURE, "--as", new, "--json", *TRUSTED)
    found = json.loads(run_process(*words, cwd=played).out)["decisions"]
    causes = [one["now"]["cause"] for one in found]
    assert causes[:13] == ["illegal_action"] * 12 + ["crash"]
    assert [bool(one["came"]) for one in found] == [n < 10 for n in range(len(found))]
    kept = [n < 10 or cause == "crash" for n, cause in enumerate(causes)]
    assert [bool(one["stderr"]) for one in found] == kept
    assert "the very end" in found[12]["stderr"]


@pytest.mark.slow
def test_coach_play_and_compare_print_nothing_of_a_flood(tmp_path: Path) -> None:
    flooding(tmp_path / "mine", turn("(flood(many=100_000), answer(m))"))
    bot(tmp_path / "old", program(""))
    quick = ("--games", 1, *TRUSTED)
    commands: list[tuple[object, ...]] = [
        ("coach", "mine", *quick),
        ("play", "mine", "sample:honest", *quick),
        ("exploit", "mine", "--asks", 2, *TRUSTED),
        ("compare", "old", "mine", "--against", "sample:odds", "--blocks", 2, *quick),
    ]
    for words in sample(commands, 1, "flooded commands"):
        ran = run_process(*words, cwd=tmp_path)
        assert ran.out, ran.err[-500:]
        assert size(ran.out + ran.err) < MAX_STDERR, words


@pytest.mark.slow
def test_check_says_how_much_it_left_out(tmp_path: Path) -> None:
    flooding(tmp_path / "mine", FLOODS["before ready"])
    ran = run_process("check", "mine", "--step", 5, "--stderr", *TRUSTED, cwd=tmp_path)
    assert len(left_out(ran.out)) == 1
    assert size(ran.out) < 2 * SPELLED * MAX_STDERR
    assert printable(ran.out)


def test_check_says_how_much_of_a_build_it_left_out(tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine", program(""), build="sh build.sh")
    (folder / "build.sh").write_text("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end")
    words = ("check", "mine", "--step", 4, "--stderr", *TRUSTED)
    ran = run_process(*words, cwd=tmp_path)
    assert "build: ... 2.8 MiB more of the build's output left out" in ran.out
    assert "build: end" in ran.out
    assert size(ran.out) < 2 * MAX_STDERR


def test_transcript_has_the_beginning_of_long_lines(tmp_path: Path) -> None:
    bot(tmp_path / "mine", program(PADDED))
    ran = run_process("check", "mine", "--transcript", "bga", *TRUSTED, cwd=tmp_path)
    assert ran.code == 0, ran.err
    long = [line for line in ran.out.splitlines() if line.endswith("KiB more left out")]
    assert long
    assert max(map(len, long)) < MAX_ANSWER + 100


@pytest.mark.slow
def test_transcript_is_small_and_says_what_is_left_out(tmp_path: Path) -> None:
    flooding(tmp_path / "mine", FLOODS["then it ends"])
    ran = run_process("check", "mine", "--transcript", "bga", *TRUSTED, cwd=tmp_path)
    assert re.search(r"!!\d \.\.\. ", ran.out)
    assert left_out(ran.out)
    assert "the very end" in ran.out
    assert size(ran.out + ran.err) < 2 * SPELLED * 2 * MAX_STDERR


def test_rerun_has_the_beginning_of_long_lines(played: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(played, tmp_path / "copy"))
    (folder / "mine" / "bot.py").write_text(program(PADDED))
    ran = run_process("rerun", "league.yaml", FIXTURE, 0, *TRUSTED, cwd=folder)
    assert "fixture 0, 1 game: as stored" in ran.err
    assert "KiB more left out" in ran.out
    assert max(map(len, ran.out.splitlines())) < MAX_ANSWER + 100


def test_words_of_a_fault_are_few(tmp_path: Path) -> None:
    """A bid with thousands of fields, none of which it needs."""
    many = "{f'f{n}': 1 for n in range(5000)}"
    body = turn(f"say(json.dumps({{'id': m['id'], 'action': 'bid', **{many}}}))")
    bot(tmp_path / "mine", program(body))
    ran = run("check", "mine", "--json", *TRUSTED, cwd=tmp_path)
    [what] = [
        found["what"] for step in json.loads(ran.out)[0]["steps"] for found in step["findings"]
    ]
    assert "it has f0, f1, " in what
    assert size(what) < 400
