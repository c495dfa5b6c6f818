"""Replace a published site so that a reader never meets half a page or a link to nowhere.

All files are written to a staging folder inside the site first; then each is moved into place.
Files that nobody links to yet come first and the front page last, so a run that is cut short
leaves every link whole. A manifest remembers what is ours: nothing else is overwritten or removed.
"""

import errno
import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory, TemporaryFile

from arena.errors import ArenaError

FRONT = "index.html"
MANIFEST = ".perudo-arena-site.json"
STAGING = ".perudo-arena-staging-"

_HINTS = {
    errno.ENOSPC: "free some space on the disk, then run the command again",
    errno.EDQUOT: "free some of your disk quota, then run the command again",
    errno.ENOTDIR: "name a folder; a part of this path is a file",
    errno.EEXIST: "name a folder; this is a file",
}


def replace_site(folder: Path, files: Iterable[tuple[str, str | bytes]]) -> None:
    """Make `folder` hold exactly these files of ours: (relative path, content) pairs.

    Raises ArenaError where the folder cannot be written or holds a file of that name which no
    earlier run wrote; the site is then what it was.
    """
    with _in_words(folder):
        _replace(folder, files)


def check_folder(folder: Path) -> None:
    """Find out before a long run whether a report can be written to `folder`; raises ArenaError."""
    with _in_words(folder):
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        # Without a name: a killed run leaves nothing.
        with TemporaryFile(dir=there):
            _refuse_foreign(folder, {FRONT} - _read_manifest(folder))


@contextmanager
def _in_words(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, "choose a folder that you may write to")
        what = f"the report cannot be written: {error.strerror or error}"
        raise ArenaError(what, str(folder), hint) from error


def _replace(folder: Path, files: Iterable[tuple[str, str | bytes]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    old = _read_manifest(folder)
    _remove_leftovers(folder)
    with TemporaryDirectory(dir=folder, prefix=STAGING, ignore_cleanup_errors=True) as name:
        staging = Path(name)
        new = {path for path, content in files if _stage(staging / path, content)}
        _refuse_foreign(folder, new - old)
        _write_manifest(folder, staging, old | new)
        _move_all(folder, staging, new)
        _remove_stale(folder, old - new)
        _write_manifest(folder, staging, new)


def _stage(path: Path, content: str | bytes) -> bool:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return True


def _move_all(folder: Path, staging: Path, names: set[str]) -> None:
    """Move what is new first and the front page last, so no page links to a missing one."""
    order = sorted(names, key=lambda name: (name == FRONT, (folder / name).exists(), name))
    for name in order:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (staging / name).replace(folder / name)


def _refuse_foreign(folder: Path, names: set[str]) -> None:
    for name in sorted(names):
        if (folder / name).exists() or (folder / name).is_symlink():
            what = f"'{name}' is already there and no earlier report wrote it"
            raise ArenaError(what, str(folder), "choose an empty folder, or move that file away")


def _read_manifest(folder: Path) -> set[str]:
    """Return the files that earlier runs wrote; paths that lead outside are not believed."""
    try:
        names = list(json.loads((folder / MANIFEST).read_bytes())["files"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return set()
    return {name for name in names if isinstance(name, str) and _is_inside(name)}


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _write_manifest(folder: Path, staging: Path, names: set[str]) -> None:
    document = {"written_by": "perudo-arena", "files": sorted(names)}
    _stage(staging / MANIFEST, json.dumps(document, indent=1) + "\n")
    (staging / MANIFEST).replace(folder / MANIFEST)


def _remove_stale(folder: Path, names: set[str]) -> None:
    for name in sorted(names):
        path = folder / name
        path.unlink(missing_ok=True)
        if path.parent != folder and path.parent.is_dir() and not any(path.parent.iterdir()):
            path.parent.rmdir()


def _remove_leftovers(folder: Path) -> None:
    """Remove staging folders of runs that were killed."""
    for path in folder.glob(f"{STAGING}*"):
        shutil.rmtree(path, ignore_errors=True)
