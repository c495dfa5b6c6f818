"""The software that plays a league."""

import os
import platform
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

import arena


@cache
def identity() -> str:
    """Return a description of the software, which must be the same wherever a league is played.

    The arena's code and Python decide games; msgspec writes their bytes.
    """
    root = Path(arena.__file__).parent
    code = sha256()
    for path in sorted(root.rglob("*.py")):
        code.update(b"%b\0%b\n" % (os.fsencode(path.relative_to(root)), path.read_bytes()))
    python = ".".join(platform.python_version_tuple()[:2])
    libraries = f"Python {python} and msgspec {msgspec.__version__}"
    return f"arena {arena.__version__} ({code.hexdigest()[:12]}) on {libraries}"
