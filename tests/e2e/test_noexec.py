"""Machines whose folders are mounted `noexec`: no bot is blamed for what cannot run there."""

import itertools
import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.cli.doctor import show
from arena.league.store.store import Store
from tests.cli.command import ROOT, bot, error_line, league, run
from tests.e2e.live import let_others_in
from tests.ladder.club import make, running
from tests.support.depth import depth
from tests.support.sampling import sample

SANDBOXES = ("process", "bubblewrap")
FLAGS = 8
"""Where `f_flag` is in what `statvfs` returns."""
COMPILED = "sample:c-counter"
SHORT = ("--step", 5)
NO_PROGRAM_IN = "no program can run in {}, which is mounted noexec"
MOUNTED = "mount --bind {0} {0} && mount -o remount,bind,{1} {0}"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "temporary").mkdir()
    let_others_in(tmp_path)
    return tmp_path


def closed(*folders: Path) -> Sequence[object]:
    """Return a command under which no program can run in these folders, but for the arena."""
    namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-r", "--mount"]
    mounts = [MOUNTED.format(shlex.quote(str(folder)), "noexec") for folder in folders]
    if any(ROOT.is_relative_to(folder) for folder in folders):
        mounts.append(MOUNTED.format(shlex.quote(str(ROOT)), "exec"))
    return [*namespace, "sh", "-c", " && ".join([*mounts, 'exec "$@"']), "sh"]


def said(place: Path) -> str:
    return NO_PROGRAM_IN.format(f"{place / 'temporary'} (TMPDIR)")


def variables(place: Path) -> dict[str, str]:
    return {"TMPDIR": str(place / "temporary"), "XDG_CACHE_HOME": str(place / "temporary/cache")}


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", sample(SANDBOXES, 1, "compiled without a place"))
def test_check_makes_a_compiled_bot_ready_in_another_folder(place: Path, sandbox: str) -> None:
    ran = run(
        *("check", COMPILED, *SHORT, "--sandbox", sandbox),
        cwd=place,
        under=closed(place / "temporary"),
        env=variables(place),
    )
    assert ran.code == 0, ran
    first, *_ = ran.err.splitlines()
    assert first == f"{said(place)}: bots are made ready in /tmp"


@pytest.mark.slow
def test_league_has_no_faults_and_says_first_where_its_bots_are(place: Path) -> None:
    league(place, bots=[COMPILED, "sample:sh-minimal"], players=[2], blocks=1, games=1)
    ran = run(
        *("run", "league.yaml", "--sandbox", "process", "--skip-missing-runtimes"),
        cwd=place,
        under=closed(place / "temporary"),
        env=variables(place),
    )
    assert ran.code == 0, ran
    assert ran.err.startswith(said(place))
    assert "left out" not in ran.err
    with Store(place / "league.sqlite") as store:
        assert not any(game.faulted for result in store.results() for game in result.games)


@pytest.mark.slow
def test_ladder_says_first_where_its_bots_are(place: Path) -> None:
    club = make(place)
    with running(club, *closed(place / "temporary")) as ladder:
        ladder.until(lambda: "\n" in ladder.said.read_text())
        assert ladder.stop() == 0
    assert ladder.said.read_text().startswith(said(place))


@pytest.mark.parametrize("command", [("course", "grade"), ("play",), ("compare",)])
def test_all_commands_that_start_bots_say_so_first(place: Path, command: Sequence[str]) -> None:
    under = closed(place / "temporary")
    ran = run(*command, "none", "none", cwd=place, under=under, env=variables(place))
    assert ran.err.startswith(said(place)), ran


BOTH = depth(
    [("check", "bubblewrap"), ("run", "process")],
    [*itertools.product(("check", "run"), SANDBOXES)],
)
ALL = [Path("temporary"), Path("/tmp"), Path("/var/tmp")]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "sandbox"), BOTH)
def test_without_another_folder_the_machine_is_named_and_no_bot(
    place: Path, sandbox: str, command: str
) -> None:
    league(place, bots=[COMPILED, "sample:sh-minimal"])
    under = closed(*(place / folder for folder in ALL))
    what = {"check": COMPILED, "run": "league.yaml"}[command]
    ran = run(*(command, what, "--sandbox", sandbox), cwd=place, under=under, env=variables(place))
    assert ran.err.startswith(f"warning: {said(place)}, and there is no other folder: set TMPDIR")
    line = error_line(ran, "./bot lies in a folder that is mounted noexec", "set TMPDIR to")
    assert "arena check" not in line


