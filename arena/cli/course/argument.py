"""The argument that all commands of a teacher take."""

import click

from arena.cli.options import PathType

course_argument = click.argument("course", type=PathType())
"""The folder of a course, or its course.yaml."""
