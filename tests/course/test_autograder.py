"""The autograder: the student's program is another user's, and ends before a result is written."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from arena.course.output import autograder
from arena.course.output.autograder import result_of
from arena.course.output.gradescope import write_autograder
from tests.cli.command import LOWEST, ROOT, bot, environment

USER = "nobody"
SECONDS = 600 + os.getpid() / 1e7
"""How long the spy's child sleeps; no other test's does."""
SPY = """
    import json, os, pathlib, subprocess
    subprocess.Popen(["sleep", "{seconds}"], start_new_session=True)
    home = pathlib.Path({home!r})
    seen = [os.geteuid()]
    for path in (home / "results", home / "source"):
        try:
            (path / "results.json").write_text('{{"score": 100}}')
            seen.append(str(path))
        except OSError:
            pass
    pathlib.Path({said!r}).write_text(json.dumps(seen))
"""


def test_result_has_a_test_for_each_step() -> None:
    fault = {"what": "timeout", "where": "seat 0", "hint": ""}
    report: dict[str, Any] = {
        "steps": [
            {"number": 1, "name": "manifest", "findings": []},
            {"number": 2, "name": "program", "findings": [fault]},
        ],
        "left": 2,
    }
    tests = result_of(report, 20.0)["tests"]
    assert [test["score"] for test in tests] == [5, 0, 0, 0]
    assert [test["max_score"] for test in tests] == [5] * 4
    assert tests[1]["output"] == "timeout / seat 0"


def test_link_to_a_folder_is_no_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source/key").write_text("of the teacher")
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission/bot").symlink_to("../source")
    monkeypatch.setattr(autograder, "end_processes", lambda _: None)
    autograder.main(tmp_path, USER, 30)
    assert not (tmp_path / "work/bot/key").exists()
    found = json.loads((tmp_path / "results/results.json").read_text())
    assert found["tests"][0]["score"] == 0


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_program_runs_as_another_user_and_ends_before_the_result(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o011)
    home, said = tmp_path / "autograder", tmp_path / "open/said.txt"
    said.parent.mkdir()
    said.parent.chmod(0o777)
    write_autograder(home / "source", 30)
    (home / "source").chmod(0o700)
    spy = "\n".join(line.removeprefix("    ") for line in SPY.splitlines())
    source = spy.format(home=str(home), said=str(said), seconds=SECONDS) + "\n" + _dedented(LOWEST)
    bot(home / "submission", source, name="spy")
    ran = subprocess.run(
        [sys.executable, home / "source/autograder.py", home, USER, "30"],
        env=environment(PYTHONPATH=str(ROOT)),
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads((home / "results/results.json").read_text())
    assert "tests" in found, found
    assert json.loads(said.read_text()) == [65534]
    assert sum(test["score"] for test in found["tests"]) > 20
    left = subprocess.run(
        ["pgrep", "-u", USER, "-f", f"sleep {SECONDS}"], capture_output=True, check=False
    )
    assert left.stdout == b""


def _dedented(text: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in text.splitlines())


def test_submission_of_one_who_was_graded_gets_that_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source/graded.json").write_text('{"ada@school.example": {"score": 87.5}}')
    (tmp_path / "submission").mkdir()
    monkeypatch.setattr(autograder, "end_processes", lambda _: None)
    for address, score in (("Ada@school.example", 87.5), ("bo@school.example", None)):
        users = [{"id": 1, "email": address, "name": "A"}]
        (tmp_path / "submission_metadata.json").write_text(json.dumps({"users": users}))
        autograder.main(tmp_path, USER, 30)
        found = json.loads((tmp_path / "results/results.json").read_text())
        assert found.get("score") == score


@pytest.mark.slow
def test_autograder_brings_the_arena_with_it(tmp_path: Path) -> None:
    write_autograder(tmp_path / "a", 30)
    [wheel] = (tmp_path / "a").glob("*.whl")
    assert f"install /autograder/source/{wheel.name}\n" in (tmp_path / "a/setup.sh").read_text()
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    assert {"arena/__main__.py", "arena/_shipped/reports/base.html"} <= {*names}
    assert len(names) == len({*names})
    assert not [name for name in names if "__pycache__" in name or "_shipped/_shipped" in name]
    write_autograder(tmp_path / "b", 30)
    assert (tmp_path / "b" / wheel.name).read_bytes() == wheel.read_bytes()
