"""Students' pages: private until they are given, behind the login of a door or in a folder."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.course.config import Course, load_course
from arena.course.output.giving import give_pages, take_from_door
from arena.io.files import umask
from arena.publish.site_folder import replace_site
from tests.cli.command import error_line, run
from tests.course.school import course_yaml, roster
from tests.course.shown import lock_of, page_of, write_course
from tests.e2e.live import let_others_in
from tests.ladder.web.doors import Door, door_of, ladder

PATH = "private/original/course/index.html"
LEGAL: dict[str, object] = {"marks": {"total": 100, "legal": 100}, "reference": None}


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    """A door with two students and a guest among its authors."""
    with door_of(ladder(tmp_path)) as door:
        door.session("original")
        door.session("apart")
        door.session("guest")
        yield door


@pytest.fixture
def course(door: Door, tmp_path: Path) -> Course:
    """A course with that door, whose pages are written and not given."""
    return write_course(tmp_path / "course", door=str(door.folder.root))


def test_door_shows_a_page_to_its_student_alone(door: Door, course: Course) -> None:
    mine = door.session("original")
    assert door.ask(f"/{PATH}", **mine).status == 404
    pages = give_pages(course, lock_of(course), None)
    assert door.ask(f"/{PATH}").status == 404
    assert door.ask(f"/{PATH}", **door.session("apart")).status == 404
    page = door.ask(f"/{PATH}", **mine)
    assert page.status == 200
    assert "Ada</h1>" in page.body.decode()
    # The door's pages may have no styles inside.
    assert "<style" not in page.body.decode()
    assert '<link rel="stylesheet" href="../../../assets/style.css">' in page.body.decode()
    assert page.body.decode().count('<header class="site">') == 1
    assert "My bots" in page.body.decode()
    assert f'href="/{PATH}"' in door.ask("/me", **mine).body.decode()
    assert "/course/" not in door.ask("/me", **door.session("guest")).body.decode()
    links = {page.student: page.link for page in pages}
    assert links["original"] == f"/{PATH}"
    assert {id_ for id_, link in links.items() if link} == {"original", "apart"}
    assert page_of("original") in (course.folder / "class.html").read_text(encoding="utf-8")


def test_those_whom_no_door_knows_find_their_pages_in_the_folder(
    course: Course, tmp_path: Path
) -> None:
    public = tmp_path / "public"
    with umask(0o077):
        pages = give_pages(course, lock_of(course), public)
    published = {page.link for page in pages if not page.link.startswith("/")}
    assert {str(path.relative_to(public)) for path in public.rglob("*.html")} == published
    assert page_of("broken") in published
    assert page_of("original") not in published
    assert {path.stat().st_mode & 0o777 for path in public.rglob("*.html")} == {0o644}


def test_page_that_was_published_goes_with_its_student(tmp_path: Path) -> None:
    course, public = write_course(tmp_path / "course"), tmp_path / "public"
    give_pages(course, lock_of(course), public)
    (public / "feedback/notes.html").write_text("not ours")
    left = replace(course, students=course.students[1:])
    give_pages(left, lock_of(course), public)
    names = {path.name for path in (public / "feedback").iterdir()}
    assert page_of("original").rpartition("/")[2] not in names
    assert (len(names), "notes.html" in names) == (len(left.students) + 1, True)


def test_pages_behind_the_door_outlast_a_publication(door: Door, course: Course) -> None:
    give_pages(course, lock_of(course), None)
    replace_site(door.folder.private / "original", [("index.html", "checks")])
    page = door.folder.root / PATH
    assert page.exists()
    take_from_door(replace(course, students=course.students[1:]))
    assert not page.exists()
    assert (door.folder.private / "apart/course/index.html").exists()


def test_door_that_is_no_ladder_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada")
    (tmp_path / "hand-ins").mkdir()
    course_yaml(tmp_path, door="../club")
    assert load_course(tmp_path).door == tmp_path / "../club"
    ran = run("course", "grade", ".", "--trust-bots", cwd=tmp_path)
    error_line(ran, "it is no ladder", "club", "arena ladder init")
    assert not (tmp_path / "grading").exists()


@pytest.mark.slow
def test_pages_are_given_by_the_command_alone(door: Door, tmp_path: Path) -> None:
    course = tmp_path / "course"
    (course / "hand-ins/original").mkdir(parents=True)
    (course / "hand-ins/original/bot.yaml").write_text("comand: x\n")
    let_others_in(tmp_path)
    roster(course, "original,Ada", "other,Bo")
    course_yaml(course, **LEGAL)

    def give(*more: object) -> list[object]:
        return ["course", "feedback", course, *more]

    error_line(run(*give(), cwd=course), "nothing was graded yet", "course", "arena course grade")
    graded = run("course", "grade", course, "--trust-bots", "--workers", 1, cwd=course)
    assert graded.code == 0, graded.err
    error_line(run(*give(), cwd=course), "there is no place for the pages", "course.yaml", "--into")
    for folder in (course, course / "public", tmp_path):
        ran = run(*give("--into", folder), cwd=course)
        error_line(ran, "the folder of the course is private", str(folder), "elsewhere")
    course_yaml(course, **LEGAL, door=str(door.folder.root))
    ran = run(*give(), cwd=course)
    error_line(ran, "there are no pages for the door", "grading/door", "arena course grade")
    assert run("course", "grade", course, "--trust-bots", "--workers", 1, cwd=course).code == 0
    page = door.folder.root / PATH
    assert not page.exists()
    ran = run(*give(), cwd=course)
    assert (ran.code, ran.out) == (0, f"original: /{PATH}\n"), ran.err
    assert "not invited at the door: other" in ran.err
    assert page.stat().st_mode & 0o044
    ran = run(*give("--into", tmp_path / "public", "--json"), cwd=course)
    [original, other] = json.loads(ran.out)
    assert original == {"student": "original", "link": f"/{PATH}", "file": str(page)}
    assert (tmp_path / "public" / other["link"]) == Path(other["file"])
    assert run("course", "forget", course, "original", "--yes", cwd=course).code == 0
    assert not page.exists()
    (course / "marks.csv").write_text("edited")
    error_line(run(*give(), cwd=course), "it is not as arena course grade wrote it", "marks.csv")
