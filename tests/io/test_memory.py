"""Memory that processes take."""

import os
import subprocess
import sys

from arena.io.memory import memory_of

TAKES = "x = bytearray(64 << 20); print(flush=True); input()"


def test_memory_of_a_process_counts_what_it_began() -> None:
    before = memory_of(os.getpid())
    assert before > 1 << 20
    words = [sys.executable, "-c", TAKES]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        assert memory_of(os.getpid()) > before + (60 << 20)
        assert memory_of(process.pid) > 64 << 20
        process.communicate(b"\n")
    assert memory_of(process.pid) == 0
