"""A disk that is full, folders that cannot be written, stores that cannot be used.

The tests may run as root, whom no mode bits stop: read-only and full are mounts of bwrap's.
"""

import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import (
    FIELD,
    HANG,
    LOWEST,
    arena,
    bot,
    confined,
    environment,
    error_line,
    league,
    records,
    run,
)
from tests.e2e.live import wait_until
from tests.publish.pages import broken_links, tree

PLAY = ("run", "league.yaml", "--sandbox", "process")


def _read_only(folder: Path) -> list[object]:
    return confined("--ro-bind", folder, folder)


def _small(folder: Path, size: int) -> list[object]:
    return confined("--size", size, "--tmpfs", folder)


def test_a_league_folder_that_is_not_writable(tmp_path: Path) -> None:
    league(tmp_path)
    ran = run(*PLAY, cwd=tmp_path, under=_read_only(tmp_path))
    assert ran.err.count("\n") == 1
    error_line(ran, "the store fails: ", "/ league.sqlite / make the folder writable, or choose")
    assert [path.name for path in tmp_path.iterdir()] == ["league.yaml"]


@pytest.mark.parametrize("store", ["none/league.sqlite", "league.yaml/x.sqlite"])
def test_a_store_where_none_can_be(tmp_path: Path, store: str) -> None:
    league(tmp_path)
    ran = run(*PLAY, "--store", store, cwd=tmp_path)
    error_line(ran, "the store fails: ", f"/ {store} / make the folder writable, or choose")


def test_a_folder_as_a_store(tmp_path: Path) -> None:
    league(tmp_path)
    ran = run(*PLAY, "--store", ".", cwd=tmp_path)
    error_line(ran, "a folder is in the place of a file / . / ", "choose another with --store")


def test_a_store_that_became_read_only(finished: Path) -> None:
    before = tree(finished)
    ran = run(*PLAY, cwd=finished, under=_read_only(finished))
    error_line(ran, " / league.sqlite / make the folder writable, or choose another with --store")
    assert tree(finished) == before


@pytest.mark.slow
def test_a_site_that_is_not_writable(tmp_path: Path) -> None:
    league(tmp_path, bots=FIELD[:2], games=1)
    site = tmp_path / "site"
    site.mkdir()
    ran = run(*PLAY, cwd=tmp_path, under=_read_only(site))
    error_line(ran, "the report cannot be written: ", "/ site / choose a folder that you may write")
    assert records(tmp_path / "league.sqlite") == []
    assert run(*PLAY, cwd=tmp_path).code == 0
    assert broken_links(site) == []


def test_a_site_below_a_file(tmp_path: Path) -> None:
    league(tmp_path)
    ran = run(*PLAY, "--site", "league.yaml/site", cwd=tmp_path)
    error_line(ran, "the report cannot be written: ", "/ league.yaml/site / name a folder")
    assert records(tmp_path / "league.sqlite") == []


