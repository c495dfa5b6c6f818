"""The guard of `make check`: a test that asks for a process, a container or a browser is skipped.

Nobody has to mark tests: whatever starts a process is noticed when it does.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import util
from typing import Any

import pytest

from arena.bots.sandboxes.bubblewrap import BubblewrapSandbox
from arena.bots.sandboxes.process import ProcessSandbox

FOLDERS = frozenset(
    {"browser", "e2e", "exact", "hostile", "image", "sample_bots", "sandboxes", "web"}
)
"""Folders of tests/ that are not even collected: their tests need processes or are slow."""
WARNINGS = (
    "ResourceWarning",
    "pytest.PytestUnraisableExceptionWarning",
    "pytest.PytestUnhandledThreadExceptionWarning",
)
"""What Python says of files and threads that a skipped test left as they were."""
_STARTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"})
_guarding = False


@contextmanager
def guard() -> Iterator[None]:
    """Skip the test that runs when a process is started, or a local server is asked."""
    global _guarding  # noqa: PLW0603 (an audit hook cannot be removed)
    sys.addaudithook(_audit)
    _guarding = True
    with pytest.MonkeyPatch.context() as patch:
        # The one way to start a process that has no audit event.
        patch.setattr(util, "spawnv_passfds", _skip)
        # The first makes a control group before its process, which would stay behind; the second
        # starts none where bubblewrap is not installed, and tests would fail for want of it.
        patch.setattr(ProcessSandbox, "start", _skip)
        patch.setattr(BubblewrapSandbox, "unavailable_reason", _skip)
        yield
    _guarding = False


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if not _guarding:
        return
    # A path, not a host and a port: the Docker engine.
    if event in _STARTS or (event == "socket.connect" and isinstance(arguments[1], str)):
        _skip()


def _skip(*_: object, **__: object) -> None:
    pytest.skip("needs a process")
