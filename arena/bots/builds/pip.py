"""The operator's pip: it fetches and unpacks the wheels of a bot, and runs nothing of them."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from arena.bots.sandboxes.base import MIB
from arena.bots.sandboxes.run_once import last_line
from arena.io.errors import ArenaError, first_of

MAX_SIZE = 512 * MIB
"""Bytes of all files of a bot's packages, and of any file that pip writes."""
_SECONDS = 900.0
_NOT_OURS = ("PIP_CONSTRAINT", "PIP_REQUIREMENT", "PIP_TARGET", "PIP_PREFIX", "PIP_USER")
"""Settings of the operator's pip that are about other packages; those of its index hold."""
_NAME = re.compile(r"[\w.-]+")
_NOT_FOUND = re.compile(r"No matching distribution found for ([\w.-]+)")
_NAMED = 8
"""Lines of requirements.txt that one message names."""


class Pip(NamedTuple):
    """pip as it is run for one bot; `fetch` and `unpack` raise ArenaError with what it says."""

    bot: str
    where: str
    """The file that names the packages, for errors."""
    scratch: Path
    """A folder for its files."""
    options: Sequence[str]
    """The options by which it chooses wheels."""

    def fetch(self, pins: Sequence[str]) -> list[str]:
        """Download the wheels of all pins, or name all that are not found; returns their paths."""
        file, fetched = self.scratch / "requirements.txt", self.scratch / "wheels"
        fetched.mkdir()
        left, errors = list(pins), list[str]()
        while left and len(errors) < _NAMED:
            file.write_text("\n".join(left))
            error = self._run("download", f"--dest={fetched}", f"-r{file}")
            if not error:
                break
            errors.append(error)
            left = _after(error, left)
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
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            what = f"pip took longer than {_SECONDS:g} s for the packages of '{self.bot}'"
            raise ArenaError(what, self.where, "run it again") from None
        return _error(ran.stderr) if ran.returncode else ""

    def _failed(self, errors: Sequence[str]) -> ArenaError:
        said = "; ".join(error[:300] for error in errors)
        what = f"pip cannot install the packages of '{self.bot}': {said}"
        hint = "name versions that have wheels for the Python of the sandbox"
        if "No module named pip" in said:
            hint = f"{sys.executable} -m ensurepip"
        return ArenaError(what, self.where, hint)


def listed(lines: Sequence[str]) -> str:
    """Return lines of requirements.txt as one text; of many, the first ones."""
    return ", ".join(first_of(lines, _NAMED))


def _after(error: str, pins: Sequence[str]) -> list[str]:
    """Return the pins without that of which pip found nothing; none after another error."""
    missing = _NOT_FOUND.search(error)
    left = [pin for pin in pins if missing and _NAME.findall(pin)[0] != missing[1]]
    return left if len(left) < len(pins) else []


def _error(output: bytes) -> str:
    errors = [line for line in output.splitlines() if line.startswith(b"ERROR: ")]
    return last_line(errors[-1] if errors else output).removeprefix("ERROR: ")