def test_somebody_else_s_site_stays(tmp_path: Path) -> None:
    league(tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("my holidays")
    ran = run(*PLAY, cwd=tmp_path)
    error_line(ran, "'index.html' is already there", "/ site / choose an empty folder, or move")
    assert tree(tmp_path / "site") == {"index.html": b"my holidays"}
    assert records(tmp_path / "league.sqlite") == []


def test_a_site_on_a_full_disk(tmp_path: Path) -> None:
    league(tmp_path, bots=FIELD[:2], games=1)
    (tmp_path / "site").mkdir()
    ran = run(*PLAY, cwd=tmp_path, under=_small(tmp_path / "site", 40_960))
    error_line(ran, "the report cannot be written: No space left", "/ site / free some space")
    assert len(records(tmp_path / "league.sqlite")) == 2


WAITS = """
    import pathlib, time
    while not pathlib.Path(%r).exists():
        time.sleep(0.01)
"""
"""The beginning of a bot that waits for a file to be there."""
SHOW_STORE = "cp disk/league.* . ; exit $code"


@pytest.mark.slow
def test_a_store_on_a_full_disk(tmp_path: Path) -> None:
    """What was stored before the disk was full is there, and the league goes on from it."""
    league(tmp_path, games=100)
    (tmp_path / "disk").mkdir()
    command = [*PLAY, "--store", "disk/league.sqlite"]
    shell = ["sh", "-c", f'"$@"; code=$?; {SHOW_STORE}', "sh"]
    ran = run(*command, cwd=tmp_path, under=[*_small(tmp_path / "disk", 400_000), *shell])
    # Which of its files is the first to need room depends on the sizes of fixtures.
    error_line(ran, "the store fails: ", " / disk/league.", "sqlite / free some space")
    stored = records(tmp_path / "league.sqlite")
    assert stored
    assert run("verify", "league.yaml", cwd=tmp_path).code == 0
    ran = run(*PLAY, "--replays", "none", cwd=tmp_path)
    assert ran.code == 0
    assert f"stored already: {len(stored)} of 6 fixtures" in ran.err
    assert set(stored) < set(records(tmp_path / "league.sqlite"))


@pytest.mark.slow
def test_a_store_at_the_limit_of_a_file_s_size(tmp_path: Path) -> None:
    league(tmp_path, games=60)
    ran = run(*PLAY, cwd=tmp_path, under=["prlimit", "--fsize=65536:", "--"])
    error_line(
        ran, "the store fails: ", "/ league.logs.sqlite / raise the limit on the size of files"
    )
    assert run("verify", "league.yaml", cwd=tmp_path).code == 0
    assert run(*PLAY, cwd=tmp_path).code == 0
    assert len(records(tmp_path / "league.sqlite")) == 6


def test_no_space_for_the_bots_to_run_in(tmp_path: Path) -> None:
    bot(tmp_path / "new")
    (tmp_path / "new/book").write_bytes(b"x" * 100_000)
    league(tmp_path, bots=["sample:odds", "new"])
    (tmp_path / "t").mkdir()
    under = _small(tmp_path / "t", 40_960)
    env = {"TMPDIR": str(tmp_path / "t")}
    ran = run(*PLAY, "--trust-bots", cwd=tmp_path, under=under, env=env)
    error_line(ran, "'new' cannot be staged: No space left on device / ", "TMPDIR")


@pytest.mark.parametrize("command", ["run", "verify", "report"])
def test_store_of_another_version(tmp_path: Path, command: str) -> None:
    league(tmp_path)
    with sqlite3.connect(tmp_path / "league.sqlite") as db:
        db.execute("CREATE TABLE novelties (x)")
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = tree(tmp_path)
    ran = run(command, "league.yaml", cwd=tmp_path)
    mend = "/ league.sqlite / a newer arena made it: pipx upgrade perudo-arena"
    error_line(ran, "the store has version 99", mend)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("command", ["run", "verify", "report"])
def test_a_store_without_its_logs(finished: Path, command: str) -> None:
    (finished / "league.logs.sqlite").rename(finished / "old.sqlite")
    before = tree(finished)
    ran = run(command, "league.yaml", cwd=finished)
    what = "the logs of league.sqlite are missing / league.logs.sqlite / put the file back"
    error_line(ran, what)
    assert tree(finished) == before
    for reads in ("status", "export"):
        assert run(reads, "league.yaml", cwd=finished).code == 0


@pytest.mark.parametrize("command", ["run", "verify", "report", "status", "export"])
def test_logs_whose_store_was_deleted(finished: Path, command: str) -> None:
    """Nothing new is begun beside them, so that the file can still be put back."""
    (finished / "league.sqlite").rename(finished / "old.sqlite")
    before = tree(finished)
    ran = run(command, "league.yaml", cwd=finished)
    what = "league.sqlite is missing, but its logs exist / league.logs.sqlite / put"
    error_line(ran, what, "league.sqlite back: ", "to start over, move them away or choose another")
    assert tree(finished) == before
    (finished / "old.sqlite").rename(finished / "league.sqlite")
    assert run("verify", "league.yaml", cwd=finished).code == 0


@pytest.mark.slow
def test_a_store_with_the_logs_of_another(finished: Path) -> None:
    assert run(*PLAY, "--store", "other.sqlite", "--replays", "none", cwd=finished).code == 0
    (finished / "other.logs.sqlite").replace(finished / "league.logs.sqlite")
    before = tree(finished)
    what = "these are not the logs of league.sqlite, but of another store / league.logs.sqlite / "
    for command in ("run", "verify", "report"):
        ran = run(command, "league.yaml", cwd=finished)
        error_line(ran, what, "put the right ones back")
        assert tree(finished) == before


@pytest.mark.parametrize("command", ["run", "verify", "report"])
def test_a_store_that_is_none(tmp_path: Path, command: str) -> None:
    league(tmp_path)
    (tmp_path / "league.sqlite").write_bytes(b"no database at all " * 100)
    before = tree(tmp_path)
    error_line(run(command, "league.yaml", cwd=tmp_path), "the store fails: ", "/ league.sqlite / ")
    assert tree(tmp_path) == before


@pytest.mark.slow
def test_two_at_once_on_one_store(tmp_path: Path) -> None:
    """One plays, the other is told so; the store holds one league."""
    go = tmp_path / "go"
    bot(tmp_path / "waits", WAITS % str(go) + LOWEST)
    limits = {"start": 3600.0}
    league(tmp_path, bots=["waits", "sample:odds"], seed=None, limits=limits)
    both = [
        subprocess.Popen(
            arena(*PLAY, "--trust-bots", "--site", site),
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for site in ("one", "two")
    ]
    wait_until(lambda: any(process.poll() is not None for process in both))
    go.touch()
    said = [process.communicate(timeout=HANG)[1] for process in both]
    codes = sorted(process.returncode for process in both)
    assert codes == [0, 2], said
    lines = [line for text in said for line in text.splitlines() if line.startswith("error: ")]
    expected = (
        "error: another arena is playing into this store / league.sqlite"
        " / wait for it, or choose another with --store"
    )
    assert lines == [expected]
    assert run("verify", "league.yaml", cwd=tmp_path).code == 0
    with sqlite3.connect(tmp_path / "league.sqlite") as db:
        assert db.execute("SELECT count(*) FROM league").fetchone() == (1,)
    db.close()
