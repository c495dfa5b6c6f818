"""The folder in which Python bots find the arena's numpy, and no other package of the arena."""

import fcntl
import os
import shutil
import sysconfig
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from multiprocessing.util import Finalize
from pathlib import Path

from arena.bots.sandboxes.run_folder import RunFolder

_PARTS = ("numpy", "numpy.libs")
"""The package, and the libraries that its wheel brings."""
_LEFT_OUT = "tests"
_EVERYWHERE = Path("/usr")
"""Sandboxes that use this machine's programs show it."""
_FOLDER_MODE, _FILE_MODE = 0o755, 0o644


@cache
def numpy_folder() -> Path:
    """Return a folder for PYTHONPATH, made on first use and removed with this process.

    It is not the place of numpy itself: bots may be another user, who cannot get there, and must
    not learn the path, which names the operator. Raises OSError.
    """
    run = RunFolder()
    try:
        fill(run.path, str(sysconfig.get_config_var("SOABI")))
        # systemd-tmpfiles spares what is locked, however long ago it was read.
        lock = os.open(run.path, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_SH)
    except BaseException:
        run.remove()
        raise
    Finalize(None, run.remove, exitpriority=0)
    return run.path


def fill(folder: Path, made_for: str) -> None:
    """Put numpy into a folder, and what finds it there; `made_for` is the SOABI of its Python."""
    shim = folder / "numpy.py"
    shutil.copyfile(Path(__file__).with_name("import_numpy.py"), shim)
    shim.chmod(_FILE_MODE)
    place = folder / made_for
    place.mkdir()
    place.chmod(_FOLDER_MODE)  # whatever the umask is
    for name in _PARTS:
        source = installed() / name
        if source.is_relative_to(_EVERYWHERE):
            (place / name).symlink_to(source)
        elif source.is_dir():
            _put(source, place / name)


def installed() -> Path:
    """Return the folder that numpy is installed in, without importing it, which is slow."""
    spec = find_spec("numpy")
    if spec is None or spec.origin is None:
        raise FileNotFoundError(2, "the arena's own numpy is missing")
    return Path(spec.origin).resolve().parents[1]


def _put(source: Path, target: Path) -> None:
    """Link the files of a folder, or copy them where that is not allowed."""
    target.mkdir()
    target.chmod(_FOLDER_MODE)
    for path in source.iterdir():
        if path.name == _LEFT_OUT:
            continue
        put = target / path.name
        if path.is_dir():
            _put(path, put)
            continue
        if path.stat().st_mode & _FILE_MODE == _FILE_MODE:
            with suppress(OSError):  # another file system, or another user's file
                put.hardlink_to(path)
                continue
        shutil.copy2(path, put)  # by their times Python knows its compiled modules
        put.chmod(_FILE_MODE)
