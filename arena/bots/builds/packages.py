"""Python packages that bots ask for: wheels, fetched by the operator's pip, never by a build."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.bots.bot import Bot
from arena.bots.builds.build import build
from arena.bots.command import how_to_get, how_to_get_in_image
from arena.bots.folder import BotLimits, open_to_all
from arena.bots.manifest import errors_name_source
from arena.bots.sandboxes.base import MIB, Program, Sandbox
from arena.bots.sandboxes.run_once import last_line, run_once
from arena.io.errors import ArenaError, first_of
from arena.io.files import part_of, read_limited, reason, remove_tree, user_cache

MAX_SIZE = 512 * MIB
"""Bytes of all files of a bot's packages, and of any file that pip writes."""
_PIP_SECONDS = 900.0
_NOT_OURS = ("PIP_CONSTRAINT", "PIP_REQUIREMENT", "PIP_TARGET", "PIP_PREFIX", "PIP_USER")
"""Settings of the operator's pip that are about other packages; those of its index hold."""
_PACKAGE = re.compile(r"[\w.-]+")
_NOT_FOUND = re.compile(r"No matching distribution found for ([\w.-]+)")
_NAMED = 8
"""Lines of requirements.txt that one message names."""
REQUIREMENTS = "requirements.txt"
VENDOR = "vendor"
PACKAGES = ".arena-packages"
"""The folder of the packages that a bot asked for, in its staged folder."""
_WITH_PACKAGES = f'PYTHONPATH="$PWD/{PACKAGES}${{PYTHONPATH:+:$PYTHONPATH}}" exec "$@"'
"""A shell script that starts a command whose Python finds the packages, before the arena's own."""
MAX_FILES = 10_000
_MAX_BYTES = 64 * 1024
"""Bytes of a requirements.txt."""
_PIN = re.compile(r"[A-Za-z0-9][\w.-]* ?== ?[\w.!+]+(?: --hash=sha256:[0-9a-f]{64})*", re.ASCII)
COMPILED = BotLimits(entries=2 * MAX_FILES, size=2 * MAX_SIZE, build_seconds=600.0)
"""Packages with their compiled modules."""
_COMPILE = (
    "python3 -I -m compileall -q -x '/tests?/' --invalidation-mode unchecked-hash . >/dev/null || :"
)
"""Modules that are written for other versions of Python do not compile, and need not."""
_ASK = """
import json, os, sys
try:
    libc = os.confstr("CS_GNU_LIBC_VERSION")
except (ValueError, OSError):
    libc = ""
print(json.dumps([list(sys.version_info[:2]), libc or "", os.uname().machine]))
"""
_ASK_SECONDS = 60.0
_GLIBC_OF_MANYLINUX = range(5, 100)
_ONE_AT_A_TIME = Lock()


class Wanted(Struct, frozen=True):
    """The packages that a bot asks for."""

    pins: tuple[str, ...]
    """Lines of requirements.txt, such as `numpy==2.4.6`."""
    wheels: tuple[Path, ...]
    """In its staged folder."""

    @property
    def file(self) -> str:
        """The file by which the bot asks, in its folder."""
        return REQUIREMENTS if self.pins else f"{VENDOR}/{self.wheels[0].name}"


class Interpreter(Struct, frozen=True, array_like=True):
    """The `python3` of a sandbox."""

    version: tuple[int, int]
    libc: str
    """As in `glibc 2.36`; "" if it is another."""
    machine: str

    def options(self) -> list[str]:
        """Return the options by which pip chooses wheels for it, whatever pip itself runs on."""
        platforms = [f"linux_{self.machine}"]
        if match := re.fullmatch(r"glibc 2\.(\d+)", self.libc):
            minors = [minor for minor in _GLIBC_OF_MANYLINUX if minor <= int(match[1])]
            platforms += [f"manylinux_2_{minor}_{self.machine}" for minor in reversed(minors)]
            platforms += [f"manylinux{year}_{self.machine}" for year in (2014, 2010, 1)]
        version = ".".join(map(str, self.version))
        options = ["--only-binary=:all:", "--implementation=cp", f"--python-version={version}"]
        return options + [f"--platform={platform}" for platform in platforms]


