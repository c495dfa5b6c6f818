"""A bot is built once by a ladder, a course and comparisons: its build counts itself."""

from pathlib import Path
from typing import Any

import pytest

from arena.ladder.check import scheduler
from tests.cli.command import TRUSTED, bot, run
from tests.course.school import course_yaml, roster
from tests.e2e.live import let_others_in
from tests.ladder import club as clubs
from tests.ladder.club import inside

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose cache and files nobody has used."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    let_others_in(tmp_path)
    (tmp_path / "count").touch()
    (tmp_path / "count").chmod(0o666)
    return tmp_path


def counted(home: Path) -> dict[str, Any]:
    """Return the keys of a bot.yaml whose build is counted."""
    script = f"echo built >> {home / 'count'}; cp bot.py made.py"
    return {"build": ["sh", "-c", script], "command": "python3 made.py"}


def builds(home: Path) -> int:
    return len((home / "count").read_text().split())


def test_on_a_ladder_from_its_check_to_the_games_after_a_restart(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "Job", clubs.AtOnce)
    club = clubs.make(home, blocks=1)
    clubs.admitted(club, "other", clubs.REUSABLE)
    assert clubs.submitted(club, "mine", clubs.REUSABLE, **counted(home)).code == 0
    for _ in range(2):
        with inside(club) as ladder:
            ladder.until(lambda: clubs.is_asleep(club, "mine@1", "other@1"))
    assert builds(home) == 1


def test_in_a_course_from_its_check_to_its_games(home: Path) -> None:
    course = home / "course"
    course.mkdir()
    roster(course, "s1,Ada,ada@school.example,A")
    bot(course / "hand-ins" / "s1", clubs.REUSABLE, name="ada", **counted(home))
    course_yaml(course)
    words = ("course", "grade", course, "--trust-bots", "--workers", 1)
    for _ in range(2):
        assert run(*words, cwd=home).code == 0
    assert builds(home) == 1


def test_in_comparisons(home: Path) -> None:
    mine = bot(home / "mine", clubs.REUSABLE, **counted(home))
    short = ("--against", "sample:honest", "--blocks", 2, "--games", 1, "--workers", 1)
    for _ in range(2):
        ran = run("compare", "sample:random", mine, *short, *TRUSTED, cwd=home)
        assert ran.code == 0, ran.err
    assert builds(home) == 1
