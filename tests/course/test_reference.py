"""The reference that is drawn for a course."""

import json
import random
from pathlib import Path

import pytest

from arena.bots.manifest import load_bot
from arena.course.intake.entries import GivenOut
from arena.course.new import make_own_course
from arena.course.reference.draw import PARAMETERS, draw_reference
from tests.cli.command import run


def test_each_course_has_one_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("id\n1\n", encoding="utf-8")
    drawn = []
    for name in ("one", "two"):
        make_own_course(tmp_path / name, tmp_path / "r.csv", "2100-11-20 23:59 Europe/Berlin")
        parameters = tmp_path / name / "reference/parameters.json"
        drawn.append(json.loads(parameters.read_bytes()))
        assert not (tmp_path / name).stat().st_mode & 0o077
        given_out = [tmp_path / name / "pack", tmp_path / name / "starter"]
        assert [path for folder in given_out for path in folder.rglob("*arameters*")] == []
    assert drawn[0] != drawn[1]
    for each in drawn:
        assert each.keys() == PARAMETERS.keys()
        assert all(low <= each[name] <= high for name, (low, high) in PARAMETERS.items())


def test_its_program_with_other_parameters_is_named(tmp_path: Path) -> None:
    draw_reference(tmp_path / "mine", random.Random(1))
    given = GivenOut({}).of(load_bot(tmp_path / "mine"))
    assert given is not None
    assert given.name == "the reference of a course"


@pytest.mark.slow
def test_it_is_like_no_sample_bot(tmp_path: Path) -> None:
    draw_reference(tmp_path / "mine", random.Random(2))
    options = ("--positions", 400, "--seed", "alike", "--sandbox", "process", "--trust-bots")
    ran = run("alike", tmp_path / "mine", "sample:[!c]*", *options, "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    pairs = [one for one in found["pairs"] if "mine" in (one["one"], one["other"])]
    assert len(pairs) == 8
    assert [one for one in pairs if one["unusual"] > 0] == []
    [mine] = [one for one in found["bots"] if one["name"] == "mine"]
    assert not mine["not_its_own"]
    assert max(mine["decides_like"].values()) < 0.9