def wanted_by(bot: Bot, folder: Path, *, allowed: bool) -> Wanted | None:
    """Return the packages that a bot asks for in a copy of its folder, None if it asks for none.

    Raises ArenaError if none are `allowed`, and for a line of requirements.txt that is not the name
    and the version of a package.
    """
    with errors_name_source(folder, bot.source):
        lines = _lines(folder)
    wheels = sorted((folder / VENDOR).glob("*.whl"))
    wanted = Wanted(lines, tuple(path for path in wheels if path.is_file()))
    if not (wanted.pins or wanted.wheels):
        return None
    where = str(bot.source / wanted.file)
    if not allowed:
        what = f"'{bot.name}' asks for Python packages, and none are installed"
        hint = (
            "to have them installed: `packages: true` in league.yaml, ladder.yaml or course.yaml,"
            " --packages with check, play and compare; without: put them into the bot's folder"
            " (pip install --target . NAME) and remove this file"
        )
        raise ArenaError(what, where, hint)
    if bad := [f"{line[:80]!a}" for line in wanted.pins if not _PIN.fullmatch(line)]:
        what = f"no package with its version: {', '.join(first_of(bad, _NAMED))}"
        hint = "one a line, as in numpy==2.4.6; `pip freeze` prints them"
        raise ArenaError(what, where, hint)
    return wanted


def installed(wanted: Wanted, bot: Bot, runs: Path, sandbox: Sandbox) -> Path:
    """Return a folder below `runs` with a bot's packages, for the `python3` of the sandbox.

    It comes from the cache if the same was made before. Raises ArenaError if pip does not find
    them, or they are too large.
    """
    with _ONE_AT_A_TIME:
        python = _interpreter(bot, runs, sandbox)
        wheels = [(path.name, sha256(path.read_bytes()).hexdigest()) for path in wanted.wheels]
        inputs = json.dumps([python.options(), wanted.pins, wheels])
        key = sha256(inputs.encode()).hexdigest()
        folder, cached = runs / f"packages-{key[:16]}", user_cache("packages") / key
        if folder.exists():
            return folder
        try:
            if cached.exists():
                shutil.copytree(cached, folder)
            else:
                _install(wanted, python, bot, folder)
                open_to_all(folder, writable=True)
                # Bots could not store compiled modules.
                command = ("sh", "-c", _COMPILE)
                program = Program(folder, command, bot.info.runtime)
                build(replace(bot, build=command), program, sandbox, COMPILED, None)
                _keep(folder, cached)
            open_to_all(folder, writable=False)
        except OSError as error:
            remove_tree(folder)
            what = f"the packages of '{bot.name}' cannot be installed: {reason(error)}"
            raise ArenaError(what, str(error.filename or folder)) from None
        except BaseException:
            remove_tree(folder)
            raise
    return folder


def add_packages(packages: Path, bot: Bot, folder: Path) -> None:
    """Put installed packages into a staged bot's folder; raises ArenaError if their place is taken.

    All bots of the run that ask for the same packages share the files.
    """
    target = folder / PACKAGES
    if target.exists() or target.is_symlink():
        raise ArenaError(
            f"'{bot.name}' has a '{PACKAGES}' of its own", str(bot.source), "rename it"
        )
    shutil.copytree(packages, target, copy_function=os.link, symlinks=True)


