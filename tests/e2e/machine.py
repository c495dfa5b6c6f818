"""A machine that systemd booted: `make machine`, as root, on Debian.

debootstrap makes a Debian 12 with nothing installed in `build/machine/`, systemd-nspawn boots it
with a network of its own, and the lines of `docs/guides/serve.md` are carried out in it: from the
first one to a rating over HTTPS, kills, a reboot, a restored backup. The packages of Python come
from wheels of this checkout. The log is in `benchmarks/results/machines.md`.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.cli.command import HANG, ROOT
from tests.e2e.live import processes, wait_until
from tests.support.generated_section import GeneratedSection

LOG = GeneratedSection("benchmarks/results/machines.md", "log", "machine")
PACKAGES = "systemd,systemd-sysv,dbus,libpam-systemd,iproute2,curl,ca-certificates"
DOCUMENTED = "apt-get install -y bubblewrap caddy python3-venv"
HOST = "ladder.example.org"
URL = f"https://{HOST}"
CLUB = "/var/lib/arena/club"
AUTHORITY = "/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
AS_ARENA = "cd /var/lib/arena; runuser -u arena --"
MOVE = f"mv {CLUB} {CLUB}-lost"
SHIPPED = "/opt/arena/lib/python3*/site-packages/arena/_shipped"
OWN_AUTHORITY = "{\n\tlocal_certs\n}\n"
"""At the top of a Caddyfile: no certificate is asked for elsewhere."""


REBOOT = 133
"""With this exit code systemd-nspawn asks to be started again."""


class Machine:
    """A machine that is on; what it is asked to do is told, with the seconds since it was made."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._began = time.monotonic()
        self.lines: list[str] = []
        self._boot()

    def _boot(self) -> None:
        words = [
            "systemd-nspawn",
            "-q",
            "-D",
            str(self._root),
            "--boot",
            "--register=no",
            "--keep-unit",
        ]
        words += ["--private-network", "--console=pipe", "--machine=ladder"]
        with (self._root.parent / "console.log").open("ab") as console:
            self._nspawn = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=console, stderr=console
            )
        self.wait("systemctl is-system-running", "running")

    def end(self) -> None:
        """Turn it off."""
        self._nspawn.terminate()
        self._nspawn.wait(HANG)

    def _init(self) -> int | None:
        """Return the process 1 of the machine; None while it boots."""
        ours = self._nspawn.pid
        family = processes().items()
        return next((pid for pid, process in family if process.parent == ours), None)

    def _ask(self, command: str) -> "subprocess.CompletedProcess[str]":
        words = ["nsenter", "-t", str(self._init()), "-a", "sh", "-ec", command]
        # Its own environment, not that of whoever tries it: pip reads settings from there.
        env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        return subprocess.run(
            words, env=env, capture_output=True, text=True, timeout=HANG, check=False
        )

    def tell(self, line: str) -> None:
        """Add a line to the log."""
        self.lines.append(f"{time.monotonic() - self._began:6.1f} s  {line}")
        print(self.lines[-1], flush=True)

    def run(self, command: str, shown: int = 3) -> str:
        """Run a command as root and tell it with the last lines that it printed."""
        done = self._ask(command)
        self.tell(f"$ {_short(command)}")
        for line in (done.stdout + done.stderr).strip().splitlines()[-shown:] if shown else ():
            self.tell(f"  {line[:160]}")
        assert done.returncode == 0, done
        return done.stdout.strip()

    def wait(self, command: str, pattern: str) -> str:
        """Repeat a command until a pattern is in what it prints."""
        printed = ""

        def holds() -> bool:
            nonlocal printed
            printed = self._ask(command).stdout
            return re.search(pattern, printed) is not None

        wait_until(holds)
        self.tell(f"$ {_short(command)}")
        self.tell(f"  {printed.strip()[-160:]}")
        return printed

    def versions(self) -> dict[str, str]:
        """Return the states of the versions, as the ladder's own user sees them."""
        listed: list[dict[str, Any]] = json.loads(
            self._ask(f"{AS_ARENA} arena ladder list {CLUB} --json").stdout or "[]"
        )
        return {f"{one['bot']}@{one['number']}": one["state"] for one in listed}

    def reboot(self) -> None:
        """Reboot it, and wait until it is up again."""
        self.tell("$ systemctl reboot")
        self._ask("systemctl reboot")
        assert self._nspawn.wait(HANG) == REBOOT
        self._boot()


def _short(command: str) -> str:
    """Return a command as it stands in the log: without secrets, and what stands in each."""
    for text, name in ((AUTHORITY, "$AUTHORITY"), (AS_ARENA, "as-arena"), (CLUB, "$CLUB")):
        command = command.replace(text, name)
    return re.sub(r"[\w-]{43}", "...", command)


def make(root: Path) -> None:
    """Make a Debian with what a new machine has, and what the documented lines install."""
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", root], check=True
    )
    (root / "etc/hosts").write_text(f"127.0.0.1 localhost {HOST}\n")
    fetch = f"apt-get update -q; DEBIAN_FRONTEND=noninteractive {DOCUMENTED}"
    subprocess.run(["chroot", root, "sh", "-ec", fetch], check=True)