@pytest.mark.slow
def test_the_cache_is_taken_if_it_is_the_only_folder(place: Path) -> None:
    cache = place / "cache"
    cache.mkdir()
    shell = ["sh", "-c", f'mount -t tmpfs none {shlex.quote(str(cache))} && exec "$@"', "sh"]
    ran = run(
        *("check", COMPILED, *SHORT, "--sandbox", "bubblewrap"),
        cwd=place,
        under=[*closed(*(place / folder for folder in ALL)), *shell],
        env={"TMPDIR": str(place / "temporary"), "XDG_CACHE_HOME": str(cache)},
    )
    assert ran.code == 0, ran
    assert ran.err.startswith(f"{said(place)}: bots are made ready in {cache}/perudo-arena/run\n")


@pytest.mark.slow
def test_bots_that_are_texts_play_where_no_program_can_run(place: Path) -> None:
    under = closed(*(place / folder for folder in ALL))
    ran = run("check", "sample:sh-minimal", *SHORT, cwd=place, under=under, env=variables(place))
    assert ran.code == 0, ran


@pytest.mark.slow
def test_folders_of_bots_may_be_mounted_so(place: Path) -> None:
    """They are copied before anything in them is run."""
    source = bot(place / "bots/new", command="./bot.py")
    source.joinpath("bot.py").write_text(
        f"#!/usr/bin/env python3\n{source.joinpath('bot.py').read_text()}"
    )
    source.joinpath("bot.py").chmod(0o755)
    under = closed(place / "bots")
    ran = run("check", source, *SHORT, "--trust-bots", cwd=place, under=under)
    assert ran.code == 0, ran


RUNS_WHAT_IT_MADE = """
printf '#!/bin/sh\\n' >$TMPDIR/made-$$
chmod +x $TMPDIR/made-$$
$TMPDIR/made-$$ || exit
rm $TMPDIR/made-$$
exec python3 bot.py
"""


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", sample(SANDBOXES, 1, "bots run what they made"))
def test_bots_may_run_what_they_made(place: Path, sandbox: str) -> None:
    """As `go run` does, in the folder for temporary files of their own."""
    source = bot(place / "new", command="sh run.sh")
    (source / "run.sh").write_text(RUNS_WHAT_IT_MADE)
    ran = run(
        *("check", source, *SHORT, "--sandbox", sandbox, "--trust-bots"),
        cwd=place,
        under=closed(Path("/tmp")),
        env={"TMPDIR": "/tmp"},
    )
    assert ran.code == 0, ran


@pytest.mark.parametrize("sandbox", sample(SANDBOXES, 1, "programs of the machine"))
def test_program_of_the_machine_in_such_a_folder_is_named(place: Path, sandbox: str) -> None:
    program = place / "tools/interpreter"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec python3 $@\n")
    program.chmod(0o755)
    source = bot(place / "new", command=f"{program} bot.py")
    ran = run(
        *("check", source, "--sandbox", sandbox, "--trust-bots"),
        cwd=place,
        under=closed(program.parent),
    )
    error_line(ran, f"'new' cannot be started: {program} lies in a folder that is mounted noexec")


def test_doctor_names_the_folder(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usual, real = place / "temporary", os.statvfs
    monkeypatch.setattr("tempfile.tempdir", str(usual))

    def statvfs(path: Path) -> os.statvfs_result:
        values = list(real(path))
        values[FLAGS] |= os.ST_NOEXEC if Path(path) == usual else 0
        return os.statvfs_result(values)

    monkeypatch.setattr("os.statvfs", statvfs)
    show([], "process", as_json=False)
    assert f"{said(place)}: bots are made ready in /tmp\n" in capsys.readouterr().out
    show([], "process", as_json=True)
    folder = json.loads(capsys.readouterr().out)["program_folder"]
    assert folder["path"] == "/tmp"
    assert said(place) in folder["note"]
