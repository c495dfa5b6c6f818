"""`arena ladder`: the commands of an operator."""

import click

from arena.cli.command_group import CommandGroup


@click.group(
    cls=CommandGroup,
    where={
        "init": "ladder.running:init",
        "run": "ladder.running:run",
        "status": "ladder.running:status_",
        "list": "ladder.running:list_",
        "log": "ladder.running:log",
        "invite": "ladder.orders:invite",
        "revoke": "ladder.orders:revoke",
        "approve": "ladder.orders:approve",
        "rest": "ladder.orders:rest",
        "resume": "ladder.orders:resume",
        "strike": "ladder.orders:strike",
        "recheck": "ladder.orders:recheck",
        "quota": "ladder.orders:quota",
        "season": "ladder.orders:season",
        "backup": "ladder.orders:backup",
        "restore": "ladder.orders:restore",
    },
)
def command() -> None:
    """Run a ladder: a league that never ends, for bots that arrive while it is played."""
