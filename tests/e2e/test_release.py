"""A release: built twice, the same bytes; and all of it in the source archive."""

import os
import subprocess
import sys
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.command import HANG, ROOT
from tests.support.depth import only_in_long

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a commit is released")


def run(*command: object, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    # Without PYTHONPATH: the build imports nothing of the checkout.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [str(word) for word in command]
    return subprocess.run(
        words,
        cwd=cwd,
        env={**kept, **env},
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )


def digests(folder: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    ran = run(ROOT / ".ci/release", sys.executable, folder, cwd=ROOT)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for name, digest in digests(folder).items():
        assert f"{digest}  ./{name}" in ran.stdout
    return folder


@only_in_long
@pytest.mark.slow
def test_commit_gives_the_same_bytes_wherever_it_is_built(built: Path, tmp_path: Path) -> None:
    """In another checkout, another time zone and by a user whose files nobody else may read."""
    assert run("git", "clone", "-q", ROOT, "clone", cwd=tmp_path).returncode == 0
    release = f"umask 077 && .ci/release {sys.executable} again"
    ran = run("sh", "-c", release, cwd=tmp_path / "clone", TZ="Asia/Tokyo")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert digests(tmp_path / "clone/again") == digests(built)


@pytest.mark.slow
def test_wheel_of_the_source_archive_is_the_wheel(built: Path, tmp_path: Path) -> None:
    [archive], [wheel] = built.glob("*.tar.gz"), built.glob("*.whl")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
        newest = max(member.mtime for member in packed)
    [source] = tmp_path.iterdir()
    build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "again")
    ran = run(*build, cwd=source, SOURCE_DATE_EPOCH=str(newest))
    assert ran.returncode == 0, ran.stderr
    assert digests(tmp_path / "again") == {wheel.name: digests(built)[wheel.name]}
    assert (source / "Makefile").is_file()
    assert (source / ".ci/run").is_file()


def test_build_tool_of_another_version_is_refused(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    ran = run(ROOT / ".ci/release", python, tmp_path / "dist", cwd=ROOT)
    assert ran.returncode == 2
    assert "error: the build needs " in ran.stderr
    assert not list((tmp_path / "dist").iterdir())
