"""The wheel of this arena, whether it was installed or runs in a checkout."""

import base64
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from arena import __version__
from arena.io import shipped
from arena.io.errors import ArenaError
from arena.io.files import reason

NAME = f"perudo_arena-{__version__}-py3-none-any.whl"
_PROJECT = "perudo-arena"
_FOLDERS = ("deploy", "docs", "protocol", "reports", "sample_bots")
"""The data folders, as pyproject.toml names them."""
_INFO = f"perudo_arena-{__version__}.dist-info"
_WHEEL = "Wheel-Version: 1.0\nGenerator: arena\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_LEFT_OUT = frozenset({".pyc", ".so"})
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The date of every file, so that the same arena makes the same wheel."""


def write_wheel(folder: Path) -> Path:
    """Write the wheel into a folder; returns its file.

    Raises ArenaError if the arena was not installed, or the file cannot be written.
    """
    path = folder / NAME
    records = []
    package = shipped.module("__init__.py").parent
    files = [*_below(package, "arena", {"_shipped"})]
    for name in _FOLDERS:
        files += _below(shipped.folder(name), f"arena/_shipped/{name}", {"pictures"})
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
            for name, content in [*files, *_metadata()]:
                _add(wheel, name, content)
                digest = base64.urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
                records.append(f"{name},sha256={digest},{len(content)}\n")
            record = f"{_INFO}/RECORD"
            _add(wheel, record, "".join([*records, f"{record},,\n"]).encode())
    except OSError as error:
        raise ArenaError(f"it cannot be written: {reason(error)}", str(path)) from None
    return path


def _add(wheel: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, _FIRST_DAY)
    info.external_attr = 0o100644 << 16
    wheel.writestr(info, content, zipfile.ZIP_DEFLATED)


def _below(folder: Path, prefix: str, without: set[str]) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        left_out = without & {*inner.parts[:1]} or "__pycache__" in inner.parts
        if path.is_file() and not left_out and path.suffix not in _LEFT_OUT:
            yield f"{prefix}/{inner.as_posix()}", path.read_bytes()


def _metadata() -> Iterator[tuple[str, bytes]]:
    try:
        installed = distribution(_PROJECT)
    except PackageNotFoundError:
        hint = "pip install the arena, in a checkout with -e"
        raise ArenaError("this arena was not installed", hint=hint) from None
    for name in ("METADATA", "entry_points.txt"):
        yield f"{_INFO}/{name}", (installed.read_text(name) or "").encode()
    yield f"{_INFO}/WHEEL", _WHEEL.encode()
