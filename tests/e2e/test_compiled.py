"""The modules that play a fixture, compiled: their tests pass, and a league has the same bytes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import ROOT, environment, league, records, run
from tests.publish.pages import timeless
from tests.support.compiled import compiled_copy
from tests.support.depth import depth
from tests.support.made_once import made_once

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the files of a checkout are compiled"),
]


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "compiled", compiled_copy)


def _in_copy(copy: Path, *words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a module of Python with the arena that was compiled."""
    # The tests are some of those of the checkout, run by one process.
    kept = {
        name: value
        for name, value in environment(PYTHONPATH=str(copy)).items()
        if name != "CI" and not name.startswith("PYTEST_")
    }
    command = [sys.executable, "-m", *map(str, words)]
    return subprocess.run(command, cwd=cwd, env=kept, capture_output=True, text=True, check=False)


def test_their_tests_pass(copy: Path) -> None:
    few = ["tests/game/wire", "tests/game/rules/test_dice.py", "tests/game/rules/test_judge.py"]
    folders = depth(few, ["tests/game", "tests/league/table", "tests/bots/sessions"])
    options = ["-q", "-p", "no:cacheprovider", "--no-processes", "--slow", "none"]
    ran = _in_copy(copy, "pytest", *options, *folders, cwd=copy)
    assert ran.returncode == 0, ran.stdout[-5000:]


def test_a_league_has_the_same_bytes(copy: Path, tmp_path: Path) -> None:
    names = ["sample:honest", "sample:odds", "sample:bluffer"]
    for folder in (tmp_path / "sources", tmp_path / "compiled"):
        folder.mkdir()
        league(folder, bots=names, players=[2, 3], variants=["bga", "classic"], games=depth(1, 5))
    assert run("run", "league.yaml", cwd=tmp_path / "sources").code == 0
    ran = _in_copy(copy, "arena", "run", "league.yaml", cwd=tmp_path / "compiled")
    assert ran.returncode == 0, ran.stderr
    stores = [tmp_path / name / "league.sqlite" for name in ("sources", "compiled")]
    assert records(stores[0]) == records(stores[1])
    sites = [timeless(tmp_path / name / "site") for name in ("sources", "compiled")]
    for site in sites:
        del site[".perudo-arena-site.json"]  # it names the files of the arena that wrote the site
    assert sites[0] == sites[1]


@pytest.mark.parametrize("name", ["arena.game.referee", "arena.game.rules.hands"])
def test_they_are_compiled(copy: Path, name: str) -> None:
    asked = f"import {name} as module; print(module.__file__)"
    ran = subprocess.run(
        [sys.executable, "-c", asked],
        env=environment(PYTHONPATH=str(copy)),
        cwd=copy,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(ran.stdout.strip()).suffix == ".so"
    assert Path(ran.stdout).is_relative_to(copy)
