"""Brightspace (D2L): the download of an assignment's folder.

The forms are those of downloads that third-party programs read; the server itself is closed.
"""

from datetime import datetime

from tests.course.platforms.download import Download, base, clock_12
from tests.course.platforms.people import Export
from tests.course.platforms.zips import DOTNET

MODES = ("", "dotted")
_FOLDER = 640693


def brightspace(download: Download) -> Export:
    """Write the zip: one folder for each attempt; mode "dotted" writes 10.22 for 1022."""
    entries = {"index.html": b"<html><head><title>Perudo bot</title></head><body></body></html>"}
    names: dict[str, str] = {}
    separator = "." if download.mode == "dotted" else ""
    for number, hand_in in enumerate(download.by_time(), start=39786):
        at = folder_time(download.local(hand_in.at), separator)
        folder = f"{number}-{_FOLDER} - {hand_in.person.name} - {at}"
        names[hand_in.person.id] = folder
        entries |= {f"{folder}/{base(path)}": data for path, data in hand_in.files.items()}
    stamp = folder_time(download.local(download.downloaded), separator)
    submissions = download.zip(f"Perudo bot Download {stamp}.zip", DOTNET, entries)
    return download.export(submissions, names, download.logins())


def folder_time(at: datetime, separator: str) -> str:
    """Return Oct 10, 2025 1022 AM: a colon cannot stand in a file's name."""
    return f"{at:%b} {at.day}, {at.year} {clock_12(at, separator)}"
