"""The glossary: its terms are names in the code, and the words that it rejects are not."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import ROOT

PAGE = ROOT / "docs/reference/glossary.md"
ROWS = re.findall(
    r"^\| (?!term)([a-z -]+) \| (.+) \| `(\w+)` \| (.*)\|$", PAGE.read_text(), re.MULTILINE
)
REJECTED = [word for *_, words in ROWS for word in re.findall(r"`(\w+)`", words)]


def words(name: str) -> list[str]:
    """Return the words of a name: those of `LeagueFile` are `league` and `file`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")


def names(tree: ast.AST) -> Iterator[str]:
    """Yield what a module and its classes define, and the parameters of public functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("_"):
                continue
            yield node.name
            if isinstance(node, ast.ClassDef):
                yield from names(node)
            else:
                yield from (argument.arg for argument in node.args.args + node.args.kwonlyargs)


def public_names() -> dict[str, Path]:
    """Return all public names of the arena, each with a file that has it, and those of files."""
    found = dict[str, Path]()
    for path in (ROOT / "arena").rglob("*.py"):
        for name in (path.stem, *names(ast.parse(path.read_text(encoding="utf-8")))):
            if not name.startswith("_"):
                found[name] = path.relative_to(ROOT)
    return found


PUBLIC = public_names()


def test_terms_are_in_order() -> None:
    terms = [term for term, *_ in ROWS]
    assert terms
    assert terms == sorted({*terms}, key=lambda term: term.replace("-", " "))
    assert len(ROWS) == PAGE.read_text().count("\n| ") - 1


@pytest.mark.parametrize(("term", "name"), [(term, name) for term, _, name, _ in ROWS])
def test_a_term_has_its_name_in_the_code(term: str, name: str) -> None:
    assert name in PUBLIC


@pytest.mark.parametrize("word", REJECTED)
def test_a_rejected_word_is_in_no_public_name(word: str) -> None:
    assert [f"{name}: {path}" for name, path in PUBLIC.items() if word in words(name)] == []
