"""Workers that start quickly."""

from collections.abc import Iterator

import pytest

from tests.support.copied_workers import copied_workers


@pytest.fixture(autouse=True, scope="module")
def workers() -> Iterator[None]:
    """Start workers quickly; a module that needs real ones has a fixture of this name."""
    with copied_workers():
        yield
