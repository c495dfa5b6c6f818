"""The one bot in a hand-in: found however it was packed, or refused in the student's words."""

import errno
import io
import os
import stat
import struct
import subprocess
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.folder import BotLimits, digest
from arena.bots.manifest import load_bot
from arena.course.intake.inside import Inside, look_inside
from arena.io.errors import ArenaError
from tests.support.archives import BOT, MANIFEST, tar_info, tar_of, write, zip_info, zip_of
from tests.support.depth import depth

FORMS = ["folder", "a.zip", "a.tar", "a.tar.gz", "a.tar.bz2", "a.tar.xz"]
Files = Mapping[str, bytes]


def under(folder: str, files: Files = BOT) -> dict[str, bytes]:
    """Return files in a folder."""
    return {f"{folder}/{name}": content for name, content in files.items()}


def folder_of(path: Path, files: Files) -> Path:
    """Write files, and folders whose names end in a slash."""
    for name, content in files.items():
        if name.endswith("/"):
            (path / name).mkdir(parents=True, exist_ok=True)
        else:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(content)
    return path


def packed(path: Path, files: Files) -> Path:
    """Write files as a folder, or as the archive that the path names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return write(path, dict(files)) if "." in path.name else folder_of(path, files)


def archived(name: str, files: Files) -> bytes:
    """Return the bytes of an archive."""
    file = io.BytesIO()
    if name.endswith(".zip"):
        with zipfile.ZipFile(file, "w") as made:
            for inner, content in files.items():
                made.writestr(inner, content)
    else:
        with tarfile.open(fileobj=file, mode="w:gz") as made_tar:
            for inner, content in files.items():
                made_tar.addfile(tar_info(inner, size=len(content)), io.BytesIO(content))
    return file.getvalue()


def zipped(files: Files) -> bytes:
    return archived("a.zip", files)


def old_zip(files: Mapping[bytes, bytes], date: int = 0x5D7C, flags: int = 0) -> bytes:
    """Return a zip archive with names as they are, stored, as old programs wrote it."""
    body, directory = b"", b""
    for name, content in files.items():
        size = len(content)
        crc = zlib.crc32(content)
        common = struct.pack("<HHHHHIIIHH", 20, flags, 0, 0, date, crc, size, size, len(name), 0)
        at = len(body)
        body += b"PK\x03\x04" + common + name + content
        directory += b"PK\x01\x02\x14\x00" + common + struct.pack("<HHHII", 0, 0, 0, 0, at) + name
    count = len(files)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


def looked(tmp_path: Path, files: Mapping[str, Path]) -> Inside:
    """Look into a hand-in, and check what holds for all of them."""
    work = tmp_path / "work"
    work.mkdir(0o700, parents=True)
    inside = look_inside(files, work)
    assert (inside.bot is None) == bool(inside.why)
    assert str(tmp_path) not in repr((inside.where, inside.why, inside.hint, inside.ignored))
    assert "\n" not in inside.why + inside.hint + inside.where
    return inside


def looked_into(tmp_path: Path, name: str, content: bytes) -> Inside:
    """Look into a single file that was handed in."""
    (tmp_path / name).write_bytes(content)
    return looked(tmp_path, {name: tmp_path / name})


@pytest.fixture(scope="module")
def tidy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the digest of the bot, handed in as it should be."""
    return load_bot(zip_of(tmp_path_factory.mktemp("tidy") / "a.zip", BOT)).info.digest


# ---------------------------------------------------------------- found

