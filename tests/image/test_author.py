"""What authors do with the image: `docker run -v "$PWD:/work" perudo-arena ...`."""

import json
import os
import re
import subprocess
from collections.abc import Sequence
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

import pytest

from arena import __version__
from arena.bots.runtimes import RUNTIMES, from_debian
from tests.cli.command import HANG, ROOT, league
from tests.cli.test_play import CARELESS
from tests.e2e.live import let_others_in, wait_until
from tests.image.containers import DOCKERFILE, IMAGE, OFFLINE, USER, build, docker, logs
from tests.support.depth import depth, only_in_long

pytestmark = pytest.mark.slow

DEVCONTAINER = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())


class Ran(NamedTuple):
    """A container that came to its end."""

    code: int
    out: str
    err: str


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder of somebody who is not root."""
    let_others_in(tmp_path)
    folder = tmp_path / "work"
    folder.mkdir()
    os.chown(folder, USER, USER)
    return folder


def start(folder: Path, *options: str, user: int = USER) -> list[str]:
    user_of = f"--user={user}:{user}"
    return ["run", "--rm", "--network=none", f"--volume={folder}:/work", user_of, *options]


def arena(
    image: str, folder: Path, *words: str, options: Sequence[str] = (), stdin: str = "", **who: int
) -> Ran:
    """Run `docker run --rm -v FOLDER:/work IMAGE WORDS` to its end."""
    done = subprocess.run(
        ["docker", *start(folder, "--interactive", *options, **who), image, *words],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


PLAIN = "container: bots run as plain processes; the container protects your machine"
ISOLATED = "container: bots run under bubblewrap, isolated from each other"
ONE_GAME = ("my-bot", "sample:honest", "--games", "1")


def owners(folder: Path) -> set[int]:
    return {path.lstat().st_uid for path in folder.rglob("*")}


def test_author_makes_and_checks_a_bot(image: str, work: Path) -> None:
    assert arena(image, work, "new", "my-bot", "--lang", "python").code == 0
    ran = arena(image, work, "check", "my-bot")
    assert ran.code == 0, ran
    assert "my-bot: ok (" in ran.out
    assert ran.err.startswith(PLAIN)
    # What editors get by the options of .devcontainer/ lets bubblewrap work, too.
    ran = arena(image, work, "play", *ONE_GAME, options=DEVCONTAINER["runArgs"])
    assert (ran.code, ran.err.startswith(ISOLATED)) == (0, True), ran
    [stored] = re.findall("stored: arena report (.+)", ran.err)
    # The line that it prints works in the next container.
    assert arena(image, work, "report", stored).code == 0
    assert owners(work) == {USER}


def test_league_with_bots_in_several_languages(image: str, work: Path) -> None:
    more = depth([], ["sample:sh-minimal", "sample:random"])
    league(work, bots=["sample:c-counter", "sample:js-cautious", *more], games=1)
    # What others write to the disk meanwhile is not the build's.
    ran = arena(image, work, "run", "league.yaml", options=["--tmpfs=/tmp:exec"])
    assert (ran.code, ran.err.startswith(PLAIN)) == (0, True), ran
    assert (work / "site/index.html").stat().st_uid == USER


def test_person_sits_in_the_terminal(image: str, work: Path) -> None:
    ran = arena(image, work, "play", "--me", "sample:random", stdin=CARELESS)
    assert ran.code == 0, ran
    assert "you against random" in ran.out
    assert "stored: " in ran.err


def test_folder_of_another_user_is_named_before_anything_fails(image: str, work: Path) -> None:
    work.chmod(0o755)
    ran = arena(image, work, "new", "my-bot", "--lang", "c", user=USER + 1)
    assert ran.code == 2
    assert ran.err.startswith("warning: /work belongs to another user")
    assert f"docker run --user {USER}:{USER}\n" in ran.err


def test_demo_is_reached_at_the_port_that_is_published(image: str, work: Path) -> None:
    network = docker("network", "create", f"perudo-arena-{os.getpid()}")
    options = [*start(work, "--detach", f"--network={network}", "--publish=127.0.0.1::8500")]
    options.remove("--network=none")
    container = docker(*options, image, "demo")
    try:
        wait_until(lambda: "your link: " in logs(container))
        [page] = re.findall(r"your link: http://127.0.0.1:8500(\S+)", logs(container))
        _, _, port = docker("port", container, "8500/tcp").partition(":")
        with closing(HTTPConnection("127.0.0.1", int(port), timeout=HANG)) as connection:
            connection.request("GET", page, headers={"Host": "127.0.0.1:8500"})
            assert connection.getresponse().status == 200
        docker("stop", container)
    finally:
        subprocess.run(["docker", "rm", "--force", container], capture_output=True, check=False)
        docker("network", "rm", network)
    assert (work / "perudo-demo/ladder.yaml").stat().st_uid == USER


def packages_of(stage: str) -> set[str]:
    """Return what apt-get installs in a stage of the Dockerfile."""
    text = DOCKERFILE.read_text().replace("\\\n", " ")
    commands = text.partition(f" AS {stage}\n")[2].partition("\nFROM")[0]
    [names] = re.findall(r"--no-install-recommends (.+?)(?:&&|\n)", commands)
    return {*names.split()}


def test_every_language_of_the_manual_is_in_the_image() -> None:
    there = packages_of("python") | packages_of("tools")
    needed = {name for runtime in from_debian() for name in RUNTIMES[runtime].toolchain}
    assert needed <= there
    assert "bubblewrap" in there


def test_editors_get_a_stage_with_the_user_that_they_name(checkout: Path, image: str) -> None:
    assert Path(DEVCONTAINER["build"]["dockerfile"]) == Path("../deploy/Dockerfile")
    dev = build(checkout, f"{image}:dev", DEVCONTAINER["build"]["target"])
    shown = docker("run", "--rm", "--entrypoint=sh", "--network=none", dev, "-c", "id -un; env")
    name, *variables = shown.splitlines()
    assert name == DEVCONTAINER["remoteUser"]
    assert not [line for line in variables if line.startswith("ARENA_CONTAINER")]
    assert {"git", "make", "python3-venv"} <= packages_of("dev")


@only_in_long
def test_image_is_made_of_a_wheel_alone(wheels: Path) -> None:
    [wheel] = wheels.glob("perudo_arena-*.whl")
    quickly = f"{OFFLINE} --no-deps --no-compile"
    name = build(
        wheels.parent,
        f"{IMAGE}:wheel",
        "install",
        ARENA=f"wheels/{wheel.name}",
        PIP_OPTIONS=quickly,
    )
    found = "import importlib.metadata as m; print(m.metadata('perudo-arena')['Version'])"
    assert docker("run", "--rm", "--entrypoint=python3", name, "-c", found) == __version__


def test_image_runs_nothing_as_root(lean: str, image: str) -> None:
    for name in (lean, image):
        user = docker("inspect", "--format", "{{.Config.User}}", name)
        assert user.split(":")[0] not in {"", "0", "root"}
