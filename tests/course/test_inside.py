"""The one bot in a hand-in: found however it was packed, or refused in the student's words."""

import stat
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.folder import digest
from arena.bots.manifest import load_bot
from tests.course.hand_in_files import (
    FORMS,
    Files,
    archived,
    folder_of,
    looked,
    looked_into,
    old_zip,
    packed,
    under,
    zipped,
)
from tests.support.archives import BOT, MANIFEST, zip_info, zip_of
from tests.support.depth import depth

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
