"""`arena rerun --as`: a stored game put to another build of a bot."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.bots.runtimes import KITS
from tests.cli.asked import DOUBTER, FIXTURE, asked, at_turns, build, play
from tests.cli.command import HANG, TRUSTED, error_line, opened, run
from tests.league.store import edit
from tests.support.bot_programs import start, turn
from tests.support.depth import depth


@pytest.fixture
def played(played_by_mine: Path) -> Path:
    return played_by_mine


def stored_events(folder: Path, decision: dict[str, Any]) -> list[Any]:
    """Return the stored events from a decision's step on."""
    game = decision["request"]["game"]
    record = opened(folder / "league.sqlite")[FIXTURE]["games"][game]
    events: list[Any] = record["events"][decision["step"] :]
    return events


def test_same_build_decides_the_same(played: Path) -> None:
    ran = run("rerun", "league.yaml", FIXTURE, 1, "--as", "mine", *TRUSTED, cwd=played)
    assert ran.code == 0, ran
    assert "decided differently: 0, faults: 0" in ran.err
    heading, _, *rows = ran.out.splitlines()
    assert heading.startswith(f"fixture {FIXTURE}, game 1: 'mine' in seat ")
    assert rows
    assert all(row.startswith("1 ") and not row.endswith("<") for row in rows)


def test_stored_answers_are_those_of_the_record_whatever_the_bot_answers(
    played: Path, tmp_path: Path
) -> None:
    code, said = asked(build(tmp_path / "new", DOUBTER), cwd=played)
    assert code == 1
    assert said["differing"] == sum(one["differs"] for one in said["decisions"]) > 0
    assert {one["request"]["game"] for one in said["decisions"]} == {0, 1}
    for one in said["decisions"]:
        kind, seat, *event = stored_events(played, one)[0]
        assert seat == said["seat"]
        if kind == "bid":
            assert [one["stored"]["quantity"], one["stored"]["face"]] == event
        else:
            assert (kind, one["stored"]["action"]) == ("call", event[0])
        assert one["now"]["action"] == ("dudo" if one["request"]["dudo"] else "bid")


def test_only_what_differs_is_listed(played: Path, tmp_path: Path) -> None:
    folder = build(tmp_path / "new", DOUBTER)
    _, whole = asked(folder, 0, cwd=played)
    _, said = asked(folder, 0, "--differing", cwd=played)
    assert said["requests"] == whole["requests"]
    assert said["decisions"] == [one for one in whole["decisions"] if one["differs"]]
    words = ("--as", folder, "--differing", *TRUSTED)
    ran = run("rerun", "league.yaml", FIXTURE, 0, *words, cwd=played)
    rows = ran.out.splitlines()[2:]
    assert len(rows) == said["differing"]
    assert all(row.endswith("<") for row in rows)


@pytest.mark.parametrize("language", depth(("python",), tuple(KITS)))
def test_recorded_lines_are_for_the_tests_of_a_kit(
    played: Path, tmp_path: Path, language: str
) -> None:
    assert run("new", "kit", "--lang", language, cwd=tmp_path).code == 0
    positions = tmp_path / "kit/positions.jsonl"
    positions.unlink()
    words = ("--as", "mine", "--record", positions, *TRUSTED)
    ran = run("rerun", "league.yaml", FIXTURE, *words, cwd=played)
    assert ran.code == 0, ran
    lines = [json.loads(line) for line in positions.read_text().splitlines()]
    assert (lines[0]["type"], lines[-1]["type"]) == ("hello", "bye")
    turns = [line for line in lines if line["type"] == "turn"]
    assert turns
    assert all(one["stored"] == one["now"] for one in turns)
    assert {"round_end", "game_end"} <= {line["type"] for line in lines}
    run_in(tmp_path / "kit", "sh", "-c", KITS[language].test)


