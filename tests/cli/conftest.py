"""Leagues that tests of several files read; those that change one work on a copy."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli import asked
from tests.cli.command import FORMULA, READY, bot, play_league
from tests.support.copied_workers import copied_workers
from tests.support.made_once import made_once

CRASHES = READY + "            sys.exit(3)\n"


@pytest.fixture(autouse=True, scope="module")
def workers() -> Iterator[None]:
    """Start workers quickly; a module that needs real ones has a fixture of this name."""
    with copied_workers():
        yield


@pytest.fixture(scope="session")
def played_by_samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the short league that `league` writes by default, played to its end."""
    return made_once(tmp_path_factory, "played-by-samples", play_league)


@pytest.fixture
def finished(played_by_samples: Path, tmp_path: Path) -> Path:
    """A copy of that folder: where a test works."""
    return Path(shutil.copytree(played_by_samples, tmp_path, dirs_exist_ok=True))


@pytest.fixture(scope="session")
def played_at_two_sizes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league of samples at tables of two and three, in the process sandbox."""

    def play(folder: Path) -> None:
        play_league(folder, players=[2, 3], sandbox="process")

    return made_once(tmp_path_factory, "played-at-two-sizes", play)


@pytest.fixture(scope="session")
def played_with_crashes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league in which a bot with a formula for a name always crashes."""

    def play(folder: Path) -> None:
        bot(folder / "broken", CRASHES, name=FORMULA)
        field = ["sample:odds", "sample:honest", "broken"]
        play_league(folder, code=1, bots=field, players=[2, 3], name="St")

    return made_once(tmp_path_factory, "played-with-crashes", play)


@pytest.fixture(scope="session")
def played_by_mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league of a bot `mine`, of which tests build others."""
    return made_once(tmp_path_factory, "played-by-mine", asked.play)
