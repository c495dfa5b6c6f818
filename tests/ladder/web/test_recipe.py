"""The workflow of the manual that submits on push: its lines, in a shell, to a door."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.ladder.door.access import Scope
from tests.cli.command import HANG, bot
from tests.ladder.web.doors import Door, uploads

MANUAL = Path(__file__).parents[3] / "docs/guides/serve.md"


def step() -> dict[str, Any]:
    """Return the step that submits."""
    text = MANUAL.read_text(encoding="utf-8").partition("```yaml\n")[2].partition("```")[0]
    steps: list[dict[str, Any]] = yaml.safe_load(text)["jobs"]["submit"]["steps"]
    return steps[-1]


def repository(folder: Path) -> Path:
    """Return a repository with a bot and one commit."""
    bot(folder, "pass")
    who = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "a bot")):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


def submitted(door: Door, folder: Path, token: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the lines of the step as a runner of GitHub does."""
    variables = {
        "ARENA_TOKEN": token["Authorization"].partition(" ")[2],
        "LADDER": door.base,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    assert step()["env"].keys() == variables.keys() - {"PATH"}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step()["run"]],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )


@pytest.mark.slow
def test_push_is_submitted_with_its_commit_as_the_note(own_door: Door, tmp_path: Path) -> None:
    assert shutil.which("git")
    folder = repository(tmp_path / "mine")
    ran = submitted(own_door, folder, own_door.token("ann"))
    assert ran.returncode == 0, ran.stderr
    [upload] = uploads(own_door)
    log = subprocess.run(
        ["git", "log", "-1", "--format=%h"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert (upload.bot, upload.note) == ("mine", f"commit {log.stdout.strip()}")


@pytest.mark.slow
def test_push_fails_by_a_token_that_only_reads(own_door: Door, tmp_path: Path) -> None:
    folder = repository(tmp_path / "mine")
    ran = submitted(own_door, folder, own_door.token("ann", Scope.READ))
    assert (ran.returncode, uploads(own_door)) == (2, [])
    assert "the token can read only" in ran.stderr
