"""Hints for files, imports and packages that a program did not find, from its own words."""

import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import PurePath, PureWindowsPath

from arena.bots.sandboxes.base import PATH

_FAILED = re.compile(
    r"no such file|not found|not exist|not readable|unreadable|missing|ENOENT"
    r"|(?:can(?:no|')?t|could(?: not|n't)|unable to|failed to|error) ?"
    r"(?:open|find|read|load|access|stat|locate|import|include)",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w./~-])/[\w.+@%~-]+(?:/[\w.+@%~-]+)+")
_OF_THE_KERNEL = ("/proc/", "/sys/", "/dev/", "/run/")
_LOOKED_AT = 8192
"""Characters of the end that are searched: bots choose what they write."""
_MOST = 20
_PYTHON = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_PYTHON_FILE = re.compile(r"python3?: can't open file '([^']+)'")
_NODE = re.compile(r"Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find (?:module|package) '([^']+)'")
_NO_FILE = re.compile(r"FileNotFoundError: .*: '([^']+)'|ENOENT: no such file.*, \w+ '([^']+)'")
_HIDDEN = re.compile(
    r"(?:AttributeError: (?:partially initialized )?module '(\w+)'"
    r"|ImportError: cannot import name '\w+' from (?:partially initialized module )?'(\w+)')"
)
_OF_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|[^/]*\\")
_MAIN_CLASS = re.compile(r"Could not find or load main class (\S+)")
_MODULES = {
    r"Can't locate (\S+\.pm) in @INC": "; JSON::PP comes with Perl",
    r"cannot load such file -- (\S+)": "; json comes with Ruby",
    r"module '([^']+)' not found:\n": "",
    r"Failed opening required '([^']+)'": "",
    r"(?:java\.lang\.)?NoClassDefFoundError: (\S+)": ", and its jar into -cp of `command`",
}
"""What Perl, Ruby, Lua, PHP and Java say of a module that they do not find, and what may help."""
_PACKAGES = ("numpy", "scipy", "pandas", "torch", "jax", "numba", "msgspec", "orjson")
"""Packages that bots use: the hint is for them, and for names that are nearly theirs."""
_OTHER_PYTHON = re.compile(r"ModuleNotFoundError: the arena's numpy is for Python [\w.]+, the bot")
_BRING = "pin it in requirements.txt, or bring it in the bot's folder: pip install --target . {0}"
_HOW_TO_BRING = "if the name is right, `arena help languages` says how a bot brings it"
_DEBIAN_PYTHON = "/usr/bin/python3"
_SHOWN = 3
"""Files that a hint names."""


def refused(words: str) -> list[str]:
    """Return the absolute paths in the lines in which a program says that it found no file."""
    lines = words[-_LOOKED_AT:].splitlines()
    return named("\n".join(line for line in lines if _FAILED.search(line)))


def named(words: str) -> list[str]:
    """Return the absolute paths of files that a program names."""
    found = (path.rstrip(".") for path in _PATH.findall(words[-_LOOKED_AT:]))
    return [path for path in dict.fromkeys(found) if not path.startswith(_OF_THE_KERNEL)][:_MOST]


def of_import(stderr: str, files: Sequence[str], *, in_image: bool) -> str:
    """Return how to mend the import that failed, or the file that was not opened; "" if none was.

    `files` are the paths in the bot's folder; with `in_image` the sandbox has an image's programs.
    """
    if missing := _PYTHON.search(stderr):
        return _of_python(missing[1], files, in_image=in_image)
    if _OTHER_PYTHON.search(stderr):
        return _of_other_python()
    if missing := _PYTHON_FILE.search(stderr):
        return _of_program(missing[1], files)
    if missing := _NODE.search(stderr):
        return _of_node(missing[1], files)
    if (hidden := _HIDDEN.search(stderr)) and f"{hidden[1] or hidden[2]}.py" in files:
        return f"{hidden[1] or hidden[2]}.py hides the module of Python: rename it"
    if missing := _NO_FILE.search(stderr):
        return _of_file(missing[1] or missing[2], files)
    return _of_class(stderr, files) or _of_module(stderr)


def hides(files: Sequence[str]) -> str:
    """Return the file beside the program that has the name of a module of Python; "" if none."""
    return next((file for file in files if _hides(file)), "")


def _hides(file: str) -> bool:
    path = PurePath(file)
    return str(path.parent) == "." and path.suffix == ".py" and path.stem in sys.stdlib_module_names


