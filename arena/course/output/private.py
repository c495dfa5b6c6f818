"""Nobody but the teacher reads a course: its files are closed to other users of the machine."""

from contextlib import suppress
from shlex import quote
from stat import S_IMODE

from arena.course.config import Course
from arena.course.lock import LOCK
from arena.course.marks import GRADING, MARKS
from arena.course.output.giving import FEEDBACK
from arena.course.output.league_site import SITE
from arena.course.output.pages import CLASS
from arena.course.output.similarity import PAGE

_WRITTEN = (LOCK, MARKS, GRADING, FEEDBACK, SITE, CLASS, PAGE)
"""Files and folders that a grading writes."""
_OTHERS = 0o077
"""Rights of other users."""
_ENTER = 0o011
"""The right of other users to enter a folder."""
_NAMED = 3
"""The most files that the warning names."""


def close_to_others(course: Course) -> str:
    """Close what gradings wrote to other users.

    The rights of the teacher's own files do not change: returns a line on those that others can
    read, "" if there are none.
    """
    for name in _WRITTEN:
        top = course.folder / name
        for path in (top, *top.rglob("*")):
            if not (top.is_symlink() or path.is_symlink()):  # which may lead elsewhere
                with suppress(OSError):  # it is not there, or another user's
                    path.chmod(S_IMODE(path.stat().st_mode) & ~_OTHERS)
    whole = course.base.resolve()
    if not all(path.stat().st_mode & _ENTER for path in (whole, *whole.parents)):
        return ""
    names = sorted(path.name for path in course.base.iterdir() if path.lstat().st_mode & _OTHERS)
    if not names:
        return ""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    what = f"{', '.join(names[:_NAMED])}{more} can be read by other users of this machine"
    return f"{what}: chmod -R go= {quote(str(course.base))}"
