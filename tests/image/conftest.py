"""The images, made where no registry is.

The base is the image of the sandbox tests, which has most of what Debian's packages would bring.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.runtimes import IMAGES
from tests.cli.command import HANG, ROOT
from tests.image.containers import BASE, IMAGE, build, docker
from tests.support.made_once import made_once

_RECIPE = f"""\
FROM {IMAGES["python"]}
COPY wheels /wheels
COPY bwrap tini /usr/bin/
ENV PIP_BREAK_SYSTEM_PACKAGES=1
RUN PYTHONPATH=$(echo /wheels/pip-*.whl) python3 -m pip install --no-index -f /wheels pip \
    && ln -s /bin/true /usr/local/bin/apt-get
"""
"""Stands for an image of Debian, and for what `apt-get` adds to it."""


def _copy_tracked(folder: Path) -> None:
    """Copy what is tracked of the checkout, as it is now."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    copy = ["cp", "--parents", "-t", str(folder), *filter(None, names.stdout.decode().split("\0"))]
    subprocess.run(copy, cwd=ROOT, check=True)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the wheels of the arena and of all that it needs; the base is made of them."""
    return made_once(tmp_path_factory, "image-base", _make_base) / "wheels"


def _make_base(folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "-c", str(ROOT / "constraints.txt")]
    what = [f"{ROOT}[serve]", "pip", "hatchling"]
    # The same bytes each time: the engine makes an image that it has already no second time.
    env = {**os.environ, "SOURCE_DATE_EPOCH": "315532800"}
    command = [*pip, "-w", str(folder / "wheels"), *what]
    subprocess.run(command, env=env, check=True, timeout=HANG)
    for name, program in (("bwrap", "bwrap"), ("tini", "docker-init")):
        shutil.copy(shutil.which(program) or program, folder / name)
    (folder / "Dockerfile").write_text(_RECIPE)
    docker("build", "-q", "-t", BASE, folder)


@pytest.fixture(scope="session")
def checkout(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout, and the wheels of what it needs."""

    def make(folder: Path) -> None:
        _copy_tracked(folder)
        shutil.copytree(wheels, folder / "wheels")

    return made_once(tmp_path_factory, "image-checkout", make)


@pytest.fixture(scope="session")
def image(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The whole image."""
    made_once(tmp_path_factory, "image", lambda _: build(checkout, IMAGE))
    return IMAGE


@pytest.fixture(scope="session")
def lean(checkout: Path, image: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The image of the door, after the whole one: it has most of its layers."""
    name = f"{image}:lean"
    made_once(tmp_path_factory, "image-lean", lambda _: build(checkout, name, "lean"))
    return name
