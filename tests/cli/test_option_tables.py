"""The tables of options in the guides: each has the options of its command, and their defaults."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import click
import pytest
from msgspec.structs import asdict

from arena.cli.main import cli
from arena.lab.equilibrium.train import MOST_DICE, Effort
from tests.cli.command import ROOT

COMMANDS = {
    ("alike", 1): "alike",
    ("check", 1): "check",
    ("check", 2): "watch",
    ("coach", 1): "coach",
    ("compare", 1): "compare",
    ("debug", 1): "rerun",
    ("equilibrium", 1): "exploit",
}
"""By the name of a page in docs/guides and the number of a table on it."""
TRAINING = "equilibrium", 2
"""The table of `python -m arena.lab.equilibrium.train`."""
TABLE = re.compile(r"^\| option \|(?P<heads>.*)\n\|[-|]+\n(?P<rows>(?:\|.*\n)+)", re.MULTILINE)
ROW = re.compile(r"^\| `(?P<option>--[a-z-]+)[^|]*` \| (?P<cell>[^|]*?) ?\|", re.MULTILINE)
LITERAL = re.compile(r"`([^`]+)`|(\d+)")
DEFAULT = re.compile(r"\[default: ([^;\]]+)")


class OptionTable(NamedTuple):
    """A table of options: what its second column says of each."""

    has_defaults: bool
    rows: Mapping[str, str]


def text_of(page: str) -> str:
    return (ROOT / f"docs/guides/{page}.md").read_text(encoding="utf-8")


def tables(page: str) -> list[OptionTable]:
    return [
        OptionTable(found["heads"].strip().startswith("default"), dict(ROW.findall(found["rows"])))
        for found in TABLE.finditer(text_of(page))
    ]


def options_of(name: str) -> dict[str, click.Option]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return {
        option.opts[-1]: option for option in command.params if isinstance(option, click.Option)
    }


def default_of(option: click.Option) -> str:
    """Return the default that the help of an option says; "" if none is said."""
    record = option.get_help_record(click.Context(cli, show_default=True))
    stated = DEFAULT.search(" ".join(record[1].split())) if record else None
    return stated[1].removesuffix(".0") if stated and not option.is_flag else ""


def test_every_table_of_options_is_compared_with_its_command() -> None:
    pages = [path.stem for path in sorted((ROOT / "docs/guides").glob("*.md"))]
    found = [(page, number) for page in pages for number, _ in enumerate(tables(page), 1)]
    assert found == sorted([*COMMANDS, TRAINING])


@pytest.mark.parametrize(("page", "number"), COMMANDS)
def test_table_has_the_options_of_the_command_and_no_other(page: str, number: int) -> None:
    rows, options = tables(page)[number - 1].rows, options_of(COMMANDS[page, number])
    assert [name for name in rows if name not in options] == []
    elsewhere = [name for name in options if not re.search(rf"{name}\b", text_of(page))]
    assert elsewhere == []


@pytest.mark.parametrize(
    ("page", "number"), [key for key in COMMANDS if tables(key[0])[key[1] - 1].has_defaults]
)
def test_defaults_of_a_table_are_those_of_the_command(page: str, number: int) -> None:
    options = options_of(COMMANDS[page, number])
    for name, cell in tables(page)[number - 1].rows.items():
        literal, default = LITERAL.fullmatch(cell), default_of(options[name])
        if literal or (default and not cell):
            assert (name, cell.strip("`")) == (name, default)


def test_table_of_the_training_has_its_options_and_defaults() -> None:
    page, number = TRAINING
    effort = {f"--{name}": str(value) for name, value in asdict(Effort()).items()}
    assert tables(page)[number - 1].rows == {"--dice": str(2 * MOST_DICE)} | effort
