"""A ladder, a course, a site and exports of this version, which later versions read and go on with.

`python -m tests.compatibility.kept_folders NAME` makes one that is not there. Those that are there
stay: a later version that stores more adds another name.
"""

import shutil
import sys
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.ladder.book.book import Book
from arena.ladder.book.tables import State
from arena.ladder.folder import Folder
from arena.ladder.status import status
from tests.cli.command import run
from tests.compatibility import kept_stores
from tests.course import school
from tests.e2e.live import let_others_in
from tests.ladder import club as clubs

FOLDER = Path(__file__).with_name("folders")
_LATER_SEASON = 3
"""Fixtures of the second season."""
STORES = {"whole": "games", "until": "decisions", "models": "models"}
"""The stores that are exported, and as what rows."""


def unpacked(name: str, folder: Path) -> Path:
    """Unpack what was kept below a folder; returns where it lies."""
    let_others_in(folder)
    with tarfile.open(FOLDER / f"{name}.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return folder / name


def _ladder(folder: Path) -> None:
    """Two seasons, the first one closed, and a bot that was refused."""
    (folder / "made").mkdir()
    club = clubs.make(folder / "made", blocks=1)
    assert run("ladder", "invite", club, "one", "two", cwd=club.parent).code == 0
    for name in ("one", "two"):
        clubs.admitted(club, name, clubs.REUSABLE, author=name)
    clubs.submitted(club, "dead", clubs.CRASHES, author="one")
    with clubs.inside(club) as ladder:
        ladder.until(partial(clubs.is_in_state, club, "dead@1", "refused"))
        ladder.until(lambda: clubs.played(clubs.store_of(club)) >= _LATER_SEASON - 1)
    assert run("ladder", "season", "close", club, cwd=club.parent).code == 0
    clubs.change(club, blocks=50)
    with clubs.inside(club) as ladder:
        ladder.until(lambda: clubs.played(clubs.store_of(club, 2)) >= _LATER_SEASON)
    assert run("ladder", "backup", club, folder / "ladder", cwd=club.parent).code == 0
    with Book(Folder(folder / "ladder")) as book:
        first, second = book.seasons()
        assert first.root
        assert second.closed_at is None
    assert status(Folder(folder / "ladder")).versions[State.REFUSED] == 1


def _course(folder: Path) -> None:
    """A class that was graded: a late hand-in, a broken one, and two that handed in nothing."""
    course = folder / "course"
    course.mkdir()
    school.roster(course, *school.STUDENTS[:4])
    school.hand_in(course, "s1", "honest", name="mine")
    school.hand_in(course, "s3", "random")
    school.hand_in(course, "s4", "honest")
    (course / "hand-ins/s4/bot.yaml").write_text("comand: python3 bot.py\n")
    school.course_yaml(course, late=school.LATE)
    ran = school.grade(course)
    assert ran.code == 0, ran.err
    # Written anew from the rest.
    for name in ("site", "feedback"):
        shutil.rmtree(course / name)
    for path in (course / "class.html", *course.glob("grading/*.summaries*")):
        path.unlink()


def _site(folder: Path) -> None:
    """The paths of a site, and those of its files that `arena verify --site` reads."""
    site = reported(folder)
    (folder / "paths.txt").write_text("".join(f"{path}\n" for path in paths(site)))
    for path in sorted(site.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
        elif path.is_file() and not path.match("data/leaderboard-*.json"):
            path.unlink()
    (folder / "paths.txt").rename(site / "paths.txt")


def reported(folder: Path) -> Path:
    """Write the site of the kept league of all rule books; returns its folder."""
    store, _ = kept_stores.copied("whole", folder)
    words = ("report", folder / "league.yaml", "--store", store, "--site", folder / "site")
    ran = run(*words, cwd=folder)
    assert ran.code == 0, ran.err
    return folder / "site"


def paths(site: Path) -> list[str]:
    """Return the paths of a site's files, as an address has them."""
    found = (path.relative_to(site) for path in site.rglob("*") if path.is_file())
    return sorted(str(path) for path in found if not path.name.startswith("."))


def _exports(folder: Path) -> None:
    """Rows of stores, as JSON lines."""
    (folder / "exports").mkdir()
    for kind, rows in STORES.items():
        (folder / "exports" / f"{rows}.jsonl").write_text(exported(kind, folder))


def exported(kind: str, folder: Path) -> str:
    """Return the rows of a kept store, as JSON lines."""
    place = folder / kind
    place.mkdir(exist_ok=True)
    store, _ = kept_stores.copied(kind, place)
    words = ("export", place / "league.yaml", "--store", store, "--rows", STORES[kind])
    ran = run(*words, "--format", "jsonl", cwd=place)
    assert ran.code == 0, ran.err
    return ran.out


NAMES: dict[str, Callable[[Path], None]] = {
    "ladder": _ladder,
    "course": _course,
    "site": _site,
    "exports": _exports,
}


def make(name: str) -> None:
    """Make a folder of a kind, packed."""
    path = FOLDER / f"{name}.tar.xz"
    if path.exists():
        sys.exit(f"{path} is kept as it is")
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as made:
        NAMES[name](Path(made))
        with tarfile.open(path, "w:xz") as packed:
            packed.add(Path(made) / name, name, filter=_anonymous)


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    make(*sys.argv[1:])
