"""A bot that kills its workers costs its own fixtures and nothing else."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import LOWEST, Ran, bot, league, opened, run
from tests.publish.pages import broken_links
from tests.support.depth import only_in_long

KILLER = """
    import os, pathlib, signal
    if "spawn_main" in pathlib.Path(f"/proc/{os.getppid()}/cmdline").read_text():
        if not pathlib.Path(%r).exists():
            os.kill(os.getppid(), signal.SIGKILL)
"""
"""Spares whoever tries whether it starts, and all once a file is there."""


def _play(folder: Path, *more: str) -> Ran:
    arguments = ("--sandbox", "process", "--trust-bots", "--workers", 1, *more)
    return run("run", "league.yaml", *arguments, cwd=folder)


def _missing(folder: Path) -> list[str]:
    """Return the fixtures that the page of conditions says are missing."""
    page = (folder / "site/conditions.html").read_text()
    _, _, table = page.partition("Some fixtures are missing")
    return re.findall(r"<code>([0-9a-f]+)</code>", table.partition("</table>")[0])


@pytest.mark.slow
def test_a_league_ends_without_what_was_set_aside(tmp_path: Path) -> None:
    spare = tmp_path / "spare"
    bot(tmp_path / "killer", KILLER % str(spare) + LOWEST)
    league(tmp_path, bots=["killer", "sample:honest", "sample:random"])
    ran = _play(tmp_path)
    assert ran.code == 1, ran
    last = ran.err.splitlines()[-1]
    assert last.startswith("quarantined: 4 fixtures, each killed at least 3 workers: ")
    assert "(killer, honest)" in last
    assert "Traceback" not in ran.err
    seats = [record["fixture"]["seats"] for record in opened(tmp_path / "league.sqlite")]
    assert sorted(seats) == [["honest", "random"], ["random", "honest"]]
    assert len(_missing(tmp_path)) == 4
    assert all(id_ in last for id_ in _missing(tmp_path))
    assert broken_links(tmp_path / "site") == []
    rows = json.loads((tmp_path / "site/data/leaderboard-bga-2p.json").read_bytes())["rows"]
    assert {row["bot"]: row["games"] for row in rows} == {"honest": 4, "random": 4}
    spare.touch()
    again = _play(tmp_path, "--json")
    assert again.code == 0, again
    assert "stored already: 2 of 6 fixtures" in again.err
    assert "quarantined" not in again.err
    assert json.loads(again.out)["quarantined"] == []
    assert len(opened(tmp_path / "league.sqlite")) == 6
    assert _missing(tmp_path) == []


@only_in_long
@pytest.mark.slow
def test_a_table_size_that_lacks_a_fixture_is_not_said_to_be_finished(tmp_path: Path) -> None:
    """With `until`, what follows depends on what is missing."""
    bot(tmp_path / "killer", KILLER % str(tmp_path / "spare") + LOWEST)
    bots = ["killer", "sample:honest", "sample:random"]
    league(tmp_path, bots=bots, until="separated", blocks=20)
    ran = _play(tmp_path)
    assert ran.code == 1, ran
    assert "quarantined: " in ran.err
    assert "separated" not in ran.err
