"""`arena serve` as a process: it says where it is, and ends when it is told to."""

import os
import signal
import socket
import subprocess
from contextlib import closing
from http.client import HTTPResponse
from pathlib import Path

import pytest

from arena.io.cores import spare_cores
from arena.io.signals import ignored
from tests.cli.command import HANG, arena, environment
from tests.ladder.web.doors import Door, door_of, inbox, ladder


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_although_somebody_listens(tmp_path: Path, number: signal.Signals) -> None:
    folder = ladder(tmp_path)
    words = arena("serve", folder.root, "--port", 0)
    with subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        line = process.stderr.readline()
        assert line.startswith("the door is open: http://127.0.0.1:"), line
        assert os.sched_getaffinity(process.pid) == (spare_cores(1) or os.sched_getaffinity(0))
        door = Door(folder, line.split()[-1])
        send_what_is_no_http(door)
        with closing(door.connect()) as connection:
            connection.request("GET", "/api/v1/ladder/events")
            assert connection.getresponse().readline() == b"event: ladder\n"
            os.kill(process.pid, number)
            assert process.wait(HANG) == 0
        # Many such requests fill no journal.
        warning = "WARNING: uvicorn.error: Invalid HTTP request received.\n"
        assert process.stderr.read() == warning


def send_what_is_no_http(door: Door) -> None:
    host, _, port = door.host.partition(":")
    for _ in range(10):
        with socket.create_connection((host, int(port)), HANG) as connection:
            connection.sendall(b"\x16\x03\x01\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 400")


def test_a_door_that_a_script_started_in_the_background_leaves_ctrl_c_alone(tmp_path: Path) -> None:
    folder = ladder(tmp_path)
    words = [
        "sh",
        "-c",
        "trap '' INT; exec \"$@\"",
        "sh",
        *arena("serve", folder.root, "--port", 0),
    ]
    with subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        door = Door(folder, process.stderr.readline().split()[-1])
        os.kill(process.pid, signal.SIGINT)
        with closing(door.connect()) as connection:
            connection.request("GET", "/healthz")
            assert connection.getresponse().status == 503  # no ladder runs
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(HANG) == 0
        assert process.stderr.read() == ""


def test_an_upload_that_does_not_come_to_its_end_is_told_that_the_door_ends(tmp_path: Path) -> None:
    folder = ladder(tmp_path)
    words = arena("serve", folder.root, "--port", 0)
    with subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        door = Door(folder, process.stderr.readline().split()[-1])
        token = door.token("ann")["Authorization"]
        head = (
            f"PUT /api/v1/bots/mine/versions HTTP/1.1\r\nHost: {door.host}\r\n"
            f"Authorization: {token}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n"
        )
        host, _, port = door.host.partition(":")
        with socket.create_connection((host, int(port)), HANG) as connection:
            connection.sendall(head.encode())
            assert connection.recv(100).startswith(b"HTTP/1.1 100")  # it is being read
            connection.sendall(b"part")
            os.kill(process.pid, signal.SIGTERM)
            with closing(HTTPResponse(connection)) as response:
                response.begin()
                assert (response.status, response.headers["Retry-After"]) == (503, "10")
        assert process.wait(HANG) == 0
        assert process.stderr.read() == ""
    assert inbox(folder) == []


def test_a_door_in_a_thread_leaves_signals_alone(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with door_of(ladder(tmp_path)) as door:
            assert door.ask("/").status == 200
            assert ignored(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
