"""The door or the ladder is killed during submissions: what was answered is there, once."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path

import pytest

from arena.ladder.book.book import Book
from arena.ladder.book.tables import State
from arena.ladder.folder import Folder
from tests.cli.command import HANG, environment
from tests.e2e.live import wait_for_death, wait_until
from tests.ladder.web.doors import Answer, Door, door_of, ladder, uploads
from tests.support import sampling
from tests.support.depth import depth

pytestmark = pytest.mark.slow

KILLS = depth(3, 100)
AT_ONCE = 4
"""Submissions, each of another author."""
SIZE = 200_000
SENDERS = ("ann", "bob")
"""Who submit while the ladder is killed."""
# Each door and ladder is forked off from a process that has imported everything: to start Python
# takes longer.
DOOR = """
import os, sys
from pathlib import Path
from arena.ladder.folder import Folder
from arena.ladder.web.run import Address, opened

for line in sys.stdin:
    pid = os.fork()
    if not pid:
        with opened(Folder(Path(sys.argv[1])), Address(port=0)) as door:
            print(os.getpid(), door.base, flush=True)
            door.run()
        os._exit(0)
    os.waitpid(pid, 0)
"""
# It looks at its door all the time, refuses whatever it checks, and publishes nothing.
LADDER = """
import os, sys, threading
from pathlib import Path
import msgspec
from arena.ladder import run
from arena.ladder.check import scheduler
from arena.ladder.pages import site
from arena.ladder.book.tables import CheckResult, ReportedFault
from arena.ladder.folder import Folder

class Refusal:
    looks = 0
    def __init__(self, call, **place):
        pass
    def is_over(self):
        self.looks += 1
        return self.looks > 2
    def result(self):
        return msgspec.json.encode(CheckResult(ok=False, faults=[ReportedFault("it is no bot")]))
    def end(self):
        pass

class Publication(Refusal):
    def is_over(self):
        return False

scheduler.Job, site.Job = Refusal, Publication
run._TICK, run._IDLE = 0.0, 0.005
for line in sys.stdin:
    pid = os.fork()
    if not pid:
        print(os.getpid(), flush=True)
        run.run_ladder(Folder(Path(sys.argv[1])), threading.Event(), lambda said: None)
    os.waitpid(pid, 0)
"""

Fork = Callable[[], list[str]]
"""Forks a process off, and returns the words that it says first."""


def open_door(fork: Fork, folder: Folder) -> tuple[int, Door]:
    pid, base = fork()
    door = Door(folder, base)
    wait_until(lambda: is_up(door))
    return int(pid), door


def is_up(door: Door) -> bool:
    try:
        return bool(door.ask("/healthz").json()["door"] == "up")
    except OSError:
        return False


@contextmanager
def forking(program: str, folder: Folder) -> Iterator[Fork]:
    words = [sys.executable, "-c", program, str(folder.root)]
    process = subprocess.Popen(
        words, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdin
        assert process.stdout
        requests, answers = process.stdin, process.stdout

        def fork() -> list[str]:
            print("fork", file=requests, flush=True)
            return answers.readline().split()

        yield fork
        requests.close()
        process.wait(HANG)


def put(door: Door, bot: str, content: bytes, token: dict[str, str]) -> Answer | None:
    try:
        return door.put(bot, content, token)
    except (OSError, HTTPException):
        return None


def test_answered_submissions_are_there_once(tmp_path: Path) -> None:
    folder, rng = ladder(tmp_path), sampling.random("kills of the door")
    who = [f"author-{number}" for number in range(AT_ONCE)]
    tokens = {one: Door(folder, "http://nowhere").token(one) for one in who}
    answered = dict[tuple[str, str], str]()
    sent = dict[tuple[str, str], bytes]()
    with forking(DOOR, folder) as fork, ThreadPoolExecutor(AT_ONCE) as pool:
        for number in range(KILLS):
            pid, door = open_door(fork, folder)
            contents = {one: rng.randbytes(SIZE) for one in who}
            going = {
                one: pool.submit(put, door, f"bot-{one}", content, tokens[one])
                for one, content in contents.items()
            }
            if number % 2:  # in the middle of bodies, or about when they are written down
                next(iter(going.values())).result()
            else:
                os.sched_yield()
            os.kill(pid, signal.SIGKILL)
            wait_for_death(pid)
            for one, future in going.items():
                key = one, sha256(contents[one]).hexdigest()
                sent[key] = contents[one]
                if (found := future.result()) and found.status == 201:
                    answered[key] = found.json()["version"]
        pid, door = open_door(fork, folder)
        there = {(one.author, one.sha256): one.version for one in uploads(door)}
        assert there.keys() <= sent.keys()
        assert answered.items() <= there.items()
        for upload in uploads(door):  # each has its bytes
            content = folder.upload(upload.sha256, upload.ending).read_bytes()
            assert sha256(content).hexdigest() == upload.sha256
        # Whoever heard nothing sends it again, and it is there once.
        for key in sent.keys() - answered.keys():
            found = put(door, f"bot-{key[0]}", sent[key], tokens[key[0]])
            assert found
            assert (found.status == 200) == (key in there)
        assert sorted((one.author, one.sha256) for one in uploads(door)) == sorted(sent)
        for author in who:
            mine = [one.number for one in uploads(door) if one.author == author]
            assert mine == list(range(1, KILLS + 1))
        assert not list(folder.inbox.glob(".door.*"))
        os.kill(pid, signal.SIGKILL)
        wait_for_death(pid)


def last_line(folder: Folder) -> int:
    with Book(folder) as book:
        return book.last_event()


def has_line(folder: Folder, number: int) -> bool:
    return last_line(folder) >= number


def is_settled(folder: Folder, count: int) -> bool:
    with Book(folder) as book:
        return len(book.versions({State.REFUSED})) == count


def test_a_ladder_that_is_killed_takes_each_submission_in_once(tmp_path: Path) -> None:
    folder, rng = ladder(tmp_path), sampling.random("kills of the ladder at its door")
    answered = []
    with (
        door_of(folder) as door,
        forking(LADDER, folder) as fork,
        ThreadPoolExecutor(len(SENDERS)) as pool,
    ):
        tokens = {one: door.token(one) for one in SENDERS}
        for number in range(KILLS):
            before = last_line(folder)
            [pid] = fork()
            content = b"%d" % number
            going = [pool.submit(door.put, f"bot-{one}", content, tokens[one]) for one in SENDERS]
            # Each submission makes three lines at least: received, checking, refused.
            until = before + rng.randrange(3 * len(SENDERS) + 1)
            wait_until(partial(has_line, folder, until))
            os.kill(int(pid), signal.SIGKILL)
            wait_for_death(int(pid))
            found = [one.result() for one in going]
            assert {one.status for one in found} == {201}
            answered += [one.json()["version"] for one in found]
        [pid] = fork()
        wait_until(lambda: is_settled(folder, len(answered)))
        os.kill(int(pid), signal.SIGKILL)
        wait_for_death(int(pid))
        sent = uploads(door)
    assert sorted(one.version for one in sent) == sorted(answered)
    with Book(folder) as book:
        entered = [(one.id, one.name, one.sha256) for one in book.versions()]
        received = [one.version for one in book.events() if one.text.startswith("received: ")]
    assert entered == [(one.id, one.version, one.sha256) for one in sent]
    assert sorted(received) == sorted(answered)
