"""The pack of a course: its Markdown as pages, its figures, and the commands that it names."""

import os
import shlex
import shutil
import subprocess
import sys
from math import comb
from pathlib import Path

import html5lib
import pytest
import yaml

from arena.bots.kits import create
from arena.course import new
from arena.course.config import load_weeks
from arena.course.new import make_own_course
from arena.course.output.handouts import PACK, write_handouts
from arena.game.rules.books import PACO, variant
from arena.game.rules.round import Bid, first_standing, open_round, place, raises
from arena.ratings.maths.intervals import Z95, score_interval
from tests.cli.command import HANG, ROOT, environment, error_line, run
from tests.cli.live_terminal import at_terminal
from tests.course.school import course_yaml, roster
from tests.support.depth import only_in_long

SOURCES = ROOT / "docs/guides/pack"
XHTML = "{http://www.w3.org/1999/xhtml}"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of one's own, with two students and the pack."""
    folder = tmp_path_factory.mktemp("school")
    (folder / "r.csv").write_text("id\n1\n2\n", encoding="utf-8")
    make_own_course(folder / "course", folder / "r.csv", "2100-11-20 23:59 Europe/Berlin")
    return folder / "course"


def text_of(name: str) -> str:
    return (SOURCES / name).read_text(encoding="utf-8")


def test_own_course_can_be_read_and_handed_out(course: Path) -> None:
    assert [one.id for one in load_weeks(course)[0].students] == ["1", "2"]
    ran = run("course", "handouts", course, cwd=course)
    assert ran.code == 0, ran.err
    pages = [Path(line) for line in ran.out.splitlines()]
    assert {page.stem for page in pages} == {page.stem for page in SOURCES.glob("*.md")}
    for page in pages:
        root = html5lib.parse(page.read_bytes(), transport_encoding="utf-8")
        links = [link.get("href", "") for link in root.iter(f"{XHTML}a")]
        files = [link for link in links if link and not link.startswith("#")]
        assert [link for link in files if not (page.parent / link).exists()] == []


def test_file_with_rules_is_slides_and_others_are_sheets(course: Path) -> None:
    write_handouts(load_weeks(course))
    slides = (course / PACK / "slides-1.html").read_text(encoding="utf-8")
    assert slides.count('class="slide"') == text_of("slides-1.md").count("\n---\n") + 1
    assert "<table>" in slides
    sheet = (course / PACK / "week-1.html").read_text(encoding="utf-8")
    assert (sheet.count('class="sheet"'), sheet.count('class="slide"')) == (1, 0)


def test_html_in_a_sheet_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada,,")
    course_yaml(tmp_path)
    (tmp_path / PACK).mkdir()
    (tmp_path / PACK / "a.md").write_text("# A\n\n<script>alert(1)</script>\n", encoding="utf-8")
    [page] = write_handouts(load_weeks(tmp_path))
    assert "<script>alert" not in page.read_text(encoding="utf-8")
    assert "&lt;script&gt;" in page.read_text(encoding="utf-8")


def test_course_without_a_pack_says_so(tmp_path: Path, course: Path) -> None:
    bare = shutil.copytree(course, tmp_path / "bare", ignore=shutil.ignore_patterns(PACK))
    error_line(run("course", "handouts", bare, cwd=tmp_path), "no Markdown files", PACK, "init")


@pytest.mark.parametrize("given", ["--roster", "--deadline"])
def test_course_of_ones_own_needs_students_and_a_deadline(tmp_path: Path, given: str) -> None:
    ran = run("course", "init", tmp_path / "c", given, "x", cwd=tmp_path)
    error_line(ran, "needs both", "--roster, --deadline")
    assert not (tmp_path / "c").exists()


@pytest.mark.slow
def test_person_at_a_terminal_is_asked_for_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("id\n1\n", encoding="utf-8")
    words = ("course", "init", tmp_path / "c", "--roster", "r.csv")
    with at_terminal(tmp_path, tmp_path, *words) as terminal:
        terminal.read_until("the deadline of the first week")
        terminal.type("2100-11-20 23:59 Europe/Berlin\n")
        assert terminal.end() == 0
    last = load_weeks(tmp_path / "c")[-1]
    assert last.file.deadline == "2100-12-11 23:59 Europe/Berlin"


