"""docs/mutation.md lists mutants of the code as it is; `make mutants` tries them."""

import ast
from pathlib import Path

import pytest

from tests.mutation import page

GAME = Path(__file__).parents[2] / "arena" / "perudo"
MODULES = sorted(path.name for path in GAME.glob("[!_]*.py"))


def lines_by_function(source: str) -> dict[str, str]:
    """Return the code of each function and class, and of the whole module, in one line."""
    named = (ast.FunctionDef, ast.ClassDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, named)]
    lines = source.splitlines()
    code = {
        node.name: lines[min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1 :][
            : (node.end_lineno or 0) - node.lineno + 1 + len(node.decorator_list)
        ]
        for node in nodes
    }
    return {name: " ".join(" ".join(part).split()) for name, part in code.items()} | {
        "the module": " ".join(source.split())
    }


@pytest.mark.parametrize("module", MODULES)
def test_listed_mutants_change_lines_that_exist(module: str) -> None:
    code = lines_by_function((GAME / module).read_text(encoding="utf-8"))
    stale = [str(one) for one in page.equivalent(module) if one.before not in code[one.function]]
    assert not stale
