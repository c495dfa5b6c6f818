"""Groups of commands that import each of them only when it is called."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from arena.io.errors import ArenaError, did_you_mean
from arena.io.garbage import without_gc

_ANY = 1_000
"""Characters: no sentence is cut."""
_PRIVATE = 0o077


class NoCommandError(click.UsageError):
    """A group was called without a command; the message is its help."""


class WholeHelpGroup(click.Group):
    """A group whose help has the whole first sentence of each command."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, command.get_short_help_str(_ANY)) for name, command in found if command]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class CommandGroup(WholeHelpGroup):
    """Commands by name, each with its module in `arena.cli` and what it is called there.

    So `arena --help` is quick, and a command that lacks a package does not hinder the others.
    """

    def __init__(
        self,
        *args: Any,
        where: Mapping[str, str],
        meant: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        """`where` has `MODULE` or `MODULE:NAME` for each command, in the order of the help.

        `meant` has commands of other programs, and what to type here.
        """
        super().__init__(*args, **options)
        self._where = where
        self._meant = meant or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments; raises NoCommandError if there are none."""
        if not args and not ctx.resilient_parsing:
            raise NoCommandError(ctx.get_help(), ctx)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the help."""
        del ctx
        return list(self._where)

    def is_group(self, name: str) -> bool:
        """Return whether a command has commands of its own; nothing is imported for it."""
        return self._where[name].startswith("groups:")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that arguments name, and the others.

        Raises ArenaError for `arena COMMAND help`, unless a file or folder has that name.
        """
        asks = args[1:] == ["help"] and args[0] in self._where and args[0] != "help"
        if asks and not Path("help").exists():
            path = f"{ctx.command_path} {args[0]}"
            hint = f"{path} --help, or arena help {path.removeprefix('arena ')}"
            raise ArenaError("no file or folder is called 'help'", path, hint)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """Import a command; raises ArenaError with the nearest one if it is not known."""
        if cmd_name not in self._where:
            inside = f"{ctx.info_name} " if ctx.parent else ""
            hint = did_you_mean(cmd_name, self._where)
            if meant := self._meant.get(cmd_name.lower()):
                hint = f"did you mean '{ctx.command_path} {meant}'?"
            raise ArenaError(f"unknown command '{inside}{cmd_name}'", hint=hint)
        module, _, name = self._where[cmd_name].partition(":")
        with without_gc():
            imported = import_module(f"arena.cli.{module}")
        command: click.Command = getattr(imported, name or "command")
        return command


@click.group(
    cls=CommandGroup,
    where={
        "init": "ladder.running:init",
        "run": "ladder.running:run",
        "status": "ladder.running:status_",
        "check": "ladder.running:check",
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
def ladder() -> None:
    """Run a ladder: a league that never ends, for bots that arrive while it is played."""


@click.group(
    cls=CommandGroup,
    where={
        "init": "course.files:init",
        "handouts": "course.files:handouts",
        "try": "course.students:try_",
        "check": "course.grading:check",
        "grade": "course.grading:grade_",
        "verify": "course.grading:verify",
        "feedback": "course.files:feedback",
        "marks": "course.files:marks",
        "gradescope": "course.files:gradescope",
        "forget": "course.students:forget",
    },
)
def course() -> None:
    """Mark the hand-ins of a course: by a deadline, against baselines, with a stated error."""
    from arena.io.files import umask  # slow to import

    # Whatever writes below the folder of a course, other users of the machine must not read it.
    click.get_current_context().with_resource(umask(_PRIVATE))
