"""Hand-ins that a ladder received: whose they are, from when, and which bytes."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.course.config import Course, load_course
from arena.course.intake.entries import content_of
from arena.course.intake.hand_ins import hand_ins_of
from arena.ladder.book.book import Book
from arena.ladder.book.names import Names
from arena.ladder.book.quota import Quotas
from arena.ladder.book.tables import State
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.new import make_ladder
from tests.cli.command import error_line, run
from tests.course.school import course_yaml, roster

FROM_CLUB = {"submissions": {"ladder": "../club"}}


class Club:
    """A ladder that does not run."""

    def __init__(self, root: Path) -> None:
        make_ladder(root, "process", trusted=True)
        self.folder = Folder(root)

    def submit(self, author: str, bot: str, at: str, state: State = State.RATED) -> str:
        """Submit a version in November 2026; checked, its bytes are kept by their digest."""
        moment = datetime.fromisoformat(f"2026-11-{at}").replace(tzinfo=UTC).timestamp()
        content = f"{bot} {at}".encode()
        with Door(self.folder, writes=True) as door, Book(self.folder, writes=True) as book:
            door.invite(author)
            upload, _ = door.submit(author, bot, content, ".tar", Quotas(1000, 1000))
            if state is not State.QUEUED:
                book.add(upload, state, "a test")
                version = book.version(upload.version)
                book.set_digest(version, upload.sha256)
                self.folder.version(upload.sha256).write_bytes(content)
                self.folder.upload(upload.sha256, ".tar").unlink()
        with sqlite3.connect(self.folder.door) as file:
            file.execute("UPDATE uploads SET received_at = ? WHERE id = ?", (moment, upload.id))
        file.close()
        return upload.version


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return Club(tmp_path / "club")


@pytest.fixture
def course(tmp_path: Path) -> Course:
    folder = tmp_path / "course"
    folder.mkdir()
    roster(folder, "s1,Ada", "S2,Bob", "s3,Cy")
    return load_course(course_yaml(folder, **FROM_CLUB))


def test_versions_are_those_of_authors_with_a_students_id(club: Club, course: Course) -> None:
    club.submit("s1", "mine", "20 11:00:00.5")
    club.submit("s1", "mine", "20 12:00:00")
    club.submit("s2", "ours", "20 11:30:00")
    club.submit("guest", "other", "20 11:30:00")
    with hand_ins_of(course) as intake:
        found, strangers = intake.hand_ins, intake.strangers
        assert [(one.student, one.name, f"{one.receipt.moment:%H:%M:%S}") for one in found] == [
            ("s1", "mine@1", "11:00:00"),
            ("s1", "mine@2", "12:00:00"),
            ("S2", "ours@1", "11:30:00"),
        ]
        assert [stranger.name for stranger in strangers] == ["guest"]


def test_students_may_use_one_name_if_bots_are_named_by_author(club: Club, course: Course) -> None:
    for student in ("s1", "s2"):
        club.submit(student, Names.BY_AUTHOR.of(student, "my-bot"), "20 11:00:00")
    with hand_ins_of(course) as intake:
        found = [(one.student, one.name, one.inside.why) for one in intake.hand_ins]
    assert found == [("s1", "s1/my-bot@1", ""), ("S2", "s2/my-bot@1", "")]


def test_bytes_are_those_of_the_version_or_those_that_wait(club: Club, course: Course) -> None:
    club.submit("s1", "mine", "20 11:00:00")
    club.submit("s2", "ours", "20 11:00:00", State.QUEUED)
    with hand_ins_of(course) as intake:
        found = intake.hand_ins
        checked, waiting = found
        assert checked.inside.bot
        assert waiting.inside.bot
        assert checked.inside.bot.parent == course.submissions / "versions"
        assert waiting.inside.bot.parent == course.submissions / "inbox"
        assert checked.inside.bot.read_bytes() == b"mine 20 11:00:00"
        assert waiting.inside.bot.read_bytes() == b"ours 20 11:00:00"
        assert len({content_of(one) for one in found}) == 2


def test_refused_versions_count_only_without_others(club: Club, course: Course) -> None:
    club.submit("s1", "mine", "20 11:00:00")
    club.submit("s1", "mine", "20 12:00:00", State.REFUSED)
    club.submit("s2", "ours", "20 11:00:00", State.REFUSED)
    club.submit("s3", "his", "20 11:00:00", State.STRUCK)
    with hand_ins_of(course) as intake:
        found, strangers = intake.hand_ins, intake.strangers
        assert [one.name for one in found] == ["mine@1", "ours@1"]
        assert strangers == []


def test_bad_ladder_is_said_in_one_line(tmp_path: Path) -> None:
    roster(tmp_path, "s1,Ada")
    course_yaml(tmp_path, **FROM_CLUB)
    words = ("course", "grade", ".", "--trust-bots")
    error_line(run(*words, cwd=tmp_path), "it is no ladder", "club", "arena ladder init")
    course_yaml(tmp_path, submissions={"ladder": "../club"}, received="times.csv")
    error_line(run(*words, cwd=tmp_path), "a ladder knows itself", "course.yaml:", "received")
    course_yaml(tmp_path, submissions={"lader": "../club"})
    error_line(run(*words, cwd=tmp_path), "unknown key 'lader'", "course.yaml:")
