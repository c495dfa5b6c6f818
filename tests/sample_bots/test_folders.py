"""Each folder is what an author would submit: a manifest and a standalone program."""

import ast
import re
import sys
from pathlib import Path

import pytest
import yaml

from tests.sample_bots.players import BOTS, bot_folders

FOLDERS = bot_folders()
REQUIRED = {"name", "author", "version", "command", "runtime", "tags"}


def manifest(folder: Path) -> dict[str, str | list[str]]:
    found = yaml.safe_load((folder / "bot.yaml").read_text())
    assert isinstance(found, dict)
    return found


def test_there_are_ten_sample_bots() -> None:
    assert [folder.name for folder in FOLDERS] == [
        "bluffer",
        "c-counter",
        "champion",
        "equilibrium",
        "honest",
        "js-cautious",
        "memory",
        "odds",
        "random",
        "sh-minimal",
    ]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_manifest_is_complete(folder: Path) -> None:
    found = manifest(folder)
    assert REQUIRED <= set(found) <= REQUIRED | {"build"}
    assert all(found.values())
    assert found["name"] == folder.name
    assert found["author"] == "Perudo Arena"
    assert found["runtime"] in {"python", "node", "c", "any"}
    assert (folder / "bot.yaml").read_text().startswith("# Teaches ")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_readme_names_the_bot(folder: Path) -> None:
    assert f"| [`{folder.name}`]({folder.name}) |" in (BOTS / "README.md").read_text()


@pytest.mark.parametrize("path", sorted(BOTS.glob("*/*.py")), ids=lambda path: path.parent.name)
def test_python_bots_need_the_standard_library_of_python_3_9_only(path: Path) -> None:
    """And `champion` numpy, as it says."""
    beside = {other.stem for other in path.parent.glob("*.py")}
    more = {"numpy"} if path.parent.name == "champion" else set()
    tree = ast.parse(path.read_text(), feature_version=(3, 9))
    assert ast.get_docstring(tree), "a bot begins with its idea"
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [node.module or ""]
        for name in names:
            assert name.split(".")[0] in sys.stdlib_module_names | beside | more


@pytest.mark.parametrize("path", sorted(BOTS.glob("*/*.c")), ids=lambda path: path.parent.name)
def test_c_bots_include_the_standard_headers_only(path: Path) -> None:
    included = re.findall(r"^#include (.+)$", path.read_text(), re.MULTILINE)
    standard = {"math", "stdbool", "stdio", "stdlib", "string"}
    assert set(included) <= {f"<{name}.h>" for name in standard}


@pytest.mark.parametrize("path", sorted(BOTS.glob("*/*.js")), ids=lambda path: path.parent.name)
def test_javascript_bots_require_built_in_modules_only(path: Path) -> None:
    text = path.read_text()
    assert all(name.startswith("node:") for name in re.findall(r'require\("(.+?)"\)', text))
    assert "import " not in text


def test_build_products_are_ignored_by_git(folders: dict[str, Path]) -> None:
    built = [folder for folder in FOLDERS if "build" in manifest(folder)]
    assert built
    for folder in built:
        made = {p.name for p in folders[folder.name].iterdir()} - {
            "bot.c",
            "bot.yaml",
            ".gitignore",
        }
        ignored = (folder / ".gitignore").read_text().split()
        assert made
        assert {f"/{name}" for name in made} <= set(ignored)
