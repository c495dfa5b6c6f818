"""The worked example: what it is made of, and that all of it can be read."""

import json
from collections import Counter
from pathlib import Path

import pytest

from arena.bots.manifest import load_bot
from arena.bots.sandboxes.process import ProcessSandbox
from arena.course import new
from arena.course.config import load_course
from arena.course.intake.hand_ins import choose, hand_ins_of
from arena.course.new import STUDENTS, make_course
from arena.io.errors import ArenaError
from tests.cli.command import run


def test_example_has_late_broken_missing_and_copied_hand_ins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new, "make_sandbox", lambda _: ProcessSandbox())
    assert {"javascript", "python", "shell"} <= {*make_course(tmp_path / "demo")}
    course = load_course(tmp_path / "demo")
    assert len(course.students) == STUDENTS
    with hand_ins_of(course) as intake:
        found, strangers = intake.hand_ins, intake.strangers
        assert strangers == []
        assert Counter(one.student for one in found)["s26"] == 2
        late, broken, programs = [], [], Counter[bytes]()
        for student in course.students:
            theirs = [one for one in found if one.student == student.id]
            choice = choose(theirs, course.due[student.id], course.file.late.days)
            late += [student.id] if choice.days_late else []
            if choice.hand_in is None:
                assert student.id == "s25"
                continue
            assert choice.hand_in.inside.bot
            try:
                bot = load_bot(choice.hand_in.inside.bot)
            except ArenaError:
                broken.append(student.id)
                continue
            [program] = bot.folder.glob("bot.[!y]*")
            programs[program.read_bytes()] += 1
        assert (late, broken) == (["s07"], ["s12"])
        assert max(programs.values()) > 1


def test_a_copy_with_other_names_is_the_pair_that_stands_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new, "make_sandbox", lambda _: ProcessSandbox())
    make_course(tmp_path / "demo")
    ran = run("alike", "demo/hand-ins", "--positions", "0", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    pairs = [one for one in json.loads(ran.out)["pairs"] if one["unusual"] > 0]
    assert [(one["one"], one["other"]) for one in pairs] == [("s03", "s19")]
