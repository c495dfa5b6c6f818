"""A bot is tried before its deadline: the check, and shares against the baselines."""

import json
from pathlib import Path

import pytest

from tests.cli.command import ROOT, bot, error_line, run

TERMS = """\
marks:
  total: 100
  legal: 40
  baselines: {easy: {bot: "sample:random", points: 60}}
reference: sample:honest
roster: nobody's business.csv
"""


@pytest.mark.slow
def test_bot_is_told_about_how_many_points_it_gets(tmp_path: Path) -> None:
    (tmp_path / "given.yaml").write_text(TERMS, encoding="utf-8")
    options = ("--course", "given.yaml", "--games", 80, "--sandbox", "process", "--json")
    honest = ROOT / "sample_bots/honest"
    ran = run("course", "try", honest, *options, "--trust-bots", "--workers", 1, cwd=tmp_path)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    share = found["shares"]["easy"]["part"]["share"]
    assert share["games"] == 80
    assert share["low"] <= share["share"] <= share["high"]
    # The reference is the same program, on the same dice.
    assert share == found["shares"]["easy"]["reference"]
    assert found["total"][0] == pytest.approx(100)
    assert [*tmp_path.iterdir()] == [tmp_path / "given.yaml"]


@pytest.mark.slow
def test_bot_is_tried_by_the_rubric_of_a_week(tmp_path: Path) -> None:
    honest = ROOT / "sample_bots/honest"
    options = ("--games", 80, "--sandbox", "process", "--trust-bots", "--workers", 1, "--json")
    ran = run("course", "try", honest, "--week", 4, *options, cwd=tmp_path)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert [*found["shares"]] == ["reference"]
    assert found["shares"]["reference"]["part"]["points"] == 0
    assert (found["total"][0], found["most"], found["field"]) == (20, 90, 10)
    assert [*tmp_path.iterdir()] == []


def test_week_that_the_pack_has_not_is_one_clear_line(tmp_path: Path) -> None:
    ran = run("course", "try", ROOT / "sample_bots/honest", "--week", 5, cwd=tmp_path)
    error_line(ran, "there is no week '5'", "--week", "1 to 4")


@pytest.mark.slow
def test_bot_that_does_not_start_plays_no_games(tmp_path: Path) -> None:
    broken = bot(tmp_path / "broken", "import sys\nsys.exit(3)\n", name="broken")
    options = ("--sandbox", "process", "--trust-bots", "--workers", 1)
    ran = run("course", "try", broken, *options, cwd=tmp_path)
    assert ran.code == 1
    assert "check: " in ran.out
    assert "about 0 of 90 points" not in ran.out
    assert "against" not in ran.out.partition("check: ")[2].partition("about")[0]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[]", "no keys of a course"),
        ("marks: {total: x}", "number"),
        ("reference: nosuch", "nosuch"),
    ],
)
def test_bad_terms_are_one_clear_line(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "given.yaml").write_text(text + "\n", encoding="utf-8")
    options = ("--course", "given.yaml", "--sandbox", "process", "--trust-bots")
    ran = run("course", "try", ROOT / "sample_bots/honest", *options, cwd=tmp_path)
    error_line(ran, what, "given.yaml")
