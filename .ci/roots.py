"""Tries the README's commands on new machines: `make roots`, or `python3 .ci/roots.py --help`.

mmdebstrap makes a root of each system with what the README asks for and nothing else; build/roots/
keeps its archive. In a new copy a user without root clones this checkout's last commit and runs
`make run` and `make check`; then the sample bots' languages and a sandbox are installed as the
manual says, and the user plays again. A table says how that went; build/roots/NAME.log has what
was printed. Root is not needed where users may have subordinate ids (/etc/subuid, the package
uidmap).
"""

import argparse
import ast
import csv
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple, TextIO

CHECKOUT = Path(__file__).resolve().parent.parent
FOLDER = CHECKOUT / "build" / "roots"
USER = "player"
ADD_USER = f"useradd --create-home --shell /bin/sh {USER}"
NEEDED = "python3 make ca-certificates"
"""What the README asks for, and what reaches a package index by HTTPS."""
RUNTIMES = "nodejs gcc libc6-dev bubblewrap"
"""What docs/reference/install.md names for the sample bots, and for a sandbox."""
AUTHORITIES = Path("etc/ssl/certs/ca-certificates.crt")
UBUNTU_KEYS = Path("usr/share/keyrings/ubuntu-archive-keyring.gpg")
PIP_SETTINGS = ("default-timeout", "index-url", "proxy", "timeout", "trusted-host")

ENTER = """
root=$1 user=$2 command=$3
mount --make-rprivate /
mount --rbind "$root" "$root"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
cd "$root"
# Not chroot: the kernel makes no namespaces for a process in one, and bubblewrap needs them.
pivot_root . mnt
umount -l /mnt
exec setpriv --reuid "$user" --regid "$user" --init-groups sh -ec "$command"
"""


class System(NamedTuple):
    """A system that the arena is for."""

    suite: str
    title: str
    origin: str
    components: str


SYSTEMS = {
    system.suite: system
    for system in (
        System("bookworm", "Debian 12", "Debian", "main"),
        System("trixie", "Debian 13", "Debian", "main"),
        System("testing", "Debian testing", "Debian", "main"),
        System("noble", "Ubuntu 24.04", "Ubuntu", "main,universe"),
    )
}


class RootError(Exception):
    """What this machine lacks: what, where, how to fix it."""


def apart() -> list[str]:
    """Return the words that run a command as root of mounts and processes of its own."""
    words = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
    return words if os.geteuid() == 0 else [*words, "--user", "--map-auto", "--map-root-user"]


def ask(*words: str) -> str:
    """Return what a command of this machine prints; "" if it fails or is not there."""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def mirrors_of(system: System, given: str | None) -> list[str]:
    """Return the mirror given, or this machine's if its origin is the same.

    Otherwise mmdebstrap takes the usual one.
    """
    here = ask(
        "apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", f"Origin: {system.origin}"
    )
    # Those of security updates and of proposed ones are other archives, or have other suites.
    own = [line.split()[0] for line in here.splitlines() if "-" not in line.split()[-1]]
    return [given] if given else own[:1]


def pip_settings() -> dict[str, str]:
    """Return how pip of this machine reaches a package index, as variables of the environment."""
    listed = ask(sys.executable, "-m", "pip", "config", "list") or ask("pip", "config", "list")
    settings = {}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        key = re.split(r"[.:]+", name)[-1]
        if key in PIP_SETTINGS:
            settings[f"PIP_{key.upper().replace('-', '_')}"] = str(ast.literal_eval(value))
        if key == "cert":
            settings["PIP_CERT"] = f"/{AUTHORITIES}"
    proxies = ("http_proxy", "https_proxy", "no_proxy")
    return settings | {name: os.environ[name] for name in proxies if name in os.environ}


