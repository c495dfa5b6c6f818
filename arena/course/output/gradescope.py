"""Gradescope: results of hand-ins as `results.json`, and the folder of an autograder.

The formats are Gradescope's: gradescope-autograders.readthedocs.io. An autograder is a smoke test:
it checks one hand-in, without games for marks. The student's code runs as another user, who can
neither read the grader nor write results, which are written after its last process has ended.
"""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

from arena.author.check.findings import CheckReport
from arena.course.intake.checks import read_check
from arena.course.intake.entries import CHECKS
from arena.course.marks import GradedCourse, Result, grading
from arena.io import own_wheel
from arena.io.errors import ArenaError
from arena.io.files import reason, write_file

GRADER = Path(__file__).with_name("autograder.py")
"""The program that runs on Gradescope."""
GRADED = "graded.json"
"""Results that the autograder gives instead of its own, by the address of the student."""
_USER = "student"
_DIGITS = 16
"""Digits of a hash that tells apart ids which a folder cannot have as its name."""
_SETUP = """#!/bin/sh
# Run once, when the image is built: needs Ubuntu 22.04 or later, or Debian 12 or later.
set -e
export DEBIAN_FRONTEND=noninteractive
apt-get update
# Ubuntu 22.04 calls the Python that the arena needs by its number.
python=python3
if apt-cache show python3 | grep -q '^Version: 3\\.10\\.'; then python=python3.11; fi
apt-get install -y $python $python-venv util-linux
$python -m venv /opt/arena
/opt/arena/bin/pip install /autograder/source/{wheel}
id {user} >/dev/null 2>&1 || useradd --system --user-group --no-create-home {user}
chmod 700 /autograder/source
"""
_RUN = """#!/bin/sh
# Run for each submission, as root.
exec /opt/arena/bin/python /autograder/source/autograder.py /autograder {user} {points:g}
"""


def write_autograder(folder: Path, points: float) -> None:
    """Write the folder of an autograder, to be zipped; raises ArenaError if it exists."""
    files = {
        "setup.sh": (_SETUP.format(wheel=own_wheel.NAME, user=_USER), 0o700),
        "run_autograder": (_RUN.format(user=_USER, points=points), 0o700),
        GRADER.name: (GRADER.read_text(encoding="utf-8"), 0o600),
    }
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ArenaError("it exists already", str(folder), "name a new folder") from None
    except OSError as error:
        raise ArenaError(f"it cannot be made: {reason(error)}", str(folder)) from None
    for name, (text, mode) in files.items():
        write_file(folder / name, text.encode(), mode)
    own_wheel.write_wheel(folder)


def write_graded(folder: Path, read: GradedCourse) -> None:
    """Write the results of a course: a file for each student, and one for the autograder."""
    course = read.course
    addresses = Counter(result.student.email.casefold() for result in read.results)
    graded: dict[str, object] = {}
    for result in read.results:
        content = result.hand_in.content if result.hand_in else ""
        kept = read_check(grading(course) / CHECKS, result.student.unit, content)
        report = kept.report if kept else None
        text = results_json(result, report, course.file.precision, read.first_look)
        name = folder_name(result.student.id)
        write_file(folder / "results" / name / "results.json", text.encode(), parents=True)
        address = result.student.email.casefold()
        if address and addresses[address] == 1:
            graded[address] = json.loads(text)
    if graded:
        write_file(folder / "autograder" / GRADED, json.dumps(graded).encode())


def folder_name(student: str) -> str:
    """Return the name of the folder of a student's results, which is the id if possible."""
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in student)
    digest = sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return name if name == student else f"{name}-{digest}"


def results_json(
    result: Result, report: CheckReport | None, precision: float, first_look: str
) -> str:
    """Return the results.json of a graded hand-in, with the parts of its mark.

    `report` is that of its check, `first_look` as `first_look_of` says it.
    """
    tests: list[dict[str, object]] = []
    for name, part in result.mark.parts.items() if result.mark else ():
        said = f"{part.points:.2f} of {part.of:g}, 95 %: {part.low:.2f} to {part.high:.2f}"
        if part.share:
            said += f"; won {100 * part.share.share:.1f} % of {part.share.games:,} games"
        tests.append(
            {"name": name, "score": round(part.points, 2), "max_score": part.of, "output": said}
        )
    findings = [finding for step in report.steps for finding in step.findings] if report else []
    faults = [" / ".join(filter(None, (one.what, one.where, one.hint))) for one in findings]
    lines = [result.note, *faults]
    if result.mark:
        how = "reached" if result.mark.precise else "not reached: the budget of games is spent"
        reached = f"precision of {precision:g} points {how}"
        lines.append(f"this is {first_look}" if first_look else reached)
        lines += [f"deduction: {result.mark.deduction:g}"] if result.mark.deduction else []
        lines += [f"{one.part}: {one.points:+g}, {one.reason}" for one in result.mark.added]
        lines += [f"grade: {result.mark.grade.name}"] if result.mark.grade else []
    document = {
        "score": round(result.mark.final, 2) if result.mark else 0,
        "output": "\n".join(filter(None, lines)),
        "output_format": "text",
        "visibility": "visible",
        "tests": tests,
    }
    return json.dumps(document, indent=1) + "\n"
