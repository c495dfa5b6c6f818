"""The commands that the documents show exist, with all their options."""

import re
import shlex
from pathlib import Path

import click
import pytest

from arena.cli.main import cli
from arena.io.errors import ArenaError
from tests.cli.command import ROOT

BLOCK = re.compile(r"^ *```.*?\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^ *(?:\$ )?(\S*/)?arena (?P<arguments>.*)$")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("protocol/*.md")])
STANDS_FOR_A_NUMBER = re.compile(r"^[A-Z]$")


def commands_in(text: str) -> list[list[str]]:
    """Return the arguments of each `arena ...` that a page's blocks show."""
    found = []
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if command := COMMAND.match(line):
                words = shlex.split(command["arguments"], comments=True)
                found.append(_until_the_shell_s_own(words))
    return found


def _until_the_shell_s_own(words: list[str]) -> list[str]:
    ends = [at for at, word in enumerate(words) if word in {"|", ">", "<", "&&", ";"}]
    return words[: min(ends, default=len(words))]


def parse(words: list[str]) -> None:
    """Parse a command's arguments without running it; raises what the command line would."""
    if not words or words[0].startswith("-"):
        cli.make_parser(click.Context(cli)).parse_args(list(words))
        return
    # Commands remember the first -h that they are asked for.
    parent = click.Context(cli, **cli.context_settings)
    name, command, rest = cli.resolve_command(parent, words)
    assert command is not None
    words = ["0" if STANDS_FOR_A_NUMBER.match(word) else word for word in rest]
    command.make_context(name, words, parent=parent)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_that_a_page_shows_parse(page: Path) -> None:
    for words in commands_in(page.read_text(encoding="utf-8")):
        try:
            parse(words)
        except (click.ClickException, ArenaError) as error:
            pytest.fail(f"arena {shlex.join(words)}: {error}")


def test_the_readme_shows_how_to_check_and_run() -> None:
    shown = {words[0] for words in commands_in((ROOT / "README.md").read_text(encoding="utf-8"))}
    assert {"check", "run"} <= shown


EXAMPLE = """
```console
$ arena run league.yaml --workers 2 \\
    --sandbox auto
4 fixtures ...
$ .venv/bin/arena judge positions.jsonl | head -1   # one verdict
```
"""


def test_the_commands_of_a_page_are_found() -> None:
    assert commands_in(EXAMPLE) == [
        ["run", "league.yaml", "--workers", "2", "--sandbox", "auto"],
        ["judge", "positions.jsonl"],
    ]


@pytest.mark.parametrize(
    "line", ["rnu league.yaml", "run league.yaml --wrokers 2", "run", "perft bga --players 9"]
)
def test_a_command_that_would_not_parse_is_noticed(line: str) -> None:
    with pytest.raises(
        (click.ClickException, ArenaError),
        match=r"unknown command|No such option|Missing|not in the range",
    ):
        parse(shlex.split(line))
