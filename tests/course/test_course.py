"""A course from hand-ins to marks: graded, graded again, killed, changed, verified."""

import csv
import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena.league.store.store import Store
from tests.cli.command import HANG, arena, environment, error_line, run
from tests.course.school import LATE, QUICK, STUDENTS, course_yaml, grade, marks, roster
from tests.e2e.live import wait_until
from tests.support.sampling import sample

NAMES = ("Ada", "HYPERLINK", "Cy", "SUM", "Ed", "Flo")


@pytest.mark.slow
def test_marks_follow_from_checks_and_games(graded: Path) -> None:
    found = marks(graded)
    assert [*found] == [line.partition(",")[0] for line in STUDENTS]
    assert found["s1"]["legal"] == "40.00"
    assert float(found["s1"]["random"]) > 40
    assert float(found["s1"]["mark"]) > float(found["s3"]["mark"])
    assert (found["s4"]["mark"], found["s5"]["mark"]) == ("0.00", "0.00")
    assert found["s2"]["note"] == found["s5"]["note"] == "nothing was handed in"
    for row in found.values():
        assert float(row["low"]) <= float(row["mark"]) <= float(row["high"])


def test_it_says_whose_marks_are_precise_enough(graded: Path) -> None:
    said = (graded.parent / "said").read_text()
    assert {*re.findall(r"^(\w+): \d+\.\d ± \d", said, re.MULTILINE)} == {"s1", "s3", "s6"}


def test_progress_is_of_the_whole_and_by_student(graded: Path) -> None:
    said = (graded.parent / "said").read_text()
    assert "3 of 3 hand-ins played the baselines" in said
    checked = r"^checked(?: \d of 4| again): (\w+) \(\1\): \d+ of \d+ steps$"
    assert {*re.findall(checked, said, re.MULTILINE)} == {"s1", "s3", "s4", "s6"}


def test_copies_get_the_same_mark(graded: Path) -> None:
    found = marks(graded)
    for part in ("random", "field"):
        assert found["s1"][part] == found["s6"][part]


def test_copy_of_a_baseline_is_marked_as_any_other(graded: Path) -> None:
    found = marks(graded)["s3"]
    assert float(found["random"]) < 40
    assert found["games"] != "0"


def test_late_hand_in_is_shown_with_and_without_the_deduction(graded: Path) -> None:
    found = marks(graded)["s6"]
    assert (found["days_late"], found["deduction"]) == ("1", "10.00")
    assert float(found["final"]) == pytest.approx(float(found["mark"]) - 10)
    assert found["note"] == "1 day late"


def test_no_cell_is_a_formula(graded: Path) -> None:
    with (graded / "marks.csv").open(newline="", encoding="utf-8") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'=HYPERLINK(1)" in cells
    assert "'@SUM(A1)" in cells
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []


@pytest.mark.slow
@pytest.mark.parametrize("sent", sample((signal.SIGKILL, signal.SIGINT), 1, "course stopped"))
def test_stopped_and_started_again_it_leads_to_the_same_marks(
    copy: Path, sent: signal.Signals
) -> None:
    before = (copy / "marks.csv").read_bytes()
    for path in copy.glob("grading/*.sqlite*"):
        path.unlink()
    (copy / "marks.csv").unlink()
    store = copy / "grading/games.sqlite"
    process = subprocess.Popen(
        arena("course", "grade", copy, "--trust-bots", "--workers", 1),
        cwd=copy,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        process_group=0,
    )
    try:
        wait_until(lambda: stored(store) > 2 or process.poll() is not None)
    finally:
        os.killpg(process.pid, sent)
        _, said = process.communicate(timeout=HANG)
    assert not (copy / "marks.csv").exists()
    if sent == signal.SIGINT:
        assert process.returncode == 130
        lines = said.decode().splitlines()
        assert lines[-1] == f"stopped; to go on: arena course grade {copy}"
        assert "Traceback" not in said.decode()
    ran = grade(copy)
    assert ran.code == 0, ran.err
    assert (copy / "marks.csv").read_bytes() == before


def test_stopped_while_nothing_is_played_it_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.cli.course.grading.grade", interrupted)
    roster(tmp_path, *STUDENTS)
    course_yaml(tmp_path)
    ran = grade(tmp_path)
    assert ran.code == 130
    assert ran.err == f"stopped; to go on: arena course grade {tmp_path}\n"


def stored(path: Path) -> int:
    try:
        with Store(path) as store:
            return len(store.finished())
    except Exception:  # it is being made
        return 0


def test_course_verifies(copy: Path) -> None:
    ran = run("course", "verify", copy, "--workers", 1, cwd=copy)
    assert (ran.code, ran.out.count("all replay")) == (0, 1), ran
    path = copy / "marks.csv"
    path.write_bytes(path.read_bytes().replace(b"40.00", b"41.00", 1))
    ran = run("course", "verify", copy, "--workers", 1, cwd=copy)
    assert ran.code == 1
    assert "marks.csv: it is not what the games lead to" in ran.out


@pytest.mark.slow
def test_struck_student_moves_marks_through_the_field_alone(copy: Path) -> None:
    before = marks(copy)
    course_yaml(copy, received="received.csv", late=LATE, struck=["s1"])
    ran = grade(copy)
    assert ran.code == 0, ran.err
    after = marks(copy)
    assert (after["s1"]["mark"], after["s1"]["note"]) == ("", "struck")
    for id_ in ("s2", "s3", "s4", "s5", "s6"):
        for part in ("legal", "random", "deduction"):
            assert after[id_][part] == before[id_][part]
    lines = [line for line in ran.out.splitlines() if line.startswith("moved: ")]
    assert any(line.startswith("moved: s1 ") and line.endswith(": struck") for line in lines)
    others = [line for line in lines if not line.startswith("moved: s1 ")]
    assert all("field" in line and "random" not in line for line in others), lines


