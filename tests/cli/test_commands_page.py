"""The page of commands is made from the commands; it names each, and each has a page."""

from arena.cli.main import COMMANDS
from arena.cli.manual import PAGES, page_of, topics
from tests.cli.commands_page import SECTION, markdown


def test_page_has_every_command_and_option() -> None:
    assert SECTION.read() == markdown(), "make commands"


def test_every_command_has_a_page() -> None:
    names = {name for group in COMMANDS.values() for name in group}
    assert {page_of(name) for name in names} <= topics().keys()
    assert PAGES.keys() <= names - topics().keys()


def test_every_option_says_what_it_is_for() -> None:
    options = [line for line in markdown().splitlines() if line.startswith("- ")]
    assert options
    said = {line: line.partition("`: ")[2] for line in options}
    assert [line for line, text in said.items() if not text or text.startswith("[")] == []
