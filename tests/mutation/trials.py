"""Try every mutant of one module, in a copy of the checkout: `python -m tests.mutation.trials M`.

Cosmic Ray makes the mutants. Each is tried in a fork of this process, in which pytest is loaded
already and the game is not. Prints a JSON list per mutant: its function, its line before and after,
and whether a test noticed it.
"""

import ast
import json
import os
import resource
import shutil
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import msgspec  # noqa: F401 - loaded before the forks, for all of them
import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

SECONDS = 20
"""CPU time after which a mutant counts as endless; the tests take a quarter of it."""
MEMORY = 4 * 2**30
"""Bytes of memory after which a mutant counts as endless."""
UNIONS = "core/ReplaceBinaryOperator_BitOr_"
"""Mutants of `|`, which only joins types in the game: they change annotations, or do not load."""

# Random tests and those that start programs take long and notice nothing more.
QUIET = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider"]
ALL = [
    "tests/game/rules",
    "tests/rules",
    "--ignore=tests/game/rules/test_properties.py",
    "--ignore=tests/rules/test_examples.py",
    "--ignore=tests/rules/test_stories.py",
]


def main(name: str) -> int:
    """Try a module's mutants; return 1 if the tests fail without any."""
    # Without the plugins a run takes half the time.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    module = Path(name)
    own = Path("tests/game/rules", f"test_{module.stem}.py")
    nearest = [str(own)] if own.exists() else []
    sys.dont_write_bytecode = False
    if noticed(nearest):
        print("the tests fail without any mutant", file=sys.stderr)
        return 1
    # Python would take a mutant for another one of the same age and size.
    shutil.rmtree(module.parent / "__pycache__")
    sys.dont_write_bytecode = True
    source = module.read_text(encoding="utf-8")
    for mutated in mutants(source):
        module.write_text(mutated, encoding="utf-8")
        print(json.dumps([*what_changed(source, mutated), noticed(nearest)]), flush=True)
    module.write_text(source, encoding="utf-8")
    return 0


def mutants(source: str) -> Iterator[str]:
    """Yield every mutant of a module's source but those of unions."""
    nodes = list(ast_nodes(get_ast(source)))
    for name in operator_names():
        kind = get_operator(name)
        if name.startswith(UNIONS) or kind.arguments():
            continue
        places = sum(1 for node in nodes for _ in kind().mutation_positions(node))
        for place in range(places):
            yield mutate_code(source, kind(), place)


def noticed(nearest: list[str]) -> bool:
    """Return whether a test fails, in a fork: first those of the module alone, then all."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os._exit(int((nearest and pytest.main([*QUIET, *nearest])) or pytest.main([*QUIET, *ALL])))
    _, status = os.waitpid(child, 0)
    return status != 0


def what_changed(source: str, mutated: str) -> tuple[str, str, str]:
    """Return in what function a mutant differs, and the line there before and after."""
    lines = list(unified_diff(source.splitlines(), mutated.splitlines(), lineterm="", n=0))[2:]
    # "@@ -start,count ..."; a decorator goes with the blank lines before it.
    start, _, count = lines[0].split()[1].lstrip("-").partition(",")
    last = int(start) + int(count or 1) - 1
    sides = [" ".join(line[1:] for line in lines if line[0] == side) for side in "-+"]
    before, after = (" ".join(side.split()) for side in sides)
    return _function_at(source, last), before, after


def _function_at(source: str, line: int) -> str:
    """Return the innermost function or class that a line is in."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    named = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    around = [node for node in named if _first_line(node) <= line <= (node.end_lineno or 0)]
    return max(around, key=_first_line).name if around else "the module"


def _first_line(node: ast.FunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(mark.lineno for mark in node.decorator_list)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
