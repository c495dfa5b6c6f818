"""The files that a program was refused, by what it wrote."""

import re

_FAILED = re.compile(
    r"no such file|not found|not exist|not readable|unreadable|missing|ENOENT"
    r"|(?:can(?:no|')?t|could(?: not|n't)|unable to|failed to|error) ?"
    r"(?:open|find|read|load|access|stat|locate|import|include)",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w./~-])/[\w.+@%~-]+(?:/[\w.+@%~-]+)+")
_OF_THE_KERNEL = ("/proc/", "/sys/", "/dev/", "/run/")
_LOOKED_AT = 8192
"""Characters of the end that are searched: bots choose what they write."""
_MOST = 20


def refused(words: str) -> list[str]:
    """Return the absolute paths in the lines in which a program says that it found no file."""
    lines = words[-_LOOKED_AT:].splitlines()
    return named("\n".join(line for line in lines if _FAILED.search(line)))


def named(words: str) -> list[str]:
    """Return the absolute paths of files that a program names."""
    found = (path.rstrip(".") for path in _PATH.findall(words[-_LOOKED_AT:]))
    return [path for path in dict.fromkeys(found) if not path.startswith(_OF_THE_KERNEL)][:_MOST]
