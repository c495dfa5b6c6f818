"""What a course's rules change when it is graded again: those marks, and no byte of the others."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import Ran, error_line, run
from tests.course.school import LATE, STUDENTS, course_yaml, grade, hand_in, marks, roster
from tests.e2e.live import let_others_in

RECEIVED = {"received": "received.csv", "late": LATE}


@pytest.fixture(scope="module")
def course(graded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course that was graded, to be graded again and again."""
    folder = tmp_path_factory.mktemp("again")
    let_others_in(folder)
    return Path(shutil.copytree(graded, folder / "course", symlinks=True))


def rows(course: Path) -> dict[str, str]:
    """Return the lines of marks.csv by student."""
    lines = (course / "marks.csv").read_text(encoding="utf-8").splitlines()
    return {line.partition(",")[0]: line for line in lines}


def regrade(course: Path, *more: str, **keys: object) -> tuple[set[str], Ran]:
    """Grade with other keys; returns whose lines of marks.csv are others, and what was said."""
    before = rows(course)
    course_yaml(course, **{**RECEIVED, **keys})
    ran = grade(course, *more)
    assert ran.code == 0, ran.err
    after = rows(course)
    changed = {id_ for id_ in after if after[id_] != before.get(id_)}
    moved = [line for line in ran.out.splitlines() if line.startswith("moved: ")]
    assert {line.split()[1] for line in moved} <= changed
    return changed, ran


def by_hand(course: Path) -> None:
    lines = ["id,part,points,reason", "s3,appeal,2.5,a typo of mine", "s5,bonus,1,helped others"]
    (course / "by-hand.csv").write_text("\n".join(lines))


def in_team_and_works(course: Path) -> None:
    lines = [f"{line},{'duo' if line[:2] in ('s3', 's5') else ''}" for line in STUDENTS]
    roster(course, *lines, head="id,name,email,group,team")
    hand_in(course, "s4_again", "honest", name="again")
    with (course / "received.csv").open("a") as file:
        file.write("s4_again,2100-11-21 11:00 Europe/Berlin\n")


def nothing(_: Path) -> None:
    pass


FREE: dict[str, object] = {"late": {**LATE, "free_days": 1}}
EXTENDED: dict[str, object] = {"extensions": {"s6": "+1 day"}}
# What is done, the keys that change, whose marks do, and what is said of it.
CHANGES: dict[str, tuple[Callable[[Path], None], dict[str, object], set[str], tuple[str, ...]]] = {
    "an extension, and points by hand": (
        by_hand,
        {**EXTENDED, "by_hand": "by-hand.csv"},
        {"s3", "s5", "s6"},
        ("deduction 0, not 10", "appeal +2.5 (a typo"),
    ),
    "neither, but a team, and a late one that works": (
        in_team_and_works,
        {},
        {"s3", "s4", "s5", "s6"},
        (
            "deduction 10, not 0",
            "no more bonus +1 (helped others)",
            "another hand-in counts: s3",
            "another hand-in counts: s4_again",
        ),
    ),
    "late days that are free": (nothing, FREE, {"s4", "s6"}, ("deduction 0, not 10",)),
    "nothing": (nothing, FREE, set(), ()),
}


@pytest.mark.slow
def test_change_moves_what_it_should_and_no_byte_else(course: Path) -> None:
    for case, (do, keys, wanted, said) in CHANGES.items():
        do(course)
        accept = ["--accept-changes"] if "free" in case else []
        changed, ran = regrade(course, *accept, **keys)
        assert (case, changed) == (case, wanted)
        assert [text for text in said if text not in ran.out] == [], case
    found = marks(course)
    assert (found["s3"]["random"], found["s3"]["team"]) == (found["s5"]["random"], "duo")
    assert found["s4"]["field"] == found["s1"]["field"]


def leaving_takes_a_word(course: Path, said: str) -> None:
    """No mark of a first look leaves the course unless one says so."""
    export, out = course.parent / "export.csv", course.parent / "out"
    empty = "id,Grade\n" + "".join(f"s{number},\n" for number in range(1, 7))
    export.write_text(empty)
    commands = (
        ("marks", course, "--into", export, "--id", "id", "--grade", "Grade"),
        ("gradescope", course, "--into", out),
        ("feedback", course, "--into", out / "public"),
    )
    for words in commands:
        ran = run("course", *words, cwd=course)
        error_line(ran, f"this is {said}", "course.lock", "--first-look")
    assert not out.exists()
    assert export.read_text() == empty
    for words in commands:
        ran = run("course", *words, "--first-look", cwd=course)
        assert (ran.code, ran.err.count(f"this is {said}")) == (0, 1), ran.err
    assert export.read_text() != "id,Grade\ns1,\n"
    results = json.loads((out / "results/s1/results.json").read_text(encoding="utf-8"))
    assert f"this is {said}" in results["output"]
    assert "reached" not in results["output"]


@pytest.mark.slow
def test_first_look_says_how_sure_it_is_and_the_rest_is_played_later(course: Path) -> None:
    key = {"grades": {"key": {"good": 60, "bad": 0}, "better": True}, **FREE}
    before = rows(course)
    changed, ran = regrade(course, "--precision", "60", **key)
    said = "a first look, to ±60 points, and not the mark, which is played to ±30"
    assert f"this is {said}" in ran.out
    assert f"for the mark: arena course grade {course}" in ran.err
    assert {row["precise"] for row in marks(course).values()} == {"first look"}
    pages = [course / "class.html", *(course / "feedback").glob("*.html")]
    assert all(f"This is {said}." in page.read_text(encoding="utf-8") for page in pages)
    leaving_takes_a_word(course, said)
    assert "grade " in ran.out
    assert changed - {"id"} == before.keys() - {"id"}  # all have a grade now
    error_line(grade(course, "--precision", "60", "--within", "1m"), "two answers")
    assert run("course", "verify", course, "--workers", 1, cwd=course).code == 0
    shown = next((course / "feedback").glob("*.html")).read_text(encoding="utf-8")
    assert "Grade" in shown
    changed, ran = regrade(course, **FREE)
    assert rows(course) == before
    assert "first look" not in ran.out + (course / "class.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_best_hand_in_counts_where_the_course_says_so(course: Path) -> None:
    hand_in(course, "s3_other", "honest", name="other")
    with (course / "received.csv").open("a") as file:
        file.write("s3_other,2100-11-20 12:00 Europe/Berlin\n")
        file.write("s3,2100-11-19 12:00 Europe/Berlin\n")
    _, ran = regrade(course, "--accept-changes", resubmissions="best", **FREE)
    found = marks(course)["s3"]
    assert "the best of 2, without the field" in found["note"]
    assert {name for name in ("s3", "s3_other") if f"'{name}' came to" in found["note"]}
    others = [line for line in ran.out.splitlines() if line.startswith("moved: s1 ")]
    assert all("field" in line and "random" not in line for line in others), others
    assert run("course", "verify", course, "--workers", 1, cwd=course).code == 0
