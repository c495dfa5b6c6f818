"""`arena prune`: what it says, and what other commands say of games that are gone."""

import json
from pathlib import Path

import pytest

from arena.league.store.files import logs_path
from tests.cli.command import error_line, league, run
from tests.league.store import edit
from tests.publish.pages import tree


@pytest.fixture
def folder(played_by_samples: Path, tmp_path: Path) -> Path:
    (tmp_path / "league.yaml").write_text((played_by_samples / "league.yaml").read_text())
    edit.copied(played_by_samples / "league.sqlite", tmp_path / "league.sqlite")
    return tmp_path


def test_pruned_league_is_verified_exported_and_reported(folder: Path) -> None:
    before = [run(name, "league.yaml", cwd=folder).out for name in ("export", "status")]
    logs = edit.dump(logs_path(folder / "league.sqlite"))
    dry = run("prune", "league.yaml", "--logs", "0", "--dry-run", cwd=folder)
    assert (dry.code, dry.err) == (0, "")
    assert dry.out.startswith("would prune the logs of ")
    assert edit.dump(logs_path(folder / "league.sqlite")) == logs
    ran = run("prune", "league.yaml", "--logs", "0", cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.split(":")[0] == dry.out.split(":")[0].replace("would prune", "pruned")
    verified = run("verify", "league.yaml", cwd=folder)
    assert verified.code == 0
    assert " fixtures: 0 replay byte for byte; " in verified.out
    assert " logs pruned, rows proved\n" in verified.out
    assert [run(name, "league.yaml", cwd=folder).out for name in ("export", "status")] == before
    assert run("report", "league.yaml", cwd=folder).code == 0
    shown = run("verify", "league.yaml", "--site", "site", cwd=folder)
    assert (shown.code, "match" in shown.out) == (0, True)
    again = run("prune", "league.yaml", "--logs", "1GiB", cwd=folder)
    assert again.out.startswith("nothing to prune: the logs take ")


def test_whoever_wants_to_see_a_pruned_game_is_told(folder: Path) -> None:
    ran = run("prune", "league.yaml", "--logs", "0", "--json", cwd=folder)
    found = json.loads(ran.out)
    assert found["fixtures"] > 0
    assert found["after"] <= found["before"]
    for command in (
        ("rerun", "league.yaml", "0"),
        ("rerun", "league.yaml", "0", "0", "--as", "sample:honest"),
        ("debug", "league.yaml", "0", "0", "--as", "sample:honest"),
    ):
        ran = run(*command, cwd=folder)
        error_line(ran, "the logs of fixture 0 were pruned: only its results are left / league.l")


@pytest.mark.parametrize("size", ["5GB", "-1", "much", "5 GiBs", ""])
def test_odd_sizes_are_refused(folder: Path, size: str) -> None:
    before = tree(folder)
    ran = run("prune", "league.yaml", "--logs", size, cwd=folder)
    error_line(ran, "is not a size / --logs / write it like 500MiB or 5GiB")
    assert tree(folder) == before


def test_league_that_was_not_played_is_not_begun(tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    before = tree(tmp_path)
    error_line(
        run("prune", "league.yaml", "--logs", "1GiB", cwd=tmp_path), "nothing was played yet"
    )
    assert tree(tmp_path) == before
