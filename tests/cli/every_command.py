"""Every command; those of a group that does nothing by itself by all their words: `ladder init`."""

from collections.abc import Iterator

import click

from arena.cli.main import cli


def every_command() -> dict[str, click.Command]:
    """Return the commands by their words."""
    context = click.Context(cli)
    names = cli.list_commands(context)
    found = ((name, cli.get_command(context, name)) for name in names)
    return dict(leaf for name, command in found if command for leaf in _leaves(name, command))


def _leaves(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield name, command
        return
    context = click.Context(command)
    for inner in command.list_commands(context):
        if found := command.get_command(context, inner):
            yield from _leaves(f"{name} {inner}", found)
