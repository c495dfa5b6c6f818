"""The files around the code: what is declared is what is used, and what is named exists."""

import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import distributions, packages_distributions
from itertools import chain
from pathlib import Path
from sys import stdlib_module_names
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet

from tests.test_structure import ARENA, ROOT, imports, modules

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))
BY_HAND = {"open-spiel"}
"""Imported if it is there, and in no extra: it has no wheels for some machines."""


@cache
def project() -> dict[str, Any]:
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, Any] = whole["project"]
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(*left_out: str) -> set[str]:
    """Return the packages of the project and its extras, but for some of these."""
    extras = project()["optional-dependencies"]
    lists = [packages for extra, packages in extras.items() if extra not in left_out]
    return {
        normal(re.split(r"[>=;\s]", one)[0]) for one in chain(*lists, project()["dependencies"])
    }


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_packages_that_the_arena_imports_are_declared() -> None:
    imported = set[str]().union(*map(imports, modules(ARENA))) - stdlib_module_names
    known = packages_distributions()
    used = {normal(known[name][0]) for name in imported - {"arena"} if name in known}
    assert used - declared("test") == BY_HAND


def test_exact_versions_are_given_for_all_that_is_declared() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {normal(line.partition("==")[0]) for line in lines if "==" in line}
    assert declared() - pinned == set()


def test_exact_versions_are_for_the_python_of_debian_12_too() -> None:
    needs = {
        one.name: SpecifierSet(",".join(one.metadata.get_all("Requires-Python") or ()))
        for one in distributions()
    }
    assert "click" in needs
    assert [name for name, pythons in needs.items() if "3.11.2" not in pythons] == []


def test_version_stands_in_one_place() -> None:
    assert "version" in project()["dynamic"]
    assert "version" not in project()


def jobs(path: Path) -> list[dict[str, Any]]:
    return [*load(path)["jobs"].values()]


def steps(path: Path, key: str) -> list[str]:
    return [step[key] for job in jobs(path) for step in job["steps"] if key in step]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_has_no_more_rights_than_it_needs(path: Path) -> None:
    assert load(path)["permissions"] == {"contents": "read"}
    for job in jobs(path):
        assert job["timeout-minutes"] <= 180
        # Whoever may publish runs nothing of the repository: only actions.
        if "permissions" in job:
            assert job["environment"]
            assert not [step for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_named_by_their_commit_and_its_version(path: Path) -> None:
    lines = re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
    assert len(lines) == len(steps(path, "uses"))
    pinned = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert [line for line in lines if not pinned.fullmatch(line)] == []


def test_same_action_has_the_same_commit_everywhere() -> None:
    used = {action for path in WORKFLOWS for action in steps(path, "uses")}
    assert len({action.partition("@")[0] for action in used}) == len(used)


@pytest.mark.parametrize(
    "line", sorted({line for path in WORKFLOWS for line in steps(path, "run")})
)
def test_line_of_a_workflow_can_be_run(line: str) -> None:
    """What it would make is shown; what it would install has an exact version."""
    matrix = {"${{ matrix.versions }}": "floors"}
    for name, value in matrix.items():
        line = line.replace(name, value)
    if "make " in line:
        line += " --dry-run"
    elif "pip install" in line:
        assert re.fullmatch(r"python -m pip install [\w-]+==[\d.]+", line)
        return
    elif "python -m" in line:
        line = f"command -v python # {line}"
    elif ".ci/run" in line:
        line = f"test -x {line}"
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    env |= {"GITHUB_REF_TYPE": "branch", "GITHUB_REF_NAME": "main"}
    ran = subprocess.run(
        ["sh", "-ec", line], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def test_citation_names_what_the_project_says_of_itself() -> None:
    citation = load(ROOT / "CITATION.cff")
    assert citation["abstract"] == project()["description"]
    assert citation["license"] == project()["license"]
    assert citation["repository-code"] == project()["urls"]["Source"]
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in project()["authors"]
    ]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_issue_form_asks_for_something(path: Path) -> None:
    form = load(path)
    assert form["name"]
    assert form["description"]
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert any(field.get("validations", {}).get("required") for field in fields)
    ids = [field["id"] for field in fields]
    assert len(set(ids)) == len(ids)
    assert all(field["attributes"]["label"] for field in fields)


def test_hooks_before_a_commit_are_those_of_make_check() -> None:
    [local] = load(ROOT / ".pre-commit-config.yaml")["repos"]
    programs = {hook["entry"].split()[0] for hook in local["hooks"]}
    lint = (ROOT / "Makefile").read_text(encoding="utf-8").partition("define LINT\n")[2]
    used = set(re.findall(r"\$\(BIN\)/([\w-]+)", lint.partition("endef")[0]))
    assert {Path(program).name for program in programs} <= used
    assert all(program.startswith(".venv/bin/") for program in programs)


def test_versions_of_python_that_are_not_here_are_named() -> None:
    ran = subprocess.run(
        [ROOT / ".ci/pythons"],
        env={"PATH": os.environ["PATH"], "PYTHONS": "no-such-python nor-this"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stdout == "not found, not tested: no-such-python nor-this\n"
    assert ran.stderr.startswith("error: no Python was found / PYTHONS / ")


def test_system_that_no_root_is_made_of_is_refused() -> None:
    ran = subprocess.run(
        [sys.executable, ROOT / ".ci/roots.py", "trixie", "no-such-system"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: no such system / no-such-system / one of bookworm, ")
