"""The house rules that no linter knows: names of tests, what each folder is for."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from arena.bots.sandboxes.registry import SANDBOXES

ROOT = Path(__file__).parents[1]
ARENA = ROOT / "arena"
VAGUE = ("what", "who", "where", "nothing", "nobody")
"""Words with which the name of a test does not begin: it names the behaviour."""


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def modules(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


STATEMENT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+(\w+))", re.MULTILINE
)
"""An import, or a line of a text that looks like one; the house style has one package in each."""


def imports(path: Path) -> set[str]:
    """Return the packages that a module imports, without what is below them.

    They are found in its lines: to parse hundreds of modules takes many seconds.
    """
    found = STATEMENT.findall(path.read_bytes())
    return {(one or other).decode() for one, other in found}


def test_every_folder_says_what_it_is_for() -> None:
    folders = {path.parent for path in modules(ARENA)}
    files = [folder / "__init__.py" for folder in sorted(folders)]
    silent = [file for file in files if not (file.exists() and ast.get_docstring(parsed(file)))]
    assert silent == []


def test_one_module_imports_the_reference_implementation_of_trueskill() -> None:
    assert len([path for path in modules(ARENA) if "trueskill" in imports(path)]) <= 1


SANDBOX_MODULE = re.compile(rf"arena\.bots\.sandboxes\.(?:{'|'.join(SANDBOXES)})\b")


def asks_for_a_sandbox(node: ast.AST) -> bool:
    """Return whether code names a sandbox: imports its module, or compares something with it."""
    if isinstance(node, ast.ImportFrom):
        return bool(SANDBOX_MODULE.match(node.module or ""))
    return isinstance(node, ast.Compare) and any(
        isinstance(part, ast.Constant) and part.value in SANDBOXES for part in ast.walk(node)
    )


def names_a_sandbox(path: Path) -> bool:
    """Return whether the name of a sandbox stands somewhere in a module, as only few have one."""
    text = path.read_text(encoding="utf-8")
    return bool(SANDBOX_MODULE.search(text)) or any(f'"{name}"' in text for name in SANDBOXES)


def test_no_code_asks_for_a_sandbox_by_its_name() -> None:
    """Otherwise a further sandbox would be left out there, and nothing would tell."""
    asking = {
        str(path.relative_to(ARENA))
        for path in modules(ARENA)
        if not path.is_relative_to(ARENA / "bots/sandboxes") and names_a_sandbox(path)
        for node in ast.walk(parsed(path))
        if asks_for_a_sandbox(node)
    }
    assert asking == {"cli/images.py"}  # `arena images` builds those of docker


def test_tests_are_named_for_the_behaviour() -> None:
    vague = re.compile(rf"^ *def (test_(?:{'|'.join(VAGUE)})(?:_.*)?)\(", re.MULTILINE)
    files = [path.read_text(encoding="utf-8") for path in modules(ROOT / "tests")]
    assert [name for text in files for name in vague.findall(text)] == []


IMPORT = re.compile(r"^ *from (arena[\w.]*) import ([\w, ]+)$", re.MULTILINE)


def imports_in_strings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what the programs in a module's strings import of the arena: modules and names."""
    for text in re.findall(r'"""(.*?)"""', path.read_text(encoding="utf-8"), re.DOTALL):
        for module, names in IMPORT.findall(text):
            yield from ((module, name) for name in names.split(", "))


def exists(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name) or bool(find_spec(f"{module}.{name}"))
    except ModuleNotFoundError:
        return False


def test_programs_in_strings_import_what_there_is() -> None:
    """No tool that renames or checks imports looks into them."""
    lost = [
        f"{path.relative_to(ROOT)}: from {module} import {name}"
        for path in (*modules(ARENA), *modules(ROOT / "tests"))
        for module, name in imports_in_strings(path)
        if not exists(module, name)
    ]
    assert lost == []


def test_files_that_contributors_are_sent_to_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = re.findall(
        r"(?:^|`)((?:arena|docs|protocol|reports|tests)/[\w/.]+)", text, re.MULTILINE
    )
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_targets_that_contributors_are_told_to_make_exist() -> None:
    targets = re.findall(
        r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    told = re.findall(r"`make ([a-z]+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert {*told} <= {*targets}
