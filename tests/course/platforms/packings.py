"""How students pack a bot: what they upload, by name, from the bot's files by path.

`PACKINGS` hold one bot. `BAD_PACKINGS` cannot be read, are unsafe, or hold no bot or two.
"""

import gzip
import io
import struct
import tarfile
import unicodedata
import zlib
from collections.abc import Callable, Mapping
from datetime import datetime

from tests.course.platforms.zips import (
    DEFLATED,
    ENCRYPTED,
    FILE,
    LINK,
    ZERO_DATE,
    Entry,
    Library,
    dos,
    zip_bytes,
    zipped,
)

Files = Mapping[str, bytes]
Packing = Callable[[Files], Files]

_PACKED = datetime(2026, 11, 17, 21, 4, 12)
"""When students packed, by their own clocks."""
_AT = dos(_PACKED)
_BOT = "my-bot"
_PDF = b"%PDF-1.4\n%%EOF\n"

# Programs on students' machines.
_EXPLORER = Library(20, 20, "if needed", 0x20)
_INFO_ZIP = Library(0x31E, 20, "if needed", FILE)
# macOS's Archive Utility: Unix, sizes follow, names in UTF-8 that no flag marks.
_MAC = Library(0x315, 20, "never", FILE, streams=True)


def _inside(folder: str, files: Files) -> dict[str, bytes]:
    return {f"{folder}/{path}": content for path, content in files.items()}


def _with_folders(files: Files) -> dict[str, bytes]:
    """Return files with an entry for each folder before what is in it."""
    found: dict[str, bytes] = {}
    for path, content in files.items():
        parts = path.split("/")
        for depth in range(1, len(parts)):
            found.setdefault("/".join(parts[:depth]) + "/", b"")
        found[path] = content
    return found


def flat_zip(bot: Files) -> Files:
    return {"bot.zip": zipped(bot, _EXPLORER, _AT)}


def folder_in_zip(bot: Files) -> Files:
    return {"my-bot.zip": zipped(_with_folders(_inside(_BOT, bot)), _INFO_ZIP, _AT)}


def three_folders_deep(bot: Files) -> Files:
    inside = _with_folders(_inside(f"Users/jane/{_BOT}", bot))
    return {"Archive.zip": zipped(inside, _INFO_ZIP, _AT)}


def tar_gz(bot: Files) -> Files:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in _inside(_BOT, bot).items():
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(content), 0o644, 1_794_949_452
            archive.addfile(info, io.BytesIO(content))
    return {"my-bot.tar.gz": gzip.compress(packed.getvalue(), mtime=0)}


def report_beside_the_folder(bot: Files) -> Files:
    return {"Abgabe.zip": zipped({**_inside(_BOT, bot), "report.pdf": _PDF}, _EXPLORER, _AT)}


def report_beside_the_zip(bot: Files) -> Files:
    return {"report.pdf": _PDF, **folder_in_zip(bot)}


def apple_double(content: bytes) -> bytes:
    """Return a `._` file: magic, version, one entry of Finder's information, and its attribute."""
    head = struct.pack(">LL16sH", 0x00051607, 0x00020000, b"Mac OS X        ", 1)
    return head + struct.pack(">3L", 9, 38, 32) + bytes(32) + b"ATTR" + content[:4]


def archive_utility(bot: Files) -> Files:
    inside = _with_folders({**_inside(_BOT, bot), f"{_BOT}/.DS_Store": b"\0\0\0\1Bud1" + bytes(64)})
    doubles = {
        f"__MACOSX/{folder}._{name}": apple_double(content)
        for path, content in inside.items()
        if not path.endswith("/")
        for folder, name in [_split(path)]
    }
    return {"my-bot.zip": zipped(inside | doubles, _MAC, _AT)}


def _split(path: str) -> tuple[str, str]:
    folder, slash, name = path.rpartition("/")
    return folder + slash, name


def zip_in_zip(bot: Files) -> Files:
    files = {
        "hand-in/bot.zip": zipped(_inside(_BOT, bot), _EXPLORER, _AT),
        "hand-in/report.pdf": _PDF,
        "__MACOSX/hand-in/._bot.zip": apple_double(b""),
        "hand-in/.DS_Store": b"\0\0\0\1Bud1",
    }
    return {"hand-in.zip": zipped(files, _MAC, _AT)}


