"""The hash of code and libraries: it belongs to the key of all that reports cache."""

import platform
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import arena
from arena.io import shipped

_LIBRARIES = ("jinja2", "msgspec", "numpy")
"""The libraries that numbers and files depend on."""


@cache
def maker() -> str:
    """Return a hash of the arena's own code, its templates and the libraries it computes with.

    It covers all code, so no constant can be forgotten. It takes some 20 ms.
    """
    return hash_of(Path(arena.__file__).parent, shipped.folder("reports"))


def hash_of(*folders: Path) -> str:
    """Return a hash of what these folders hold, and of the libraries."""
    digest = sha256(platform.python_version().encode())
    for name in _LIBRARIES:
        digest.update(f" {name} {version(name)}".encode())
    for folder in folders:
        for path in _sources(folder):
            content = path.read_bytes()
            digest.update(f" {path.relative_to(folder)} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _sources(folder: Path) -> list[Path]:
    """Return the files of a folder, without what was compiled and what ships beside the code."""
    left_out = {"__pycache__", "_shipped"}
    paths = (path for path in folder.rglob("*.*") if left_out.isdisjoint(path.parts))
    return sorted(path for path in paths if path.is_file())