def with_packages(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Return a command that finds the packages in a staged bot's folder, if there are any."""
    if not (folder / PACKAGES).is_dir():
        return command
    return ("sh", "-c", _WITH_PACKAGES, "sh", *command)


def _lines(folder: Path) -> tuple[str, ...]:
    """Return the lines of requirements.txt, continued ones as one, without comments."""
    path = folder / REQUIREMENTS
    if not path.is_file():
        return ()
    text = read_limited(path, _MAX_BYTES).decode("utf-8-sig", "backslashreplace")
    whole = re.sub(r"\\\r?\n", " ", text).splitlines()
    stripped = [" ".join(re.sub(r"(^|\s)#.*", "", line).split()) for line in whole]
    return tuple(line for line in stripped if line)


def _interpreter(bot: Bot, runs: Path, sandbox: Sandbox) -> Interpreter:
    """Ask the `python3` that will run the bot for its version."""
    asked = Program(runs, ["python3", "-I", "-S", "-c", _ASK], bot.info.runtime)
    ran = run_once(sandbox, asked, _ASK_SECONDS)
    with suppress(msgspec.DecodeError):
        return msgspec.json.decode(ran.stdout, type=Interpreter)
    what = f"'{bot.name}' asks for Python packages, and its sandbox has no python3"
    here = sandbox.uses_host_programs
    hint = how_to_get(["python3"], bot.folder) if here else how_to_get_in_image("python3")
    raise ArenaError(what, str(bot.source), hint)


def _keep(folder: Path, kept: Path) -> None:
    """Copy packages into the cache, whole or not at all; it matters little if that fails."""
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with part_of(kept) as copy:
            shutil.copytree(folder, copy)


def _install(wanted: Wanted, python: Interpreter, bot: Bot, folder: Path) -> None:
    """Fetch the wheels and unpack them into a new folder; nothing of them is run."""
    where = str(bot.source / wanted.file)
    # Dependencies are not looked for: what is not listed could be another version tomorrow.
    options = ["--no-deps", *python.options()]
    with TemporaryDirectory(prefix="perudo-arena-wheels-") as scratch:
        pip = Pip(bot.name, where, Path(scratch), options)
        wheels = [*map(str, wanted.wheels), *pip.fetch(wanted.pins)]
        _check_sizes(wheels, bot, where)
        pip.unpack(wheels, folder)
    # Its programs would start the operator's Python.
    remove_tree(folder / "bin")


def _check_sizes(wheels: Sequence[str], bot: Bot, where: str) -> None:
    """Refuse packages that would fill the disk; no file of a wheel is larger than it says."""
    files = []
    for wheel in wheels:
        try:
            with ZipFile(wheel) as packed:
                files += [info.file_size for info in packed.infolist()]
        except (BadZipFile, OSError, ValueError, NotImplementedError) as error:
            what = f"'{Path(wheel).name}' cannot be read: {reason(error)}"
            raise ArenaError(what, where, "download it again") from None
    if sum(files) > MAX_SIZE or len(files) > MAX_FILES:
        what = (
            f"the packages of '{bot.name}' take {sum(files) // MIB} MiB in {len(files):,} files,"
            f" at most {MAX_SIZE // MIB} MiB in {MAX_FILES:,}"
        )
        raise ArenaError(what, where, "leave out what the bot does not need")


class Pip(NamedTuple):
    """The operator's pip, run for one bot: it runs nothing of the wheels that it fetches.

    `fetch` and `unpack` raise ArenaError with the words of pip.
    """

    bot: str
    where: str
    """The file that names the packages, for errors."""
    scratch: Path
    """A folder for its files."""
    options: Sequence[str]
    """The options by which it chooses wheels."""

    def fetch(self, pins: Sequence[str]) -> list[str]:
        """Download the wheels of all pins, or name all that are not found; returns their paths."""
        file, fetched = self.scratch / REQUIREMENTS, self.scratch / "wheels"
        fetched.mkdir()
        left = list(pins)
        errors: list[str] = []
        while left and len(errors) < _NAMED:
            file.write_text("\n".join(left))
            error = self._run("download", f"--dest={fetched}", f"-r{file}")
            if not error:
                break
            errors.append(error)
            # After another error than a missing package, none of the others is tried.
            missing = _NOT_FOUND.search(error)
            others = [pin for pin in left if missing and _PACKAGE.findall(pin)[0] != missing[1]]
            left = others if len(others) < len(left) else []
        if errors:
            raise self._failed(errors)
        return sorted(map(str, fetched.iterdir()))

    def unpack(self, wheels: Sequence[str], folder: Path) -> None:
        """Unpack wheels into a new folder."""
        target = ["--no-index", "--no-compile", f"--target={folder}"]
        if error := self._run("install", *target, *wheels):
            raise self._failed([error])

    def _run(self, command: str, *arguments: str) -> str:
        """Run pip with the index that it is configured to use; returns its error, "" if none."""
        limited = ["prlimit", f"--fsize={MAX_SIZE}", "--", sys.executable, "-m", "pip", command]
        quiet = ["--quiet", "--no-input", "--disable-pip-version-check"]
        ours = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
        try:
            ran = subprocess.run(
                [*limited, *quiet, *self.options, *arguments],
                cwd=self.scratch,
                env=ours,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PIP_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            what = f"pip took longer than {_PIP_SECONDS:g} s for the packages of '{self.bot}'"
            raise ArenaError(what, self.where, "run it again") from None
        if not ran.returncode:
            return ""
        errors = [line for line in ran.stderr.splitlines() if line.startswith(b"ERROR: ")]
        return last_line(errors[-1] if errors else ran.stderr).removeprefix("ERROR: ")

    def _failed(self, errors: Sequence[str]) -> ArenaError:
        said = "; ".join(error[:300] for error in errors)
        what = f"pip cannot install the packages of '{self.bot}': {said}"
        hint = "name versions that have wheels for the Python of the sandbox"
        if "No module named pip" in said:
            hint = f"{sys.executable} -m ensurepip"
        return ArenaError(what, self.where, hint)