def editor_files(bot: Files) -> Files:
    files = {
        **_inside(_BOT, bot),
        f"{_BOT}/.idea/workspace.xml": b'<?xml version="1.0"?>\n<project version="4"/>\n',
        f"{_BOT}/.idea/my-bot.iml": b"<module/>\n",
        f"{_BOT}/desktop.ini": b"[.ShellClassInfo]\r\n",
    }
    return {"my-bot.zip": zipped(files, _EXPLORER, _AT)}


def virtual_environment(bot: Files) -> Files:
    files = {
        **_inside(_BOT, bot),
        f"{_BOT}/.venv/pyvenv.cfg": b"home = /usr/bin\nversion = 3.12.3\n",
        f"{_BOT}/.venv/lib/python3.12/site-packages/pip/__init__.py": b'__version__ = "24.0"\n',
    }
    entries = [_INFO_ZIP.entry(name, content, _AT) for name, content in files.items()]
    link = _INFO_ZIP.entry(f"{_BOT}/.venv/bin/python", b"/usr/bin/python3", _AT, LINK)
    return {"my-bot.zip": zip_bytes([*entries, link])}


def git_folder(bot: Files) -> Files:
    empty_tree = zlib.compress(b"tree 0\0")
    files = {
        **_inside(_BOT, bot),
        f"{_BOT}/.git/HEAD": b"ref: refs/heads/main\n",
        f"{_BOT}/.git/config": b"[core]\n\tbare = false\n",
        f"{_BOT}/.git/objects/4b/825dc642cb6eb9a060e54bf8d69288fbee4904": empty_tree,
        f"{_BOT}/.gitignore": b"__pycache__/\n",
    }
    return {"my-bot.zip": zipped(files, _INFO_ZIP, _AT)}


def backslashes(bot: Files) -> Files:
    """Return what .NET before 4.6.1 wrote: the separator of Windows in names."""
    files = {f"{_BOT}\\" + path.replace("/", "\\"): content for path, content in bot.items()}
    return {"my-bot.zip": zipped(files, Library(20, 20, "if needed", 0), _AT)}


def _encoded(folder: str, encoding: str, bot: Files) -> bytes:
    """Return a zip that does not say in which encoding its names are."""
    return zip_bytes(
        Entry(name.encode(encoding), content, _AT, attributes=0x20, made_by=20)
        for name, content in _inside(folder, bot).items()
    )


def names_in_cp437(bot: Files) -> Files:
    return {"abgabe.zip": _encoded("Jürgen Müller", "cp437", bot)}


def names_in_cp850(bot: Files) -> Files:
    # Read as CP437, Ø is ¥.
    return {"abgabe.zip": _encoded("Jürgen Ørsted", "cp850", bot)}


def names_in_unmarked_utf8(bot: Files) -> Files:
    return {"abgabe.zip": _encoded("Jürgen Groß", "utf-8", bot)}


def names_in_nfd(bot: Files) -> Files:
    """Return names as a Mac writes them: letters and their marks apart."""
    folder = unicodedata.normalize("NFD", "Jürgen Müller")
    name = unicodedata.normalize("NFD", "Lösung.zip")
    return {name: zipped(_with_folders(_inside(folder, bot)), _MAC, _AT)}


def zero_date(bot: Files) -> Files:
    return {"my-bot.zip": zipped(_inside(_BOT, bot), Library(0x314, 20), ZERO_DATE)}


def loose_files(bot: Files) -> Files:
    return dict(bot)


def loose_files_and_report(bot: Files) -> Files:
    return {**bot, "report.pdf": _PDF}


def second_download(bot: Files) -> Files:
    """Return an archive named by a browser that had one of that name, in capitals."""
    return {"My Bot (1).ZIP": zipped(_inside("My Bot", bot), _EXPLORER, _AT)}


