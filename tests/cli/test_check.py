"""`arena check`: faults, standard error, transcripts."""

import json
import os
import re
import shlex
import signal
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest

from arena.author.check.steps import STEPS
from tests.cli.command import HANG, LOWEST, READY, ROOT, arena, bot, environment, error_line, run
from tests.support.depth import depth
from tests.support.sampling import sample

NAMES = depth(("honest",), ("c-counter", "honest", "js-cautious"))
BOX = ("--sandbox", "process")
SAMPLES = [ROOT / "sample_bots" / name for name in NAMES]

FAULTY: dict[str, tuple[str, str, str]] = {
    "illegal": (
        LOWEST.replace('first["min"]', "99"),
        "illegal_action: ",
        "",
    ),
    "garbage": (
        READY + "            print('I doubt \\x1b[2J that', flush=True)\n",
        "malformed_line: ",
        "",
    ),
    "exception": (
        READY + "            raise ValueError(asked['type'] + '\\x1b[31m')\n",
        "crash: the program ended with exit code 1",
        "ValueError: turn\\x1b[31m",
    ),
    "start": (
        "raise SystemExit('no dice')",
        "crash: the program ended with exit code 1",
        "no dice",
    ),
}


@pytest.mark.slow
def test_sample_bots_have_no_faults(tmp_path: Path) -> None:
    ran = run("check", *SAMPLES, "--sandbox", "process", cwd=tmp_path)
    assert ran.code == 0, ran
    verdicts = [line for line in ran.out.splitlines() if not line.startswith(" ")]
    assert verdicts == [f"{folder.name}: ok (process)" for folder in SAMPLES]
    numbers = [line.split()[0] for line in ran.out.splitlines() if re.match(r" +\d+ [a-z]", line)]
    assert numbers == [str(number) for number in range(1, len(STEPS) + 1)] * len(SAMPLES)
    assert "CPU time of a decision: median " in ran.out
    assert len(ran.out.splitlines()) <= 24 * len(SAMPLES)


def test_check_prints_json(tmp_path: Path) -> None:
    ran = run("check", "sample:random", "--step", "5", "--json", *BOX, cwd=tmp_path)
    (checked,) = json.loads(ran.out)
    assert (ran.code, ran.err) == (0, "")
    assert (checked["bot"], checked["ok"], checked["stderr"]) == ("random", True, "")
    names = [step["name"] for step in checked["steps"]]
    assert names == [step.name for step in STEPS[:4]] + [STEPS[4].name]
    assert all(step["findings"] == [] for step in checked["steps"])


