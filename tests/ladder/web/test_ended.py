"""`arena serve` as a process: it says where it is, and ends when it is told to."""

import os
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.command import HANG, arena, environment
from tests.ladder.web.doors import Door, ladder


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_although_somebody_listens(tmp_path: Path, number: signal.Signals) -> None:
    folder = ladder(tmp_path)
    words = arena("serve", folder.root, "--port", 0)
    with subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        line = process.stderr.readline()
        assert line.startswith("the door is open: http://127.0.0.1:"), line
        door = Door(folder, line.split()[-1])
        with closing(door.connect()) as connection:
            connection.request("GET", "/api/v1/ladder/events")
            assert connection.getresponse().readline() == b"event: ladder\n"
            os.kill(process.pid, number)
            assert process.wait(HANG) == 0
        assert process.stderr.read() == ""
