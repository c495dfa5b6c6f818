"""The source of a bot as fingerprints, and what all bots may have of it: the kits, the sample bots.

Fingerprints are chosen by winnowing: a few of the k-grams of a text, so that equal texts choose the
same ones. Schleimer, Wilkerson and Aiken, *Winnowing: Local Algorithms for Document
Fingerprinting*, SIGMOD 2003. In each window of `WINDOW` k-grams the one with the least hash is
chosen, the last one if there are several. Whatever two texts share in
`GUARANTEE = WINDOW + K - 1` tokens in a row is found for sure, and nothing that they share in fewer
than `K` tokens. In random texts a share of `2 / (WINDOW + 1)` of the k-grams is chosen.

K-grams that are common to many are left out before choosing, so that the guarantee holds for what
is left: in any shared `GUARANTEE` tokens that are not common as a whole, one k-gram is chosen.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from arena.author.alike.tokens import Language, language_of, tokenize
from arena.bots.folder import files_of
from arena.bots.kit_files import kit_files
from arena.bots.runtimes import KITS
from arena.bots.sandboxes.base import MIB
from arena.io import shipped

K = 16
"""The number of tokens in a k-gram."""
WINDOW = 8
"""The number of k-grams in a window, from which one is chosen."""
GUARANTEE = WINDOW + K - 1
_KIB = 1024
MOST_OF_A_FILE = 256 * _KIB
"""Bytes; larger files are data or generated, and not read."""
MOST_OF_A_BOT = 2 * MIB
"""Bytes of source; of more, the smallest files are read."""
_MOST_NAMED = 3
"""Files that were not read and are named in a sentence."""
Hashes = npt.NDArray[np.uint64]
"""The hashes of all k-grams of a file."""
Place = tuple[int, int]
"""A k-gram: the number of the file, and that of its first token."""


def kgrams(tokens: Sequence[str]) -> Iterator[int]:
    """Yield the hash of each `K` tokens in a row, the same on every machine."""
    for start in range(len(tokens) - K + 1):
        text = "\0".join(tokens[start : start + K])
        yield int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


def winnow(hashes: Sequence[int], common: Collection[int] = ()) -> dict[int, int]:
    """Return the places that are chosen, with their hashes.

    Hashes in `common` are left out. A text of fewer than `WINDOW` k-grams is one window.
    """
    chosen: dict[int, int] = {}
    # Least hashes are the largest pairs, and the last one of several.
    own = [(-hash_, place) for place, hash_ in enumerate(hashes) if hash_ not in common]
    first = 0
    for start in range(max(1, len(hashes) - WINDOW + 1)):
        while first < len(own) and own[first][1] < start:
            first += 1
        window = own[first : first + WINDOW]
        inside = [(hash_, place) for hash_, place in window if place < start + WINDOW]
        if inside:
            hash_, place = max(inside)
            chosen[place] = -hash_
    return chosen


class SourceFile(Struct, frozen=True):
    """A file of source."""

    path: str
    """Relative to the bot's folder."""
    lines: list[str]
    starts: npt.NDArray[np.int32]
    """The line, from 1, that each token begins in."""
    hashes: Hashes


class Source(Struct, frozen=True):
    """The source of a bot."""

    files: list[SourceFile]
    chosen: dict[int, Place]
    """The fingerprints of what is its own, each where it stands first."""
    kgrams: int
    """The number of its different k-grams."""
    shared_with: dict[str, float]
    """The share of them that a kit or a sample bot has, too; without those that have none."""
    not_read: list[str] = []
    """Files of source that are too large, beyond what is read of a bot, or binary."""


def read_source(folder: Path, common: Collection[int]) -> Source:
    """Read a bot's source; `common` are the k-grams of starter code.

    Raises ArenaError for a folder that no bot may have.
    """
    paths = _paths(folder)
    readable = _within_limits(paths)
    read = {path: _file(path, path.relative_to(folder).as_posix()) for path in readable}
    files = [file for file in read.values() if file]
    not_read = [path.relative_to(folder).as_posix() for path in paths if not read.get(path)]
    return source_of(files, common, not_read)


def source_of(
    files: list[SourceFile], common: Collection[int], not_read: Sequence[str] = ()
) -> Source:
    """Choose the fingerprints of files that were read."""
    chosen: dict[int, Place] = {}
    every: set[int] = set()
    for number, file in enumerate(files):
        hashes = file.hashes.tolist()
        every.update(hashes)
        for place, hash_ in winnow(hashes, common).items():
            chosen.setdefault(hash_, (number, place))
    arenas = arenas_kgrams()
    shares = {name: len(every & theirs) / len(every) for name, theirs in arenas.items() if every}
    shared_with = {name: share for name, share in shares.items() if share}
    return Source(files, chosen, len(every), shared_with, [*not_read])


def name_unread(files: Sequence[str]) -> str:
    """Name files that were not read, and say why; "" for none."""
    if not files:
        return ""
    more = len(files) - _MOST_NAMED
    names = ", ".join(files[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    file, bot = MOST_OF_A_FILE // _KIB, MOST_OF_A_BOT // MIB
    return f"{names} (larger than {file} KiB, beyond {bot} MiB of source, or binary)"


def kgrams_of(folder: Path) -> frozenset[int]:
    """Return all k-grams of the source in a folder, however large."""
    return _kgrams(_paths(folder))


@cache
def arenas_kgrams() -> dict[str, frozenset[int]]:
    """Return the k-grams of each kit, with what it has a copy of, and of each sample bot."""
    samples = [path for path in shipped.folder("sample_bots").iterdir() if path.is_dir()]
    return {
        **{f"kit {kit}": _kgrams(kit_files(kit).values()) for kit in sorted(KITS)},
        **{f"sample:{path.name}": kgrams_of(path) for path in sorted(samples)},
    }


def _kgrams(paths: Iterable[Path]) -> frozenset[int]:
    files = (_file(path, path.name) for path in paths)
    return frozenset(hash_ for file in files if file for hash_ in file.hashes.tolist())


def _paths(folder: Path) -> list[Path]:
    """Return the files of a bot that are source by their names."""
    return [path for path in files_of(folder) if language_of(path)]


def _within_limits(paths: Sequence[Path]) -> list[Path]:
    """Return those that are read: large files leave no small one out."""
    sizes = {path: path.stat().st_size for path in paths}
    by_size = sorted(paths, key=lambda path: sizes[path])
    totals = dict(zip(by_size, accumulate(sizes[path] for path in by_size), strict=True))
    return [
        path for path in paths if sizes[path] <= MOST_OF_A_FILE and totals[path] <= MOST_OF_A_BOT
    ]


def _file(path: Path, name: str) -> SourceFile | None:
    """Read a file; None if it is no source."""
    language, content = language_of(path), path.read_bytes()
    if language is None or b"\0" in content:
        return None
    return source_file(name, content.decode("utf-8", "replace"), language)


def source_file(name: str, text: str, language: Language) -> SourceFile:
    """Cut a text into tokens, and hash its k-grams."""
    tokens = tokenize(text, language)
    starts = np.fromiter((token.line for token in tokens), np.int32)
    hashes = np.fromiter(kgrams([token.text for token in tokens]), np.uint64)
    return SourceFile(name, text.split("\n"), starts, hashes)
