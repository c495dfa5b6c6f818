"""Names of what a process made: whether it is still there."""

import os
import signal
import subprocess
import sys

from arena.bots.sandboxes.owner import is_abandoned, is_unseen, own_name

NAME = "from arena.bots.sandboxes.owner import own_name; print(own_name(), flush=True); input()"


def test_only_what_a_dead_process_made_is_abandoned() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", NAME], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout
        name = child.stdout.readline().strip()
        assert not is_abandoned(name)
        child.send_signal(signal.SIGSTOP)
        assert not is_abandoned(name)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert is_abandoned(name), "a zombie can remove nothing any more"
    assert is_abandoned(f"{name}.3")


def test_names_of_others_are_not_abandoned() -> None:
    prefix, namespace, pid, start = own_name().split(".")
    for name in (
        own_name(),
        f"other.{namespace}.{pid}.1",
        f"{prefix}.{namespace}.x.{start}",
        f"{prefix}.{namespace}",
    ):
        assert not is_abandoned(name)
    assert is_abandoned(f"{prefix}.{namespace}.{pid}.1")


def test_namespace_without_a_visible_process_has_ended_only_where_all_are_visible() -> None:
    prefix, namespace, pid, start = own_name().split(".")
    ended = f"{prefix}.1.{pid}.{start}"
    assert is_unseen(ended)
    assert not is_unseen(own_name())
    assert is_abandoned(ended) == (namespace == "4026531836")
