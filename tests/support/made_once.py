"""What is made once in a run of the tests, for all of its processes."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that `make` filled for this run; tests that change it work on a copy.

    The first process that asks makes it, and the others wait. `name` is that of the folder.
    """
    root = factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        root = root.parent
    folder, whole = root / name, root / f"{name}.whole"
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            shutil.rmtree(folder, ignore_errors=True)  # another process could not make it
            folder.mkdir()
            make(folder)
            whole.touch()
    return folder
