"""Compiled templates, kept beside the templates as Python keeps its compiled modules.

To compile them takes a third of the time that a small report takes.
"""

import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from jinja2.bccache import Bucket, FileSystemBytecodeCache


class Compiled(FileSystemBytecodeCache):
    """What Jinja made of the templates in a folder: in `__pycache__` there, where it may write."""

    def __init__(self, templates: Path) -> None:
        self._folder = templates / "__pycache__"
        super().__init__(str(self._folder), "%s.jinja")

    def get_source_checksum(self, source: str) -> str:
        """Return by what a compiled template is known to be that of a source, made as today.

        It holds what filters made of constants, so it is that of this package, too.
        """
        return sha256(f"{_maker()}\n{source}".encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a compiled template, if there is one and it is whole."""
        try:
            super().load_bytecode(bucket)
        except Exception:  # to unpickle what is damaged may raise anything
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template, as far as this user may write there."""
        if sys.dont_write_bytecode:
            return
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            super().dump_bytecode(bucket)


@cache
def _maker() -> str:
    """Return a hash of what decides how templates are compiled."""
    code = sha256(version("jinja2").encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        code.update(path.read_bytes())
    return code.hexdigest()