PACKINGS: Mapping[str, Packing] = {
    "flat-zip": flat_zip,
    "folder-in-zip": folder_in_zip,
    "three-folders-deep": three_folders_deep,
    "tar-gz": tar_gz,
    "report-beside-the-folder": report_beside_the_folder,
    "report-beside-the-zip": report_beside_the_zip,
    "archive-utility": archive_utility,
    "zip-in-zip": zip_in_zip,
    "editor-files": editor_files,
    "virtual-environment": virtual_environment,
    "git-folder": git_folder,
    "backslashes": backslashes,
    "names-in-cp437": names_in_cp437,
    "names-in-cp850": names_in_cp850,
    "names-in-unmarked-utf8": names_in_unmarked_utf8,
    "names-in-nfd": names_in_nfd,
    "zero-date": zero_date,
    "loose-files": loose_files,
    "loose-files-and-report": loose_files_and_report,
    "second-download": second_download,
}


def rar(bot: Files) -> Files:
    return {"my-bot.rar": b"Rar!\x1a\x07\x01\x00" + b"\x33\x92\xb5\xe5" + b"".join(bot.values())}


def encrypted(bot: Files) -> Files:
    """Return a zip with a password: each entry begins with 12 bytes of its encryption."""
    return {
        "my-bot.zip": zip_bytes(
            Entry(
                *(f"{_BOT}/{name}".encode(), content, _AT, ENCRYPTED),
                packed=bytes(range(12)) + bytes(byte ^ 0x5A for byte in content),
                method=0,
            )
            for name, content in bot.items()
        )
    }


def no_manifest(bot: Files) -> Files:
    rest = {path: content for path, content in bot.items() if path != "bot.yaml"}
    return folder_in_zip(rest or {"readme.txt": b"later\n"})


def two_bots(bot: Files) -> Files:
    return {"bots.zip": zipped({**_inside("old", bot), **_inside("new", bot)}, _INFO_ZIP, _AT)}


def _and_entry(bot: Files, name: str, content: bytes = b"x = 1\n", mode: int = FILE) -> Files:
    """Return a bot's zip with one more entry."""
    entries = [_INFO_ZIP.entry(path, data, _AT) for path, data in _inside(_BOT, bot).items()]
    return {"my-bot.zip": zip_bytes([*entries, _INFO_ZIP.entry(name, content, _AT, mode)])}


def backslashes_upwards(bot: Files) -> Files:
    return _and_entry(bot, "..\\..\\x.py")


def upwards(bot: Files) -> Files:
    return _and_entry(bot, "../x")


def absolute(bot: Files) -> Files:
    return _and_entry(bot, "/x")


def drive(bot: Files) -> Files:
    return _and_entry(bot, "C:/x")


def link(bot: Files) -> Files:
    """Return a zip in which all files of the bot but its manifest are links."""
    entries = [
        _INFO_ZIP.entry(f"{_BOT}/{path}", content, _AT)
        if path == "bot.yaml"
        else _INFO_ZIP.entry(f"{_BOT}/{path}", b"/etc/passwd", _AT, LINK)
        for path, content in bot.items()
    ]
    return {"my-bot.zip": zip_bytes(entries)}


_BOMB_PART = 4 << 20
_BOMB_PARTS = 32


def bomb(bot: Files) -> Files:
    """Return a zip of some 130 KB with a file of 128 MiB that says it is small."""
    deflate = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    part = deflate.compress(bytes(_BOMB_PART)) + deflate.flush(zlib.Z_FULL_FLUSH)
    packed = part * _BOMB_PARTS + deflate.flush()
    entries = [_INFO_ZIP.entry(path, data, _AT) for path, data in _inside(_BOT, bot).items()]
    name = f"{_BOT}/weights.bin".encode()
    large = Entry(name, b"", _AT, method=DEFLATED, packed=packed, size=1000)
    return {"my-bot.zip": zip_bytes([*entries, large])}


def truncated(bot: Files) -> Files:
    whole = folder_in_zip(bot)["my-bot.zip"]
    return {"my-bot.zip": whole[: len(whole) * 2 // 3]}


def empty(bot: Files) -> Files:
    return {"my-bot.zip": zip_bytes([])}


BAD_PACKINGS: Mapping[str, Packing] = {
    "rar": rar,
    "encrypted": encrypted,
    "no-manifest": no_manifest,
    "two-bots": two_bots,
    "backslashes-upwards": backslashes_upwards,
    "upwards": upwards,
    "absolute": absolute,
    "drive": drive,
    "link": link,
    "bomb": bomb,
    "truncated": truncated,
    "empty": empty,
}
