"""Students' pages: under names that nobody can guess, or behind the login of a door."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.course.config import load_course
from arena.course.output.page_addresses import places_of, remove_others
from arena.publish.output.site_folder import replace_site
from tests.cli.command import error_line, run
from tests.course.school import course_yaml, roster
from tests.course.shown import write_course
from tests.ladder.web.doors import Door, door_of, ladder

PATH = "private/original/course/index.html"


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    """A door with two students and a guest among its authors."""
    with door_of(ladder(tmp_path)) as door:
        door.session("original")
        door.session("apart")
        door.session("guest")
        yield door


def test_door_shows_a_page_to_its_student_alone(door: Door, tmp_path: Path) -> None:
    course = write_course(tmp_path / "course", door=str(door.folder.root))
    assert door.ask(f"/{PATH}").status == 404
    assert door.ask(f"/{PATH}", **door.session("apart")).status == 404
    mine = door.session("original")
    page = door.ask(f"/{PATH}", **mine)
    assert page.status == 200
    assert "Ada</h1>" in page.body.decode()
    # The door's pages may have no styles inside.
    assert "<style" not in page.body.decode()
    assert '<link rel="stylesheet" href="/assets/style.css">' in page.body.decode()
    assert page.body.decode().count('<header class="site">') == 1
    assert "My bots" in page.body.decode()
    assert f'href="/{PATH}"' in door.ask("/me", **mine).body.decode()
    assert "/course/" not in door.ask("/me", **door.session("guest")).body.decode()
    # Who is no author there has a page of their own all the same.
    assert len([*(course.folder / "feedback").iterdir()]) == 4
    assert PATH in (course.folder / "class.html").read_text(encoding="utf-8")


def test_pages_behind_the_door_outlast_a_publication(door: Door, tmp_path: Path) -> None:
    course = write_course(tmp_path / "course", door=str(door.folder.root))
    replace_site(door.folder.private / "original", [("index.html", "checks")])
    page = door.folder.root / PATH
    assert page.exists()
    remove_others(course, {key: at for key, at in places_of(course).items() if at != page})
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
