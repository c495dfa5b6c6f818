"""`arena puzzle`: a bot's worst turns, over a quick table and over a stored league."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import HANG, LOWEST, TRUSTED, arena, bot, environment, error_line, run

STORED = ("puzzle", "honest", "--league", "quick/league.yaml")
ASKED = re.compile(r"^Puzzle (\d+) of (\d+): honest is you \(bga; fixture \d, game \d, step \d+\)$")


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the league of a quick table."""
    folder = tmp_path_factory.mktemp("puzzle")
    options = ("--games", "3", "--seed", "s", "--sandbox", "process", "--into", "quick")
    ran = run("puzzle", "sample:honest", *options, cwd=folder, stdin="q\n")
    assert ran.code == 0, ran.err
    assert "Puzzle 1 of 10: honest is you" in ran.out
    return folder


def worst(folder: Path) -> list[dict[str, object]]:
    ran = run("coach", *STORED[1:], "--json", cwd=folder)
    found: list[dict[str, object]] = json.loads(ran.out)["judgement"]["worst"]
    return found


def test_rest_is_shown_where_nobody_types(quick: Path) -> None:
    ran = run(*STORED, cwd=quick)
    assert ran.code == 0, ran.err
    asked = [found for line in ran.out.splitlines() if (found := ASKED.match(line))]
    assert [int(found[1]) for found in asked] == [*range(1, len(worst(quick)) + 1)]
    assert ran.out.count("chance to win  costs") == len(asked)
    assert "You found" not in ran.out


def test_best_choice_costs_nothing_and_the_bot_s_what_the_coach_says(quick: Path) -> None:
    first = worst(quick)[0]
    hand, loss = first["hand"], first["loss"]
    assert isinstance(hand, list)
    assert isinstance(loss, float)
    best = first["best"]
    assert isinstance(best, dict)
    typed = f"{best['quantity']} {best['face']}" if best["do"] == "bid" else "dudo"
    ran = run(*STORED, cwd=quick, stdin=f"{typed}\nq\n")
    assert ran.code == 0, ran.err
    table = ran.out.partition("Puzzle 2")[0]
    assert f"you have {' '.join(map(str, sorted(hand)))}" in table
    assert re.search(r"^\S.* \d+ % +0 % +you$", table, re.MULTILINE)
    assert re.search(rf"^\S.* \d+ % +{100 * loss:.0f} % +honest$", table, re.MULTILINE)
    ended = ran.out.splitlines()[-1]
    assert ended == (
        f"You found the best choice in 1 of 1 and gave up 0 % a turn; the bot {100 * loss:.0f} %."
    )


def test_data_has_every_choice(quick: Path) -> None:
    ran = run(*STORED, "--json", cwd=quick)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)["puzzles"]
    assert [one["decision"] for one in found] == worst(quick)
    for one in found:
        costs = [choice["cost"] for choice in one["choices"]]
        assert costs == sorted(costs)
        legal = sum(each["max"] - each["min"] + 1 for each in one["request"]["raises"])
        assert len(costs) == legal + one["request"]["dudo"]
        made = one["decision"]["action"]
        [cost] = [choice["cost"] for choice in one["choices"] if choice["action"] == made]
        assert cost == pytest.approx(one["decision"]["loss"])


def test_answers_are_those_of_a_person_at_a_table(quick: Path) -> None:
    typed = "?\nodds\nlegal\nrules\n99 9\nseven\nq\n"
    ran = run(*STORED, cwd=quick, stdin=typed)
    assert ran.code == 0, ran.err
    for part in ("doubt the last bid", "holds ", " to 10", "no face is called '9'", "type a bid"):
        assert part in ran.out
    assert "chance to win" not in ran.out
    assert "Puzzle 2" not in ran.out


@pytest.mark.slow
def test_end_of_input_at_a_terminal_stops(quick: Path) -> None:
    ours, theirs = os.openpty()
    with subprocess.Popen(
        arena(*STORED), cwd=quick, env=environment(), stdin=theirs, stdout=subprocess.PIPE
    ) as process:
        os.close(theirs)
        os.write(ours, b"\x04")
        out, _ = process.communicate(timeout=HANG)
    os.close(ours)
    assert process.returncode == 0
    assert b"Puzzle 1 of" in out
    assert b"Puzzle 2 of" not in out


def test_bots_of_ones_own_are_asked_about_larger_tables(tmp_path: Path) -> None:
    bot(tmp_path / "mine", LOWEST)
    rivals = ("--against", "sample:honest", "--against", "sample:random")
    options = ("--games", "1", "--variant", "italian", "--calza", *TRUSTED)
    ran = run("puzzle", "./mine", *rivals, *options, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "mine is you (italian; " in ran.out


def test_bad_input_is_one_line(quick: Path) -> None:
    error_line(run("puzzle", "nowhere", cwd=quick), "no such bot folder")
    ran = run("puzzle", "honset", *STORED[2:], cwd=quick)
    error_line(ran, "'honset'", "did you mean 'honest'?")
    ran = run(*STORED, "--games", "3", cwd=quick)
    error_line(ran, "--games has no effect", "arena puzzle")
