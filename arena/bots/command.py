"""The commands of bot.yaml: which need a shell, which name no program, and how to mend them."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import Literal

from arena.bots.runtimes import how_to_compile, how_to_install, interpreter_of, runtime_of
from arena.bots.sandboxes.base import PATH, command_exists
from arena.io.errors import ArenaError, ShortageError
from arena.io.files import HOW_TO_RUN, is_noexec

_OPERATORS = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "<", "2>", "2>&1", "2>/dev/null"})
_BUILTINS = frozenset(
    {"cd", "source", ".", "export", "set", "unset", "alias", "eval", "ulimit", "if", "for", "while"}
)
_MAKE = "make"
"""The one program that bots call though no runtime has it; its package has the same name."""
_CARGO_TARGET = "target/release/"
CARGO_BUILD = "cargo build --release --offline"
_CORRECT = "install it, or correct the command in bot.yaml"
_TYPOGRAPHIC = "\u201c\u201d\u2018\u2019\u00ab\u00bb"
_ENVIRONMENT = re.compile(r"(?:^|/)\.?v?env/bin/")
_BOM = "\ufeff"
_MACHINE_CODE = b"\x7fELF"
"""The first bytes of a compiled program or library."""
_HEADER, _ORDER, _BIG = 20, 5, 2
"""Of an ELF file: the bytes up to the number of its processor, which byte says the order of bytes,
and its value for big-endian (System V ABI, chapter 4)."""
_MACHINES = {3: "x86", 40: "ARM", 62: "x86-64", 183: "ARM64", 243: "RISC-V"}
"""Processors by their numbers in ELF files."""
_SYSTEMS = {b"MZ": "Windows", b"\xcf\xfa\xed\xfe": "macOS", b"\xca\xfe\xba\xbe": "macOS or a JVM"}
"""What programs of other systems begin with."""
_FIRST_LINE = 256
"""Bytes that the kernel reads of a script's first line."""


def words(value: str | Sequence[str], path: Path, key: str) -> tuple[str, ...]:
    """Return the words of a command in bot.yaml; raises ArenaError if it cannot be run."""
    try:
        command = tuple(shlex.split(value) if isinstance(value, str) else value)
    except ValueError as error:
        raise ArenaError(f"{key} cannot be read: {error}", str(path)) from None
    if not command:
        raise ArenaError(f"{key} is empty", str(path), f"for example `{key}: python3 bot.py`")
    if any("\0" in word for word in command):
        raise ArenaError(f"{key} holds a NUL character", str(path))
    if isinstance(value, str) and (word := _word_of_a_shell(command)):
        what = f"'{word}' in {key} needs a shell, but commands run without one"
        raise ArenaError(what, str(path), f"{key}: sh -c {shlex.quote(value)}")
    return command


def missing_program(command: Sequence[str], folder: Path) -> str:
    """Return the program of a command if neither this machine nor the folder has it, else ""."""
    return "" if command_exists(command, folder) else command[0]


def how_to_get(command: Sequence[str], folder: Path) -> str:
    """Return how to fix a command whose program is missing."""
    program = command[0]
    if program == _MAKE:
        return f"sudo apt-get install {_MAKE}"
    if hint := _never_there(program) or how_to_install(program):
        return hint
    if "/" not in program and (folder / program).is_file():
        return f"it lies in the bot's folder: {_started(program)} in bot.yaml"
    beside = (folder / program).parent if "/" in program else None
    if beside and (build := how_to_compile(Path(program).name, _names([beside]))):
        return f"have it made: `build: {build}` in bot.yaml"
    if _CARGO_TARGET in program and (folder / "Cargo.toml").is_file():
        return f"have it made: `build: {CARGO_BUILD}` in bot.yaml"
    names = _names([beside] if beside else map(Path, PATH.split(os.pathsep)))
    if near := get_close_matches(Path(program).name, names, n=1, cutoff=0.75):
        named = str(Path(program).parent / near[0]) if beside else near[0]
        return f"did you mean '{'./' if program.startswith('./') else ''}{named}'?"
    return _CORRECT


def _never_there(program: str) -> str:
    """Return what is wrong with the name of a program that no machine has; "" if nothing is."""
    if program[:1] in _TYPOGRAPHIC:
        return "its quotes are typographic: write ' or \""
    if _ENVIRONMENT.search(program):
        return "no virtual environment is brought along: name python3, packages in requirements.txt"
    if program.startswith("~"):
        return "no shell reads ~: name it relative to the bot's folder, as in ./bot"
    return ""


def how_to_get_in_image(program: str) -> str:
    """Return how to fix a bot whose image lacks a program."""
    if runtime := runtime_of(program):
        return f"`runtime: {runtime}` in bot.yaml"
    return "put it into the bot's folder, or name an image that has it (arena help languages)"


