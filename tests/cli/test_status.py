"""`arena status`: what it says of leagues that run, were stopped, are over."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from arena.io.errors import ArenaError
from arena.league.store.files import logs_path
from arena.league.store.store import Store
from tests.cli.command import (
    HANG,
    PLAY,
    arena,
    environment,
    error_line,
    league,
    run,
)
from tests.league.store import edit


def status(folder: Path) -> dict[str, Any]:
    ran = run("status", "league.yaml", "--json", cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def copied(league: Path, into: Path) -> Path:
    """Copy the store of a league; returns the copy."""
    return edit.copied(league / "league.sqlite", into / "league.sqlite")


@pytest.fixture
def played(played_with_crashes: Path) -> Path:
    return played_with_crashes


def test_finished_league(played: Path) -> None:
    found = status(played)
    assert (found["playing"], found["finished"], found["next"]) == (False, True, [])
    assert (found["fixtures"], found["scheduled"]) == (12, 12)
    assert (found["games"], found["scheduled_games"]) == (24, 24)
    assert found["faults"] == {"crash": 4 * 2 + 6 * 2}
    assert [(one["players"], one["fixtures"], one["faults"]) for one in found["divisions"]] == [
        (2, 6, 8),
        (3, 6, 12),
    ]
    said = run("status", "league.yaml", cwd=played).out
    assert said.startswith("St: finished\n12 of 12 fixtures, 24 of 24 games, ")
    assert "faults: crash 20\n" in said


def test_stopped_league(played: Path, tmp_path: Path) -> None:
    store = copied(played, tmp_path)
    edit.forget(store, "position % 2")
    found = status(tmp_path)
    assert (found["playing"], found["finished"]) == (False, False)
    assert (found["fixtures"], found["games"]) == (6, 12)
    assert [one["index"] for one in found["next"]] == [1, 3, 5, 7, 9]
    said = run("status", "league.yaml", cwd=tmp_path).out
    assert "stopped; arena run goes on with it" in said
    assert f"next: fixture 1, bga: {', '.join(found['next'][0]['seats'])}\n" in said


def test_the_speed_is_that_of_the_last_minute(played: Path, tmp_path: Path) -> None:
    store = copied(played, tmp_path)
    edit.execute(store, "UPDATE fixtures SET stored_at = 1000 + 20 * position")
    edit.rehash(store)
    assert status(tmp_path)["games_per_second"] == 2 * 3 / 60
    edit.execute(store, "UPDATE fixtures SET stored_at = 1000")
    edit.rehash(store)
    assert status(tmp_path)["games_per_second"] is None


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Path]:
    """Yield the folder of a league that is being played, of which something is stored."""
    league(tmp_path, games=200, blocks=500)
    command = arena(*PLAY, "--workers", 1)
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE
    ) as playing:
        try:
            wait_for_a_fixture(playing, tmp_path / "league.sqlite")
            yield tmp_path
        finally:
            playing.terminate()
            playing.wait(HANG)


def wait_for_a_fixture(playing: "subprocess.Popen[bytes]", path: Path) -> None:
    """Look until a fixture is stored."""
    while playing.poll() is None:
        with suppress(ArenaError), Store(path) as store:
            if store.positions():
                return
    raise AssertionError("the league ended by itself")


def test_running_league(running: Path) -> None:
    found = status(running)
    assert (found["playing"], found["finished"]) == (True, False)
    assert 0 < found["fixtures"] < found["scheduled"] == 1500
    assert found["games"] == 200 * found["fixtures"]
    assert "an arena is playing it" in run("status", "league.yaml", cwd=running).out
    assert status(running)["fixtures"] >= found["fixtures"]


def test_no_log_is_opened(played: Path, tmp_path: Path) -> None:
    store = copied(played, tmp_path)
    logs_path(store).unlink()
    assert status(tmp_path) == status(played)
    assert not logs_path(store).exists()


def test_store_without_games_is_refused(tmp_path: Path) -> None:
    league(tmp_path)
    error_line(run("status", "league.yaml", cwd=tmp_path), "nothing was played yet", "arena run")
    Store(tmp_path / "league.sqlite", create=True).__exit__()
    error_line(run("status", "league.yaml", cwd=tmp_path), "nothing was played yet", "arena run")


def test_misspelt_league_is_named_with_the_one_that_is_there(tmp_path: Path) -> None:
    ran = run("status", "leage.yaml", cwd=tmp_path)
    error_line(ran, "no such file / leage.yaml / name a league.yaml")
    league(tmp_path)
    ran = run("status", "leage.yaml", cwd=tmp_path)
    error_line(ran, "no such file / leage.yaml / did you mean 'league.yaml'?")
