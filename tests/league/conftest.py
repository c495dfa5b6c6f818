"""A league that was played without a break."""

from pathlib import Path

import pytest

from tests.league import leagues


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the store of `leagues.league`, played to its end by one worker."""
    folder = tmp_path_factory.mktemp("whole")
    assert leagues.play(leagues.league(folder), folder / "store", workers=1)
    return folder / "store"