def check_runnable(name: str, command: Sequence[str], folder: Path) -> None:
    """Raise ArenaError if a command's program in the bot's folder cannot be run as it is."""
    program = folder / command[0]
    if "/" not in command[0] or not program.is_relative_to(folder):
        return
    where = command[0]
    what = hint = ""
    if not program.is_file():
        what, hint = "is not there", "make it in `build`, or correct the command in bot.yaml"
    elif not program.stat().st_mode & 0o111:
        what, hint = "is not executable", f"chmod +x {where}, or {_started(where)} in bot.yaml"
    elif other := other_machine(program):
        what = f"is for {other}, and this machine is {_machine(Path(sys.executable))}"
        hint = "have `build` make it here, or build it for this machine"
    else:
        what, hint = _flaw_of_script(_first_line(program), where)
    if what:
        raise ArenaError(f"'{name}' cannot be started: {where} {what}", str(folder), hint)


def _flaw_of_script(first: bytes, where: str) -> tuple[str, str]:
    """Return why the first line of a program names no interpreter, and what to do; else nothing."""
    if first.startswith(f"{_BOM}#!".encode()):
        what = "begins with a byte order mark, so its interpreter is not found"
        return what, f"save it as UTF-8 without one, or {_started(where)} in bot.yaml"
    if first.startswith(b"#!") and first.endswith(b"\r"):
        what = "has a first line that ends with CRLF, so its interpreter is not found"
        return what, f"sed -i 's/\\r$//' {where}"
    if first.isascii() and b"\0" not in first and not first.startswith(b"#!"):
        what = "is a text whose first line names no interpreter"
        return what, f"begin it with `#!/bin/sh` or the like, or {_started(where)} in bot.yaml"
    return "", ""


def other_machine(program: Path) -> str:
    """Return the machine that a compiled program is for, "" if it is for this one or a script."""
    made_for, here = _machine(program), _machine(Path(sys.executable))
    return "" if made_for in {"", here} or {made_for, here} == {"x86", "x86-64"} else made_for


def _machine(program: Path) -> str:
    """Return the machine in a program's header, "" if it has none."""
    with program.open("rb") as file:
        header = file.read(_HEADER)
    if header.startswith(_MACHINE_CODE) and len(header) == _HEADER:
        order: Literal["little", "big"] = "big" if header[_ORDER] == _BIG else "little"
        number = int.from_bytes(header[_HEADER - 2 :], order)
        return _MACHINES.get(number, f"another processor (number {number})")
    return next((name for magic, name in _SYSTEMS.items() if header.startswith(magic)), "")


def check_mounted(name: str, command: Sequence[str]) -> None:
    """Raise ShortageError if a program of this machine lies in a folder mounted noexec."""
    program = command[0]
    folders = [""] if "/" in program else PATH.split(os.pathsep)
    if shutil.which(program, path=PATH) is not None:
        return
    for place in (Path(folder, program) for folder in folders):
        if place.is_absolute() and place.is_file() and is_noexec(place):
            raise _noexec(name, str(place), place.parent, "mount it without noexec")


def check_own_programs(
    name: str, commands: Iterable[Sequence[str]], folder: Path, where: Path
) -> None:
    """Raise ShortageError if a bot needs programs of its `folder`, and `where` is mounted noexec.

    Its programs are those that its commands start, and machine code that its scripts may load.
    """
    if not is_noexec(where):
        return
    own = (command[0] for command in commands if "/" in command[0])
    named = next((program for program in own if (folder / program).is_relative_to(folder)), "")
    program = named or next((path.name for path in folder.rglob("*") if _is_machine_code(path)), "")
    if program:
        raise _noexec(name, program, where, HOW_TO_RUN)


def _noexec(name: str, program: str, where: Path, hint: str) -> ShortageError:
    what = f"'{name}' cannot be started: {program} lies in a folder that is mounted noexec"
    return ShortageError(what, str(where), hint)


def _is_machine_code(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MACHINE_CODE)) == _MACHINE_CODE


def interpreter_named(command: Sequence[str], folder: Path) -> str:
    """Return the program that the first line of a script in the bot's folder names, else ""."""
    program = folder / command[0]
    if "/" not in command[0] or not program.is_file():
        return ""
    first = _first_line(program).decode("utf-8", "replace")
    if not first.startswith("#!"):
        return ""
    interpreter, *arguments = first.removeprefix("#!").split() or [""]
    if PurePath(interpreter).name != "env":
        return interpreter
    return next((word for word in arguments if word[0] != "-" and "=" not in word), interpreter)


def _first_line(program: Path) -> bytes:
    with program.open("rb") as file:
        return file.read(_FIRST_LINE).partition(b"\n")[0]


def _word_of_a_shell(command: Sequence[str]) -> str:
    """Return the first word that only a shell understands, else ""."""
    variable, assigned, _ = command[0].partition("=")
    if command[0] in _BUILTINS or (assigned and variable.isidentifier()):
        return command[0]
    return next((word for word in command if word in _OPERATORS or word.endswith(";")), "")


def _started(program: str) -> str:
    """Return the line of bot.yaml that starts a file of the bot's folder."""
    inner = program.removeprefix("./")
    interpreter = interpreter_of(Path(program).suffix)
    return f"`command: {interpreter} {inner}`" if interpreter else f"`command: ./{inner}`"


def _names(folders: Iterable[Path]) -> list[str]:
    return sorted({path.name for folder in folders if folder.is_dir() for path in folder.iterdir()})
