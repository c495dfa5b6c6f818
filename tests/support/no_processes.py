"""The guard of `make check`: a test that asks for a process, a container or a browser is skipped.

Nobody has to mark tests: whatever starts a process is noticed when it does.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import util
from pathlib import Path
from typing import Any

import pytest

from arena.bots.builds import staging
from arena.bots.command import how_to_get
from arena.bots.runtimes import runtime_of
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
        # What is said where a compiler or an interpreter is missing, which else is started.
        patch.setattr(staging, "how_to_get", _how_to_get)
        yield
    _guarding = False


def _how_to_get(command: Sequence[str], folder: Path) -> str:
    if runtime_of(command[0]):
        _skip()
    return how_to_get(command, folder)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if not _guarding:
        return
    # A path, not a host and a port: the Docker engine.
    if event in _STARTS or (event == "socket.connect" and isinstance(arguments[1], str)):
        _skip()


def _skip(*_: object, **__: object) -> None:
    pytest.skip("needs a process")
