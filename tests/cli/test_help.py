"""`arena help` and completion: the manual where the command is."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Union, get_args, get_origin, get_type_hints

import click
import pytest
from msgspec import Struct

from arena.bots.manifest import Manifest
from arena.cli.manual import explained, search, topics
from arena.cli.quick import completed
from arena.course.config import CourseFile
from arena.game.records import Cause
from arena.game.rules.books import Rules
from arena.ladder.config import LadderFile
from arena.league.terms.config import LeagueFile
from tests.cli import written_help
from tests.cli.command import ROOT, arena, bot, environment, error_line, run, run_process
from tests.cli.every_command import every_command


def test_topics_are_listed(tmp_path: Path) -> None:
    listed = run("help", cwd=tmp_path)
    rows = [line for line in listed.out.splitlines() if line.startswith("  ")]
    assert [row.split()[0] for row in rows] == list(topics())
    assert json.loads(run("help", "--json", cwd=tmp_path).out).keys() == topics().keys()


def test_topics_are_listed_in_four_parts(tmp_path: Path) -> None:
    listed = run("help", cwd=tmp_path).out.splitlines()
    heads = [line.partition(":")[0] for line in listed if line and line[0] != " "]
    assert heads == [
        "Start",
        "Guides",
        "Reference",
        "Evidence",
        "A page, a command, an option, a key, or a search",
    ]


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


@pytest.mark.parametrize("command", every_command())
def test_every_command_has_its_help(tmp_path: Path, command: str) -> None:
    shown = run("help", *command.split(), cwd=tmp_path)
    assert shown.code == 0
    if command in topics():
        assert f"arena {command} --help" in shown.err
    else:
        assert run(*command.split(), "--help", cwd=tmp_path).out.strip() in shown.out


def test_a_command_of_a_group_is_found_by_its_last_word(tmp_path: Path) -> None:
    assert "Usage: arena ladder invite " in run("help", "invite", cwd=tmp_path).out


def keys_of(kind: object, before: str = "") -> Iterator[str]:
    """Yield the keys of a file by its struct, those of structs inside by their paths."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        for key, inner in get_type_hints(kind, include_extras=True).items():
            yield f"{before}{key}"
            yield from keys_of(inner, f"{before}{key}.")
    for inner in get_args(kind) if get_origin(kind) in {Union, UnionType, Annotated} else ():
        yield from keys_of(inner, before)


@pytest.mark.parametrize("file", [Manifest, LeagueFile, LadderFile, CourseFile])
def test_every_key_is_explained(file: type[Struct]) -> None:
    keys = set(keys_of(file))
    assert len(keys) > 8
    assert {key for key in keys if not explained(key)} == set()


def test_every_option_switch_and_cause_is_explained() -> None:
    options = {
        option
        for command in every_command().values()
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }
    words = {*options, *Cause, *Rules.__struct_fields__}
    assert {word for word in words if not explained(word)} == set()


def test_a_key_is_printed_with_its_default_and_its_page(tmp_path: Path) -> None:
    shown = run("help", "limits.answer", cwd=tmp_path)
    assert shown.out.startswith("league: Keys\n  limits.answer: Seconds of the bot's own CPU time")
    assert "default 2" in shown.out
    assert "arena help league" in shown.err
    [place] = json.loads(run("help", "limits.answer", "--json", cwd=tmp_path).out)["places"]
    assert (place["page"], place["section"]) == ("league", "Keys")


@pytest.mark.parametrize("asked", [["sandbox"], ["--sandbox"], ["docker"], ["timeout"]])
def test_a_word_of_the_manual_is_found(tmp_path: Path, asked: list[str]) -> None:
    shown = run("help", *asked, cwd=tmp_path)
    assert shown.code == 0, shown.err
    assert asked[0].strip("-") in shown.out.lower()
    assert "arena help --search" in shown.err


def test_other_words_are_searched(tmp_path: Path) -> None:
    assert "lua5.4 bot.lua" in run("help", "lua", cwd=tmp_path).out
    shown = run("help", "docker", "image", cwd=tmp_path)
    assert shown.code == 0
    assert shown.out.startswith("sandboxes: Docker\n")
    places = json.loads(run("help", "--search", "docker", "--json", cwd=tmp_path).out)["places"]
    assert {"sandboxes", "languages", "install"} <= {place["page"] for place in places}
    nothing = run("help", "--search", "xyzzy", cwd=tmp_path)
    error_line(nothing, "the manual does not have 'xyzzy'", "arena help lists its pages")
    error_line(run("help", "sandboxse", cwd=tmp_path), "'sandboxse'", "'sandboxes'")


