"""Workers that start quickly, and a league that was played without a break."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.league import leagues
from tests.support.copied_workers import copied_workers
from tests.support.made_once import made_once


@pytest.fixture(autouse=True, scope="module")
def workers() -> Iterator[None]:
    """Start workers quickly; a module that needs real ones has a fixture of this name."""
    with copied_workers():
        yield


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the store of `leagues.league`, played to its end by one worker."""

    def play(folder: Path) -> None:
        assert leagues.play(leagues.league(folder), folder / "store", workers=1)

    return made_once(tmp_path_factory, "whole", play) / "store"
