"""Leagues on machines that lack something: no bot is blamed, and the root is an undisturbed one."""

import itertools
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.bots.sandboxes.base import Quota
from arena.bots.sandboxes.kernel.cgroups import Cgroup, Cgroups, cgroups
from arena.league.store.store import Store
from tests.cli.command import Ran, error_line, league, run
from tests.e2e.live import let_others_in
from tests.support.depth import depth
from tests.support.sampling import sample

FIELD = ["sample:odds", "sample:honest"]
HIDE = 'mount --bind "$0" /usr/local/bin && exec "$@"'
FAKE = """#!/bin/sh
# Two may start at a time: only one of them can make a folder.
start=1
until mkdir {folder}/start-$start 2>/dev/null; do start=$((start + 1)); done
if [ $start = "$(cat {folder}/fails)" ]; then
    echo "bwrap: Can't fork for pid 1: Resource temporarily unavailable" >&2
    exit 1
fi
exec /usr/bin/bwrap "$@"
"""


def played(folder: Path, *under: object, sandbox: str = "bubblewrap", **keys: object) -> Ran:
    """Play the league of a folder."""
    league(folder, **{"bots": FIELD, "players": [2], "blocks": 2, "games": 1, **keys})
    return run(
        *("run", "league.yaml", "--json", "--sandbox", sandbox, "--trust-bots"),
        cwd=folder,
        under=under,
    )


def root(ran: Ran) -> str:
    assert ran.code == 0, ran
    return str(json.loads(ran.out)["root"])


def has_faults(folder: Path) -> bool:
    path = folder / "league.sqlite"
    if not path.exists():
        return False
    with Store(path) as store:
        return any(game.faulted for result in store.results() for game in result.games)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    let_others_in(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("undisturbed")
    let_others_in(folder)
    return root(played(folder))


def with_fake(folder: Path, fails: int) -> list[object]:
    """Return a command under which bubblewrap fails at one of its starts."""
    tools = folder / "tools"
    tools.mkdir(mode=0o777)
    tools.chmod(0o777)
    fake = tools / "bwrap"
    fake.write_text(FAKE.format(folder=tools))
    fake.chmod(0o755)
    (tools / "fails").write_text(str(fails))
    namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-r", "--mount"]
    return [*namespace, "sh", "-c", HIDE, tools]


STARTS_BEFORE_PLAY = 3
"""The trial of the sandbox, and one start of each bot."""


@pytest.mark.slow
@pytest.mark.parametrize("at", sample([1, 2], 1, "a sandbox that fails in play"))
def test_fixture_that_a_sandbox_could_not_start_is_played_again(
    place: Path, undisturbed: str, at: int
) -> None:
    ran = played(place, *with_fake(place, STARTS_BEFORE_PLAY + at))
    assert ran.err.count("this machine is short of processes: bwrap: Can't fork") == 1
    assert not has_faults(place)
    assert root(ran) == undisturbed


@pytest.mark.slow
@pytest.mark.parametrize("at", sample([1, 2], 1, "a sandbox that fails at first"))
def test_shortage_before_the_first_game_blames_no_bot(place: Path, at: int) -> None:
    ran = played(place, *with_fake(place, at))
    line = error_line(ran, "short of processes", "Can't fork", "raise pids.max")
    assert "arena check" not in line
    assert "does not start" not in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "sandbox"),
    depth(
        [("run", "bubblewrap"), ("check", "process")],
        [*itertools.product(("run", "check"), ("process", "bubblewrap"))],
    ),
)
def test_few_open_files_are_not_the_fault_of_a_bot(place: Path, sandbox: str, command: str) -> None:
    league(place, bots=FIELD)
    what = {"run": "league.yaml", "check": "sample:honest"}[command]
    under = ["prlimit", "--nofile=32:32", "--"]
    ran = run(command, what, "--sandbox", sandbox, "--trust-bots", cwd=place, under=under)
    line = error_line(ran, "a bot may use 256 open files, and the limit here is 32", "ulimit -n")
    assert "arena check" not in line
    assert "honest" not in line


@pytest.fixture
def few_processes() -> Cgroup:
    """A control group with room for few processes."""
    own = cgroups()
    if own is None or "pids" not in own.mounts:
        pytest.skip("no control group can limit processes here")
    return Cgroups({"pids": own.mounts["pids"]}).make(Quota(processes=12))


@pytest.mark.slow
def test_few_processes_end_a_league_that_goes_on_later(
    place: Path, undisturbed: str, few_processes: Cgroup
) -> None:
    within: Sequence[object] = few_processes.wrap([])
    try:
        ran = played(place, *within, workers=2)
    finally:
        few_processes.kill()
        few_processes.close()
    if ran.code != 0:  # depends on which processes are alive at a time
        error_line(ran, "short of processes", "raise pids.max")
    assert not has_faults(place)
    assert root(played(place, workers=2)) == undisturbed


@pytest.mark.slow
def test_workers_that_cannot_have_semaphores_are_one_clear_error(place: Path) -> None:
    hide = 'mount -t tmpfs -o ro none /dev/shm && exec "$@"'
    namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-r", "--mount"]
    ran = played(place, *namespace, "sh", "-c", hide, "sh", sandbox="process")
    error_line(ran, "workers need a folder for semaphores", "/dev/shm", "mount")
