"""The module with the help of all commands and what completes them: `make commands` writes it."""

import subprocess
import sys
from collections.abc import Iterable, Iterator

import click

from arena.bots.runtimes import KITS
from arena.bots.sandboxes.registry import AUTO, SANDBOXES
from arena.cli.main import cli
from arena.cli.manual import topics
from arena.game.rules.books import VARIANTS
from tests.support.generated_section import ROOT

PATH = ROOT / "arena/cli/written_help.py"
WIDTH = 80
BOTS = ("BOT", "OLD", "NEW")
"""Beginnings of the names of arguments and values that are bots."""
VALUES: dict[str, Iterable[str]] = {
    "--lang": KITS,
    "--kit": KITS,
    "--variant": VARIANTS,
    "--sandbox": (AUTO, *SANDBOXES),
}


def source() -> str:
    """Return the module as it must be."""
    root = click.Context(cli, info_name="arena", terminal_width=WIDTH - 2, **cli.context_settings)
    every = dict(_inside(root, ""))
    leaves = {
        name: found for name, found in every.items() if not isinstance(found.command, click.Group)
    }
    texts = {name: f"{context.get_help()}\n" for name, context in every.items()}
    parts = [
        '"""What help and completion say of the commands: written by `make commands`."""\n',
        f"HELP = {{{''.join(_text(name, text) for name, text in texts.items())}}}",
        '"""The help of each command, by its words, at 80 columns."""',
        f"OPTIONS: dict[str, dict[str, str]] = { ({n: _options(c) for n, c in leaves.items()})!r}",
        '"""By command, the options and their values: words, BOT, TEXT for others, "" for none."""',
        f"ARGUMENTS = { ({name: _argument(context) for name, context in leaves.items()})!r}",
        '"""By command, what its arguments are."""',
        f"WORDS = {sorted({*topics(), *(n for n in leaves if ' ' not in n)})!r}",
        '"""Pages and commands that `arena help` shows."""',
    ]
    formatted = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(PATH), "-"],
        input="\n".join(parts),
        capture_output=True,
        text=True,
        check=True,
    )
    return formatted.stdout


def _text(name: str, text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'{name!r}: """\\\n{escaped}""",\n'


def _inside(context: click.Context, name: str) -> Iterator[tuple[str, click.Context]]:
    """Yield all commands with their contexts, groups too, by their words."""
    yield name, context
    group = context.command
    if not isinstance(group, click.Group):
        return
    for inner in group.list_commands(context):
        command = group.get_command(context, inner)
        assert command is not None
        below = click.Context(command, info_name=inner, parent=context)
        yield from _inside(below, f"{name} {inner}".strip())


def _options(context: click.Context) -> dict[str, str]:
    options = [one for one in context.command.params if isinstance(one, click.Option)]
    return {name: _value(name, option) for option in options for name in option.opts}


def _value(name: str, option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return " ".join(option.type.choices)
    if (option.metavar or "").startswith(BOTS):
        return "BOT"
    return " ".join(VALUES.get(name, ("TEXT",)))


def _argument(context: click.Context) -> str:
    """Return what completes the arguments of a command."""
    names = [
        one.make_metavar(context)
        for one in context.command.params
        if isinstance(one, click.Argument)
    ]
    if any("WORD" in name for name in names):
        return "WORD"
    return "BOT" if any(name.strip("[").startswith(BOTS) for name in names) else ""


def write() -> None:
    """Write the module."""
    PATH.write_text(source(), encoding="utf-8")


if __name__ == "__main__":
    write()
