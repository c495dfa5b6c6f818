"""Standard output and error: what one of them does not take is dropped, and the work goes on."""

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any, TypeGuard


def guard_streams() -> None:
    """Have all three standard streams, and have no write to standard output or error fail.

    After the first error of a stream (its reader is gone, the disk is full, the terminal is closed)
    everything else that is written to it is dropped: messages, tracebacks, warnings, logs, what
    Python flushes at its end. `lost_output` tells. Any other pipe that breaks is an error as
    before. Characters that the encoding of a stream lacks are printed in another way.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # it was closed (arena ... >&-)
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
        elif mode == "w" and _is_file(stream):
            setattr(sys, name, _guarded(stream))


def lost_output() -> OSError | None:
    """Return why standard output took no more; None if it took all, or is not guarded."""
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    return buffer.failure if isinstance(buffer, _Guarded) else None


class _Guarded(BufferedWriter):
    """Writes to a file until that fails, and drops everything from then on.

    A signal's handler that raises leaves nothing to be written twice, as it would if the file below
    were in Python: whatever was written, the buffer knows.
    """

    failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write, or drop; returns how many bytes were taken, which are all of them."""
        if self.failure is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes

    def flush(self) -> None:
        """Write what is buffered, or drop it."""
        if self.failure is None:
            try:
                super().flush()
            except OSError as error:
                self.failure = error


def _is_file(stream: object) -> TypeGuard[TextIOWrapper]:
    """Tell whether a stream is as Python opens it: neither guarded already nor in memory."""
    return isinstance(stream, TextIOWrapper) and type(stream.buffer) in {BufferedWriter, FileIO}


def _guarded(stream: TextIOWrapper) -> TextIOWrapper:
    return TextIOWrapper(
        _Guarded(FileIO(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering or stream.write_through,
    )
