"""The wheel of this checkout, and an environment that has it; each is made once a run."""

import subprocess
import sys
import venv
from pathlib import Path

import click
import pytest

from tests.cli.command import HANG, ROOT
from tests.support.made_once import made_once


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (path,) = made_once(tmp_path_factory, "wheel", _build).glob("*.whl")
    return path


def _build(folder: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, capture_output=True, timeout=HANG, check=True)


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel, and the dependencies of this one."""
    return made_once(tmp_path_factory, "installed", lambda folder: _install(wheel, folder)) / "bin"


def _install(wheel: Path, folder: Path) -> None:
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    options = ["--no-deps", "--no-index", "--no-compile", "-q"]
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), "install"]
    subprocess.run([*pip, *options, str(wheel)], capture_output=True, timeout=HANG, check=True)
    # The folder itself only: what is named in .pth files there, the checkout, is not taken over.
    (site / "dependencies.pth").write_text(str(Path(click.__file__).parents[1]))
