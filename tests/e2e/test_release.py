"""A release: built twice, the same bytes; and all of it in the source archive."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arena import __version__
from tests.cli.command import HANG, ROOT
from tests.support.depth import only_in_long
from tests.test_project import steps

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a commit is released")
WORKFLOW = ROOT / ".github/workflows/release.yml"


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


VERSION = f'__version__ = "{__version__}"\n'
RAW = "https://raw.githubusercontent.com/o/r/v1"
DATED = f"## {__version__} - 2027-01-31\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository that may be released."""
    for name, text in (("arena/__init__.py", VERSION), ("CHANGELOG.md", f"# Changes\n\n{DATED}")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/releasable", tmp_path / ".ci")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    assert run("git", *who, *words, cwd=folder).returncode == 0


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a change")


def committed(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / name
    path.write_text(path.read_text().replace(old, new))
    commit(folder)


def test_clean_tree_with_a_new_version_may_be_released(repository: Path) -> None:
    assert run(".ci/releasable", cwd=repository).returncode == 0
    assert run(".ci/releasable", f"v{__version__}", cwd=repository).returncode == 0


BAD: dict[str, Callable[[Path], object]] = {
    "there are changes that are not committed": lambda at: (at / "new").touch(),
    f"version {__version__} has no section with a date": lambda at: committed(
        at, "CHANGELOG.md", " - 2027-01-31", " - not yet released"
    ),
    "version 9.9.9 has no section with a date": lambda at: committed(
        at, "arena/__init__.py", __version__, "9.9.9"
    ),
    f"version {__version__} was released": lambda at: git(at, "tag", f"v{__version__}"),
}


@pytest.mark.parametrize("why", BAD)
def test_release_is_refused(repository: Path, why: str) -> None:
    BAD[why](repository)
    ran = run(".ci/releasable", cwd=repository)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"error: {why} / ")
    assert ran.stderr.count("\n") == 1


def test_tag_of_another_version_is_refused_in_the_line_of_the_workflow(repository: Path) -> None:
    [line] = [line for line in steps(WORKFLOW, "run") if "GITHUB_REF_TYPE" in line]
    for name, code in ((f"v{__version__}", 0), ("v9.9.9", 2)):
        env = {"GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": name}
        assert run("sh", "-ec", line, cwd=repository, **env).returncode == code


def test_make_release_asks_first() -> None:
    ran = run("make", "--no-print-directory", "-n", "release", cwd=ROOT)
    assert ran.stdout.splitlines()[0] == "./.ci/releasable"
    assert "[test]" not in ran.stdout


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("[a](guides/a.md#b)", "[a](https://github.com/o/r/blob/v1/guides/a.md#b)"),
        ("![a](pictures/a.png)", f"![a]({RAW}/pictures/a.png)"),
        (
            "[![a: b](p.png)](guides/a.md)",
            f"[![a: b]({RAW}/p.png)](https://github.com/o/r/blob/v1/guides/a.md)",
        ),
        ("[`a`](https://b.example) [c](#d)", "[`a`](https://b.example) [c](#d)"),
    ],
)
def test_addresses_of_the_readme_are_whole(text: str, whole: str) -> None:
    assert readme_hook().with_addresses(text, "https://github.com/o/r", "v1") == whole


def readme_hook() -> ModuleType:
    spec = spec_from_file_location("readme", ROOT / ".ci/readme.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_in_the_index_has_no_address_that_leads_nowhere_there() -> None:
    metadata: dict[str, Any] = {"urls": {"Source": "https://github.com/o/r"}}
    readme_hook().Readme(str(ROOT), {}).update(metadata)
    text = metadata["readme"]["text"]
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(targets) > 20
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []
    pictures = re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", text)
    base = f"https://raw.githubusercontent.com/o/r/v{__version__}/"
    assert pictures
    assert all((ROOT / picture.removeprefix(base)).is_file() for picture in pictures)


@only_in_long
@pytest.mark.slow
def test_tests_of_the_source_archive_are_found(built: Path, tmp_path: Path) -> None:
    [archive] = built.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    [source] = tmp_path.iterdir()
    collect = (sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider")
    ran = run(*collect, cwd=source, PYTHONPATH=str(source))
    assert ran.returncode == 0, ran.stdout[-2000:]