JUNK = {
    "__MACOSX/my-bot/._bot.py": b"x",
    ".DS_Store": b"x",
    "my-bot/._bot.py": b"x",
    "my-bot/.DS_Store": b"x",
    "my-bot/Thumbs.db": b"x",
    "my-bot/Desktop.ini": b"x",
    "my-bot/.git/objects/ab/cd": b"x",
    "my-bot/.svn/entries": b"x",
    "my-bot/.hg/store": b"x",
    "my-bot/.idea/workspace.xml": b"x",
    "my-bot/.vscode/settings.json": b"x",
    "my-bot/.venv/bin/python": b"x",
    "my-bot/sub/__pycache__/x.pyc": b"x",
    "my-bot/.pytest_cache/x": b"x",
    "my-bot/.mypy_cache/x": b"x",
    "my-bot/.ruff_cache/x": b"x",
    "my-bot/env/pyvenv.cfg": b"x",
    "my-bot/env/lib/site-packages/arena/sample/bot.yaml": MANIFEST,
    "my-bot/node_modules/.bin/tsc": b"x",
}
PASSED = [
    *(".DS_Store", "._bot.py", ".git/", ".hg/", ".idea/", ".mypy_cache/", ".pytest_cache/"),
    *(".ruff_cache/", ".svn/", ".venv/", ".vscode/", "Desktop.ini", "Thumbs.db", "env/"),
    *("node_modules/.bin/", "sub/__pycache__/"),
]
"""What of it is named, in the bot's folder."""
# The files, where the bot is, and what was passed over.
WAYS: dict[str, tuple[Files, str, tuple[str, ...]]] = {
    "at the top": (BOT, "", ()),
    "in its folder": (under("my-bot"), "my-bot", ()),
    "three folders deep": (under("a/b/my-bot"), "a/b/my-bot", ()),
    "forty folders deep": (under("/".join("x" * 40)), "/".join("x" * 40), ()),
    "a report beside it": (
        under("my-bot") | {"report.pdf": b"%PDF", "notes/a.txt": b"x", "notes/b.txt": b"x"},
        "my-bot",
        ("notes/", "report.pdf"),
    ),
    "of GitHub Classroom": (
        under("my-bot") | {".github/workflows/classroom.yml": b"x", "README.md": b"x"},
        "my-bot",
        (".github/", "README.md"),
    ),
    "junk everywhere": (
        under("my-bot") | JUNK,
        "my-bot",
        (".DS_Store", "__MACOSX/", *(f"my-bot/{name}" for name in PASSED)),
    ),
    "a folder without files": (under("my-bot") | {"empty/": b""}, "my-bot", ("empty/",)),
    "a zip in it": (
        {"hand-in/bot.zip": zipped(under("my-bot")), "hand-in/report.pdf": b"x"},
        "hand-in/bot.zip: my-bot",
        ("hand-in/report.pdf",),
    ),
    "a tar.gz in it": ({"bot.tar.gz": archived("a.tar.gz", BOT)}, "bot.tar.gz", ()),
    "the folder and its zip": (
        under("my-bot") | {"my-bot.zip": zipped(under("my-bot"))},
        "my-bot",
        ("my-bot.zip",),
    ),
    "an unreadable archive beside it": (
        under("my-bot") | {"old.zip": b"PK\x03\x04 no more", "old.rar": b"Rar!\x1a\x07\x00"},
        "my-bot",
        ("old.rar", "old.zip"),
    ),
    "other archives beside it": (
        under("my-bot") | {"data.zip": zipped({"x.csv": b"x"})},
        "my-bot",
        ("data.zip",),
    ),
    "bots among packages": (
        under("my-bot") | under("node_modules/other"),
        "my-bot",
        ("node_modules/",),
    ),
    "a folder in NFD": (under("Ju\u0308rgen"), "Ju\u0308rgen", ()),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", WAYS)
def test_bot_is_found(tmp_path: Path, tidy: str, way: str, form: str) -> None:
    files, where, ignored = WAYS[way]
    inside = looked(tmp_path, {form: packed(tmp_path / "in" / form, files)})
    assert inside.why == ""
    assert inside.bot
    assert load_bot(inside.bot).info.digest == tidy
    assert {path.name for path in inside.bot.rglob("*")} == set(BOT)
    assert (inside.where, inside.ignored) == (where, ignored)


# What belongs to the bot beside its two files, and must be kept.
KEPT: dict[str, Files] = {
    "an example": {"examples/other/bot.yaml": MANIFEST},
    "packages": {"node_modules/x/index.js": b"x"},
    "an archive": {"weights.zip": zipped(under("other"))},
    "a broken archive": {"weights.tar.gz": b"x"},
    "a name in NFD": {"cafe\u0301.txt": b"x"},
    "a name of another system": {"größe.txt": b"x"},
    "a folder of GitHub": {".github/workflows/classroom.yml": b"x"},
}


@pytest.mark.parametrize("form", ["folder", "a.zip", "a.tar.gz"])
@pytest.mark.parametrize("prefix", ["", "my-bot/"])
@pytest.mark.parametrize("kept", KEPT)
def test_files_of_the_bot_are_kept(tmp_path: Path, kept: str, prefix: str, form: str) -> None:
    files = {**BOT, **KEPT[kept]}
    placed = {prefix + name: content for name, content in files.items()}
    inside = looked(tmp_path, {form: packed(tmp_path / "in" / form, placed)})
    assert inside.bot
    assert digest(inside.bot) == digest(folder_of(tmp_path / "tidy", files))
    assert inside.ignored == ()


def test_modes_are_those_of_an_unpacked_archive(tmp_path: Path) -> None:
    modes = {"plain": 0o600, "run": 0o6711}
    folder = folder_of(
        tmp_path / "in" / "folder", under("my-bot", BOT | dict.fromkeys(modes, b"x"))
    )
    for name, mode in modes.items():
        (folder / "my-bot" / name).chmod(mode)
    made = zip_of(
        tmp_path / "in" / "a.zip", BOT, *(zip_info(n, stat.S_IFREG | m) for n, m in modes.items())
    )
    for number, path in enumerate((folder, made)):
        inside = looked(tmp_path / str(number), {path.name: path})
        assert inside.bot
        kept = {n: stat.S_IMODE((inside.bot / n).stat().st_mode) for n in ("plain", "run")}
        assert kept == {"plain": 0o644, "run": 0o755}
        assert stat.S_IMODE(inside.bot.stat().st_mode) == 0o755


def test_hand_in_itself_stays_as_it_is(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "in", under("my-bot") | JUNK)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert looked(tmp_path, {"in": folder}).bot
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


# ---------------------------------------------------------------- several files at a time

# The files, where the bot is, and what was passed over.
LOOSE: dict[str, tuple[Files, str, tuple[str, ...]]] = {
    "loose files": (BOT, "", ()),
    "loose files and junk": (BOT | {".DS_Store": b"x"}, "", (".DS_Store",)),
    "loose files and their zip": (BOT | {"my-bot.zip": zipped(BOT)}, "", ("my-bot.zip",)),
    "an archive and a report": (
        {"a.zip": zipped(under("my-bot")), "report.pdf": b"%PDF"},
        "a.zip: my-bot",
        ("report.pdf",),
    ),
    "an archive twice": ({"a.zip": zipped(BOT), "b.zip": zipped(BOT)}, "a.zip", ("b.zip",)),
    "an archive and junk": ({"a.zip": zipped(under("x")), "._a.zip": b"x"}, "x", ("._a.zip",)),
    "an archive within an archive, beside a report": (
        {"a.zip": zipped({"b.zip": zipped(BOT)}), "report.pdf": b"%PDF"},
        "a.zip: b.zip",
        ("report.pdf",),
    ),
}


@pytest.mark.parametrize("way", LOOSE)
def test_bot_is_found_among_files(tmp_path: Path, tidy: str, way: str) -> None:
    files, where, ignored = LOOSE[way]
    folder = folder_of(tmp_path / "in", files)
    # On the platform's disk, files often have other names.
    stored = {name: (folder / name).rename(folder / str(n)) for n, name in enumerate(files)}
    inside = looked(tmp_path, stored)
    assert inside.why == ""
    assert inside.bot
    assert load_bot(inside.bot).info.digest == tidy
    assert (inside.where, inside.ignored) == (where, ignored)


def test_loose_files_keep_what_is_no_bot(tmp_path: Path) -> None:
    files = BOT | {"weights.zip": zipped({"w": b"x"}), "report.pdf": b"x"}
    folder = folder_of(tmp_path / "in", files)
    inside = looked(tmp_path, {name: folder / name for name in files})
    assert inside.bot
    assert digest(inside.bot) == digest(folder)


# ---------------------------------------------------------------- names in archives

WINDOWS = {"my-bot\\bot.yaml": MANIFEST, "my-bot\\bot.py": BOT["bot.py"]}
OLD_NAMES: dict[str, tuple[bytes, str]] = {
    "backslashes": (zipped(WINDOWS), "my-bot"),
    "backslashes of folders": (zipped({"my-bot\\": b"", **WINDOWS}), "my-bot"),
    "both slashes in a name": (zipped(under("a\\my-bot")), "a/my-bot"),
    "slashes in some names": (
        zipped({"my-bot/bot.yaml": MANIFEST, "my-bot\\bot.py": BOT["bot.py"]}),
        "my-bot",
    ),
    "CP850": (old_zip({b"J\x81rgen/" + n.encode(): c for n, c in BOT.items()}), "Jürgen"),
    "UTF-8 without the flag": (
        old_zip({f"Jürgen/{n}".encode(): c for n, c in BOT.items()}),
        "Jürgen",
    ),
    "UTF-8 with the flag": (
        old_zip({f"Jürgen/{n}".encode(): c for n, c in BOT.items()}, flags=0x800),
        "Jürgen",
    ),
    "a date of zero": (old_zip({n.encode(): c for n, c in BOT.items()}, date=0), ""),
    "dots and slashes too many": (zipped(under(".//a/./my-bot")), "a/my-bot"),
    "backslashes in a tar": (archived("a.tar.gz", WINDOWS), "my-bot"),
    "a name that is not UTF-8 beside the bot": (
        archived("a.tar.gz", {**under("my-bot"), "t\udcfcr.txt": b"x"}),
        "my-bot",
    ),
    "the icon of a folder on macOS": (zipped({**under("my-bot"), "Icon\r": b"x"}), "my-bot"),
    "a colon beside the bot": (zipped({**under("my-bot"), "report: 1.txt": b"x"}), "my-bot"),
}


@pytest.mark.parametrize("names", OLD_NAMES)
def test_names_of_old_programs_are_read(tmp_path: Path, tidy: str, names: str) -> None:
    content, where = OLD_NAMES[names]
    inside = looked_into(tmp_path, "a.zip" if content.startswith(b"PK") else "a.tar.gz", content)
    assert inside.why == ""
    assert inside.bot
    assert (load_bot(inside.bot).info.digest, inside.where) == (tidy, where)


def test_names_of_the_bot_in_cp850_are_those_of_a_tidy_archive(tmp_path: Path) -> None:
    files = BOT | {"größe.txt": b"x"}
    old = old_zip({name.encode("cp850"): content for name, content in files.items()})
    inside = looked_into(tmp_path, "a.zip", old)
    assert inside.bot
    assert digest(inside.bot) == digest(folder_of(tmp_path / "tidy", files))


# ---------------------------------------------------------------- no bot

# The files, why there is no bot, and a part of the hint.
NONE: dict[str, tuple[Files, str, str]] = {
    "nothing": ({"empty/": b""}, "no bot.yaml: the hand-in is empty", "bot.yaml"),
    "junk": ({".DS_Store": b"x"}, "no bot.yaml: found only .DS_Store", "bot.yaml"),
    "a report": (
        {"src/main.py": b"x", "report.pdf": b"x"},
        "no bot.yaml: found report.pdf and src/main.py",
        "",
    ),
    "many files": (
        {f"src/{n}.py": b"x" for n in range(6)},
        "no bot.yaml: found src/0.py, src/1.py, src/2.py and 3 more",
        "",
    ),
    "bot.yml": (
        under("my-bot", {"bot.yml": b"x", "bot.py": b"x"}),
        "my-bot/bot.yml must be called bot.yaml",
        "rename",
    ),
    "Bot.yaml": ({"Bot.yaml": b"x"}, "Bot.yaml must be called bot.yaml", ""),
    "bot.yaml.txt": ({"bot.yaml.txt": b"x"}, "bot.yaml.txt must be called bot.yaml", ""),
    "bot.yml in a zip": (
        {"x/a.zip": zipped({"b/bot.yml": b"x"})},
        "x/a.zip: b/bot.yml must be called bot.yaml",
        "",
    ),
    "two bots": (
        under("a/my-bot") | under("b/my-bot", BOT | {"bot.py": b"print(2)\n"}),
        "two bots: a/my-bot and b/my-bot",
        "hand in one",
    ),
    "two bots, one in a zip": (
        under("a") | {"b.zip": zipped(under("c", BOT | {"x": b"x"}))},
        "two bots: a and b.zip: c",
        "",
    ),
    "four bots": (
        {f"{n}/{name}": f"{n}".encode() for n in range(4) for name in BOT},
        "4 bots: 0, 1, 2 and 1 more",
        "",
    ),
    "a third archive": (
        {"a.zip": zipped({"b.zip": zipped({"c.zip": zipped(BOT)})}), "x/": b""},
        "a.zip: b.zip: c.zip",
        "archive the bot's folder once",
    ),
    "a RAR archive": ({"a.rar": b"Rar!\x1a\x07\x01\x00"}, "a.rar is a RAR archive", ".tar.gz"),
    "a RAR archive called zip": ({"a.zip": b"Rar!\x1a\x07\x00"}, "a.zip is a RAR archive", ""),
    "a 7z archive": ({"a.7z": b"7z\xbc\xaf\x27\x1c\0\4"}, "a.7z is a 7z archive", ".tar.gz"),
    "a zip called tar.gz": (
        {"a.tar.gz": zipped(BOT)},
        "a.tar.gz is a zip archive: its name must end in .zip",
        "rename",
    ),
    "a zip without an ending": ({"my-bot": zipped(BOT)}, "my-bot is a zip archive", "rename"),
    "a tar.gz called gz": ({"a.gz": archived("a.tar.gz", BOT)}, "a.gz is compressed by gzip", ""),
    "an archive cut off": (
        {"a.zip": zipped(BOT)[:-9]},
        "a.zip cannot be read: the archive is damaged",
        "",
    ),
    "a tar cut off": ({"a.tar.gz": archived("a.tar.gz", BOT)[:99]}, "a.tar.gz cannot be read", ""),
    "no archive": ({"a.zip": b"hello"}, "a.zip cannot be read: it is neither", ".tar.gz"),
    "an empty archive": ({"a.zip": b""}, "a.zip is empty", ""),
    "the bot among packages": (
        under("node_modules/bot"),
        "no bot.yaml: found only node_modules/",
        "",
    ),
    "an environment": (
        under("my-bot", BOT | {"pyvenv.cfg": b"x"}),
        "my-bot is a virtual environment of Python",
        "remove it",
    ),
    "all in an environment": (
        under("all", {"pyvenv.cfg": b"x", **under("my-bot")}),
        "all is a virtual environment of Python",
        "",
    ),
    "a Word document": ({"a.docx": zipped({"x": b"x"})}, "no bot.yaml: found a.docx", ""),
}


@pytest.mark.parametrize("form", ["folder", "a.zip", "a.tar"])
@pytest.mark.parametrize("case", NONE)
def test_student_is_told_why_there_is_no_bot(tmp_path: Path, case: str, form: str) -> None:
    files, why, hint = NONE[case]
    if form != "folder" and case == "a third archive":
        files = {"b.zip": zipped({"c.zip": zipped(BOT)}), "x/": b""}
        why = "b.zip: c.zip"
    inside = looked(tmp_path, {form: packed(tmp_path / "in" / form, files)})
    assert inside.bot is None
    assert why in inside.why
    assert hint in inside.hint


@pytest.mark.parametrize("name", ["hand-in.rar", "hand-in.zip", "hand-in"])
def test_only_file_of_a_hand_in_is_named(tmp_path: Path, name: str) -> None:
    inside = looked_into(tmp_path, name, b"Rar!\x1a\x07\x00")
    assert inside.why == f"{name} is a RAR archive, which cannot be read"
    assert inside.hint == "send the bot's folder as a .zip or a .tar.gz"


def test_loose_files_and_another_bot_are_two(tmp_path: Path) -> None:
    files = {"bot.yaml": MANIFEST, "my-bot.zip": zipped(BOT)}
    folder = folder_of(tmp_path / "in", files)
    inside = looked(tmp_path, {name: folder / name for name in files})
    assert inside.why == "two bots: bot.yaml and my-bot.zip"


# ---------------------------------------------------------------- refused

LINK = tar_info("my-bot/data", type=tarfile.SYMTYPE, linkname="/etc/passwd")
# Names that are added to the bot, and why the hand-in is refused.
NAMES = {
    "up": ("../evil", "holds a path that leads out of the archive: ../evil"),
    "up on Windows": (
        "x\\..\\..\\evil",
        "holds a path that leads out of the archive: x\\..\\..\\evil",
    ),
    "absolute": ("/etc/passwd", "holds an absolute path: /etc/passwd"),
    "a drive": ("C:/x", "holds an absolute path: C:/x"),
    "a drive on Windows": ("C:\\x", "holds an absolute path: C:\\x"),
    "a share": ("\\\\host\\x", "holds an absolute path: \\\\host\\x"),
    "in junk": ("__MACOSX/../../x", "holds a path that leads out of the archive"),
    "twice": ("my-bot\\bot.py", "holds the same file twice: my-bot/bot.py"),
    "case": ("my-bot/BOT.py", "differs only by case or Unicode form from BOT.py: my-bot/bot.py"),
    "case of a folder": ("My-Bot/x.py", "differs only by case or Unicode form from My-Bot: my-bot"),
    "a file and a folder": ("my-bot\\bot.py\\x", "a file and a folder of one name: my-bot/bot.py"),
    "deep": ("/".join("x" * 66) + "/y", "more than 64 folders"),
    "long": ("/".join(["x" * 200] * 11), "a path of more than 2,048 bytes"),
    "a newline in the bot": ("my-bot/a\nb", "a character that does not show: my-bot/a\\nb"),
    "a colon in the bot": ("my-bot/a:b", "a name that not every system can hold: my-bot/a:b"),
    "deep in the bot": ("my-bot/" + "/".join("x" * 34), "may be 32 folders deep at most"),
    "long in the bot": ("my-bot/" + "/".join(["x" * 200] * 6), "may have 1,024 bytes at most"),
}


@pytest.mark.parametrize("form", ["a.zip", "a.tar.gz"])
@pytest.mark.parametrize("what", NAMES)
def test_name_is_refused(tmp_path: Path, what: str, form: str) -> None:
    name, why = NAMES[what]
    inside = looked_into(tmp_path, form, archived(form, under("my-bot") | {name: b"x"}))
    assert why in inside.why
    assert not list(tmp_path.glob("evil"))


SPECIAL: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a link in a tar": (
        lambda path: tar_of(path / "a.tar", under("my-bot"), LINK),
        "the hand-in holds a symbolic link: my-bot/data",
    ),
    "a hard link": (
        lambda path: tar_of(
            path / "a.tar", BOT, tar_info("x", type=tarfile.LNKTYPE, linkname="bot.py")
        ),
        "the hand-in holds a hard link: x",
    ),
    "a device": (
        lambda path: tar_of(path / "a.tar", BOT, tar_info("x", type=tarfile.CHRTYPE)),
        "the hand-in holds a device: x",
    ),
    "a file with holes": (
        lambda path: tar_of(path / "a.tar", BOT, tar_info("x", type=tarfile.GNUTYPE_SPARSE)),
        "the hand-in holds a file with holes: x",
    ),
    "a link in a zip": (
        lambda path: zip_of(path / "a.zip", BOT, zip_info("x", stat.S_IFLNK | 0o777)),
        "the hand-in holds a symbolic link: x",
    ),
    "an encrypted file": (
        lambda path: written(path / "a.zip", old_zip({b"bot.yaml": MANIFEST}, flags=1)),
        "the hand-in holds an encrypted file: bot.yaml",
    ),
    "a link in a nested archive": (
        lambda path: zip_of(
            path / "a.zip",
            {
                "x/b.zip": zip_of(
                    path / "b.zip", BOT, zip_info("y", stat.S_IFLNK | 0o777)
                ).read_bytes()
            },
        ),
        "the hand-in holds a symbolic link: x/b.zip: y",
    ),
}


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("what", SPECIAL)
def test_special_file_is_refused(tmp_path: Path, what: str) -> None:
    make, why = SPECIAL[what]
    path = make(tmp_path)
    inside = looked(tmp_path, {path.name: path})
    assert inside.why == why
    assert inside.hint


