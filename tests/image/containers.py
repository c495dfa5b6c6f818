"""Containers and their images, by the command of the engine."""

import subprocess
from pathlib import Path

from tests.cli.command import HANG, ROOT

BASE, IMAGE = "perudo-arena/with-pip", "perudo-arena-tested"
OFFLINE = "--no-index --find-links wheels"
DOCKERFILE = ROOT / "deploy/Dockerfile"
USER = 61_003
"""Somebody who is not root."""


def docker(*words: object) -> str:
    """Run a command of the engine that succeeds; returns what it printed."""
    done = subprocess.run(
        ["docker", *map(str, words)], capture_output=True, text=True, timeout=HANG, check=False
    )
    assert done.returncode == 0, done
    return done.stdout.strip()


def logs(container: str) -> str:
    """Return what a container said so far."""
    done = subprocess.run(
        ["docker", "logs", container], capture_output=True, text=True, timeout=HANG, check=True
    )
    return done.stdout + done.stderr


def build(context: Path, image: str, stage: str = "", **more: str) -> str:
    """Build an image of the Dockerfile, with more build arguments; returns its name.

    No registry is asked, and no index: the folder `wheels` has what pip installs.
    """
    arguments = {"BASE": BASE, "PIP_OPTIONS": OFFLINE, **more}
    given = [f"--build-arg={name}={value}" for name, value in arguments.items()]
    where = [f"--target={stage}"] if stage else []
    docker("build", "-q", "-t", image, "-f", DOCKERFILE, *where, *given, context)
    return image