@pytest.mark.slow
def test_changed_marks_must_be_accepted(copy: Path) -> None:
    other = {**QUICK["marks"], "legal": 50, "field": 0}  # type: ignore[dict-item]
    course_yaml(copy, received="received.csv", late=LATE, marks=other)
    before = (copy / "marks.csv").read_bytes()
    error_line(grade(copy), "changed since the last grading", "marks or late", "--accept-changes")
    assert (copy / "marks.csv").read_bytes() == before
    ran = grade(copy, "--accept-changes")
    assert ran.code == 0, ran.err
    assert "moved: s3 " in ran.out
    assert "(marks or late changed)" in ran.out


def test_student_pages_name_nobody_else(graded: Path) -> None:
    pages = {path.name: path.read_text() for path in (graded / "feedback").iterdir()}
    assert len(pages) == len(STUDENTS)
    assert all(len(name) == len("0" * 32 + ".html") for name in pages)
    for text in pages.values():
        words = {*re.findall(r"\w+", text.partition("<main")[2])}
        assert len(words & {*NAMES}) == 1
        assert "school.example" not in text
    broken = next(text for text in pages.values() if "comand" in text)
    assert "bot.yaml:1:1" in broken
    assert str(graded.parent) not in broken


def test_pages_link_to_bots_and_replays_of_the_league(graded: Path) -> None:
    pages = [*(graded / "feedback").iterdir(), graded / "class.html"]
    found = {
        (page, link) for page in pages for link in re.findall('href="(.*?)"', page.read_text())
    }
    links = {(page.parent, link) for page, link in found if not link.startswith(("#", "data:"))}
    assert [link for at, link in links if not (at / link.partition("#")[0]).exists()] == []
    assert any("/bots/" in link for _, link in links)
    watched = {re.search(r"replay\.html#(\d+)\.(\d+)\.", link) for _, link in links}
    shards = {f"{game[1]}-{int(game[2]) // 32}.js" for game in watched if game}
    assert shards
    assert shards <= {path.name for path in (graded / "site/replays").iterdir()}


def test_published_pages_link_to_the_published_league_and_nothing_else_is_public(
    graded: Path, tmp_path: Path
) -> None:
    public = tmp_path / "public"
    for _ in range(2):
        ran = run("course", "feedback", graded, "--into", public, cwd=tmp_path)
        assert ran.code == 0, ran.err
    given = dict(line.split(": ") for line in ran.out.splitlines())
    assert [*given] == [line.partition(",")[0] for line in STUDENTS]
    assert {path.name for path in public.iterdir()} == {"feedback", "site"}
    assert {f"feedback/{page.name}" for page in (public / "feedback").iterdir()} == {
        *given.values()
    }
    links = {
        link.partition("#")[0]
        for page in given.values()
        for link in re.findall('href="([^#d].*?)"', (public / page).read_text())
    }
    assert any("/bots/" in link for link in links)
    assert [link for link in links if not (public / "feedback" / link).exists()] == []
    assert (public / "site/index.html").read_bytes() == (graded / "site/index.html").read_bytes()
    for path in (public, *public.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644), path


def test_class_page_says_who_needs_help(graded: Path) -> None:
    text = (graded / "class.html").read_text()
    needy = text.partition("Who needs help")[2].partition("To look at</h2>")[0]
    assert "it never plays" in needy
    assert "nothing was handed in" in needy
    assert "Ada" not in needy
    for name in ("class.html", "marks.csv"):
        assert (graded / name).stat().st_mode & 0o077 == 0
    assert not re.search(r"index\.html\.[A-Z]", re.sub("<[^>]*>", "", text))
    absent = [page.read_text() for page in (graded / "feedback").iterdir()]
    assert sum("nothing was handed in" in page for page in absent) == 2
    assert not any("0 of 1 steps" in page for page in absent)
    site = (graded / "site/index.html").read_text()
    assert "mine" not in site


def test_marks_go_into_an_export(graded: Path, tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    export.write_bytes(b'"Email address","Grade"\r\n"Ada@school.example","-"\r\n"x@y","-"\r\n')
    options = ("--into", export, "--id", "Email address", "--grade", "Grade")
    ran = run("course", "marks", graded, *options, cwd=tmp_path)
    assert ran.code == 1, ran.err
    final = marks(graded)["s1"]["final"].encode()
    assert export.read_bytes() == (
        b'"Email address","Grade"\r\n"Ada@school.example","%b"\r\n"x@y","-"\r\n' % final
    )
    assert "left alone: x@y" in ran.err
    before = export.read_bytes()
    error_line(
        run("course", "marks", graded, *options[:4], "--grade", "Mark", cwd=tmp_path), "Mark"
    )
    assert export.read_bytes() == before


def test_gradescope_gets_marks_with_how_they_came_about(graded: Path, tmp_path: Path) -> None:
    ran = run("course", "gradescope", graded, "--into", tmp_path / "out", cwd=tmp_path)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads((tmp_path / "out/results/s1/results.json").read_text())
    assert f"{found['score']:.2f}" == marks(graded)["s1"]["final"]
    assert [test["name"] for test in found["tests"]] == ["legal", "random", "field"]
    broken = json.loads((tmp_path / "out/results/s4/results.json").read_text())
    assert "comand" in broken["output"]
    for name in ("setup.sh", "run_autograder"):
        assert os.access(tmp_path / "out/autograder" / name, os.X_OK)
