"""Standard output and error: what one of them does not take is dropped, and the work goes on."""

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any


def guard_streams() -> None:
    """Have all three standard streams, and have no write to standard output or error fail.

    After the first error of a stream (its reader is gone, the disk is full, the terminal is closed)
    everything else that is written to it is dropped: messages, tracebacks, warnings, logs, what
    Python flushes at its end. `lost_output` tells. Any other pipe that breaks is an error as
    before. Characters that the encoding of a stream lacks are printed in another way.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed (arena ... >&-)
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper) and isinstance(stream.buffer, BufferedWriter | FileIO):
            setattr(sys, name, _guarded(stream))


def lost_output() -> OSError | None:
    """Return why standard output took no more; None if it took all, or is not guarded."""
    sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.failure if isinstance(raw, _Guarded) else None


class _Guarded(FileIO):
    """Writes to a file until that fails, and drops everything from then on."""

    failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write, or drop, and tell how much: all of it is gone if it was dropped."""
        if self.failure is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


def _guarded(stream: TextIOWrapper) -> TextIOWrapper:
    return TextIOWrapper(
        BufferedWriter(_Guarded(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering or stream.write_through,
    )
