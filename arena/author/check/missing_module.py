"""How to mend an import that failed: a file of the bot's folder, or a package of others."""

import re
import shutil
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import PurePath

from arena.bots.sandboxes.base import PATH

_PYTHON = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_PYTHON_FILE = re.compile(r"python3?: can't open file '([^']+)'")
_NODE = re.compile(r"Error: Cannot find module '([^']+)'")
_BRING = "pin it in requirements.txt, or bring it in the bot's folder: pip install --target . {0}"
_DEBIAN_PYTHON = "/usr/bin/python3"


def of_import(stderr: str, files: Sequence[str], *, in_image: bool) -> str:
    """Return how to mend the import that failed, "" if none did.

    `files` are the paths in the bot's folder; with `in_image` the sandbox has an image's programs.
    """
    if missing := _PYTHON.search(stderr):
        return _of_python(missing[1], files, in_image=in_image)
    if missing := _PYTHON_FILE.search(stderr):
        name = PurePath(missing[1]).name
        return _near(name, {PurePath(path).name for path in files}, f"there is no file '{name}'")
    if missing := _NODE.search(stderr):
        return _of_node(missing[1], files)
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


def _of_node(name: str, files: Sequence[str]) -> str:
    if not name.startswith(("./", "../", "/")):
        return f"the sandbox has no module '{name}': put node_modules into the bot's folder"
    module = PurePath(name).name
    return _near(module, {PurePath(path).stem for path in files}, f"there is no file '{module}'")


def _near(name: str, names: set[str], what: str) -> str:
    near = get_close_matches(name, sorted(names - {name}), 1)
    return f"{what}; did you mean '{near[0]}'?" if near else what


def _of_package(name: str, *, in_image: bool) -> str:
    bring = _BRING.format(name)
    if name == "numpy" and in_image:
        return f"the image lacks it: arena images build python (it has numpy); or {bring}"
    if name == "numpy" and shutil.which("python3", path=PATH) == _DEBIAN_PYTHON:
        return f"sudo apt-get install python3-numpy; or {bring}"
    return f"the sandbox has no package '{name}'; if its name is right, {bring}"
