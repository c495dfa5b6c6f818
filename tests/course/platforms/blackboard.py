"""Blackboard Learn: the assignment file download, flat, with a text beside each attempt.

Forms as CodeGra.de psef/blackboard.py, kwurst/bb-file-cleanup and timdrysdale/gradex-cli read
them; the server itself is closed.
"""

from datetime import datetime

from tests.course.platforms.download import TITLE, Download, base, clock_12
from tests.course.platforms.people import Export, Submitted
from tests.course.platforms.zips import JAVA

MODES = ("", "o'clock")


def blackboard(download: Download) -> Export:
    """Write the zip, with all attempts; mode "o'clock" has the British form of dates."""
    entries: dict[str, bytes] = {}
    names: dict[str, str] = {}
    for hand_in in download.by_time():
        at = download.local(hand_in.at)
        attempt = f"{TITLE}_{hand_in.person.login}_attempt_{at:%Y-%m-%d-%H-%M-%S}"
        files = {base(path): content for path, content in hand_in.files.items()}
        entries[f"{attempt}.txt"] = _text(hand_in, at, attempt, list(files), download.mode)
        entries |= {f"{attempt}_{name}": content for name, content in files.items()}
        names[hand_in.person.id] = f"{attempt}.txt"
    stamp = f"{download.local(download.downloaded):%Y-%m-%d-%H-%M-%S}"
    submissions = download.zip(f"gradebook_AI-1_Perudo20bot_{stamp}.zip", JAVA, entries)
    return download.export(submissions, names, download.logins())


def _text(hand_in: Submitted, at: datetime, attempt: str, files: list[str], mode: str) -> bytes:
    lines = [
        f"Name: {hand_in.person.name} ({hand_in.person.login})",
        f"Assignment: {TITLE}",
        f"Date Submitted: {british(at) if mode else american(at)}",
        "Current Grade: Needs Grading" if not mode else "Current Mark: Needs Marking",
        "",
        "Submission Field:",
        "There is no student submission text data for this assignment.",
        "",
        "Comments:",
        "There are no student comments for this assignment.",
        "",
        "Files:",
    ]
    for name in files:
        lines += [f"\tOriginal filename: {name}", f"\tFilename: {attempt}_{name}"]
    return ("\r\n".join(lines) + "\r\n").encode()


def american(at: datetime) -> str:
    """Return Monday, September 26, 2022 3:45:12 PM EDT."""
    clock, half = clock_12(at).split()
    return f"{at:%A, %B} {at.day}, {at.year} {clock}:{at:%S} {half} {at.tzname()}"


def british(at: datetime) -> str:
    """Return Tuesday, 21 April 2020 06:34:13 o'clock BST."""
    return f"{at:%A}, {at.day} {at:%B %Y %H:%M:%S} o'clock {at.tzname()}"