def run_in(folder: Path, *command: str) -> None:
    """Run a command that must succeed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=HANG, check=False)
    assert done.returncode == 0, done


STAYS = """
from bot import choose
from perudo import positions
turns = positions("mended.jsonl")
assert turns
assert all(choose(view) == view.turn["now"] != view.turn["stored"] for view in turns)
"""


def test_answers_stand_beside_the_recorded_turns(played: Path, tmp_path: Path) -> None:
    assert run("new", "kit", cwd=tmp_path).code == 0
    words = ("--seat", 0, "--differing", "--record", tmp_path / "kit/mended.jsonl")
    assert asked(tmp_path / "kit", *words, cwd=played)[0] == 1
    run_in(tmp_path / "kit", sys.executable, "-c", STAYS)


def test_only_what_is_listed_is_recorded_with_all_the_news(played: Path, tmp_path: Path) -> None:
    folder = build(tmp_path / "new", DOUBTER)
    file = tmp_path / "differing.jsonl"
    _, said = asked(folder, "--differing", "--record", file, cwd=played)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    turns = [line for line in lines if line["type"] == "turn"]
    assert [one["id"] for one in turns] == [one["request"]["id"] for one in said["decisions"]]
    assert all(one["stored"] != one["now"] for one in turns)
    assert sum(line["type"] == "game_end" for line in lines) == 2


def test_only_the_store_is_needed(played: Path, tmp_path: Path) -> None:
    edit.copied(played / "league.sqlite", tmp_path / "league.sqlite")
    code, said = asked(played / "mine", cwd=tmp_path)
    assert (code, said["differing"]) == (0, 0)


def test_game_that_was_changed_is_not_asked(played: Path, tmp_path: Path) -> None:
    store = edit.copied(played / "league.sqlite", tmp_path / "league.sqlite")
    edit.edit_record(store, FIXTURE, lambda record: record["games"][0]["places"].reverse())
    ran = run("rerun", "league.yaml", FIXTURE, 0, "--as", played / "mine", *TRUSTED, cwd=tmp_path)
    error_line(ran, "fixture 0 is not as it was played", "league.sqlite", "arena verify")


# ---------------------------------------------------------------- faults


FAULTS = {
    "a crash": (at_turns(2, do="raise KeyError('x')"), "crash", "KeyError"),
    "a wrong line": (at_turns(2, do="return say('what')"), "malformed_line", "standard error"),
    "an illegal bid": (
        at_turns(2, do="return answer(m, action='bid', quantity=99, face=3)"),
        "illegal_action",
        "`raises`",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_explained_at_its_step_and_the_next_request_follows(
    played: Path, tmp_path: Path, fault: str
) -> None:
    body, cause, explained = FAULTS[fault]
    folder = build(tmp_path / "new", body)
    code, said = asked(folder, 0, cwd=played)
    assert code == 1
    causes = [one["now"].get("cause") for one in said["decisions"]]
    assert causes[:4:2] == [None, None]
    assert causes[1] == cause
    # The same process goes on after an illegal action; another one faults at its second turn, too.
    assert causes[3] == (None if cause == "illegal_action" else cause)
    ran = run("rerun", "league.yaml", FIXTURE, 0, "--as", folder, *TRUSTED, cwd=played)
    assert f"  {cause}: " in ran.out
    assert explained in ran.out


@pytest.mark.slow
def test_bot_that_is_late_is_given_up_after_its_restarts(tmp_path: Path) -> None:
    limits = {"answer": 0.5, "game": 60, "restarts": 1, "wall": 2}
    folder = play(tmp_path / "league", limits=limits)
    code, said = asked(build(tmp_path / "new", turn("hang()")), cwd=folder)
    assert code == 1
    assert [one["now"]["cause"] for one in said["decisions"]] == ["timeout", "timeout"]
    assert said["stopped"] == "it has used up its restarts"


def test_bot_that_does_not_start_is_asked_nothing_more(played: Path, tmp_path: Path) -> None:
    code, said = asked(build(tmp_path / "new", start("sys.exit('not today')")), cwd=played)
    assert (code, said["stopped"]) == (1, "it does not start")
    [only] = said["decisions"]
    assert only["now"]["cause"] == "crash"
    assert "not today" in only["stderr"]


def test_new_process_hears_the_news_of_the_game(played: Path, tmp_path: Path) -> None:
    body = "heard = []\ndef told(m): heard.append(m['round'])\n"
    body += at_turns(4, do="sys.stderr.write(repr(heard)); sys.exit(1)")
    _, said = asked(build(tmp_path / "new", body), 0, cwd=played)
    crashes = [one for one in said["decisions"] if "cause" in one["now"]]
    assert len(crashes) > 1
    for one in crashes:
        assert json.loads(one["stderr"]) == list(range(one["request"]["round"]))


def test_only_a_bot_that_asks_for_calza_is_offered_it(tmp_path: Path) -> None:
    variants = [{"variant": "bga", "calza": True}]
    folder = play(tmp_path / "league", variants=variants)
    ready = start('say(\'{"type":"ready","calza":true}\')')
    kinds = [
        {one["request"]["type"] for one in asked(one, cwd=folder)[1]["decisions"]}
        for one in (folder / "mine", build(tmp_path / "new", ready))
    ]
    assert kinds == [{"turn"}, {"turn", "calza"}]


# ---------------------------------------------------------------- bad input


BAD: dict[str, tuple[tuple[object, ...], tuple[str, ...]]] = {
    "an unknown fixture": ((99, 0, "--as", "mine"), ("fixture 99 is not stored", "arena status")),
    "an unknown game": ((0, 9, "--as", "mine"), ("no game 9", "its games are 0 to 1")),
    "an unknown folder": ((0, 0, "--as", "nobody"), ("no such bot folder", "--as")),
    "several bots": ((0, 0, "--as", "sample:*"), ("names", "bots", "name one")),
    "a bot that did not play": (
        (0, 0, "--as", "sample:odds"),
        ("'odds' did not play in this fixture", "--seat", "0 ", "1 "),
    ),
    "a seat that is not there": (
        (0, 0, "--as", "mine", "--seat", 4),
        ("there is no seat 4", "0 ", "1 "),
    ),
    "a file that is there": ((0, 0, "--as", "mine", "--record", "league.yaml"), ("exists",)),
    "a folder for the file that is not": (
        (0, 0, "--as", "mine", "--record", "no/such.jsonl"),
        ("cannot be written", "such.jsonl"),
    ),
    "--differing without a bot": ((0, 0, "--differing"), ("--differing needs --as",)),
    "--seat without a bot": ((0, 0, "--seat", 0), ("--seat needs --as",)),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line(played: Path, case: str) -> None:
    arguments, parts = BAD[case]
    error_line(run("rerun", "league.yaml", *arguments, *TRUSTED, cwd=played), *parts)


def test_bots_that_are_not_trusted_need_a_sandbox(played: Path) -> None:
    words = ("--as", "mine", "--sandbox", "process")
    ran = run("rerun", "league.yaml", FIXTURE, 0, *words, cwd=played)
    error_line(ran, "does not isolate bots", "--trust-bots")


def test_another_seat_can_be_taken(played: Path, tmp_path: Path) -> None:
    code, said = asked(build(tmp_path / "new", DOUBTER, name="stranger"), "--seat", 1, cwd=played)
    assert (code, said["seat"], said["bot"]) == (1, 1, "stranger")
