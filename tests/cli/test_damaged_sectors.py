"""A store with a damaged sector: every command does what it does without, or ends with one line."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league.store.files import logs_path
from tests.cli.command import Ran, run
from tests.league.store import edit
from tests.publish.pages import tree
from tests.support.sampling import sample

SECTOR = 512
"""Bytes that a disk loses at once, at least."""
COMMANDS = {
    "status": (),
    "export": (),
    "verify": (),
    "report": ("--replays", "none"),
    "prune": ("--logs", "0"),
}


def zeroed(sector: bytes) -> bytes:
    return bytes(len(sector))


def flipped(sector: bytes) -> bytes:
    return bytes(byte ^ 0xFF for byte in sector)


@pytest.fixture
def whole(played_at_two_sizes: Path) -> Path:
    return played_at_two_sizes


def copied(whole: Path, folder: Path, *, cache: bool) -> Path:
    """Copy a league without its site; with the report's cache, if asked for."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(whole / "league.yaml", folder)
    if cache:
        shutil.copy(whole / "league.sqlite.summaries", folder)
    return edit.copied(whole / "league.sqlite", folder / "league.sqlite")


def spoil(file: Path, at: int, how: Callable[[bytes], bytes]) -> None:
    data = bytearray(file.read_bytes())
    data[at : at + SECTOR] = how(bytes(data[at : at + SECTOR]))
    file.write_bytes(data)


def ending(name: str, folder: Path) -> tuple[Ran, dict[str, bytes]]:
    """Run a command; returns how it ended, and the site that it wrote."""
    ran = run(name, "league.yaml", *COMMANDS[name], cwd=folder)
    site = folder / "site"
    return ran, tree(site) if site.exists() else {}


def assert_right_or_refused(
    ran: tuple[Ran, dict[str, bytes]], whole: tuple[Ran, dict[str, bytes]]
) -> None:
    (code, out, err), site = ran
    if code == 0:
        assert (out, site) == (whole[0].out, whole[1])
    elif not (code == 1 and "NOT verified" in out):
        assert code in (1, 2)
        assert (err.count("\n"), err.count("error: ")) == (1, 1)
        assert site == {}


@pytest.mark.slow
@pytest.mark.parametrize("cache", [False, True])
def test_command_on_a_damaged_sector_is_right_or_says_so_in_one_line(
    whole: Path, tmp_path: Path, *, cache: bool
) -> None:
    """Only a report reads the cache."""
    folder, commands = tmp_path / "copy", ("report",) if cache else tuple(COMMANDS)
    before = {}
    for name in commands:
        copied(whole, folder, cache=cache)
        before[name] = ending(name, folder)
    files = [whole / "league.sqlite", logs_path(whole / "league.sqlite")]
    damage = [
        (file, at, how)
        for file in files
        for at in range(0, file.stat().st_size, SECTOR)
        for how in (zeroed, flipped)
    ]
    for file, at, how in sample(damage, 3, f"damaged sectors, cache {cache}"):
        codes = {}
        for name in commands:
            copied(whole, folder, cache=cache)
            spoil(folder / file.name, at, how)
            found = ending(name, folder)
            codes[name] = found[0].code
            try:
                assert_right_or_refused(found, before[name])
            except AssertionError as error:
                error.add_note(f"arena {name}, {file.name}, sector {at // SECTOR} {how.__name__}")
                raise
        if not cache:
            assert (codes["status"] == 0) == (codes["export"] == 0), codes
            assert not (codes["status"] and codes["report"] == 0), codes
