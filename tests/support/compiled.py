"""A copy of the checkout in which the modules that play a fixture are compiled."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.cli.command import ROOT
from tests.support.depth import FULL


def compiled_copy(folder: Path) -> Path:
    """Copy the files of the checkout into a folder, and compile there what a wheel may have so."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    copy = ["xargs", "-0", "cp", "--parents", "-t", str(folder)]
    subprocess.run(copy, cwd=ROOT, input=names, check=True)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    variables = {**os.environ, "HATCH_BUILD_HOOK_ENABLE_CUSTOM": "true"}
    if not FULL:
        variables["CC"] = str(_hasty_compiler(folder))
    subprocess.run(build, cwd=folder, env=variables, check=True, capture_output=True)
    [wheel] = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        compiled = [name for name in packed.namelist() if name.endswith(".so")]
        packed.extractall(folder, compiled)
    return folder


def _hasty_compiler(folder: Path) -> Path:
    """Write a C compiler that optimizes nothing, in half the time of a build; returns its path."""
    path = folder / "hasty-cc"
    path.write_text('#!/bin/sh\nexec cc "$@" -O0\n')
    path.chmod(0o755)
    return path
