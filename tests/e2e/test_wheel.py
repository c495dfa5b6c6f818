"""The wheel: all that the arena needs is in it, and it works where no checkout is."""

import json
import os
import signal
import socket
import subprocess
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest

from arena import __version__
from arena.bots.runtimes import KITS
from arena.cli.manual import topics
from arena.ladder.new import DEMO_BOTS
from tests.cli.command import HANG, ROOT, Ran, league
from tests.support.depth import depth

SHIPPED = "arena/_shipped"
PROCESS = ("--sandbox", "process")


def _run(command: list[str], folder: Path) -> Ran:
    # Without PYTHONPATH: it may name the checkout.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=HANG, check=False
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def _files(folder: str) -> dict[str, bytes]:
    return {
        f"{SHIPPED}/{path.relative_to(ROOT)}": path.read_bytes()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not {"__pycache__", "pictures"} & {*path.parts}
    }


@pytest.mark.parametrize("folder", ["deploy", "sample_bots", "docs", "protocol", "reports"])
def test_the_wheel_holds_the_data_folders_as_they_are(wheel: Path, folder: str) -> None:
    expected = _files(folder)
    assert len(expected) >= 3
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if name.startswith(f"{SHIPPED}/{folder}/")}
        assert held == set(expected)
        assert {name: packed.read(name) for name in held} == expected
    assert held >= set(NEEDED[folder])


NEEDED = {
    "deploy": [f"{SHIPPED}/deploy/arena-ladder@.service"],
    "sample_bots": [
        f"{SHIPPED}/sample_bots/{name}"
        for name in ("c-counter/bot.c", "js-cautious/bot.js", "sh-minimal/bot.sh", "odds/bot.py")
    ],
    "protocol": [
        f"{SHIPPED}/protocol/README.md",
        f"{SHIPPED}/protocol/schema/to_bot.json",
        f"{SHIPPED}/protocol/kits/positions.jsonl",
        *(f"{SHIPPED}/protocol/kits/{language}/{kit.edit}" for language, kit in KITS.items()),
    ],
    "docs": [f"{SHIPPED}/{path.relative_to(ROOT)}" for path in (ROOT / "docs").rglob("*.md")],
    "reports": [f"{SHIPPED}/reports/index.html", f"{SHIPPED}/reports/style.css"],
}


def test_the_wheel_is_of_the_version_that_the_arena_says(wheel: Path) -> None:
    assert wheel.name == f"perudo_arena-{__version__}-py3-none-any.whl"


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"arena"}
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "arena").rglob("*.py")}
    assert modules <= set(names)


@pytest.mark.slow
def test_the_installed_command_is_the_wheel_s(installed: Path, tmp_path: Path) -> None:
    where = (
        "import arena, arena.io.shipped; print(arena.__file__, arena.io.shipped.folder('reports'))"
    )
    ran = _run([str(installed / "python"), "-c", where], tmp_path)
    assert all(path.startswith(str(installed.parent)) for path in ran.out.split()), ran
    ran = _run(
        [str(installed / "arena"), "perft", "bga", "--players", "2", "--starting-dice", "1"],
        tmp_path,
    )
    assert ran == Ran(0, "568\n", "")


@pytest.mark.slow
def test_an_author_begins_with_the_wheel_alone(installed: Path, tmp_path: Path) -> None:
    """A kit, and the manual."""
    arena = str(installed / "arena")
    ran = _run([arena, "new", "my-bot", "--lang", "rust"], tmp_path)
    assert ran.code == 0, ran
    kit = ROOT / "protocol/kits/rust/bot.rs"
    assert (tmp_path / "my-bot/bot.rs").read_bytes() == kit.read_bytes()
    listed = "from arena.cli.manual import topics; print(*sorted(topics()))"
    ran = _run([str(installed / "python"), "-c", listed], tmp_path)
    assert ran.out.split() == sorted(topics())
    # The wheel holds the same files (above): the first and the last show where they are looked for.
    for name in sorted(topics())[:: depth(len(topics()) - 1, 1)]:
        page = topics()[name].path.read_text()
        assert _run([arena, "help", name], tmp_path) == Ran(0, page, "")


def test_a_league_by_the_wheel(installed: Path, tmp_path: Path) -> None:
    league(tmp_path, bots=["sample:odds", "sample:random"], games=1)
    ran = _run([str(installed / "arena"), "run", "league.yaml", *PROCESS, "--json"], tmp_path)
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out)["leaderboards"][0]["rows"]
    assert {row["bot"] for row in rows} == {"odds", "random"}
    assert (tmp_path / "site/style.css").read_bytes() == (ROOT / "reports/style.css").read_bytes()


@pytest.mark.slow
def test_demo_by_the_wheel(installed: Path, tmp_path: Path) -> None:
    """A second start goes on with the ladder of the first."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(installed / "arena"), "demo", "--port", str(port)]
    for _ in range(2):
        with subprocess.Popen(
            command,
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "BROWSER": "true %s"},
            stderr=subprocess.PIPE,
            text=True,
        ) as demo:
            assert demo.stderr
            links = (line.split()[-1] for line in demo.stderr if line.startswith("your link: "))
            with urlopen(next(links), timeout=HANG) as page:  # noqa: S310 (http)
                assert page.status == 200
            demo.send_signal(signal.SIGINT)
            assert demo.wait(HANG) == 0
    listed = _run([str(installed / "arena"), "ladder", "list", "perudo-demo", "--json"], tmp_path)
    assert {version["bot"] for version in json.loads(listed.out)} == {*DEMO_BOTS}


def test_check_by_the_wheel(installed: Path, tmp_path: Path) -> None:
    folder = str(ROOT / "sample_bots/honest")
    ran = _run([str(installed / "arena"), "check", folder, *PROCESS, "--trust-bots"], tmp_path)
    assert ran.code == 0, ran
    assert "honest: ok (" in ran.out
