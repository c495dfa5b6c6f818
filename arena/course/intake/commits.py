"""When the last commit of a student's repository was made, by what the commit itself says."""

import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.io.errors import ArenaError
from arena.io.files import read_limited

_SECONDS = 60
_REF = re.compile(r"ref: (refs/[\w./-]+)")
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_COMMITTER = re.compile(r"^committer .* ([0-9]{1,12}) [+-][0-9]{4}$", re.MULTILINE)
_MAX_PACKED = 16 << 20


def committed(folder: Path) -> datetime | None:
    """Return when the commit was made that is checked out in a repository; None if there is none.

    Only the objects of the repository are read: its configuration may name programs to be run.
    Raises ArenaError if there is no git here.
    """
    place = folder / ".git"
    if place.is_symlink() or not (place / "objects").is_dir():
        return None
    head = _head(place)
    if not head:
        return None
    with TemporaryDirectory() as empty:
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": empty,
            "GIT_DIR": empty,
            "GIT_OBJECT_DIRECTORY": str((place / "objects").absolute()),
        }
        try:
            for command in (["init", "-q", "--bare"], ["cat-file", "commit", head]):
                ran = subprocess.run(
                    ["git", *command],
                    env=environment,
                    cwd=empty,
                    capture_output=True,
                    timeout=_SECONDS,
                    check=False,
                )
        except FileNotFoundError:
            hint = "install git, or leave out `times: commits`"
            raise ArenaError("the times of commits need git", "course.yaml", hint) from None
        except subprocess.TimeoutExpired:
            return None
    found = _COMMITTER.search(ran.stdout.partition(b"\n\n")[0].decode("utf-8", "replace"))
    return datetime.fromtimestamp(int(found[1]), UTC) if ran.returncode == 0 and found else None


def _head(place: Path) -> str:
    """Return the hash of the commit that is checked out; "" if there is none."""
    text = _line(place / "HEAD")
    if ref := _REF.fullmatch(text):
        if ".." in ref[1]:
            return ""
        text = _line(place / ref[1]) or _packed(place / "packed-refs", ref[1])
    return text if _HASH.fullmatch(text) else ""


def _line(path: Path) -> str:
    return "".join(_lines(path)[:1]).strip()


def _packed(path: Path, ref: str) -> str:
    found = (line.partition(" ")[0] for line in _lines(path) if line.endswith(f" {ref}"))
    return next(found, "")


def _lines(path: Path) -> list[str]:
    try:
        return read_limited(path, _MAX_PACKED).decode("utf-8", "replace").splitlines()
    except ArenaError:
        return []