@pytest.mark.parametrize("kind", depth(("garbage", "exception"), tuple(FAULTY)))
def test_check_shows_what_was_sent_and_came_back(tmp_path: Path, kind: str) -> None:
    source, fault, stderr = FAULTY[kind]
    bot(tmp_path / "new", source)
    ran = run("check", "new", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    assert ran.code == 1
    first, *rest = ran.out.splitlines()
    assert first == "new: 1 fault (process)"
    assert fault in rest[1]
    assert "\x1b" not in ran.out
    by_name = [line.strip().partition(": ") for line in rest]
    shown = {name: text for name, _, text in by_name}
    assert shown["where"] == "bga, 2 players, seat 0"
    assert shown["sent"].startswith(("hello: seat 0 of 2", "turn 1: seat 0 has "))
    assert "came" in shown
    assert shown["mend"]
    said = [text for name, _, text in by_name if name == "stderr"]
    assert stderr in "\n".join(said)
    assert bool(said) == bool(stderr)
    assert len(ran.out.splitlines()) <= 24


def test_a_fault_is_repeated_without_the_arena(tmp_path: Path) -> None:
    folder, here = bot(tmp_path / "my bot", FAULTY["exception"][0]), {"TMPDIR": str(tmp_path)}
    words = ("check", folder, "--sandbox", "process", "--trust-bots")
    ran = run(*words, cwd=tmp_path, env=here)
    *_, line, debugged = ran.out.splitlines()
    line = line.removeprefix("  without the arena: ")
    repeated = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert "ValueError: turn" in repeated.stderr
    again = shlex.split(debugged.removeprefix("  in a debugger: arena "))
    ran = run(*again, cwd=tmp_path)
    assert (ran.code, "ValueError: turn" in ran.err) == (1, True)
    [file] = tmp_path.glob("perudo-arena-check-*/*")
    assert oct(file.stat().st_mode) == "0o100600"
    before = file.read_text()
    first, *_, last = map(json.loads, before.splitlines())
    assert (first["type"], last["type"]) == ("hello", "turn")

    (folder / "bot.py").write_text(FAULTY["illegal"][0])
    assert run(*words, cwd=tmp_path, env=here).code == 1
    assert list(file.parent.iterdir()) == [file]
    assert file.read_text() != before


PLANTED = {
    "python": ("bot.py", r"    return bid\(", "    1 // 0\n    return bid(", "ZeroDivisionError"),
    "javascript": ("bot.js", r"  return bid\(best.min", "  return bid(99", "illegal_action"),
    "c": ("bot.c", r"    return bid\(", "    abort();\n    return bid(", "SIGABRT"),
}
"""Faults in kits: the file, a pattern and what takes its place, and what is said of it."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("box", "language"),
    sample(
        [("process", "c"), *(("bubblewrap", language) for language in PLANTED)], 2, "planted faults"
    ),
)
def test_a_fault_is_repeated_in_each_language(tmp_path: Path, box: str, language: str) -> None:
    name, pattern, fault, said = PLANTED[language]
    mine = f"{language}-{box}-{os.getpid()}"
    assert run("new", mine, "--lang", language, cwd=tmp_path).code == 0
    source = tmp_path / mine / name
    text = re.sub(pattern, fault, source.read_text())
    source.write_text(f"#include <stdlib.h>\n{text}" if language == "c" else text)
    ran = run("check", mine, "--sandbox", box, "--trust-bots", cwd=tmp_path)
    assert (ran.code, said in ran.out) == (1, True), ran
    *_, line, debugged = ran.out.splitlines()
    line = line.removeprefix("  without the arena: ")
    repeated = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if language == "javascript":
        assert json.loads(repeated.stdout.splitlines()[-1])["quantity"] == 99
    else:
        assert repeated.returncode != 0
    again = shlex.split(debugged.removeprefix("  in a debugger: arena "))
    ran = run(*again, cwd=tmp_path)
    assert (ran.code, said in ran.out + ran.err) == (1, True), ran
    Path(again[1]).unlink()


def test_a_fault_is_not_written_into_the_folder_of_somebody_else(tmp_path: Path) -> None:
    theirs = tmp_path / f"perudo-arena-check-{os.getuid()}"
    theirs.mkdir(0o777)
    theirs.chmod(0o777)
    folder = bot(tmp_path / "new", FAULTY["exception"][0])
    words = ("check", folder, "--sandbox", "process", "--trust-bots")
    assert run(*words, cwd=tmp_path, env={"TMPDIR": str(tmp_path)}).code == 1
    assert list(theirs.iterdir()) == []
    assert len(list(tmp_path.glob("perudo-arena-check-*/new.fault.jsonl"))) == 1


def test_error_of_a_deep_stack_is_shown(tmp_path: Path) -> None:
    frames = "".join(f"    at f{number} (x.js:{number}:1)\\n" for number in range(9))
    bot(
        tmp_path / "new",
        f"import sys\nsys.exit('ReferenceError: consol\\n{frames}\\nNode.js v20')\n",
    )
    ran = run("check", "new", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    assert [line.strip() for line in ran.out.splitlines() if "stderr: " in line] == [
        "stderr: ReferenceError: consol",
        "stderr:     at f0 (x.js:0:1)",
        "stderr:     at f1 (x.js:1:1)",
        "stderr: Node.js v20",
    ]


def test_check_reports_a_faulty_bot_among_good_ones(tmp_path: Path) -> None:
    source, fault, stderr = FAULTY["start"]
    bot(tmp_path / "new", source)
    words = ("--sandbox", "process", "--trust-bots", "--step", "5", "--json")
    ran = run("check", "new", SAMPLES[0], *words, cwd=tmp_path)
    assert ran.code == 1
    new, good = json.loads(ran.out)
    assert (new["ok"], good["ok"]) == (False, True)
    (found,) = new["steps"][-1]["findings"]
    assert fault in found["what"]
    assert stderr in found["stderr"]


def test_refused_bot_is_bad_input_in_json_too(tmp_path: Path) -> None:
    bot(tmp_path / "new", command="pyhton3 bot.py")
    words = ("check", "new", "--sandbox", "process", "--trust-bots")
    error_line(run(*words, cwd=tmp_path), "needs 'pyhton3'", "did you mean 'python3'?")
    ran = run(*words, "--json", cwd=tmp_path)
    error_line(ran, "needs 'pyhton3'")
    (found,) = json.loads(ran.out)[0]["steps"][-1]["findings"]
    assert found["hint"] == "did you mean 'python3'?"


def test_interrupted_check_keeps_its_findings(tmp_path: Path) -> None:
    """Ctrl-C comes when a bot that faulted in an earlier step is asked again at a table of two."""
    os.mkfifo(tmp_path / "began")
    wait = f"open({str(tmp_path / 'began')!r}, 'w').close() or time.sleep(600)"
    odd = f"len(asked['alive']) == 2 or print('hm'); asked['game'] < 2 or {wait}; answer = {{"
    bot(tmp_path / "new", "import time\n" + textwrap.dedent(LOWEST).replace("answer = {", odd))
    words = arena("check", "new", "--all", "--sandbox", "process", "--trust-bots")
    with subprocess.Popen(
        words, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        (tmp_path / "began").read_bytes()
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=HANG)
    assert running.returncode == 130
    assert out.decode().startswith("new: interrupted, ")
    assert "malformed_line" in out.decode()


def test_transcript_shows_faults_with_their_tracebacks(tmp_path: Path) -> None:
    bot(tmp_path / "new", FAULTY["exception"][0])
    words = ("check", "new", "sample:honest", "--transcript", "bga")
    ran = run(*words, "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    assert ran.code == 1
    faults = [line for line in ran.out.splitlines() if line.startswith("!!0 ")]
    assert faults[0] == "!!0 crash: the program ended with exit code 1"
    assert faults[-1].endswith("ValueError: turn\\x1b[31m")


@pytest.mark.parametrize("more", [[], [ROOT / "sample_bots/odds"] * 2])
def test_check_prints_a_transcript(tmp_path: Path, more: list[Path]) -> None:
    honest = ROOT / "sample_bots/honest"
    arguments = ("check", honest, *more, "--transcript", "bga", "--sandbox", "process")
    ran = run(*arguments, cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    # The bots get ready in any order; all other lines come in the same order.
    again = run(*arguments, cwd=tmp_path)
    assert sorted(again.out.splitlines()) == sorted(ran.out.splitlines())
    lines = [re.fullmatch(r"(>>|<<)(\d) (\{.*\})", line) for line in ran.out.splitlines()]
    said: list[tuple[str, int, dict[str, Any]]] = [
        (line[1], int(line[2]), json.loads(line[3])) for line in lines if line
    ]
    assert len(said) == len(lines)
    seats = len(more) + 1 if more else 2
    assert {seat for _, seat, _ in said} == set(range(seats))
    for seat in range(seats):
        told = [message["type"] for way, of, message in said if (way, of) == (">>", seat)]
        assert (told[0], told[-2:]) == ("hello", ["game_end", "bye"])
        answers = [message for way, of, message in said if (way, of) == ("<<", seat)]
        assert answers[0]["type"] == "ready"
        assert len(answers) == sum(kind in {"hello", "turn", "calza"} for kind in told)
