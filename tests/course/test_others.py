"""One student's id, address or runtime changes no other student's result, and stops no grading."""

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from arena.author.check.bench import CheckRequest
from arena.course.config import load_course
from arena.course.intake.checks import CheckedHandIn, check_all
from arena.course.intake.hand_ins import hand_ins_of
from arena.course.intake.inside import Inside
from arena.io.errors import ArenaError
from tests.cli.command import bot, error_line, run
from tests.cli.test_docker import VERSION, daemon
from tests.course.school import course_yaml, roster

LEGAL = {"marks": {"total": 100, "legal": 100}, "reference": None}


@pytest.mark.slow
@pytest.mark.parametrize("struck", [[], ["s1"]])
def test_mark_is_not_written_by_a_key_that_two_students_have(
    tmp_path: Path, struck: list[str]
) -> None:
    roster(tmp_path, "s1,Ada,ada@school.example", "s2,Bob,S1")
    (tmp_path / "hand-ins").mkdir()
    course_yaml(tmp_path, struck=struck, **LEGAL)
    assert run("course", "grade", tmp_path, "--trust-bots", cwd=tmp_path).code == 0
    export = tmp_path / "export.csv"
    export.write_bytes(b"id,Grade\ns1,\ns2,\n")
    options = ("--into", export, "--id", "id", "--grade", "Grade")
    ran = run("course", "marks", tmp_path, *options, cwd=tmp_path)
    error_line(ran, "'s1' may be 's1' or 's2'", "export.csv:2", "correct the roster")
    assert export.read_bytes() == b"id,Grade\ns1,\ns2,\n"


@pytest.mark.slow
def test_results_for_gradescope_of_ids_alike_are_not_written_over(tmp_path: Path) -> None:
    roster(tmp_path, "a.b,Ada", "a b,Bob", "a_b,Cy")
    (tmp_path / "hand-ins").mkdir()
    course_yaml(tmp_path, **LEGAL)
    assert run("course", "grade", tmp_path, "--trust-bots", cwd=tmp_path).code == 0
    ran = run("course", "gradescope", tmp_path, "--into", tmp_path / "out", cwd=tmp_path)
    assert ran.code == 0, ran.err
    results = sorted(path.parent.name for path in tmp_path.glob("out/results/*/results.json"))
    assert len(results) == 3
    assert "a_b" in results


@pytest.mark.slow
def test_runtime_without_an_image_is_its_bots_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = bot(tmp_path / "mine", name="mine", runtime="rust")
    answers = {"/version": (200, VERSION), "/rust/json": (404, {"message": "no such image"})}
    checks = tmp_path / "checks"
    checks.mkdir()
    with daemon(tmp_path, answers) as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        found = check_all(
            {"key": CheckedHandIn("s1", "mine", CheckRequest(source, "docker"), Inside(source))},
            checks,
            1,
            lambda _: None,
        )
    [finding] = found["key"].report.steps[0].findings
    assert "image" in finding.what
    assert "rust" in finding.what
    assert json.loads((checks / "key.json").read_text())["digest"] == ""


@pytest.mark.slow
def test_sandbox_that_works_for_nobody_is_no_bots_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = bot(tmp_path / "mine", name="mine")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/absent")
    with pytest.raises(ArenaError, match="no Docker daemon answers"):
        check_all(
            {"key": CheckedHandIn("s1", "mine", CheckRequest(source, "docker"), Inside(source))},
            tmp_path,
            1,
            lambda _: None,
        )


@pytest.mark.parametrize("bad", ["s2/../../x.py", "/etc/x.py", "s2/..\\\\..\\\\x.py", "C:/x.py"])
def test_entry_that_leads_out_of_an_archive_spoils_nobody_elses_hand_in(
    tmp_path: Path, bad: str
) -> None:
    roster(tmp_path, "s1,Ada", "s2,Bob")
    with ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("s1/bot.yaml", "name: x\ncommand: python3 bot.py\n")
        archive.writestr("s2/bot.yaml", "name: y\ncommand: python3 bot.py\n")
        archive.writestr(bad, "")
    course = load_course(course_yaml(tmp_path, submissions="all.zip"))
    with hand_ins_of(course) as intake:
        one, two = intake.hand_ins
        assert one.inside.bot
        if bad.startswith("s2"):
            assert (two.inside.bot, "leads out" in two.inside.why) == (None, True)
        else:
            [stranger] = intake.strangers
            assert (stranger.name, "an absolute path" in stranger.why) == (bad, True)
    assert not (tmp_path / "x.py").exists()


def test_names_that_differ_by_case_are_two_students_files(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada", "s2,Bob")
    with ZipFile(tmp_path / "all.zip", "w") as archive:
        for name in ("s1/Bot/bot.yaml", "s1/bot/notes.txt", "S2.txt", "s2/bot.yaml"):
            archive.writestr(name, "name: x\ncommand: python3 bot.py\n")
    course = load_course(course_yaml(tmp_path, submissions="all.zip"))
    with hand_ins_of(course) as intake:
        assert sum(one.inside.bot is not None for one in intake.hand_ins) == 2
