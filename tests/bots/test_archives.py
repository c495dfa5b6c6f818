"""Archives of bots: the same bot as the folder, or refused with a one-line error."""

import os
import shutil
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.archives.unpack import unpack
from arena.bots.builds.staging import stage
from arena.bots.folder import digest
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.process import ProcessSandbox
from arena.io.errors import ArenaError
from tests.support.archives import (
    BOT,
    MANIFEST,
    NAMES,
    refused,
    tar_info,
    tar_of,
    write,
    zip_info,
    zip_of,
)
from tests.support.depth import depth
from tests.support.live import write_bot

# ---------------------------------------------------------------- accepted archives


@pytest.mark.parametrize("name", [*NAMES, "a.tgz", "a.tbz2", "a.txz", "A.ZIP", "a.Tar.Gz"])
@pytest.mark.parametrize("prefix", ["", "ann/", "./"])
def test_archive_is_the_same_bot_as_its_folder(tmp_path: Path, name: str, prefix: str) -> None:
    folder = write_bot(tmp_path / "ann", "print(1)").folder
    (folder / "data").mkdir()
    (folder / "data" / "tablé.txt").write_text("x")
    files = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    plain = {"a.tgz": "a.tar.gz", "a.tbz2": "a.tar.bz2", "a.txz": "a.tar.xz"}.get(name, name)
    made = write(
        tmp_path / plain.lower(), {prefix + n: p.read_bytes() for n, p in files.items()}
    ).rename(tmp_path / name)
    bot, same = load_bot(folder), load_bot(made)
    assert (same.info, same.command, same.build) == (bot.info, bot.command, bot.build)
    assert same.source == made


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("a.zip", ["zip", "-qr", "../a.zip", "."]),
        ("b.zip", ["sh", "-c", "cd .. && zip -qr b.zip ann"]),
        ("c.zip", ["sh", "-c", "cd .. && zip -qr - ann | cat > c.zip"]),
        ("a.tar", ["tar", "-cf", "../a.tar", "."]),
        ("b.tar.gz", ["tar", "-czf", "../b.tar.gz", "-C", "..", "ann"]),
        ("c.tar.xz", ["tar", "-cJf", "../c.tar.xz", "--format=posix", "."]),
        ("d.tar.bz2", ["tar", "-cjf", "../d.tar.bz2", "--format=v7", "."]),
    ],
)
def test_archives_of_common_programs_are_accepted(
    tmp_path: Path, name: str, command: list[str]
) -> None:
    folder = write_bot(tmp_path / "ann", "print(1)").folder
    (folder / ("deep" * 20)).mkdir()
    (folder / ("deep" * 20) / "é.txt").write_text("x" * 100_000)
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    subprocess.run(command, cwd=folder, check=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert load_bot(tmp_path / name).info == load_bot(folder).info


@pytest.mark.parametrize("format_", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_are_read_in_every_tar_format(tmp_path: Path, format_: int) -> None:
    long = "/".join(["x" * 60] * 3)
    made = tar_of(tmp_path / "a.tar", BOT | {long: b"long"}, format=format_)
    target = tmp_path / "out"
    unpack(made, target, 100, 10_000)
    assert (target / long).read_bytes() == b"long"
    assert (target / "bot.yaml").read_bytes() == MANIFEST


def test_files_added_by_macos_are_ignored(tmp_path: Path) -> None:
    plain = load_bot(zip_of(tmp_path / "a.zip", BOT)).info
    more = {"ann/.DS_Store": b"x", "ann/._bot.py": b"x", "__MACOSX/ann/._bot.py": b"x"}
    inside = {f"ann/{name}": content for name, content in BOT.items()}
    assert load_bot(zip_of(tmp_path / "b.zip", inside | more)).info == plain
    attributes = {"./._bot.py": b"x", "._bot.py": b"x"}
    inside = {f"./{name}": content for name, content in BOT.items()}
    assert load_bot(tar_of(tmp_path / "b.tar", inside | dict([attributes.popitem()]))).info == plain


def test_archive_of_two_folders_is_refused(tmp_path: Path) -> None:
    files = {f"{top}/{name}": content for top in ("ann", "eve") for name, content in BOT.items()}
    error = refused(zip_of(tmp_path / "a.zip", files))
    assert error.what == "no bot.yaml in the bot's archive"
    assert error.where == str(tmp_path / "a.zip")


def test_only_the_executable_bit_is_kept(tmp_path: Path) -> None:
    modes = {"plain": 0o666, "run": 0o6755, "group": 0o070, "sticky": 0o1600}
    made = [
        tar_of(
            tmp_path / "a.tar.gz",
            BOT,
            *(tar_info(name, mode=mode, uid=7, size=1) for name, mode in modes.items()),
        ),
        zip_of(tmp_path / "a.zip", BOT, *(zip_info(n, stat.S_IFREG | m) for n, m in modes.items())),
    ]
    for number, archive in enumerate(made):
        target = tmp_path / f"out{number}"
        unpack(archive, target, 100, 10_000)
        kept = {name: stat.S_IMODE((target / name).stat().st_mode) for name in modes}
        assert kept == {"plain": 0o644, "run": 0o755, "group": 0o644, "sticky": 0o644}
        assert {path.stat().st_uid for path in target.iterdir()} == {os.geteuid()}


def test_archive_is_staged_like_its_folder(tmp_path: Path, runs: Path) -> None:
    more = {"empty/": b"", "__pycache__/x.pyc": b"x", "sub/run": b"x"}
    bot = load_bot(zip_of(tmp_path / "a.zip", BOT | more))
    staged = stage(bot, runs, ProcessSandbox())
    assert staged.folder.parent == runs
    found = {path.relative_to(staged.folder).as_posix() for path in staged.folder.rglob("*")}
    assert found == {"bot.yaml", "bot.py", "sub", "sub/run"}
    assert digest(staged.folder) == bot.info.digest
    assert list(runs.iterdir()) == [staged.folder]


def test_archive_plays_as_it_was_loaded(tmp_path: Path, runs: Path) -> None:
    bot = load_bot(zip_of(tmp_path / "a.zip", BOT))
    zip_of(tmp_path / "a.zip", BOT | {"bot.py": b"print(2)\n"})
    assert (stage(bot, runs, ProcessSandbox()).folder / "bot.py").read_bytes() == BOT["bot.py"]


def test_unpacked_files_are_removed_with_the_bot(tmp_path: Path) -> None:
    bot = load_bot(zip_of(tmp_path / "a.zip", BOT))
    folder = bot.folder
    assert (folder / "bot.py").is_file()
    del bot
    assert not folder.exists()


def test_program_missing_from_an_archive_is_named(tmp_path: Path, runs: Path) -> None:
    files = {"bot.yaml": b"name: ann\ncommand: ./bot\n"}
    archive = tar_of(tmp_path / "a.tar", files)
    with pytest.raises(ArenaError, match=r"'ann' needs './bot'") as refusal:
        stage(load_bot(archive), runs, ProcessSandbox())
    assert refusal.value.where == str(archive)


def test_manifest_errors_name_the_archive(tmp_path: Path) -> None:
    error = refused(tar_of(tmp_path / "a.tar", {"ann/bot.yaml": b"name: ann\ncomand: x\n"}))
    assert error.where == f"{tmp_path}/a.tar/bot.yaml:2:1"
    assert error.hint == "did you mean 'command'?"


# ---------------------------------------------------------------- any safe folder


@pytest.mark.parametrize("name", ["a.zip", "a.tar"])
def test_archive_may_be_one_folder_deeper_than_a_bot(tmp_path: Path, name: str) -> None:
    """The archive may hold the bot's folder itself."""
    deep = "/".join("x" * 32)
    for number, prefix in enumerate(["", "ann/"]):
        made = tmp_path / f"{number}-{name}"
        files = {f"{prefix}{path}": content for path, content in BOT.items()}
        assert load_bot(write(made, files | {f"{prefix}{deep}/file": b"x"})).name == "ann"
    too_deep = write(tmp_path / name, BOT | {f"x/{deep}/file": b"x"})
    assert refused(too_deep).what == "a bot's folder may be 32 folders deep at most"


SAFE = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="/\\:."),
    min_size=1,
    max_size=20,
)
FOLDERS = st.dictionaries(
    st.lists(SAFE, min_size=1, max_size=3).map("/".join), st.binary(max_size=2000), max_size=6
)


@settings(max_examples=depth(25, 60), deadline=None)
@given(files=FOLDERS, name=st.sampled_from(NAMES), prefix=st.sampled_from(["", "./", "b o t/"]))
def test_any_safe_folder_is_the_same_bot_in_an_archive(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], name: str, prefix: str
) -> None:
    where = tmp_path_factory.mktemp("safe")
    folder = where / "ann"
    try:
        for path, content in (_distinct(files) | BOT).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        files = {prefix + path: content for path, content in (_distinct(files) | BOT).items()}
        assert load_bot(write(where / name, files)).info == load_bot(folder).info
    finally:
        shutil.rmtree(where)


def _distinct(files: dict[str, bytes]) -> dict[str, bytes]:
    """Give each file a folder of its own, so that no two names collide."""
    return {f"{number}/{path}": content for number, (path, content) in enumerate(files.items())}
