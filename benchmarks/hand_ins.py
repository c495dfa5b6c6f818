"""What `arena course check` takes for a class of 40 of each platform, packed in twenty ways.

python -m benchmarks.hand_ins
"""

import resource
import sys
import tempfile
from pathlib import Path

import click

from tests.cli.command import run_process
from tests.course.downloads import DOWNLOADS, people, school, submitted
from tests.course.platforms import PACKINGS


@click.command()
@click.option("--students", default=40, show_default=True)
def main(students: int) -> None:
    """Print CPU seconds by platform, those that the command takes to start among them."""
    print(f"{'':40}{'CPU s':>8}")
    print(f"{'arena --version':40}{_seconds(Path(), '--version'):8.2f}")
    for platform, mode in DOWNLOADS.values():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            persons = people(students)
            school(folder, platform, submitted(persons, PACKINGS), persons, mode)
            taken = _seconds(folder, "course", "check", folder)
        print(f"{f'{platform} {mode}':40}{taken:8.2f}")


def _seconds(folder: Path, *words: str | Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = run_process(*words, cwd=folder)
    if ran.code:
        sys.exit(f"exit code {ran.code}: {ran.err}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
