"""An open door whose ladder does not run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ladder.web.doors import Door, door_of, ladder


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    with door_of(ladder(tmp_path_factory.mktemp("door"))) as door:
        yield door


@pytest.fixture
def own_door(tmp_path: Path) -> Iterator[Door]:
    """A door that a test may change at its pleasure."""
    with door_of(ladder(tmp_path)) as door:
        yield door
