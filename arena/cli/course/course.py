"""`arena course`: the commands of a teacher."""

import click

from arena.cli.command_group import CommandGroup


@click.group(
    cls=CommandGroup,
    where={
        "init": "course.files:init",
        "handouts": "course.files:handouts",
        "try": "course.students:try_",
        "check": "course.checking:check",
        "grade": "course.grading:grade_",
        "verify": "course.grading:verify",
        "marks": "course.files:marks",
        "gradescope": "course.files:gradescope",
        "forget": "course.students:forget",
    },
)
def command() -> None:
    """Mark the hand-ins of a course: by a deadline, against baselines, with a stated error."""