def _of_class(stderr: str, files: Sequence[str]) -> str:
    """Return how to mend `java` that found no main class; "" if it found it."""
    if not (missing := _MAIN_CLASS.search(stderr)):
        return ""
    name = missing[1].replace("/", ".")
    classes = {PurePath(file).stem for file in files if file.endswith(".java")}
    near = [one for one in sorted(classes) if one.lower() == name.rpartition(".")[2].lower()]
    if name in classes:
        return f"-cp of `command` must name the folder into which `build` writes {name}.class"
    what = f"there is no class '{name}'"
    return f"{what}; did you mean '{near[0]}'?" if near else _near(name, classes, what)


def _of_module(stderr: str) -> str:
    """Return the module of another language that was not found; "" if none was looked for."""
    for words, instead in _MODULES.items():
        if missing := re.search(words, stderr):
            name = (
                missing[1].replace("/", "::").removesuffix(".pm") if "@INC" in words else missing[1]
            )
            return f"the sandbox has no module '{name}': put it into the bot's folder{instead}"
    return ""


def _of_python(name: str, files: Sequence[str], *, in_image: bool) -> str:
    *package, module = name.split(".")
    own = [path for path in files if path.endswith(".py")]
    stems = {PurePath(path).stem for path in own}
    folders = {part for path in own for part in PurePath(path).parent.parts}
    if package and package[0] in folders:
        return _near(module, stems, f"'{package[0]}' has no module '{module}'")
    if name in stems | folders:
        there = next(path for path in own if name in PurePath(path).with_suffix("").parts)
        return f"{there} is there, but Python looks beside the program: move it there"
    if get_close_matches(name, stems | folders):
        return _near(name, stems | folders, f"the bot's folder has no module '{name}'")
    return _of_package(name.split(".", maxsplit=1)[0], in_image=in_image)


def _of_other_python() -> str:
    """Return how a bot gets numpy whose Python cannot load the arena's."""
    bring = _BRING.format("numpy")
    if shutil.which("python3", path=PATH) == _DEBIAN_PYTHON:
        return f"sudo apt-get install python3-numpy; or {bring}"
    return bring


def _of_program(name: str, files: Sequence[str]) -> str:
    """Return how to mend a program's file that is not there, by its path in the sandbox."""
    *_, file = PurePath(name).parts
    if file in files:
        return f"the sandbox has no {name}: name it relative to the bot's folder, as {file}"
    ending = PurePath(file).suffix
    others = sorted({PurePath(one).name for one in files if PurePath(one).suffix == ending})
    near = _near(file, others, what := f"there is no file '{file}'")
    if near == what and others:
        return f"{what}; the bot's folder has {', '.join(others[:_SHOWN])}"
    return near


def _of_node(name: str, files: Sequence[str]) -> str:
    if not name.startswith(("./", "../", "/")):
        return f"the sandbox has no module '{name}': put node_modules into the bot's folder"
    module = PurePath(name).name
    if PurePath(name).suffix in {".js", ".mjs", ".cjs"}:
        return _of_program(name, files)
    stems = {PurePath(path).stem for path in files if PurePath(path).suffix in {".js", ".cjs"}}
    return _near(module, stems, f"there is no file '{module}'")


def _of_file(name: str, files: Sequence[str]) -> str:
    if _OF_WINDOWS.match(name):
        file = PureWindowsPath(name).name
        there = next((one for one in files if PurePath(one).name == file), f"data/{file}")
        return (
            f"'{name}' is a path of Windows: put the file into the bot's folder, where it starts,"
            f" and name it {there}"
        )
    if name.startswith("/") and not name.startswith("/bot/"):
        return f"the sandbox has no {name}: put the file into the bot's folder, where it starts"
    return _near(PurePath(name).name, set(files), f"the bot's folder has no file '{name}'")


def _near(name: str, names: Iterable[str], what: str) -> str:
    near = get_close_matches(name, sorted(set(names) - {name}), 1)
    return f"{what}; did you mean '{near[0]}'?" if near else what


def _of_package(name: str, *, in_image: bool) -> str:
    bring = _BRING.format(name)
    if name == "numpy" and in_image:
        return f"the image lacks it: arena images build python (it has numpy); or {bring}"
    if name == "numpy":
        return f"Python looks for numpy in PYTHONPATH: start it without -I and -E; or {bring}"
    what = f"the sandbox has no package '{name}'"
    if name in _PACKAGES:
        return f"{what}: {bring}"
    for known in (_PACKAGES, sys.stdlib_module_names):
        if (near := _near(name, known, what)) != what:
            return near
    return f"{what}; {_HOW_TO_BRING}"
