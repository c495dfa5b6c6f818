"""The units of systemd: what they start exists, and systemd accepts them."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.ladder.door.door import MAX_UPLOAD
from arena.ladder.folder import existing
from arena.ladder.new import make_ladder
from arena.ladder.web.author import FORM_BYTES
from tests.cli.command import HANG, ROOT, error_line, run

UNITS = sorted((ROOT / "deploy").glob("*@.*"))
COMMAND = "/usr/local/bin/arena"


def test_units_start_commands_that_exist(tmp_path: Path) -> None:
    started = [line for unit in UNITS for line in re.findall(rf"{COMMAND} (.+)", unit.read_text())]
    assert len(started) == 3
    for line in started:
        command = [word for word in line.replace('"', "").split() if word.isalpha()]
        command = command[:1] if "serve" in command else command
        more = ["copy"] if "backup" in command else []
        error_line(run(*command, "club", *more, cwd=tmp_path), "it is no ladder / club / ")


def command_of(unit: str, name: str, key: str = "ExecStart=") -> list[str]:
    """Return the command that a unit of this name starts, as systemd reads it."""
    text = (ROOT / "deploy" / unit).read_text().replace("\\\n", " ")
    [command] = re.findall(f"{key}(.+)", text)
    return shlex.split(command.replace("$$", "$").replace("%i", name).replace("%%", "%"))


def test_the_newest_backups_are_kept(tmp_path: Path) -> None:
    make_ladder(tmp_path / "arena/my-club", "process", trusted=True)
    backups = tmp_path / "arena-backups/my-club"
    for name in (*(f"2025-01-0{day}T00-00-00Z" for day in range(1, 10)), ".2025.1.part"):
        (backups / name).mkdir(parents=True)
    command = command_of("arena-ladder-backup@.service", "my-club")
    places = {"/var/lib": str(tmp_path), COMMAND: f"{sys.executable} -m arena"}
    for before, after in places.items():
        command = [word.replace(before, after) for word in command]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, env=env, capture_output=True, timeout=HANG, check=True)
    left = sorted(path.name for path in backups.iterdir())
    assert left[:-1] == [f"2025-01-0{day}T00-00-00Z" for day in range(4, 10)]
    assert existing(backups / left[-1]).ladder.exists()


def test_the_proxy_lets_every_submission_pass_and_little_more() -> None:
    """Caddy's MB are a million bytes."""
    caddyfile = (ROOT / "deploy/Caddyfile").read_text()
    [size] = re.findall(r"^\s*max_size (\d+)MB$", caddyfile, re.MULTILINE)
    assert MAX_UPLOAD + FORM_BYTES <= int(size) * 10**6 <= 1.25 * MAX_UPLOAD


@pytest.mark.parametrize("name", ["club", "my-club"])
def test_systemd_accepts_the_units(tmp_path: Path, name: str) -> None:
    for unit in UNITS:
        # It looks for the programs on this machine.
        text = unit.read_text().replace(COMMAND, "/bin/true")
        (tmp_path / unit.name.replace("@", f"@{name}")).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *sorted(tmp_path.iterdir())],
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


class Machine:
    """A machine to install ladders on: its root is a folder, and systemd does nothing."""

    def __init__(self, root: Path) -> None:
        self.root, self.deploy = root, root / "deploy"
        shutil.copytree(ROOT / "deploy", self.deploy)
        script = self.deploy / "install.sh"
        text = script.read_text().replace(" -o arena -g arena", "")
        for folder in ("/var/lib/", "/etc/"):
            (root / folder[1:]).mkdir(parents=True)
            text = text.replace(folder, f"{root}{folder}")
        (root / "etc/systemd/system").mkdir(parents=True)
        (root / "etc/caddy").mkdir()
        script.write_text(text)
        commands = {"systemctl": "", "useradd": "", "runuser": 'mkdir "$7"'}
        for name, does in commands.items():
            path = root / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\n{does}\n")
            path.chmod(0o755)

    def install(self, name: str, host: str) -> "subprocess.CompletedProcess[str]":
        env = {**os.environ, "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}"}
        words = ["sh", str(self.deploy / "install.sh"), name, host]
        return subprocess.run(
            words, env=env, capture_output=True, text=True, timeout=HANG, check=False
        )

    def read(self, path: str) -> str:
        return (self.root / "etc" / path).read_text()


def test_each_ladder_of_a_machine_has_a_port_and_a_site_of_its_own(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    (tmp_path / "etc/caddy/Caddyfile").write_text("shop.example.org\n")
    for _ in range(2):  # again changes nothing
        for name, host in (("club", "a.example.org"), ("class", "b.example.org")):
            done = machine.install(name, host)
            assert (done.returncode, done.stderr) == (0, "")
    assert (
        machine.read("arena/club.env")
        == "DOOR=--port 8500 --behind-proxy --url https://a.example.org\n"
    )
    assert (
        machine.read("arena/class.env")
        == "DOOR=--port 8501 --behind-proxy --url https://b.example.org\n"
    )
    club, school = machine.read("caddy/arena/club.caddy"), machine.read("caddy/arena/class.caddy")
    assert "{$DOOR_NAME:a.example.org}" in club
    assert "127.0.0.1:8500}" in club
    assert "{$DOOR_NAME:b.example.org}" in school
    assert "127.0.0.1:8501}" in school
    caddyfile = machine.read("caddy/Caddyfile").splitlines()
    assert caddyfile == ["shop.example.org", f"import {tmp_path}/etc/caddy/arena/*.caddy"]


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("a b/../x", "a.example.org"),
        ("", "a.example.org"),
        ("-club", "a.example.org"),
        ("..", "a.example.org"),
        ("club", ""),
        ("club", "a.example.org/x"),
        ("club", "https://a.example.org"),
        ("club", "a.example.org\nb"),
    ],
)
def test_names_that_are_none_are_refused_before_anything_is_made(
    tmp_path: Path, name: str, host: str
) -> None:
    machine = Machine(tmp_path)
    done = machine.install(name, host)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert not (tmp_path / "var/lib/arena").exists()
