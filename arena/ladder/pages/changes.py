"""Which files a version changed: a diff of its text, bounded."""

import tarfile
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import islice
from pathlib import Path

from msgspec import Struct

_MOST_BYTES = 65_536
"""Of a file whose lines are compared."""
_MOST_LINES = 1_500
"""Of such a file."""
_MOST_FILES = 20
"""Whose lines are shown."""
_MOST_SHOWN = 400
"""Lines that are shown of a file."""
_WIDTH = 300
"""Characters that are shown of a line."""


class ChangedFile(Struct, frozen=True):
    """A file that is not in both archives, or is not the same."""

    name: str
    word: str
    """`added`, `removed` or `changed`."""
    lines: Sequence[str]
    """Of a unified diff; none of a file that is large or no text."""
    more: bool
    """Whether there are more lines."""


def changes(old: Path, new: Path) -> list[ChangedFile]:
    """Compare two canonical archives; raises OSError if one is not there."""
    before, after = _files(old), _files(new)
    names = sorted(name for name in before | after if before.get(name) != after.get(name))
    return [_changed(name, before, after, at < _MOST_FILES) for at, name in enumerate(names)]


def _files(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        return {entry.name: _content(tar, entry) for entry in tar if entry.isfile()}


def _content(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(entry)
    return file.read() if file else b""


def _changed(
    name: str, before: Mapping[str, bytes], after: Mapping[str, bytes], shown: bool
) -> ChangedFile:
    word = "changed" if name in before and name in after else "removed"
    word = "added" if name not in before else word
    texts = [_lines(of.get(name, b"")) for of in (before, after)]
    diff = _diff(*texts) if shown and None not in texts else iter(())
    lines = [line.expandtabs(4)[:_WIDTH] for line in islice(diff, _MOST_SHOWN)]
    return ChangedFile(name, word, lines, next(diff, None) is not None)


def _diff(old: Sequence[str] | None, new: Sequence[str] | None) -> Iterator[str]:
    return islice(unified_diff(old or (), new or (), lineterm=""), 2, None)


def _lines(content: bytes) -> list[str] | None:
    """Return the lines of a text; None if it is none, or too long."""
    if len(content) > _MOST_BYTES or b"\0" in content:
        return None
    try:
        lines = content.decode().splitlines()
    except UnicodeDecodeError:
        return None
    return lines if len(lines) <= _MOST_LINES else None
