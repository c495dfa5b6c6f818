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


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_runs_what_ci_runs_with_no_more_rights_than_it_needs(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 180
        actions = [step["uses"] for step in job["steps"] if "uses" in step]
        assert [one for one in actions if not re.search(r"@v\d+\.\d+\.\d+$", one)] == []
        assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]


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
