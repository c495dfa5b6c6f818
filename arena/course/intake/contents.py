"""Hashes of hand-ins: equal for equal files, whatever the hand-in itself is called."""

import os
import stat
from hashlib import file_digest, sha256
from pathlib import Path

import msgspec

from arena.course.intake.choice import HandIn
from arena.course.intake.export import is_folder


def content_of(hand_in: HandIn) -> str:
    """Return the SHA-256 over what was handed in at one time."""
    if len(hand_in.files) == 1:
        return content_hash(*hand_in.files.values())
    each = {name: content_hash(path) for name, path in sorted(hand_in.files.items())}
    return sha256(msgspec.json.encode(each)).hexdigest()


def content_hash(source: Path) -> str:
    """Return the SHA-256 over a file or folder, whatever it is; of links, over their targets."""
    total = sha256()
    for path in sorted(source.rglob("*")) if is_folder(source) else [source]:
        name = os.fsencode(path.relative_to(source).as_posix())
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            total.update(b"%b\0-> %b\n" % (name, os.fsencode(path.readlink())))
        elif stat.S_ISREG(mode):
            with path.open("rb") as file:
                content = file_digest(file, "sha256").hexdigest()
            total.update(b"%b\0%b\n" % (name, content.encode()))
    return total.hexdigest()