@pytest.mark.parametrize("target", ["/etc/passwd", "bot.py", "nowhere"])
def test_link_in_a_folder_is_refused(tmp_path: Path, target: str) -> None:
    folder = folder_of(tmp_path / "in", under("my-bot"))
    (folder / "my-bot" / "data.zip").symlink_to(target)
    inside = looked(tmp_path, {"in": folder})
    assert inside.why == "the hand-in holds a symbolic link: my-bot/data.zip"


def test_link_or_pipe_in_place_of_the_hand_in_is_refused(tmp_path: Path) -> None:
    folder_of(tmp_path / "ann", BOT)
    (tmp_path / "eve").symlink_to("ann")
    assert looked(tmp_path, {"eve": tmp_path / "eve"}).why == (
        "the hand-in holds a symbolic link: eve"
    )
    os.mkfifo(tmp_path / "pipe")
    other = tmp_path / "other"
    other.mkdir()
    assert "neither a file nor a folder: pipe" in looked(other, {"pipe": tmp_path / "pipe"}).why


@pytest.mark.parametrize("place", [".venv/bin/python", "node_modules/.bin/tsc", "env/bin/python"])
def test_links_in_junk_are_passed_over(tmp_path: Path, tidy: str, place: str) -> None:
    more = {f"my-bot/{place.partition('/')[0]}/pyvenv.cfg": b"x"} if "bin/python" in place else {}
    link = tar_info(f"my-bot/{place}", type=tarfile.SYMTYPE, linkname="/usr/bin/python3")
    folder = folder_of(tmp_path / "in" / "folder", under("my-bot") | more)
    (folder / "my-bot" / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / "my-bot" / place).symlink_to("/usr/bin/python3")
    made = [
        tar_of(tmp_path / "in" / "a.tar", under("my-bot"), link, *map(tar_info, more)),
        zip_of(
            tmp_path / "in" / "a.zip",
            under("my-bot"),
            zip_info(link.name, stat.S_IFLNK | 0o777),
            *map(zip_info, more),
        ),
    ]
    for number, path in enumerate([folder, *made]):
        inside = looked(tmp_path / str(number), {path.name: path})
        assert inside.bot
        assert digest(inside.bot) == tidy


