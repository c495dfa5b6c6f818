"""What people give for a bot who come from elsewhere, and what to write or type for it here."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.bots.command import CARGO_BUILD
from arena.bots.runtimes import how_to_compile, interpreter_of, language_of

_ADDRESS = re.compile(r"(?P<scheme>[a-z][\w+.-]*):/|git@")
_STARTERS = ("run.sh", "start.sh")
"""Scripts that say how a program starts, whatever else lies beside them."""
_MAINS = ("bot", "mybot", "main", "agent", "submission", "player", "solution", "index", "app")
"""What the file that starts a bot is called elsewhere, without its ending and capital letters."""
_INTERPRETED = {
    ".awk": "gawk -f",
    ".erl": "escript",
    ".exs": "elixir",
    ".lisp": "sbcl --script",
    ".lua": "lua5.4",
    ".ml": "ocaml str.cma",
    ".php": "php",
    ".pl": "perl",
    ".r": "Rscript",
    ".rb": "ruby",
    ".rkt": "racket",
    ".scm": "guile --no-auto-compile -s",
    ".sml": "poly --script",
    ".tcl": "tclsh",
}
"""How files of languages without a kit are run."""
_COMPILED = (".c", ".rs", ".go", ".cpp", ".cc", ".java")
_CMD = re.compile(r"^(?:CMD|ENTRYPOINT)\s+(.+)$", re.MULTILINE)
_MOST = 64 * 1024
"""Characters that are read of a file which says how a program starts."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,39}")
_PROTOCOL = "`arena help protocol` says what it reads and writes"


class Start(NamedTuple):
    """How a program is probably built and started."""

    command: str
    build: str = ""


def address_hint(pattern: str) -> str:
    """Return what to do instead of giving an address for a bot; "" if a text is none."""
    found = _ADDRESS.match(pattern)
    if not found and not pattern.endswith(".git"):
        return ""
    if not found or pattern.endswith(".git") or not found["scheme"]:
        return "a bot is a folder on this machine: git clone it, and name the folder"
    if found["scheme"].startswith("http"):
        return "a folder with ten lines plays a bot that answers over HTTP: arena help languages"
    return "a folder with two lines plays a bot in a container: arena help languages"


def folder_hint(folder: Path) -> str:
    """Return how to write a bot.yaml for what lies in a folder; "" if nothing there says how."""
    start = _start_of(folder)
    if not start:
        return ""
    name = folder.resolve().name
    return f"{_written(folder, name if _NAME.fullmatch(name) else 'my-bot', start)}; {_PROTOCOL}"


def file_hint(file: Path) -> str:
    """Return how to make a bot's folder of a program in one file; "" if it cannot be guessed."""
    start = _of_file(file.name, [file.name])
    if not start:
        return ""
    name = file.stem if _NAME.fullmatch(file.stem) else "my-bot"
    folder = file.with_name(name)
    if folder.exists():
        folder = file.with_name(name := f"my-{name}")
    into = shlex.quote(str(folder))
    moved = f"mkdir {into} && mv {shlex.quote(str(file))} {into}"
    return f"{moved} && {_written(folder, name, start)}; {_PROTOCOL}"


def _written(folder: Path, name: str, start: Start) -> str:
    """Return the command that writes a bot.yaml."""
    runtime = language_of("any", shlex.split(start.build or start.command)[0])
    lines = [f"name: {name}", f"command: {start.command}"]
    lines += [f"build: {start.build}"] * bool(start.build)
    lines += [f"runtime: {runtime}"] * (runtime != "any")
    return f"printf '%s\\n' {shlex.join(lines)} > {shlex.quote(str(folder / 'bot.yaml'))}"


def _start_of(folder: Path) -> Start | None:
    """Return how what lies in a folder is started, as others' habits say it."""
    found = (path for path in folder.iterdir() if path.is_file() and not path.is_symlink())
    files = sorted(path.name for path in found)
    readers = {"Cargo.toml": _of_cargo, "package.json": _of_node, "Dockerfile": _of_docker}
    for name in _STARTERS:
        if name in files:
            return Start(f"sh {name}")
    for name, read in readers.items():
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            if name in files and (start := read(_text(folder / name))):
                return start
    programs = [name for name in files if _of_file(name, files)]
    mains = sorted(programs, key=_rank)
    if mains and (len(programs) == 1 or _rank(mains[0]) < len(_MAINS)):
        return _of_file(mains[0], files)
    return None


def _text(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.read(_MOST)


def _rank(name: str) -> int:
    stem = Path(name).stem.lower()
    return _MAINS.index(stem) if stem in _MAINS else len(_MAINS)


def _of_cargo(text: str) -> Start | None:
    name = tomllib.loads(text)["package"]["name"]
    return Start(f"target/release/{name}", CARGO_BUILD)


def _of_node(text: str) -> Start | None:
    package = json.loads(text)
    start = package.get("scripts", {}).get("start", "")
    return Start(start if start.startswith("node ") else f"node {package.get('main', 'index.js')}")


def _of_docker(text: str) -> Start | None:
    """Return the last command of a Dockerfile, as a list or as a line."""
    [*_, said] = _CMD.findall(text) or [""]
    command = shlex.join(json.loads(said)) if said.startswith("[") else said.strip()
    return Start(command.replace("python ", "python3 ", 1)) if command else None


def _of_file(name: str, beside: Iterable[str]) -> Start | None:
    """Return how one file is run, or compiled with those beside it and run."""
    ending, stem = Path(name).suffix.lower(), Path(name).stem
    if name in {"test", "setup.py", "conftest.py"} or stem.startswith("test"):
        return None
    if how := _INTERPRETED.get(ending) or interpreter_of(ending):
        return Start(f"{how} {shlex.quote(name)}")
    if ending not in _COMPILED:
        return None
    sources = [other for other in beside if Path(other).suffix == Path(name).suffix]
    if ending == ".java":
        return Start(f"java -cp classes {stem}", f"javac -d classes {shlex.join(sources)}")
    if ending in {".cpp", ".cc"}:
        return Start("./bot", f"g++ -O2 -o bot {shlex.join(sources)}")
    return Start("./bot", how_to_compile("bot", sources))
