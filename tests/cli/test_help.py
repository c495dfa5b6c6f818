"""`arena help` and completion: the manual where the command is."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.help import topics
from tests.cli.command import ROOT, error_line, run, run_process


def test_topics_are_listed(tmp_path: Path) -> None:
    listed = run("help", cwd=tmp_path)
    rows = [line for line in listed.out.splitlines() if line.startswith("  ")]
    assert [row.split()[0] for row in rows] == list(topics())
    assert json.loads(run("help", "--json", cwd=tmp_path).out).keys() == topics().keys()


def test_topics_are_listed_in_four_parts(tmp_path: Path) -> None:
    listed = run("help", cwd=tmp_path).out.splitlines()
    heads = [line.partition(":")[0] for line in listed if line and line[0] != " "]
    assert heads == ["Start", "Guides", "Reference", "Evidence", "A page"]


def test_every_page_of_the_manual_has_a_topic() -> None:
    pages = set((ROOT / "docs").glob("*/*.md"))
    assert {topic.path for topic in topics().values()} == {*pages, ROOT / "protocol/README.md"}


def test_topic_is_the_name_of_its_page_and_its_part_the_folder() -> None:
    for name, topic in topics().items():
        if name != "protocol":
            assert topic.path.stem == name
            assert topic.path.parent.name == topic.part.partition(":")[0].lower()


@pytest.mark.parametrize("topic", topics())
def test_page_is_printed_as_it_is(tmp_path: Path, topic: str) -> None:
    text = topics()[topic].path.read_text(encoding="utf-8")
    assert run("help", topic, cwd=tmp_path).out == text
    assert json.loads(run("help", topic, "--json", cwd=tmp_path).out)["text"] == text


def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def messages(path: Path) -> Iterator[str]:
    """Yield the texts in a module but those that stand alone, as docstrings do."""
    tree = ast.parse(source(path))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def test_messages_name_topics_and_no_files_of_the_repository() -> None:
    """An installation has no checkout beside it."""
    file = re.compile(r"\b(?:docs|protocol|examples|tests)/\w")
    modules = [path for path in (ROOT / "arena").rglob("*.py") if path.name != "help.py"]
    naming = [path for path in modules if re.search(rf"arena help|{file.pattern}", source(path))]
    said = [text for path in naming for text in messages(path)]
    assert [text for text in said if file.search(text)] == []
    named = {topic for text in said for topic in re.findall(r"\barena help (\w+)", text)}
    assert {"protocol", "languages"} <= named <= topics().keys()


def test_unknown_topic_has_a_hint(tmp_path: Path) -> None:
    error_line(run("help", "sandbox", cwd=tmp_path), "no page on 'sandbox'", "'sandboxes'")


@pytest.mark.parametrize(
    ("words", "completed"),
    [("arena ver", "verify"), ("arena run --skip", "--skip-missing-runtimes")],
)
def test_words_are_completed(tmp_path: Path, words: str, completed: str) -> None:
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    ran = run_process(cwd=tmp_path, env={**asked, "_ARENA_COMPLETE": "bash_complete"})
    assert ran.out.splitlines() == [f"plain,{completed}"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_line_for_a_shell_makes_a_completion(tmp_path: Path, shell: str) -> None:
    lines = topics()["install"].path.read_text(encoding="utf-8")
    [name] = re.findall(rf"_ARENA_COMPLETE=({shell}_source)", lines)
    ran = run_process(cwd=tmp_path, env={"_ARENA_COMPLETE": name})
    assert f"_ARENA_COMPLETE={shell}_complete" in ran.out