def add_wheels(root: Path) -> None:
    """Put the arena of this checkout and what it needs where the machine finds it."""
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "-c", str(ROOT / "constraints.txt")]
    subprocess.run([*pip, "-w", str(root / "opt/wheels"), f"{ROOT}[serve]"], check=True)


@contextmanager
def booted(root: Path) -> Iterator[Machine]:
    """Boot the machine of a folder; it is off after the block."""
    machine = Machine(root)
    try:
        yield machine
    finally:
        machine.end()


def install(machine: Machine) -> None:
    """Carry out the documented lines; the host has a name that nobody else can reach."""
    machine.run("python3 -m venv /opt/arena")
    machine.run(
        "/opt/arena/bin/pip install -q --no-index --find-links /opt/wheels 'perudo-arena[serve]'"
    )
    machine.run("ln -s /opt/arena/bin/arena /usr/local/bin/arena")
    own = shlex.quote(OWN_AUTHORITY)
    machine.run(
        f"printf %s {own} | cat - /etc/caddy/Caddyfile >/tmp/c; mv /tmp/c /etc/caddy/Caddyfile"
    )
    machine.run(f"sh {SHIPPED}/deploy/install.sh club {HOST}")
    is_up(machine)
    machine.run("ss -ltnH | awk '{print $4}' | sort | xargs")


def is_up(machine: Machine) -> None:
    """Wait until the door answers over HTTPS, and its ladder runs."""
    machine.wait(f"curl -sS --cacert {AUTHORITY} {URL}/healthz", '"ladder":"running"')


def submit(machine: Machine, author: str, bot: str) -> None:
    """Invite an author, who opens the link as a browser does, makes a token and submits with it."""
    invite = f"{AS_ARENA} arena ladder invite {CLUB} {author} --url {URL}"
    link = machine.run(invite, shown=0).split()[-1]
    jar = f"/root/{author}.cookies"
    curl = f"curl -fsS --cacert {AUTHORITY} -b {jar} -c {jar} -H 'Sec-Fetch-Site: same-origin'"
    assert f"Welcome, <bdi>{author}" in machine.run(f"{curl} {link}", shown=0)
    machine.run(f"{curl} -X POST {link}", shown=0)
    page = machine.run(f"{curl} -d name=terminal {URL}/token", shown=0)
    [token] = re.findall(r"data-token>([^<]+)<", page)
    environment = f"SSL_CERT_FILE={AUTHORITY} ARENA_TOKEN={token}"
    machine.run(f"{environment} arena submit {bot} --to {URL}")


def are_rated(machine: Machine) -> None:
    """Wait until both versions are rated."""
    wait_until(lambda: set(machine.versions().values()) == {"rated"})
    machine.tell(f"  {machine.versions()}")


def killed(machine: Machine, unit: str) -> None:
    """Kill the main process of a unit, and wait until systemd started it again."""
    machine.run(f"systemctl kill --kill-whom=main -s KILL {unit}")
    machine.wait(f"systemctl show -p NRestarts --value {unit}", "[1-9]")
    is_up(machine)


def back_up_and_restore(machine: Machine) -> None:
    """Make a backup by its unit, lose the ladder, and go on with the copy."""
    machine.run("systemctl start arena-ladder-backup@club.service")
    machine.run(f"{AS_ARENA} arena ladder status {CLUB}")
    machine.run(f"systemctl stop arena-ladder@club arena-door@club; {MOVE}")
    copy = machine.run("ls -d /var/lib/arena-backups/club/2*").splitlines()[-1]
    machine.run(f"{AS_ARENA} arena ladder restore {copy} {CLUB}")
    machine.run("systemctl start arena-ladder@club arena-door@club")
    is_up(machine)
    are_rated(machine)
    machine.run(f"{AS_ARENA} arena verify {CLUB}/seasons/1/league.yaml")


def try_all(machine: Machine) -> None:
    """From nothing to a rating, and through what happens to machines."""
    install(machine)
    machine.run("cd /root; arena new mybot --lang python")
    submit(machine, "ann", "/root/mybot")
    submit(machine, "bob", "sample:honest")
    are_rated(machine)
    for unit in ("arena-door@club", "arena-ladder@club"):
        killed(machine, unit)
    machine.reboot()
    is_up(machine)
    are_rated(machine)
    back_up_and_restore(machine)
    machine.run("systemctl --failed --no-legend --no-pager")


def try_in(folder: Path) -> list[str]:
    """Try it in a copy of the new machine of a folder, made if it is missing; returns the log."""
    base, copy = folder / "base", folder / "copy"
    folder.mkdir(parents=True, exist_ok=True)
    if not base.exists():
        shutil.rmtree(folder / "part", ignore_errors=True)
        make(folder / "part")
        (folder / "part").rename(base)
    shutil.rmtree(copy, ignore_errors=True)
    subprocess.run(["cp", "-a", base, copy], check=True)
    add_wheels(copy)
    with booted(copy) as machine:
        try_all(machine)
    return machine.lines


FOLDER = ROOT / "build/machine"

if __name__ == "__main__":
    LOG.write("\n".join(["```", *try_in(FOLDER), "```", ""]))
