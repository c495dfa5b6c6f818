"""Damaged archives are refused with an error that names them."""

import gzip
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.manifest import load_bot
from arena.io.errors import ArenaError
from tests.support.archives import BOT, NAMES, refused, write
from tests.support.depth import depth


def _cut(content: bytes) -> bytes:
    return content[: len(content) * 2 // 3]


def _flip(content: bytes) -> bytes:
    at = content.index(b"bot.yaml") if b"bot.yaml" in content else len(content) // 2
    return content[: at + 20] + bytes([content[at + 20] ^ 0xFF]) + content[at + 21 :]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut": _cut,
    "flipped": _flip,
    "empty": lambda _: b"",
    "text": lambda _: b"hello " * 200,
    "zeros": lambda content: bytes(len(content)),
    "another kind": lambda content: gzip.compress(b"hello"),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_archive_is_refused(tmp_path: Path, name: str, damage: str) -> None:
    noise = os.urandom(20_000)
    made = write(tmp_path / name, {"noise": noise} | BOT)
    made.write_bytes(DAMAGE[damage](made.read_bytes()))
    error = refused(made)
    assert error.what.split(":")[0] in {
        "the archive is damaged",
        "the archive is cut off",
        "it is neither a zip nor a tar archive",
        "not a tar archive",
        "the archive holds a size that is not a number",
        "no bot.yaml in the bot's archive",
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("page", [b"<!doctype html>", b"<!doctype html>" + b"<p>" * 1000])
def test_a_page_that_is_named_as_an_archive_is_told_from_a_damaged_one(
    tmp_path: Path, name: str, page: bytes
) -> None:
    (tmp_path / name).write_bytes(page)
    error = refused(tmp_path / name)
    assert error.what == "it is neither a zip nor a tar archive"
    assert error.where == str(tmp_path / name)


@settings(max_examples=depth(50, 150), deadline=None)
@given(
    name=st.sampled_from(NAMES),
    changes=st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), min_size=1, max_size=8),
    cut=st.integers(0, 200),
)
def test_any_damage_is_reported_as_an_error(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    changes: list[tuple[int, int]],
    cut: int,
) -> None:
    """Any bytes are either read or refused with an error of the arena."""
    folder = tmp_path_factory.mktemp("damage")
    content = bytearray(write(folder / name, BOT | {"sub/x": b"x" * 99}).read_bytes())
    for at, value in changes:
        content[at % len(content)] = value
    (folder / name).write_bytes(content[: len(content) - cut])
    with suppress(ArenaError):
        load_bot(folder / name)
    shutil.rmtree(folder)
