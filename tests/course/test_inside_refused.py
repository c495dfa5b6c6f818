"""Hand-ins that are refused for a name, a link or a size in them; a machine that fails."""

import errno
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.folder import BotLimits, digest
from arena.io.errors import ArenaError
from tests.course.hand_in_files import (
    Files,
    archived,
    folder_of,
    looked,
    looked_into,
    old_zip,
    packed,
    under,
)
from tests.support.archives import BOT, MANIFEST, tar_info, tar_of, zip_info, zip_of

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
