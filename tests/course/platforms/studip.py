"""Stud.IP: the download of a folder for homework, with its list of files.

From studip lib/filesystem/FileArchiveManager.class.php, lib/functions.php (array_to_csv),
lib/models/Folder.php (getUniqueName) and lib/classes/ZipArchive.php. All students' files lie in
one folder; only the list has their names.
"""

from tests.course.platforms.download import UNICODE_MARK, Download, base, php_csv
from tests.course.platforms.people import Export
from tests.course.platforms.zips import LIBZIP

MODES = ("",)
_FOLDER = "Hausaufgaben"
_COLUMNS = ("Name", "Größe", "Vorname", "Nachname", "Downloads", "Datum", "Pfad")


def studip(download: Download) -> Export:
    """Write the zip: the folder, its files of all attempts as they came, and the list."""
    entries = {f"{_FOLDER}/": b""}
    names: dict[str, str] = {}
    rows: list[tuple[str, ...]] = [_COLUMNS]
    for hand_in in download.by_time():
        person, made = hand_in.person, f"{download.local(hand_in.at):%d.%m.%Y %H:%M}"
        for path, content in hand_in.files.items():
            name = unique(base(path), entries)
            inner = f"{_FOLDER}/{name}"
            entries[inner] = content
            names[person.id] = inner
            rows.append((name, str(len(content)), person.first, person.last, "0", made, inner))
    table = UNICODE_MARK + php_csv(rows, ";", "\r\n")
    entries["archive_filelist.csv"] = table.encode()
    submissions = download.zip("Hausaufgaben.zip", LIBZIP, entries)
    return download.export(submissions, names, download.logins())


def unique(name: str, entries: dict[str, bytes]) -> str:
    """Return getUniqueName of a file: name[1].zip for the second one of a name."""
    stem, dot, extension = name.rpartition(".")
    new, count = name, 0
    while f"{_FOLDER}/{new}" in entries:
        count += 1
        new = f"{stem}[{count}].{extension}" if dot and extension else f"{name}[{count}]"
    return new