def test_bad_roster_leaves_no_course_behind(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("name\nAda\n", encoding="utf-8")
    options = ("--roster", "r.csv", "--deadline", "2100-11-20 23:59 Europe/Berlin")
    error_line(run("course", "init", tmp_path / "c", *options, cwd=tmp_path), "no column 'id'")
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(("won", "of", "said"), [(60, 100, (50, 69)), (600, 1000, (57, 63))])
def test_intervals_of_the_sheet_on_luck_are_right(won: int, of: int, said: tuple[int, int]) -> None:
    low, high = score_interval(won / of, of, Z95)
    assert (round(100 * low), round(100 * high)) == said
    assert f"{said[0]} and {said[1]} %" in text_of("luck.md") or (
        f"{said[0]} to {said[1]} %" in text_of("luck.md")
    )


def test_odds_of_the_slides_are_right() -> None:
    none, one = at_least(5, 0, 1 / 3) - at_least(5, 1, 1 / 3), at_least(5, 1, 1 / 3)
    two, text = at_least(5, 2, 1 / 3), text_of("slides-2.md")
    assert f"= {none:.3f}\n" in text
    assert f"= {one - two:.3f}\n" in text
    assert f"= **{two:.3f}**" in text


def at_least(dice: int, hits: int, chance: float) -> float:
    counts = range(hits, dice + 1)
    return sum(comb(dice, k) * chance**k * (1 - chance) ** (dice - k) for k in counts)


@pytest.mark.parametrize(
    ("page", "dice", "hits", "chance"),
    [
        ("lessons.md", 6, 2, 1 / 3),
        ("lessons.md", 6, 2, 1 / 6),
        ("exam.md", 4, 1, 1 / 3),
        ("exam.md", 4, 2, 1 / 6),
    ],
)
def test_answers_of_the_teacher_are_right(page: str, dice: int, hits: int, chance: float) -> None:
    assert f"= {at_least(dice, hits, chance):.3f}" in text_of(page)


@pytest.mark.parametrize(("won", "of", "ends"), [(60, 100, (50, 69)), (540, 1000, (51, 57))])
def test_intervals_of_the_exam_are_right(won: int, of: int, ends: tuple[int, int]) -> None:
    low, high = score_interval(won / of, of, Z95)
    assert (round(100 * low), round(100 * high)) == ends


def test_raises_of_the_slides_are_those_of_a_course() -> None:
    after = {bid: lowest_after(bid) for bid in (Bid(3, 5), Bid(5, 5), Bid(3, PACO), Bid(4, PACO))}
    assert (after[Bid(3, 5)][5], after[Bid(3, 5)][6]) == (4, 3)
    assert (after[Bid(5, 5)][PACO], after[Bid(5, 5)][6]) == (3, 5)
    assert (after[Bid(3, PACO)][4], after[Bid(4, PACO)][4], after[Bid(4, PACO)][PACO]) == (7, 9, 5)


def lowest_after(standing: Bid) -> dict[int, int]:
    """The least quantity of each face that may follow a bid at a table of two."""
    table = open_round(first_standing(variant("bga", {}, calza=False), 2, 0))
    return {legal.face: legal.min for legal in raises(place(table, standing))}


def test_rubric_has_the_points_of_each_week(course: Path) -> None:
    text = text_of("rubric.md")
    head, _, *rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = {row[0].strip("*"): row[1:] for row in map(cells_of, rows)}
    weeks = load_weeks(course)
    assert cells_of(head)[1:] == [one.week.name for one in weeks if one.week]
    for at, week in enumerate(weeks):
        marks = week.file.marks
        wanted = {"legal play": marks.legal, "games against all others": marks.field}
        wanted |= {f"games against `{name}`": one.points for name, one in marks.baselines.items()}
        wanted |= {"together": marks.total}
        points = {name: float(row[at].strip("*") or 0) for name, row in cells.items()}
        assert {name: of for name, of in points.items() if of} == {
            name: of for name, of in wanted.items() if of
        }
    file = weeks[0].file
    assert f"{file.late.points_per_day:g} points less for each day" in text
    assert f"after {file.late.days} days" in text
    assert f"{file.grace / 60:g} minutes of grace" in text
    precise = ", ".join(f"{week.file.precision:g}" for week in weeks[:-1])
    assert f"within {precise} and {weeks[-1].file.precision:g} points" in text


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_pages_have_the_deadlines_of_course_yaml(course: Path) -> None:
    write_handouts(load_weeks(course))
    days = ["Saturday, 20 November 2100", "Saturday, 27 November 2100"]
    days += ["Saturday, 4 December 2100", "Saturday, 11 December 2100"]
    for number, day in enumerate(days, 1):
        for name in (f"week-{number}", f"slides-{number}", "syllabus"):
            page = (course / PACK / name).with_suffix(".html").read_text(encoding="utf-8")
            assert f"{day}, 23:59 (Europe/Berlin)" in page, name
            assert "deadline of week" not in page


def test_pack_is_what_a_new_course_gets(course: Path) -> None:
    names = {path.name for path in SOURCES.iterdir()}
    assert names <= {path.name for path in (course / PACK).iterdir()}
    assert (course / "starter/bot.yaml").exists()
    assert new.HAND_INS in {path.name for path in course.iterdir()}


def lines_of_the_classroom() -> list[str]:
    """The shell lines after the arena was installed."""
    steps = yaml.safe_load(text_of("classroom.yml"))["jobs"]["check"]["steps"]
    install, *others = [step["run"] for step in steps if "run" in step]
    assert install == 'python -m pip install "$ARENA"'
    return others


def test_shell_lines_of_the_classroom_are_commands_with_their_options(tmp_path: Path) -> None:
    lines = lines_of_the_classroom()
    assert len(lines) == 2
    for line in lines:
        python, m, name, *words = shlex.split(line)
        assert (python, m, name) == ("python", "-m", "arena")
        # Words that the command does not know are refused before its help is shown.
        error_line(run(*words, "--no-such-option", "--help", cwd=tmp_path), "--no-such-option")
        ran = run(*words, "--help", cwd=tmp_path)
        assert (ran.code, ran.out.startswith("Usage: ")) == (0, True), ran


@only_in_long
def test_shell_lines_of_the_classroom_run(tmp_path: Path) -> None:
    create(tmp_path / "my-bot", "python")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for line in lines_of_the_classroom():
        fewer = " --games 80" if "course try" in line else ""
        ran = subprocess.run(
            ["sh", "-e", "-c", f"{line}{fewer}"],
            cwd=tmp_path,
            env=environment(PATH=path),
            capture_output=True,
            timeout=HANG,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr.decode()
