"""A league goes on in the sandbox that it began in, whatever is installed in the meantime."""

import json
from pathlib import Path

import pytest

from tests.cli.command import FIELD, bare_machine, error_line, league, records, run

RUN = ("run", "league.yaml")


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "machine").mkdir()
    return bare_machine(tmp_path / "machine")


@pytest.mark.slow
def test_it_goes_on_where_it_began(tmp_path: Path, bare: dict[str, str]) -> None:
    league(tmp_path, bots=FIELD[:2], games=1)
    assert run(*RUN, cwd=tmp_path, env=bare).code == 0
    before = records(tmp_path / "league.sqlite")
    ran = run(*RUN, cwd=tmp_path)
    assert ran.code == 0, ran
    assert "the league goes on in the sandbox 'process', in which it began; '" in ran.err
    assert "\nsandbox: process;" in ran.err
    league(tmp_path, bots=FIELD[:2], games=1, sandbox="bubblewrap")
    asked = run(*RUN, cwd=tmp_path)
    error_line(asked, "sandbox is bubblewrap, not process: 2 of 2 stored fixtures would no longer")
    assert records(tmp_path / "league.sqlite") == before


@pytest.mark.slow
def test_lost_sandbox_is_named_with_what_to_do(tmp_path: Path, bare: dict[str, str]) -> None:
    league(tmp_path, bots=FIELD[:2], games=1)
    assert run(*RUN, "--sandbox", "bubblewrap", cwd=tmp_path).code == 0
    ran = run(*RUN, cwd=tmp_path, env=bare)
    error_line(ran, "sandbox is process, not bubblewrap: 2 of 2 stored", "--accept-changes")
    lost = "the league began in the sandbox 'bubblewrap', which does not work here: bwrap not found"
    assert f"{lost} (sudo apt-get install bubblewrap)\n" in ran.err
    accepted = run(*RUN, "--accept-changes", "--json", cwd=tmp_path, env=bare)
    assert json.loads(accepted.out)["league"]["sandbox"] == "process"
    # From now on it is a league of this sandbox.
    assert "in the sandbox 'process', in which it" in run(*RUN, cwd=tmp_path).err
