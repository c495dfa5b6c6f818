"""An engine that does not answer."""

import gc
import socket
import warnings
from pathlib import Path

import pytest

from arena.bots.sandboxes.docker.engine import unavailable_reason


def test_engine_that_does_not_answer_leaves_no_socket_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where an engine was stopped its socket's file stays."""
    with socket.socket(socket.AF_UNIX) as stopped:
        stopped.bind(str(tmp_path / "docker.sock"))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = unavailable_reason([])
        gc.collect()
    assert found is not None
    assert found.what == "no Docker daemon answers"
    assert [warning.message for warning in caught] == []