class Root:
    """The root of a system, and what was done in it."""

    def __init__(self, system: System, log: TextIO) -> None:
        self.system = system
        self.folder = FOLDER / system.suite
        self.archive = FOLDER / f"{system.suite}.tar"
        self._log = log

    def _run(self, words: list[str], env: dict[str, str] | None = None) -> bool:
        self._log.flush()
        log, empty = self._log, subprocess.DEVNULL
        done = subprocess.run(words, stdin=empty, stdout=log, stderr=log, env=env, check=False)
        return done.returncode == 0

    def make(self, mirrors: list[str], stale: bool) -> None:
        """Make its archive if it is not there; with `stale` a mirror may be an old copy.

        Raises:
            RootError: it could not be made.

        """
        if self.archive.exists():
            return
        words = ["mmdebstrap", "--mode=root", "--variant=minbase", "--format=tar"]
        words += [f"--include=apt,{','.join(NEEDED.split())}"]
        words += [f"--components={self.system.components}"]
        # An installer leaves the lists of packages, and a user.
        words += ["--skip=cleanup/apt/lists", f'--customize-hook=chroot "$1" {ADD_USER}']
        if stale:
            words += ['--aptopt=Acquire::Check-Valid-Until "false"']
        made = self.archive.with_suffix(".new")
        words += [*self._keys(), self.system.suite, str(made), *mirrors]
        if not self._run([*apart(), *words]):
            hint = "see what it says; --mirror names another archive"
            raise RootError(f"{self.system.title} cannot be made / {self._log.name} / {hint}")
        made.rename(self.archive)

    def unpack(self) -> None:
        """Be as new."""
        self.remove()
        command = 'mkdir "$2"; tar -x -C "$2" --exclude="./dev/*" <"$1"'
        words = ["sh", "-ec", command, "unpack", str(self.archive), str(self.folder)]
        if not self._run([*apart(), *words]):
            raise RootError(f"the root is not unpacked / {self.archive} / try: --fresh")

    def remove(self) -> None:
        """Remove what was unpacked: without root, only this can."""
        self._run([*apart(), "rm", "-rf", str(self.folder)])

    def _keys(self) -> list[str]:
        """Return the option that names the keys of Ubuntu where this machine lacks them."""
        if self.system.origin != "Ubuntu" or (Path("/") / UBUNTU_KEYS).exists():
            return []
        keys = FOLDER / "ubuntu-keys"
        if not (keys / UBUNTU_KEYS).exists():
            debian = SYSTEMS["trixie"]
            words = ["mmdebstrap", "--mode=root", "--variant=extract", "--format=directory"]
            words += ["--include=ubuntu-archive-keyring", debian.suite, str(keys)]
            self._run([*apart(), *words, *mirrors_of(debian, None)])
        return [f"--keyring={keys / UBUNTU_KEYS}"]

    def enter(self, user: str, command: str) -> bool:
        """Run a command in it, in the user's home, with nothing of this machine but its network."""
        for shared in (Path("etc/resolv.conf"), AUTHORITIES):
            if (Path("/") / shared).exists():
                target = str(self.folder / shared)
                self._run([*apart(), "cp", "--remove-destination", f"/{shared}", target])
        home = "/root" if user == "root" else f"/home/{user}"
        env = pip_settings() | {
            "HOME": home,
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "USER": user,
        }
        self._log.write(f"\n$ {command}\n")
        words = ["sh", "-ec", ENTER, "enter", str(self.folder), user, f"cd {home}; {command}"]
        return self._run([*apart(), *words], env)

    def clone(self) -> None:
        """Give the user a clone of the last commit."""
        home, target = self.folder / "home" / USER, self._checkout
        command = 'git clone -q "$1" "$2" && chown -R --reference="$3" "$2"'
        words = ["sh", "-ec", command, "clone", str(CHECKOUT), str(target), str(home)]
        if not self._run([*apart(), *words]):
            raise RootError(f"no clone could be made / {target} / see: {self._log.name}")

    @property
    def _checkout(self) -> Path:
        return self.folder / "home" / USER / "arena"

    def read(self, name: str) -> str:
        """Return what is in a file of the user's checkout; "" if it is not there."""
        return ask(*apart(), "cat", str(self._checkout / name))

    def printed(self) -> str:
        """Return what was printed in it up to now."""
        self._log.flush()
        return Path(self._log.name).read_text(encoding="utf-8", errors="replace")

    def python(self) -> str:
        """Return the version of Python that the arena was installed with."""
        found = re.search(r"^version = (\S+)", self.read(".venv/pyvenv.cfg"), re.MULTILINE)
        return found[1] if found else "none"

    def playing(self) -> str:
        """Return how many of the sample bots played, in which sandbox, and which did not."""
        every = {bot.parent.name for bot in (CHECKOUT / "sample_bots").glob("*/bot.yaml")}
        rows = csv.DictReader(self.read("site/data/bots.csv").splitlines())
        played = {row["name"] for row in rows}
        sandboxes = re.findall(r"^sandbox: (\w+);", self.printed(), re.MULTILINE)
        where = f" in {sandboxes[-1]}" if played else ""
        without = f"; not {', '.join(sorted(every - played))}" if played < every else ""
        return f"{len(played)} of {len(every)}{where}{without}"