# ---------------------------------------------------------------- limits


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = BotLimits(entries=20, size=1 << 20)
    monkeypatch.setattr("arena.course.intake.inside.HAND_IN_LIMITS", limits)


ZEROS = bytes(600 << 10)
LARGE: dict[str, tuple[Files, str]] = {
    "bytes": (under("my-bot") | {"a": ZEROS, "b": ZEROS}, "more than 1 MiB: b"),
    "bytes of junk": (
        under("my-bot") | {".git/a": ZEROS, ".git/b": ZEROS},
        "more than 1 MiB: .git/b",
    ),
    "entries": (
        under("my-bot") | {f"{n}": b"" for n in range(30)},
        "more than",
    ),
    "entries of junk": (
        under("my-bot") | {f".git/{n}": b"" for n in range(30)},
        "more than",
    ),
    "folders around them": ({"/".join("x" * 30) + "/bot.yaml": MANIFEST}, "more than 20 files and"),
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("form", ["folder", "a.zip", "a.tar.gz"])
@pytest.mark.parametrize("case", LARGE)
def test_too_much_is_refused(tmp_path: Path, case: str, form: str) -> None:
    files, why = LARGE[case]
    inside = looked(tmp_path, {form: packed(tmp_path / "in" / form, files)})
    assert inside.bot is None
    assert why in inside.why
    assert inside.hint or "entries" in inside.why


@pytest.mark.usefixtures("small")
def test_nested_archives_count_together(tmp_path: Path) -> None:
    files = under("my-bot") | {f"{n}.zip": compressed(ZEROS) for n in range(2)}
    inside = looked(tmp_path, {"a.zip": zip_of(tmp_path / "a.zip", files)})
    assert inside.why == "the hand-in holds more than 1 MiB: 1.zip: zeros"
    kept = sum(path.stat().st_size for path in (tmp_path / "work").rglob("*") if path.is_file())
    assert kept <= 1 << 20


def compressed(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("zeros", content)
    return file.getvalue()


def test_archives_are_limited(tmp_path: Path) -> None:
    files = under("my-bot") | {f"{n}.zip": b"PK no" for n in range(17)}
    inside = looked(tmp_path, {"in": folder_of(tmp_path / "in", files)})
    assert inside.why == "the hand-in holds more than 16 archives"


def test_bot_itself_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = BotLimits(entries=20, size=1 << 20)
    monkeypatch.setattr("arena.course.intake.inside.BOT_LIMITS", limits)
    many = {f"data/{n}": b"" for n in range(20)}
    cases = {
        "a": (under("my-bot") | many | {"large": bytes(2 << 20)}, ""),
        "b": (under("my-bot", BOT | many), "may hold 20 files and folders at most: my-bot"),
        "c": (under("my-bot", BOT | {"large": bytes(2 << 20)}), "may hold 1 MiB at most: my-bot"),
    }
    for name, (files, why) in cases.items():
        made = zip_of(tmp_path / f"{name}.zip", files)
        inside = looked(tmp_path / name, {made.name: made})
        assert inside.why == (f"a bot's folder {why}" if why else "")
        assert bool(inside.hint) == bool(why)
    assert "large (2.0 MiB)" in inside.hint


def test_passed_over_are_counted_beyond_twenty(tmp_path: Path) -> None:
    files = under("my-bot") | {f"report-{n:02}.pdf": b"x" for n in range(25)}
    inside = looked(tmp_path, {"in": folder_of(tmp_path / "in", files)})
    assert inside.ignored == (*(f"report-{n:02}.pdf" for n in range(20)), "and 5 more")


# ---------------------------------------------------------------- the machine


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EMFILE])
def test_fault_of_the_machine_is_no_students(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    made = zip_of(tmp_path / "a.zip", BOT)
    opened = Path.open

    def fail(path: Path, mode: str = "r") -> object:
        if mode == "xb":
            raise OSError(code, os.strerror(code))
        return opened(path, mode)

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(ArenaError) as refusal:
        looked(tmp_path, {"a.zip": made})
    assert refusal.value.where == str(tmp_path / "work")
    assert refusal.value.what == f"cannot be unpacked: {os.strerror(code)}"


def test_file_that_must_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may read everything: here the system call fails instead."""

    def fail(path: Path) -> object:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr("os.scandir", fail)
    folder = folder_of(tmp_path / "in", under("my-bot"))
    assert looked(tmp_path, {"ann": folder}).why == "in cannot be read: Permission denied"


# ---------------------------------------------------------------- anything

NAME = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
TREE = st.dictionaries(
    st.lists(NAME, min_size=1, max_size=3).map("/".join), st.binary(max_size=200), max_size=5
)
WRAP = st.sampled_from(["folder", "zip", "tar.gz", "backslashes"])


def distinct(files: Files, prefix: str) -> dict[str, bytes]:
    """Give each file a folder of its own, so that no two names collide."""
    return {f"{prefix}{n}/{path}": content for n, (path, content) in enumerate(files.items())}


@settings(max_examples=depth(15, 400), deadline=None)
@given(
    own=TREE,
    around=TREE,
    depth_=st.lists(NAME, max_size=6),
    inner=st.sampled_from(["", "a.zip", "a.tar.gz"]),
    wrap=WRAP,
    junk=st.sets(st.sampled_from([name for name in sorted(JUNK) if "/env/" not in name])),
)
def test_any_bot_is_found_however_it_is_wrapped(
    tmp_path_factory: pytest.TempPathFactory,
    own: Files,
    around: Files,
    depth_: list[str],
    inner: str,
    wrap: str,
    junk: set[str],
) -> None:
    where = tmp_path_factory.mktemp("any")
    bot = BOT | distinct(own, "own-")
    prefix = "".join(f"{name}/" for name in ["in", *depth_])
    files = {prefix + name: content for name, content in bot.items()}
    files |= {f"{prefix}{name.removeprefix('my-bot/')}": JUNK[name] for name in junk}
    files |= distinct(around, "around-")
    if inner:
        files = {f"x/{inner}": archived(inner, files), "x/report.pdf": b"%PDF"}
    name = {"zip": "a.zip", "backslashes": "b.zip", "tar.gz": "a.tar.gz"}.get(wrap, "folder")
    if wrap == "backslashes":
        files = {name.replace("/", "\\"): content for name, content in files.items()}
    inside = looked(where, {name: packed(where / "in" / name, files)})
    assert inside.why == ""
    assert inside.bot
    assert digest(inside.bot) == digest(folder_of(where / "tidy", bot))
    assert inside.where == (f"x/{inner}: " if inner else "") + prefix.rstrip("/")


DAMAGED = [zipped({"x/b.zip": zipped(under("my-bot")), "y": b"y" * 99})]
DAMAGED += [archived("a.tar.gz", under("my-bot")), old_zip({b"a\\bot.yaml": MANIFEST})]


@settings(max_examples=depth(50, 3000), deadline=None)
@given(
    original=st.sampled_from(DAMAGED),
    edits=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=4),
    ending=st.sampled_from([".zip", ".tar", ".tar.gz"]),
)
def test_damaged_bytes_never_stop_a_course(
    tmp_path_factory: pytest.TempPathFactory,
    original: bytes,
    edits: list[tuple[float, int]],
    ending: str,
) -> None:
    where = tmp_path_factory.mktemp("damaged")
    content = bytearray(original)
    for place, value in edits:
        content[int(place * len(content))] = value
    looked_into(where, f"a{ending}", bytes(content))


def test_offset_before_the_file_is_damage(tmp_path: Path) -> None:
    made = bytearray(old_zip({b"bot.yaml": MANIFEST}))
    at = made.index(b"PK\x05\x06")
    # The list of contents seems to begin later than it does: offsets point before the file.
    made[at + 16 : at + 20] = struct.pack("<I", len(made) + 99)
    assert (
        "a.zip cannot be read: the archive is damaged"
        in looked_into(tmp_path, "a.zip", bytes(made)).why
    )


def test_archives_of_common_programs_are_read(tmp_path: Path, tidy: str) -> None:
    folder_of(tmp_path / "in", under("my-bot"))
    for number, command in enumerate(
        (["zip", "-qr", "../0.zip", "."], ["tar", "cf", "../1.tar", "."])
    ):
        subprocess.run(command, cwd=tmp_path / "in", check=True)
        (tmp_path / str(number)).mkdir()
        name = Path(command[2]).name
        inside = looked(tmp_path / str(number), {name: tmp_path / name})
        assert inside.bot
        assert (digest(inside.bot), inside.where) == (tidy, "my-bot")
