"""The commands and options in `docs/reference/commands.md`: `make commands` writes them."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from arena.cli.main import COMMANDS, cli
from arena.cli.manual import page_of, topics
from tests.support.generated_section import ROOT, GeneratedSection

Record = tuple[str, str]
"""The names of an option, and what it does."""
SECTION = GeneratedSection("docs/reference/commands.md", "commands", "commands")

OFTEN = 2
"""An option that so many commands have, with the same words, is described once."""
USAGE = "[OPTIONS]"


def markdown() -> str:
    """Return a section for each group of commands, as `arena --help` lists them."""
    root = click.Context(cli, info_name="arena", **cli.context_settings)
    shared = _shared(root)
    lines = ["", "Options that several commands have:", ""]
    lines += [*(_described(*option) for option in sorted(shared)), ""]
    for group, names in COMMANDS.items():
        lines += [f"## {group.capitalize()}", ""]
        for name in names:
            lines += _command(root, cli, name, shared)
    return "\n".join(lines)


def _shared(root: click.Context) -> set[Record]:
    """Return the options that stand at many commands in the same words."""
    counts = Counter(record for context in _contexts(root, cli) for record in _records(context))
    return {record for record, count in counts.items() if count >= OFTEN}


def _contexts(parent: click.Context, group: click.Group) -> Iterator[click.Context]:
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=parent)
        yield context
        if isinstance(command, click.Group):
            yield from _contexts(context, command)


def _command(
    parent: click.Context, group: click.Group, name: str, shared: set[Record], level: int = 3
) -> Iterator[str]:
    command = group.get_command(parent, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    pieces = [piece for piece in command.collect_usage_pieces(context) if piece != USAGE]
    yield from (f"{'#' * level} {' '.join([context.command_path, *pieces])}", "")
    yield from _about(command, _page(name) if level == 3 else "")
    yield from _options(context, shared)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            yield from _command(context, command, inner, shared, level + 1)


def _about(command: click.Command, page: str) -> Iterator[str]:
    paragraphs = [" ".join(text.split()) for text in (command.help or "").split("\n\n")]
    for text in [*paragraphs[:-1], f"{paragraphs[-1]}{page}"]:
        yield from (text, "")


def _page(name: str) -> str:
    topic = page_of(name)
    path = os.path.relpath(topics()[topic].path, (ROOT / SECTION.page).parent)
    return f" More: [{topic}]({Path(path).as_posix()})."


def _options(context: click.Context, shared: set[Record]) -> Iterator[str]:
    records = _records(context)
    if own := [record for record in records if record not in shared]:
        yield from (*(_described(*record) for record in own), "")
    if named := [names for names, text in records if (names, text) in shared]:
        yield from (
            f"{'Also' if own else 'Options'}: {', '.join(f'`{names}`' for names in named)}",
            "",
        )


def _described(names: str, text: str) -> str:
    return f"- `{names}`: {text}"


def _records(context: click.Context) -> list[Record]:
    return [
        (record[0], " ".join(record[1].split()))
        for option in context.command.params
        if isinstance(option, click.Option) and (record := option.get_help_record(context))
    ]


if __name__ == "__main__":
    SECTION.write(markdown())