@pytest.mark.parametrize("words", [["run"], ["ladder"], ["ladder", "init"], ["new"]])
def test_help_as_an_argument_says_what_to_type(tmp_path: Path, words: list[str]) -> None:
    what = " ".join(words)
    error_line(run(*words, "help", cwd=tmp_path), f"arena {what} --help, or arena help {what}")
    assert not [*tmp_path.iterdir()]


COMPLETED = {
    "arena ver": ["verify"],
    "arena lad": ["ladder"],
    "arena ladder inv": ["invite"],
    "arena ladder season ": ["close"],
    "arena run --skip": ["--skip-missing-runtimes"],
    "arena new my-bot --lang ja": ["javascript", "java"],
    "arena play sample:odds --variant p": ["pressman"],
    "arena play sample:ch": ["sample:champion"],
    "arena play sample : ch": ["champion"],
    "arena check my": ["my-bot"],
    "arena compare old sub/": ["sub/inner"],
    "arena play --against my": ["my-bot"],
    "arena help puz": ["puzzle"],
    "arena help langu": ["languages"],
    "arena course marks --what g": ["grades"],
}


@pytest.mark.parametrize("words", COMPLETED)
def test_words_are_completed(tmp_path: Path, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bot(tmp_path / "my-bot")
    bot(tmp_path / "sub/inner")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    assert completed("bash") == "".join(f"plain,{word}\n" for word in COMPLETED[words])


def test_unknown_word_is_completed_as_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_WORDS", "arena run lea")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert (completed("bash"), completed("zsh")) == ("file,lea\n", "file\nlea\n_\n")
    monkeypatch.setenv("COMP_WORDS", "arena run lea")
    monkeypatch.setenv("COMP_CWORD", "lea")
    assert completed("fish") == "file,lea\n"


@pytest.mark.parametrize(
    ("arguments", "variables", "begins"),
    [
        (["check", "--help"], {}, "Usage: arena check "),
        (
            [],
            {
                "COMP_WORDS": "arena new --lang ru",
                "COMP_CWORD": "3",
                "_ARENA_COMPLETE": "bash_complete",
            },
            "plain,rust",
        ),
    ],
)
def test_help_and_completion_import_nothing(
    tmp_path: Path, arguments: list[str], variables: dict[str, str], begins: str
) -> None:
    """They are answered in the time that Python takes to start."""
    script = tmp_path / "arena"
    script.write_text(
        "import sys; before = set(sys.modules); from arena.cli.quick import main; main();"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, script, *arguments],
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(begins)
    own = ["arena", "arena.cli", "arena.cli.quick", "arena.cli.written_help"]
    assert done.stdout.splitlines()[-1] == repr(own)


def test_written_help_is_that_of_the_commands() -> None:
    assert written_help.PATH.read_text(encoding="utf-8") == written_help.source(), "make commands"


def test_help_is_wrapped_by_a_narrow_terminal(tmp_path: Path) -> None:
    narrow = run_process("check", "--help", cwd=tmp_path, env={"COLUMNS": "60"})
    assert max(map(len, narrow.out.splitlines())) < 60
    wide = run_process("check", "--help", cwd=tmp_path)
    assert wide.out == run("check", "--help", cwd=tmp_path).out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_help_on_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            arena("check", "--help"),
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    what = "the output cannot be written: No space left on device"
    assert (done.returncode, done.stderr) == (
        2,
        f"error: {what} / standard output / free some space\n",
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_line_for_a_shell_makes_a_completion(tmp_path: Path, shell: str) -> None:
    lines = topics()["install"].path.read_text(encoding="utf-8")
    [name] = re.findall(rf"_ARENA_COMPLETE=({shell}_source)", lines)
    ran = run_process(cwd=tmp_path, env={"_ARENA_COMPLETE": name})
    assert f"_ARENA_COMPLETE={shell}_complete" in ran.out


FOUND = {
    "my bot crashes": "debug",
    "crashed": "debug",
    "reproducible": "rules",
    "upgrade": "upgrading",
    "timeout": "league",
    "memory limit": "sandboxes",
    "contribute": "install",
    "how to write a bot": "authors",
}
"""What somebody looks for, and the page where it is."""


@pytest.mark.parametrize("words", FOUND)
def test_search_finds_the_page_where_it_is(words: str) -> None:
    pages = [*dict.fromkeys(block.topic for block in search(words.split()))]
    assert FOUND[words] in pages[:3]
