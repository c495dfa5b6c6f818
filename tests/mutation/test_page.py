"""benchmarks/results/mutation.md lists mutants of the code as it is; `make mutants` tries them."""

import ast
from pathlib import Path

import pytest

from tests.mutation import page

GAME = Path(__file__).parents[2] / "arena" / "game" / "rules"
MODULES = sorted(path.name for path in GAME.glob("[!_]*.py"))


def code_by_function(source: str) -> dict[str, str]:
    """Return the code of each function and class, and of the whole module, with single blanks."""
    code = {"the module": source}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            parts = [ast.get_source_segment(source, part) or "" for part in node.decorator_list]
            parts = [f"@{part}" for part in parts]
            code[node.name] = "\n".join([*parts, ast.get_source_segment(source, node) or ""])
    return {name: " ".join(text.split()) for name, text in code.items()}


@pytest.mark.parametrize("module", MODULES)
def test_listed_mutants_change_lines_that_exist(module: str) -> None:
    code = code_by_function((GAME / module).read_text(encoding="utf-8"))
    stale = [str(one) for one in page.equivalent(module) if one.before not in code[one.function]]
    assert not stale
