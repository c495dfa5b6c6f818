"""The images of runtimes: what is in them, and what they are made of."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.bots.sandboxes.base import Program
from arena.bots.sandboxes.docker import images
from arena.bots.sandboxes.docker.sandbox import DockerSandbox
from arena.bots.sandboxes.run_once import run_once
from arena.io.errors import ArenaError
from tests.support.live import HANG

PROGRAMS = {
    "any": "sh -c true",
    "python": "python3 -c 'import numpy; print(numpy.array([1, 2]) @ numpy.array([3, 4]))'",
    "node": "node --version",
    "c": "echo 'int main(void) { return 0; }' > /tmp/a.c && cc -o /tmp/a /tmp/a.c",
    "rust": "cargo --version && echo 'fn main() {}' > /tmp/a.rs && rustc -o /tmp/a /tmp/a.rs",
    "java": "java -version && javac -version",
    "go": "go version",
}
"""By runtime, what its image can do; there is none of .NET, which Debian does not have."""


@pytest.mark.parametrize("runtime", PROGRAMS)
def test_image_has_the_programs_of_its_runtime(runtime: str, runs: Path) -> None:
    sandbox = DockerSandbox(runtimes=frozenset({runtime}))
    program = Program(runs, ["sh", "-c", PROGRAMS[runtime]], runtime)
    ran = run_once(sandbox, program, HANG)
    assert ran.code == 0, ran.output.decode()


@pytest.mark.parametrize("runtime", images.IMAGES)
def test_recipe_installs_what_an_image_of_the_host_gets(runtime: str) -> None:
    """Images of Python and Node.js have them already."""
    recipe = (images.RECIPES / f"{runtime}.Dockerfile").read_text()
    if "apt-get" in recipe:
        assert set(included(runtime)) <= {*recipe.split()}
    assert ("numpy" in recipe) == (runtime == "python")


def included(*runtimes: str) -> list[str]:
    return " ".join(images._PACKAGES[runtime] for runtime in runtimes).split()


@pytest.fixture
def debootstrapped(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The arguments of every debootstrap, which is not run, on Debian as root."""
    calls: list[Sequence[str]] = []
    monkeypatch.setattr(images, "_debootstrap", lambda *arguments: calls.append(arguments))
    monkeypatch.setattr(images, "_import", lambda root, image: None)
    monkeypatch.setattr(images, "_release", lambda: ("bookworm", "main"))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/sbin/{name}")
    return calls


def test_host_s_packages_for_rust_hold_what_programs_are_linked_with(
    debootstrapped: list[Sequence[str]],
) -> None:
    """debootstrap leaves out dependencies on names that several packages provide: libc-dev."""
    images.build_from_host(["rust"], lambda text: None)
    [(include, *_)] = debootstrapped
    assert include == "--include=rustc,cargo,libc6-dev"


def test_dotnet_is_refused_where_debian_has_none(debootstrapped: list[Sequence[str]]) -> None:
    with pytest.raises(ArenaError, match=r"Debian has no \.NET"):
        images.build_from_host(["dotnet"], lambda text: None)
    assert debootstrapped == []
