"""`arena check` and `arena verify` where there is something to find."""

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.store.logs import logs_path
from arena.store.rows import GAMES
from tests.cli.command import LOWEST, READY, ROOT, bot, league, run
from tests.store import edit

SAMPLES = [ROOT / "sample_bots" / name for name in ("c-counter", "honest", "js-cautious")]

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


@pytest.mark.parametrize(("source", "fault", "stderr"), FAULTY.values(), ids=FAULTY)
def test_check_reports_a_faulty_bot(tmp_path: Path, source: str, fault: str, stderr: str) -> None:
    bot(tmp_path / "new", source)
    ran = run("check", "new", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    assert ran.code == 1
    first, *rest = ran.out.splitlines()
    assert re.fullmatch(r"new: \d+ faults \(\d+ games, \d+ decisions\)", first)
    assert any(re.match(r"  \w+, [23] players, game \d: ", line) and fault in line for line in rest)
    assert "\x1b" not in ran.out
    said = [line for line in rest if line.startswith("  stderr: ")]
    assert stderr in "\n".join(said)
    assert bool(said) == bool(stderr)


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
    # Which of several bots is ready first is theirs to say; all else is in the same order.
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


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stored")
    league(folder)
    assert run("run", "league.yaml", "--sandbox", "process", cwd=folder).code == 0
    return folder / "league.sqlite"


def _first(record: dict[str, Any], tag: str) -> list[Any]:
    events = record["games"][1]["events"]
    return next(event for event in events if event[0] == tag)


def _another_die(record: dict[str, Any]) -> None:
    hand = _first(record, "round")[4][0]
    hand[0] = hand[0] % 6 + 1


def _another_winner(record: dict[str, Any]) -> None:
    record["games"][1]["places"].reverse()


def _another_count(record: dict[str, Any]) -> None:
    _first(record, "call")[3] += 1


def _a_game_less(record: dict[str, Any]) -> None:
    del record["games"][1]


def _a_bid_less(record: dict[str, Any]) -> None:
    events = record["games"][1]["events"]
    events.remove(_first(record, "bid"))


def _another_seat(record: dict[str, Any]) -> None:
    record["fixture"]["seats"].reverse()


def _another_seed(record: dict[str, Any]) -> None:
    record["fixture"]["seed"] = "0" * 32


TAMPERINGS = [
    _another_die,
    _another_winner,
    _another_count,
    _a_game_less,
    _a_bid_less,
    _another_seat,
    _another_seed,
]


@pytest.mark.parametrize("tamper", TAMPERINGS)
def test_verify_finds_tampering(
    tmp_path: Path, stored: Path, tamper: Callable[[dict[str, Any]], None]
) -> None:
    store = edit.copied(stored, tmp_path / "league.sqlite")
    record = edit.edit_record(store, 2, tamper, hashes=False)
    ran = run("verify", "league.yaml", cwd=tmp_path)
    assert (ran.code, ran.err) == (1, "")
    *findings, last, root = ran.out.splitlines()
    assert findings
    assert all(line.startswith(f"fixture {record['fixture']['id']}") for line in findings)
    assert root.startswith("root: ")
    assert last == f"{12 - (tamper is _a_game_less)} games in 6 of 6 fixtures: NOT verified"
    ran = run("verify", "league.yaml", "--json", cwd=tmp_path)
    assert (ran.code, len(json.loads(ran.out)["findings"])) == (1, len(findings))


def test_verify_finds_another_master_seed(tmp_path: Path, stored: Path) -> None:
    store = edit.copied(stored, tmp_path / "league.sqlite")
    with sqlite3.connect(store) as db:
        (info,) = db.execute("SELECT info FROM league").fetchone()
        db.execute("UPDATE league SET info = ?", [info.replace(b'"seed":"s"', b'"seed":"t"')])
    db.close()
    ran = run("verify", "league.yaml", cwd=tmp_path)
    assert ran.code == 1
    assert "league: the master seed does not match its published hash" in ran.out


def test_verify_reports_a_damaged_record(tmp_path: Path, stored: Path) -> None:
    store = edit.copied(stored, tmp_path / "league.sqlite")
    edit.execute(logs_path(store), "UPDATE logs SET log = x'00' WHERE key = ?", 2 * GAMES)
    ran = run("verify", "league.yaml", cwd=tmp_path)
    assert (ran.code, ran.err) == (1, "")
    assert "game 0: its log is not what was written there" in ran.out
    ran = run("report", "league.yaml", cwd=tmp_path)
    assert ran.code == 2
    assert "error: the store fails: " in ran.err
    assert " / league.logs.sqlite / the file is damaged" in ran.err
