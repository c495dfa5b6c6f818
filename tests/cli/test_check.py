"""`arena check`: faults, standard error, transcripts."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import LOWEST, READY, ROOT, bot, run
from tests.support.depth import depth

NAMES = depth(("honest",), ("c-counter", "honest", "js-cautious"))
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


def test_sample_bots_have_no_faults(tmp_path: Path) -> None:
    ran = run("check", *SAMPLES, "--sandbox", "process", cwd=tmp_path)
    assert ran.code == 0, ran
    assert ran.err == "sandbox: process\n"
    lines = [re.sub(r"\d+", "N", line) for line in ran.out.splitlines()]
    assert lines == [f"{folder.name}: ok (N games, N decisions)" for folder in SAMPLES]


def test_check_prints_json(tmp_path: Path) -> None:
    ran = run("check", ROOT / "sample_bots/random", "--json", cwd=tmp_path)
    (checked,) = json.loads(ran.out)
    assert (ran.code, ran.err) == (0, "")
    assert (checked["bot"], checked["faults"], checked["stderr"]) == ("random", [], "")
    assert checked["games"] > 0
    assert checked["decisions"] > checked["games"]


@pytest.mark.parametrize("kind", depth(("garbage", "exception"), tuple(FAULTY)))
def test_check_reports_a_faulty_bot(tmp_path: Path, kind: str) -> None:
    source, fault, stderr = FAULTY[kind]
    bot(tmp_path / "new", source)
    ran = run("check", "new", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    assert ran.code == 1
    first, *rest = ran.out.splitlines()
    assert re.fullmatch(r"new: \d+ faults \(\d+ games, \d+ decisions\)", first)
    assert any(re.match(r"  \w+, [23] players, game \d: ", line) and fault in line for line in rest)
    assert "\x1b" not in ran.out
    shown = [line for line in rest if line.startswith("  stderr: ")]
    assert stderr in "\n".join(shown)
    assert bool(shown) == bool(stderr)


def test_check_reports_a_faulty_bot_among_good_ones(tmp_path: Path) -> None:
    source, fault, stderr = FAULTY["start"]
    bot(tmp_path / "new", source)
    folders = ("new", SAMPLES[0])
    ran = run("check", *folders, "--sandbox", "process", "--trust-bots", "--json", cwd=tmp_path)
    assert ran.code == 1
    new, good = json.loads(ran.out)
    assert good["faults"] == []
    assert all(fault in line or "not started again" in line for line in new["faults"])
    assert stderr in new["stderr"]


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