def timed(root: Root, command: str) -> str:
    """Run a command of the user's; return and say its seconds, or that it failed."""
    began = time.monotonic()
    passed = root.enter(USER, f"cd arena; {command}")
    seconds = f"{time.monotonic() - began:.0f}"
    took = seconds if passed else f"failed after {seconds}"
    sys.stderr.write(f"{root.system.title}: {command}: {took} s\n")
    return took


def tried(root: Root) -> list[str]:
    """Try the README's commands in a root; return its row of the table."""
    root.unpack()
    root.clone()
    first = timed(root, "make run")
    alone = root.playing()
    check = timed(root, "make check")
    install = f"DEBIAN_FRONTEND=noninteractive apt-get install -q -y {RUNTIMES}"
    if not root.enter("root", install):
        raise RootError(f"{RUNTIMES} cannot be installed / {root.system.title} / try: --fresh")
    second = timed(root, "make run")
    every = root.playing()
    tests = re.findall(r"^((?:\d+ failed, )?\d+ passed.*?) in ", root.printed(), re.MULTILINE)
    return [
        root.system.title,
        root.python(),
        first,
        alone,
        check,
        tests[-1] if tests else "none",
        second,
        every,
    ]


COLUMNS = (
    "system",
    "Python",
    "`make run`, s",
    "bots that played",
    "`make check`, s",
    "its tests",
    "again with languages, s",
    "bots that played",
)


def failed(row: list[str]) -> bool:
    """Return whether something of a row failed."""
    return any("failed" in cell for cell in row)


def row_of(root: Root, options: argparse.Namespace) -> list[str]:
    """Return the row of a system; one that could not be tried says why. What failed is kept."""
    try:
        if options.fresh:
            root.archive.unlink(missing_ok=True)
        root.make(mirrors_of(root.system, options.mirror), options.stale)
        row = tried(root)
    except RootError as error:
        sys.stderr.write(f"error: {error}\n")
        return [root.system.title, "not tried", *["failed"] * (len(COLUMNS) - 2)]
    if not failed(row):
        root.remove()
    return row


def refused(why: str) -> int:
    """Say why nothing is tried; return the exit code."""
    sys.stderr.write(f"error: {why}\n")
    return 2


def main() -> int:
    """Try the systems that were asked for; print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help=f"of {', '.join(SYSTEMS)}")
    parser.add_argument("--fresh", action="store_true", help="make the roots anew")
    parser.add_argument("--mirror", help="the archive of packages of the systems that are named")
    parser.add_argument("--stale", action="store_true", help="the archive is an old copy")
    options = parser.parse_args()
    names = options.systems or list(SYSTEMS)
    unknown = [name for name in names if name not in SYSTEMS]
    if unknown:
        return refused(f"no such system / {unknown[0]} / one of {', '.join(SYSTEMS)}")
    if not shutil.which("mmdebstrap"):
        return refused("no roots can be made / this machine / try: sudo apt-get install mmdebstrap")
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in names:
        with (FOLDER / f"{name}.log").open("w", encoding="utf-8") as log:
            rows.append(row_of(Root(SYSTEMS[name], log), options))
    lines = [COLUMNS, ("---",) * len(COLUMNS), *rows]
    sys.stdout.writelines(f"| {' | '.join(line)} |\n" for line in lines)
    return 1 if any(map(failed, rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
