"""What is kept between reports: a change of the arena's code shows as in a report from cold."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import arena
from arena.publish.site_folder import hash_of
from tests.publish.pages import timeless
from tests.publish.stored import report, staged
from tests.support.sampling import sample

ROOT = Path(arena.__file__).parents[1]
DECIDE = ("game", "playstats", "publish", "ratings")
"""The packages whose constants decide what a report says."""
KNOWN = [
    ("ratings/maths/intervals.py", "TAIL"),
    ("playstats/style.py", "BINS"),
    ("ratings/leaderboard_rows.py", "POINTS"),
    ("ratings/variance/block_variance.py", "_PRIOR_DF"),
]


def constants() -> Iterator[tuple[str, str, int, str]]:
    """Every number that stands at the top of a module: its file, name, line and value."""
    for package in DECIDE:
        for path in sorted((ROOT / "arena" / package).rglob("*.py")):
            for node in ast.parse(path.read_text()).body:
                match node:
                    case ast.Assign(targets=[ast.Name(name)], value=ast.Constant(value)):
                        if type(value) in {int, float}:
                            file = path.relative_to(ROOT / "arena").as_posix()
                            yield file, name, node.lineno, repr(value)


def changed(folder: Path, file: str, name: str, line: int) -> None:
    """Change a number in a copy of the arena."""
    path = folder / "arena" / file
    lines = path.read_text().splitlines(keepends=True)
    lines[line - 1] = re.sub(rf"^({name}\b.*= *)(.*)$", r"\1 3 * (\2)", lines[line - 1])
    path.write_text("".join(lines))


def copy(folder: Path) -> Path:
    for name in ("arena", "reports"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def arena_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy(tmp_path_factory.mktemp("copy"))


@pytest.mark.slow
def test_every_constant_is_part_of_the_hash(arena_copy: Path) -> None:
    folders = arena_copy / "arena", arena_copy / "reports"
    found = list(constants())
    assert len(found) > 50
    seen = {hash_of(*folders)}
    for file, name, line, _ in sample(found, 5, "constants of the hash"):
        before = (arena_copy / "arena" / file).read_bytes()
        changed(arena_copy, file, name, line)
        seen.add(hash_of(*folders))
        (arena_copy / "arena" / file).write_bytes(before)
    assert len(seen) == 1 + len(sample(found, 5, "constants of the hash"))


def test_templates_are_part_of_the_hash(arena_copy: Path) -> None:
    folders = arena_copy / "arena", arena_copy / "reports"
    before = hash_of(*folders)
    with (arena_copy / "reports/base.html").open("a") as file:
        file.write(" ")
    assert hash_of(*folders) != before


AGAIN = """
import sys
from pathlib import Path
from tests.publish.stored import report
for store, site in zip(sys.argv[1::2], sys.argv[2::2]):
    report(Path(store), Path(site))
"""


def deciding() -> list[tuple[str, str, int]]:
    """The constants to change; some always, because they are known to show."""
    every = [(file, name, line) for file, name, line, _ in constants()]
    always = [one for one in every if one[:2] in KNOWN]
    assert len(always) == len(KNOWN)
    return always


@pytest.mark.slow
@pytest.mark.parametrize(("file", "name", "line"), sample(deciding(), 1, "constants that decide"))
def test_a_changed_constant_shows_as_in_a_report_from_cold(
    tmp_path: Path, file: str, name: str, line: int
) -> None:
    warm = staged(tmp_path / "warm.sqlite")
    cold = staged(tmp_path / "cold.sqlite")
    before = report(warm, tmp_path / "site")
    changed(copy(tmp_path / "other"), file, name, line)
    paths = [warm, tmp_path / "site", cold, tmp_path / "fresh"]
    search = os.pathsep.join(map(str, (tmp_path / "other", ROOT)))
    line_of = [sys.executable, "-c", AGAIN, *map(str, paths)]
    subprocess.run(line_of, check=True, env={**os.environ, "PYTHONPATH": search}, cwd=tmp_path)
    grown, fresh = timeless(tmp_path / "site"), timeless(tmp_path / "fresh")
    assert grown == fresh
    assert any(grown[page] != before[page] for page in before if page in grown)
