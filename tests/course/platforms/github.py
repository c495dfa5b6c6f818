"""GitHub Classroom: the clones of `gh classroom clone student-repos` and the grades CSV.

From github/gh-classroom cmd/ and pkg/classroom/classroom.go, and GitHub's pages on rosters.
"""

import csv
import io
import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.course.platforms.download import Download
from tests.course.platforms.people import Export

MODES = ("", "commits")
SLUG = "perudo"
_COLUMNS = (
    *("assignment_name", "assignment_url", "starter_code_url", "github_username"),
    *("roster_identifier", "student_repository_name", "student_repository_url"),
    *("submission_timestamp", "points_awarded", "points_available"),
)


def github(download: Download) -> Export:
    """Write the clones; mode "commits" makes each attempt a commit, dated as it was received."""
    folder = download.into / f"{SLUG}-submissions"
    names: dict[str, str] = {}
    rows: list[tuple[str, ...]] = [_COLUMNS]
    for last in download.last():
        person = last.person
        names[person.id] = name = f"{SLUG}-{person.login}"
        if download.mode == "commits":
            attempts = download.attempts(person)
            _commit(folder / name, [(a.at, a.files) for a in attempts], person.email)
        else:
            _write(folder / name, last.files)
            _write(folder / name, {".git/HEAD": b"ref: refs/heads/main\n"})
        rows.append(
            (
                *("Perudo bot", "https://classroom.github.com/classrooms/1-ai/assignments/perudo"),
                *("https://github.com/school/starter", person.login, person.id, name),
                *(f"https://github.com/school/{name}", _stamp(last.at), "0", "0"),
            )
        )
    folder.mkdir(parents=True, exist_ok=True)
    for path in [folder, *folder.rglob("*")]:
        download.date(path)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    grades = download.write("classroom-grades.csv", text.getvalue().encode())
    return download.export(folder, names, download.logins(), grades)


def _stamp(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _commit(
    repository: Path, attempts: list[tuple[datetime, Mapping[str, bytes]]], email: str
) -> None:
    """Make a repository with one commit for each attempt; each replaces all files."""
    stream = b""
    for at, files in attempts:
        who = f"{email.partition('@')[0]} <{email}> {int(at.timestamp())} +0000"
        stream += f"commit refs/heads/main\nauthor {who}\ncommitter {who}\n".encode()
        stream += b"data 7\nhand in\ndeleteall\n"
        for name, content in files.items():
            quoted = name.replace("\\", "\\\\").replace('"', '\\"')
            stream += (
                f'M 100644 inline "{quoted}"\ndata {len(content)}\n'.encode() + content + b"\n"
            )
    repository.mkdir(parents=True)
    _git(repository, "init", "--quiet", "--initial-branch=main")
    _git(repository, "fast-import", "--quiet", stdin=stream)
    _git(repository, "reset", "--quiet", "--hard")


def _git(repository: Path, *command: str, stdin: bytes = b"") -> None:
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    environment = os.environ | own
    subprocess.run(["git", *command], cwd=repository, input=stdin, env=environment, check=True)
