"""Processes that bots are refused: by their own limit that is a fault, by others it is not."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.sandboxes.base import Program, Quota
from arena.bots.sandboxes.kernel.cgroups import Cgroups, Refusals, cgroups
from arena.bots.sandboxes.process import ProcessSandbox
from arena.game.records import Cause
from arena.io.errors import ShortageError
from tests.bots.sandboxes.test_not_run import greeted

CHILDREN = ["sh", "-c", "sleep 60 & sleep 60 & sleep 60 & sleep 60 & exit 3"]
FEW = 3


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The group above those of bots."""
    own = cgroups()
    if own is None or "pids" not in own.mounts:
        pytest.skip("no control group can limit processes here")
    mount = own.mounts["pids"]
    above = mount.folder / f"test-{os.getpid()}"
    above.mkdir()
    if not (above / "pids.peak").exists():
        above.rmdir()
        pytest.skip("this kernel does not tell whose limit was met")
    trees = Cgroups({**own.mounts, "pids": mount._replace(folder=above)})
    monkeypatch.setattr("arena.bots.sandboxes.child_process.process_trees", lambda: trees)
    yield above
    above.rmdir()


def test_limit_of_a_group_above_is_not_the_fault_of_a_bot(group: Path, runs: Path) -> None:
    (group / "pids.max").write_text(str(FEW))
    with pytest.raises(ShortageError) as error:
        greeted(ProcessSandbox(), Program(runs, CHILDREN))
    assert error.value.what.startswith("this machine is short of processes: a bot was refused")
    assert error.value.hint.startswith("raise pids.max")


def test_limit_of_a_bot_is_its_own_fault(group: Path, runs: Path) -> None:
    assert group.is_dir()
    fault = greeted(ProcessSandbox(Quota(processes=FEW)), Program(runs, CHILDREN))
    assert fault.cause is Cause.CRASH


@pytest.mark.parametrize(
    ("own", "above", "found"),
    [
        ({"pids.max": "64", "pids.peak": "9", "pids.events": "max 0"}, "max 0", False),
        # Version 1, and version 2 before Linux 6.11.
        ({"pids.max": "64", "pids.peak": "9", "pids.events": "max 1"}, "max 0", True),
        ({"pids.max": "64", "pids.peak": "64", "pids.events": "max 1"}, "max 0", False),
        ({"pids.max": "64", "pids.events": "max 1"}, "max 0", False),
        # Version 2 since.
        ({"pids.max": "64", "pids.peak": "9", "pids.events": "max 0"}, "max 2", True),
        ({}, "", False),
    ],
)
def test_counters_of_kernels(tmp_path: Path, own: dict[str, str], above: str, found: bool) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (tmp_path / "pids.events.local").write_text("max 0\n")
    refusals = Refusals(folder)
    assert not refusals.any()
    for file, text in own.items():
        (folder / file).write_text(f"{text}\n")
    (tmp_path / "pids.events.local").write_text(f"{above}\n")
    assert refusals.any() == found
