"""The argument that all commands of an operator take."""

import click

from arena.cli.options import PathType

folder_argument = click.argument("ladder", type=PathType())
"""The folder of a ladder."""
