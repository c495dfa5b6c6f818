"""The sandboxes, a place for bots, and a machine without Docker."""

import gc
import warnings
from collections.abc import Iterator

import pytest

from tests.support.live import bubblewrap, isolating, one_core, runs, sandbox

__all__ = ["bubblewrap", "isolating", "one_core", "runs", "sandbox"]


@pytest.fixture
def no_docker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No Docker daemon answers."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with warnings.catch_warnings():
        # The SDK does not close a socket that could not connect.
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        gc.collect()
