"""The commands and options in `docs/reference/commands.md`: `make commands` writes them."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from arena.cli.help import topics
from arena.cli.main import COMMANDS, cli
from tests.support.generated_section import ROOT, GeneratedSection

SECTION = GeneratedSection("docs/reference/commands.md", "commands", "commands")

TOPICS = {
    "new": "languages",
    "play": "check",
    "judge": "rules",
    "puzzle": "coach",
    "watch": "check",
    "rerun": "debug",
    "submit": "serve",
    "run": "league",
    "status": "store",
    "export": "store",
    "verify": "store",
    "backup": "store",
    "mend": "store",
    "prune": "store",
    "exploit": "equilibrium",
    "perft": "rules",
    "demo": "operators",
    "doctor": "sandboxes",
    "images": "sandboxes",
    "help": "install",
}
"""The page on a command that has another name."""


def markdown() -> str:
    """Return a section for each group of commands, as `arena --help` lists them."""
    root = click.Context(cli, info_name="arena", **cli.context_settings)
    lines = [""]
    for group, names in COMMANDS.items():
        lines += [f"## {group.capitalize()}", ""]
        for name in names:
            lines += _command(root, cli, name, 3)
    return "\n".join(lines)


def _command(parent: click.Context, group: click.Group, name: str, level: int) -> Iterator[str]:
    command = group.get_command(parent, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    yield from (f"{'#' * level} {context.command_path}", "")
    yield from (f"`{context.command_path} {' '.join(command.collect_usage_pieces(context))}`", "")
    yield from _about(command, _page(name) if level == 3 else "")
    yield from _options(command, context)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            yield from _command(context, command, inner, level + 1)


def _about(command: click.Command, page: str) -> Iterator[str]:
    paragraphs = [" ".join(text.split()) for text in (command.help or "").split("\n\n")]
    for text in [*paragraphs[:-1], f"{paragraphs[-1]}{page}"]:
        yield from (text, "")


def _page(name: str) -> str:
    topic = TOPICS.get(name, name)
    path = os.path.relpath(topics()[topic].path, (ROOT / SECTION.page).parent)
    return f" More: [{topic}]({Path(path).as_posix()})."


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    records = [
        record
        for option in command.params
        if isinstance(option, click.Option) and (record := option.get_help_record(context))
    ]
    for names, text in records:
        yield f"- `{names}`: {' '.join(text.split())}"
    if records:
        yield ""


if __name__ == "__main__":
    SECTION.write(markdown())
