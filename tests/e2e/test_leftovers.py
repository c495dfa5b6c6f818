"""What a run leaves when it, or all of it, is killed: nothing once the next arena has started."""

import os
import signal
from pathlib import Path

import pytest

from arena.bots.sandboxes.owner import PREFIX
from tests.cli.command import LOWEST, bot, league, run
from tests.e2e import kills
from tests.e2e.live import Live, processes, wait_until
from tests.support.depth import depth

DAEMON = """
    import os, signal
    if not os.fork():
        os.setsid()
        os.fork() and os._exit(0)
        os.closerange(0, 3)
        while True: signal.pause()
"""
RUN = ("run", "league.yaml", *kills.PLAY)


def semaphores() -> list[str]:
    return [path.name for path in Path("/dev/shm").glob(f"sem.{PREFIX}.*")]


def groups(pids: set[int]) -> list[Path]:
    """Return the control groups, of any hierarchy, that these processes made."""
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    hierarchies = [Path(line.split(" ")[4]) for line in mounts if " - cgroup" in line]
    found = [folder for top in hierarchies for folder in top.rglob(f"{PREFIX}.*.*.*.*")]
    return [folder for folder in found if int(folder.name.split(".")[2]) in pids]


def write_league(folder: Path, source: str = LOWEST) -> str:
    mark = f"mark-{folder.name}-{os.getpid()}"
    for name in "abcd":
        bot(folder / name, source, command=f"python3 bot.py {mark}")
    hour = 3600.0
    league(folder, bots=list("abcd"), games=2, blocks=3, limits={"answer": hour, "game": hour})
    return mark


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_daemons_of_bots_end_with_an_interrupted_run(
    tmp_path: Path, number: signal.Signals
) -> None:
    """SIGINT twice, which does not wait for what is being played."""
    mark = write_league(tmp_path, DAEMON + LOWEST)
    with Live(*RUN, cwd=tmp_path, mark=mark) as live:
        live.read_until_stored()
        live.process.send_signal(number)
        if number == signal.SIGINT:
            live.read_until("Ctrl-C")
            live.process.send_signal(number)
        live.end()
        assert live.bots() == []


@pytest.mark.slow
def test_next_start_removes_what_a_killed_run_left(tmp_path: Path) -> None:
    mark = write_league(tmp_path, DAEMON + LOWEST)
    with Live(*RUN, cwd=tmp_path, mark=mark) as live:
        live.read_until_stored()
        everything = set(kills.family(live))
        kills.kill(everything, signal.SIGSTOP)
        everything |= set(kills.family(live))
        # Once it is dead, any arena that starts on this machine removes them.
        ours = [name for name in semaphores() if int(name.split(".")[3]) == live.process.pid]
        kills.kill(everything)
        live.process.wait()
        wait_until(lambda: not everything & processes().keys())
    assert ours, "the run had none: this test shows nothing"
    assert run(*RUN, cwd=tmp_path).code == 0
    assert not set(ours) & set(semaphores())
    assert groups(everything) == []
    assert live.bots() == []


@pytest.mark.slow
def test_killed_resource_tracker_is_no_traceback(tmp_path: Path) -> None:
    """Python starts one with each pool, to remove semaphores."""
    mark = write_league(tmp_path)
    with Live(*RUN, cwd=tmp_path, mark=mark) as live:
        live.read_until_stored()
        family = processes().items()
        [tracker] = [
            pid
            for pid, p in family
            if p.parent == live.process.pid and "resource_tracker" in p.command
        ]
        os.kill(tracker, signal.SIGKILL)
        assert live.end() == 0
    assert "Traceback" not in live.text
    assert "resource_tracker" not in live.text
    assert not [name for name in semaphores() if int(name.split(".")[3]) == live.process.pid]


@pytest.mark.slow
@pytest.mark.parametrize("whole", depth([True], [False, True]))
def test_killed_workers_of_a_cluster_leave_nothing(tmp_path: Path, whole: bool) -> None:
    """Alone, or with all the rest of the run."""
    pytest.importorskip("distributed")
    mark = write_league(tmp_path)
    ours = ("run", "league.yaml", "--sandbox", "process", "--trust-bots", "--cluster", "local:2")
    with Live(*ours, cwd=tmp_path, mark=mark) as live:
        live.read_until_stored()
        [*_, worker] = live.workers()
        if whole:
            kills.kill(kills.family(live))
            live.process.wait()
            live.wait_until_all_are_gone()
            assert list(live.temporary.glob("perudo-arena-*"))
        else:
            os.kill(worker, signal.SIGKILL)
        text = live.text if whole else (live.end(), live.text)[1]
    if whole:
        with Live(*ours, cwd=tmp_path, mark=mark) as live:
            assert live.end() == 0
    assert "Traceback" not in text
    assert list(live.temporary.iterdir()) == []
