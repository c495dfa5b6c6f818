"""`arena course`: the commands of a teacher."""

import click

from arena.cli.command_group import CommandGroup
from arena.io.files import umask

_PRIVATE = 0o077


@click.group(
    cls=CommandGroup,
    where={
        "init": "course.files:init",
        "handouts": "course.files:handouts",
        "try": "course.students:try_",
        "check": "course.checking:check",
        "grade": "course.grading:grade_",
        "verify": "course.grading:verify",
        "feedback": "course.feedback:feedback",
        "marks": "course.files:marks",
        "gradescope": "course.files:gradescope",
        "forget": "course.students:forget",
    },
)
def command() -> None:
    """Mark the hand-ins of a course: by a deadline, against baselines, with a stated error."""
    # Whatever writes below the folder of a course, other users of the machine must not read it.
    click.get_current_context().with_resource(umask(_PRIVATE))
