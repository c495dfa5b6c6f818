"""Gradescope: the export of a programming assignment's submissions.

Forms as public parsers of submission_metadata.yml read them; the server itself is closed.
"""

import io
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime

import yaml

from tests.course.platforms.download import Download
from tests.course.platforms.people import Export, Person, Submitted
from tests.course.platforms.zips import RUBYZIP

MODES = ("",)
_ROOT = "assignment_101_export"


def gradescope(download: Download) -> Export:
    """Write the zip: one folder and one record for each student, or for each team."""
    entries: dict[str, bytes] = {}
    names: dict[str, str] = {}
    lines = ["---"]
    teams = download.teams()
    alone = [[person] for person in teams.pop("", [])]
    found = [
        (last, people) for people in [*teams.values(), *alone] if (last := download.last_of(people))
    ]
    found.sort(key=lambda pair: pair[0].at)
    for number, (last, people) in enumerate(found, start=101):
        key = f"submission_{number}"
        lines += [f"{key}:", *_record(download, last, people)]
        names |= dict.fromkeys((person.id for person in people), key)
        for path, content in unpacked(last.files).items():
            entries[f"{_ROOT}/{key}/{path}"] = content
    metadata = "\n".join(lines) + "\n"
    entries = {f"{_ROOT}/submission_metadata.yml": metadata.encode()} | entries
    submissions = download.zip(f"{_ROOT}.zip", RUBYZIP, entries)
    return download.export(submissions, names, {p.id: p.email for p in download.people})


def _record(download: Download, last: Submitted, people: list[Person]) -> list[str]:
    lines = ["  :submitters:"]
    for person in people:
        lines += [
            f"  - :name: {scalar(person.name)}",
            f"    :sid: {scalar(person.id)}",
            f"    :email: {scalar(person.email)}",
        ]
    lines += [f"  :created_at: {ruby_time(last.at)}", "  :score: 0.0", "  :status: processed"]
    before = [hand_in for p in people for hand_in in download.attempts(p) if hand_in.at < last.at]
    if before:
        lines.append("  :history:")
    for place, hand_in in enumerate(before):
        lines += [
            f"  - :id: {90000 + place}",
            f"    :created_at: {ruby_time(hand_in.at)}",
            "    :score: 0.0",
            "    :status: processed",
        ]
    return lines


def scalar(text: str) -> str:
    """Return a string as Psych writes it: quoted where it would read as something else."""
    if text.isdigit():
        return f"'{text}'"
    dumped = yaml.safe_dump(text, allow_unicode=True, width=1000)
    return dumped.removesuffix("\n").removesuffix("\n...")


def ruby_time(at: datetime) -> str:
    utc = at.astimezone(UTC)
    return f"{utc:%Y-%m-%d %H:%M:%S.%f}000 Z"


def unpacked(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files as Gradescope keeps them: a zip is unpacked when it is uploaded.

    An archive that cannot be unpacked below its folder is kept as it is.
    """
    kept: dict[str, bytes] = {}
    for path, content in files.items():
        kept |= _unzipped(content) or {path: content}
    return kept


def _unzipped(content: bytes) -> dict[str, bytes]:
    if not content.startswith(b"PK\3\4"):
        return {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            unsafe = any(
                entry.filename.startswith(("/", ".."))
                or "\\" in entry.filename
                or ":" in entry.filename
                or entry.external_attr >> 28 == 0xA
                or entry.file_size > 1_000_000
                for entry in entries
            )
            return {} if unsafe else {entry.filename: archive.read(entry) for entry in entries}
    except (zipfile.BadZipFile, RuntimeError):
        return {}
