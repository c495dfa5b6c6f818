"""The part of a language's message that tells most, with its line of source and the mark below."""

import re
from itertools import pairwise

_FRAME = re.compile(r"(?:\s|\\t)+at \S| *\d+: 0x[0-9a-f]+ ")
_ERROR = re.compile(r"[\w.]*(?:Error|Exception)\b.*:|FATAL ERROR|thread '.*' panicked|panic: ")
_FRAMES = 2
"""Lines shown of a stack of calls."""
_STDERR_LINES = 6
"""Lines shown of the end of a bot's standard error."""
_MARK = re.compile(r"[\s|~-]*\^[\s^~|-]*(?:\s.*)?")
"""The line below a line of source: Python, Node.js, gcc and rustc write it with ^."""
_OF_COMPILER = re.compile(r"\b(?:fatal )?error\b")
_BLOCK = 8
"""Lines of a compiler's message in which its mark is looked for."""
_LOOKED_AT = 4096
"""Characters of a line in which a mark is looked for."""
_SOURCE = 66
"""Columns of a line of source with a mark below: it may not be broken."""
_LINE = 150
"""Characters shown of any other line."""


def of_stderr(stderr: str) -> list[str]:
    """Return the end of standard error, or its part from the last error on.

    Left out are empty lines, repeated lines, and all frames of Node.js and Java but the first ones.
    """
    lines, frames = list[str](), 0
    for line in stderr.splitlines():
        frames = frames + 1 if _FRAME.match(line) else 0
        if line.strip() and frames <= _FRAMES and line not in lines[-1:]:
            lines.append(line)
    errors = [number for number, line in enumerate(lines) if _ERROR.match(line[:_LINE])]
    first = max(0, len(lines) - _STDERR_LINES)
    if errors:
        at = errors[-1]
        # Node.js names the file, shows the source and marks it before the error itself.
        marked = at > 2 and is_mark(lines[at - 1])
        first = min(first, at - 3 if marked else at)
    return _fitted(lines[first : first + _STDERR_LINES])


def of_compiler(output: str) -> list[str]:
    """Return the first error of a build down to the mark below its source, [] if it has none."""
    lines = output.splitlines()
    first = next((at for at, line in enumerate(lines) if _OF_COMPILER.search(line[:_LINE])), None)
    block = lines[first : first + _BLOCK] if first is not None else []
    marks = [at for at, line in enumerate(block) if is_mark(line)]
    return _fitted(block[: marks[0] + 1]) if marks else []


def is_mark(line: str) -> bool:
    """Return whether a line marks a place in the line of source above it."""
    return bool(_MARK.fullmatch(line[:_LOOKED_AT]))


def short(line: str) -> str:
    """Return the beginning and the end of a line: both tell most."""
    return line if len(line) <= _LINE else f"{line[: _LINE // 2]} ... {line[-_LINE // 2 :]}"


def _fitted(lines: list[str]) -> list[str]:
    """Return lines of which none is long; a line of source and its mark are cut alike."""
    fitted = list[str]()
    for line, below in pairwise([*lines, ""]):
        if is_mark(line) and fitted:
            continue  # it came with the line above
        fitted += _pair(line.expandtabs(), below.expandtabs()) if is_mark(below) else [short(line)]
    return fitted


def _pair(source: str, mark: str) -> list[str]:
    """Return a line of source and its mark: the part around the mark if it is long."""
    start = max(0, mark.index("^") - _SOURCE // 2) if len(source) > _SOURCE else 0
    return [source[start : start + _SOURCE], mark[start : start + _SOURCE].rstrip()]
