"""The images of runtimes: what is in them, and what they are made of."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.bots.runtimes import RUNTIMES, from_debian
from arena.bots.sandboxes.base import Program
from arena.bots.sandboxes.docker import images
from arena.bots.sandboxes.docker.sandbox import DockerSandbox
from arena.bots.sandboxes.run_once import run_once
from arena.io.errors import ArenaError
from tests.support.live import HANG

PROGRAMS = {
    "python": "python3 -c 'import numpy; print(numpy.array([1, 2]) @ numpy.array([3, 4]))'",
    "c": "echo 'int main(void) { return 0; }' > /tmp/a.c && cc -o /tmp/a /tmp/a.c",
    "rust": "cargo --version && echo 'fn main() {}' > /tmp/a.rs && rustc -o /tmp/a /tmp/a.rs",
}
"""By runtime, what its image can do beside having the programs."""


@pytest.mark.parametrize("runtime", from_debian())
def test_image_has_the_programs_of_its_runtime(runtime: str, runs: Path) -> None:
    sandbox = DockerSandbox(runtimes=frozenset({runtime}))
    there = " && ".join(f"command -v {name}" for name in RUNTIMES[runtime].programs)
    works = PROGRAMS.get(runtime, "true")
    program = Program(runs, ["sh", "-c", f"{there} && {works}"], runtime)
    ran = run_once(sandbox, program, HANG)
    assert ran.code == 0, ran.output.decode()


RUST = """\
FROM debian:bookworm-slim
RUN apt-get update \\
 && apt-get install -y --no-install-recommends rustc cargo libc6-dev \\
 && rm -rf /var/lib/apt/lists/*
"""


@pytest.mark.parametrize(
    ("runtime", "recipe"),
    [
        ("any", "FROM debian:bookworm-slim\n"),
        ("node", "FROM node:22-slim\n"),
        ("python", "FROM python:3.12-slim\nRUN pip install --no-cache-dir numpy\n"),
        ("rust", RUST),
    ],
)
def test_recipe_of_an_image(runtime: str, recipe: str) -> None:
    assert RUNTIMES[runtime].recipe == recipe


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


def test_languages_are_put_into_the_image_of_any(debootstrapped: list[Sequence[str]]) -> None:
    said: list[str] = []
    images.build_from_host(["any", "ruby", "r"], said.append)
    [(include, *_)] = debootstrapped
    assert include == "--include=ruby,r-base-core,libblas3,liblapack3"
    assert said[-1] == "built perudo-arena/any"


def test_dotnet_is_refused_where_debian_has_none(debootstrapped: list[Sequence[str]]) -> None:
    with pytest.raises(ArenaError, match=r"Debian has no \.NET"):
        images.build_from_host(["dotnet"], lambda text: None)
    assert debootstrapped == []
