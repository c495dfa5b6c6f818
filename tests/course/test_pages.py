"""What the pages of a course say: marks that add up, what the teacher must look at, no secrets."""

import html
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.course.config import Course, load_course
from arena.course.marks import Result
from arena.course.output.pages import Notices, write_pages
from arena.course.output.similarity import Similarity
from tests.course.shown import PAGES, lock_of, page_of, result, write_course

MINUS = "\u2212"
NUMBER = r"\d+\.\d\d"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return write_course(tmp_path_factory.mktemp("school") / "course")


def words_of(course: Course, page: str) -> str:
    """Return what a page says, without its markup."""
    text = (course.folder / page).read_text(encoding="utf-8")
    text = text.partition('<main id="main">')[2].partition("</main>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def test_mark_adds_up_to_what_is_left_of_it(course: Course) -> None:
    words = words_of(course, page_of("renamed"))
    parts, total = re.findall(rf"((?:{NUMBER} \+ )+{NUMBER}) = ({NUMBER})", words)[0]
    assert sum(map(float, parts.split(" + "))) == pytest.approx(float(total))
    [after] = re.findall(rf"{total} {MINUS} 10 = ({NUMBER}), for 1 day after the deadline", words)
    assert float(after) == pytest.approx(float(total) - 10)
    [final] = re.findall(rf"{after} \+ 2\.5 = ({NUMBER}), appeal: the network failed", words)
    assert f"{final} of 100 points" in words


@pytest.mark.parametrize("student", ["original", "renamed", "apart"])
def test_part_says_how_it_was_calculated(course: Course, student: str) -> None:
    words = words_of(course, page_of(student))
    found = re.findall(
        rf"of 80 games: 50 \u00d7 \(({NUMBER}) {MINUS} 50\) ÷ \(({NUMBER}) {MINUS} 50\) ({NUMBER})",
        words,
    )
    if student == "original":
        assert "all points from the reference's share on 50.00" in words
        return
    [(share, reference, points)] = found
    wanted = 50 * (float(share) - 50) / (float(reference) - 50)
    assert float(points) == pytest.approx(wanted, abs=0.01)


def test_page_has_the_facts_on_the_clock_of_the_course(course: Course) -> None:
    words = words_of(course, page_of("renamed"))
    assert "Received 2100-11-21 20:00:00 Europe/Berlin, 1 day late" in words
    assert "Grace 5 min" in words
    assert "Questions Dr. Example, room 3" in words
    team = words_of(course, page_of("apart"))
    assert "Extended for you to 2100-11-23 23:59:00 Europe/Berlin (+3 days)" in team
    assert "Team duo" in team
    assert "Mia" not in team


def test_interval_is_no_forecast_of_another_grading(course: Course) -> None:
    """It is made for the mark of endless games; another grading's is further off (84 % within)."""
    words = words_of(course, page_of("renamed"))
    mark = result(course, lock_of(course), 1).mark
    assert mark
    ends = f"{mark.total.low:.2f} to {mark.total.high:.2f}"
    assert f"The 95 % interval of the sum before any deduction is {ends}" in words
    assert "points that endless games would lead to" in words
    assert "played again" not in words


def test_grade_that_the_interval_led_to_is_explained(course: Course) -> None:
    words = words_of(course, page_of("renamed"))
    assert "Grade 2.0: the points lead to 3.0, their interval reaches the better one" in words


def test_page_shows_no_backticks_and_no_path_of_this_machine(course: Course) -> None:
    for page in PAGES.values():
        words = words_of(course, page)
        assert str(course.folder) not in words
        assert page == "alike.html" or "`" not in words
    broken = words_of(course, page_of("broken"))
    assert "Step 4 of the check, game: a game" in broken
    assert "where bot.py:7" in broken


def test_page_of_one_who_handed_in_nothing_counts_no_steps(course: Course) -> None:
    words = words_of(course, page_of("absent"))
    assert "steps" not in words
    assert "nothing was handed in" in words


def test_class_page_has_statistics_part_by_part(course: Course) -> None:
    words = words_of(course, "class.html")
    finals = [
        float(re.findall(rf"({NUMBER}) of 100", words_of(course, PAGES[page]))[0])
        for page in PAGES
        if page not in {"class of a course", "alike"}
    ]
    mean = (sum(finals) + finals[2]) / 6  # a team has two pages that are the same
    assert f"final 100 {mean:.2f}" in words
    assert "renamed Zoë (1 day)" in words
    assert "Files of nobody on the roster lost.zip" in words
    assert "apart Flo (97 % of the source is in sample:honest)" in words.replace("\u202f", " ")
    assert "original Ada and renamed Zoë" in words


def test_few_pairs_do_not_say_how_alike_any_two_are(course: Course) -> None:
    words = words_of(course, "alike.html")
    assert "Any two: median \u2013 \u2013" in words


def test_class_page_says_first_what_was_not_done(tmp_path: Path, course: Course) -> None:
    lock = lock_of(course)
    results: list[Result] = [result(course, lock, number) for number in range(6)]
    why = "hand-ins were not compared: a worker died"
    notices = Notices((), ("s1: a table killed its workers",), Similarity(why_not=why))
    other = load_course(course.path)
    page = write_pages(other, lock, results, notices)
    words = words_of(course, page.name)
    assert words.index("Not done s1: a table killed its workers " + why) < words.index("Who needs")


def test_struck_student_has_no_parts(course: Course) -> None:
    lock = lock_of(course)
    results = [result(course, lock, number) for number in range(6)]
    struck = [replace(results[0], mark=None, note="struck"), *results[1:]]
    write_pages(course, lock, struck, Notices())
    words = words_of(course, page_of("original"))
    assert "No mark: struck." in words
    assert "How the mark came about" not in words
