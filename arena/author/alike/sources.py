"""The source of a bot, and what all bots may have of it: the kits and the sample bots."""

from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct

from arena.author.alike.fingerprints import kgrams, winnow
from arena.author.alike.languages import language_of
from arena.author.alike.tokens import Token, tokenize
from arena.bots.folder import files_of
from arena.io import shipped

_MOST_BYTES = 256 * 1024
"""Of a file; larger ones are data or generated."""
_MOST_TOKENS = 200_000
"""Of a bot; what is beyond is not read."""

Place = tuple[int, int]
"""A k-gram: the number of the file, and that of its first token."""


class SourceFile(Struct, frozen=True):
    """A file of source."""

    path: str
    """Relative to the bot's folder."""
    lines: list[str]
    tokens: list[Token]
    hashes: list[int]
    """Of its k-grams."""


class Source(Struct, frozen=True):
    """The source of a bot."""

    files: list[SourceFile]
    chosen: dict[int, Place]
    """The fingerprints of what is its own, each where it stands first."""
    kgrams: int
    """How many k-grams it has, each counted once."""
    shared_with: dict[str, float]
    """What share of them a kit or a sample bot has, too; those that have none are left out."""


def read_source(folder: Path, common: Collection[int]) -> Source:
    """Read a bot's source; `common` are k-grams that are nobody's own.

    Raises ArenaError for a folder that no bot may have.
    """
    files = list(_files(folder))
    chosen: dict[int, Place] = {}
    for number, file in enumerate(files):
        for place, hash_ in winnow(file.hashes, common).items():
            chosen.setdefault(hash_, (number, place))
    every = {hash_ for file in files for hash_ in file.hashes}
    arenas = arenas_kgrams()
    shares = {name: len(every & theirs) / len(every) for name, theirs in arenas.items() if every}
    return Source(files, chosen, len(every), {name: one for name, one in shares.items() if one})


def kgrams_of(folder: Path) -> frozenset[int]:
    """Return all k-grams of the source in a folder."""
    return frozenset(hash_ for file in _files(folder) for hash_ in file.hashes)


@cache
def arenas_kgrams() -> dict[str, frozenset[int]]:
    """Return the k-grams of each kit and sample bot, and of the modules that a kit copies."""
    kits, samples = shipped.folder("protocol") / "kits", shipped.folder("sample_bots")
    folders = {f"kit {path.name}": path for path in sorted(kits.iterdir()) if path.is_dir()}
    folders |= {f"sample:{path.name}": path for path in sorted(samples.iterdir()) if path.is_dir()}
    found = {name: kgrams_of(folder) for name, folder in folders.items()}
    policy = _file(shipped.module("lab/env/perudo_policy.py"), "perudo_policy.py")
    found["kit policy"] |= frozenset(policy.hashes if policy else ())
    return found


def _files(folder: Path) -> Iterator[SourceFile]:
    left = _MOST_TOKENS
    for path in files_of(folder):
        file = _file(path, path.relative_to(folder).as_posix())
        if file and left >= len(file.tokens):
            left -= len(file.tokens)
            yield file


def _file(path: Path, name: str) -> SourceFile | None:
    """Read a file; None if it is no source."""
    language = language_of(path)
    if language is None or path.stat().st_size > _MOST_BYTES:
        return None
    content = path.read_bytes()
    if b"\0" in content:
        return None
    text = content.decode("utf-8", "replace")
    tokens = tokenize(text, language)
    return SourceFile(
        name, text.split("\n"), tokens, list(kgrams([token.text for token in tokens]))
    )
