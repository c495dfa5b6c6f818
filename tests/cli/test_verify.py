"""`arena verify`: changed and damaged records are found."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.league.store.files import logs_path
from arena.league.store.rows import GAMES
from tests.cli.command import run
from tests.league.store import edit


@pytest.fixture
def stored(played_by_samples: Path) -> Path:
    return played_by_samples / "league.sqlite"


def first_event(record: dict[str, Any], tag: str) -> list[Any]:
    events = record["games"][1]["events"]
    return next(event for event in events if event[0] == tag)


def changed_die(record: dict[str, Any]) -> None:
    hand = first_event(record, "round")[4][0]
    hand[0] = hand[0] % 6 + 1


def changed_winner(record: dict[str, Any]) -> None:
    record["games"][1]["places"].reverse()


def changed_count(record: dict[str, Any]) -> None:
    first_event(record, "call")[3] += 1


def missing_game(record: dict[str, Any]) -> None:
    del record["games"][1]


def missing_bid(record: dict[str, Any]) -> None:
    events = record["games"][1]["events"]
    events.remove(first_event(record, "bid"))


def changed_seat(record: dict[str, Any]) -> None:
    record["fixture"]["seats"].reverse()


def changed_seed(record: dict[str, Any]) -> None:
    record["fixture"]["seed"] = "0" * 32


TAMPERINGS = [
    changed_die,
    changed_winner,
    changed_count,
    missing_game,
    missing_bid,
    changed_seat,
    changed_seed,
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
    assert last == f"{12 - (tamper is missing_game)} games in 6 of 6 fixtures: NOT verified"
    ran = run("verify", "league.yaml", "--json", cwd=tmp_path)
    assert (ran.code, len(json.loads(ran.out)["findings"])) == (1, len(findings))


def test_verify_finds_changed_master_seed(tmp_path: Path, stored: Path) -> None:
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
    assert (ran.code, ran.out) == (1, "")
    assert "error: 1 stored fixture is damaged: " in ran.err
    assert " / league.sqlite / arena mend drops what is damaged" in ran.err
