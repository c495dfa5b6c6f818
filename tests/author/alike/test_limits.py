"""The work grows with what bots share, not with its square, and what is left out is said."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from arena.author.alike import by_text, page, sources
from arena.author.alike import pairs as excerpts
from arena.author.alike.sources import SourceFile
from arena.author.alike.tokens import Language
from arena.cli.author import alike as command
from tests.author.alike.plants import HARMLESS, Plant, hand_ins, library, write
from tests.cli.command import Ran, run

SMALL = 4000
"""Bytes of source."""


class Counted(np.ndarray[Any, np.dtype[np.uint64]]):
    """Hashes that count how many of them are compared."""

    compared = 0

    def __ne__(self, other: object) -> Any:
        Counted.compared += self.size
        return np.asarray(self) != np.asarray(other)


def two(folder: Path, one: str, other: str, *more: object) -> Ran:
    """Compare two bots that have these sources beside each other's own command."""
    for name, source in (("one", one), ("other", other)):
        bot = write(folder / "bots" / name, Plant("bot.py", HARMLESS, "python3 bot.py"))
        (bot / "library.py").write_text(source, encoding="utf-8")
    ran = run("alike", folder / "bots", "--positions", 0, *more, cwd=folder)
    assert ran.code == 0, ran.err
    return ran


def text_of(ran: Ran) -> dict[str, Any]:
    """Return what two bots share, of a comparison as JSON."""
    [pair] = json.loads(ran.out)["pairs"]
    found: dict[str, Any] = pair["text"]
    return found


def same(size: int) -> tuple[str, str]:
    return library(size), library(size)


def in_other_order(size: int) -> tuple[str, str]:
    lines = library(size).splitlines(keepends=True)
    blocks = ["".join(lines[at : at + 10]) for at in range(0, len(lines), 10)]
    return "".join(blocks), "".join(reversed(blocks))


def repeated(size: int) -> tuple[str, str]:
    """Return one text of 1,000 bytes again and again, from its middle in the other bot."""
    lines = library(1000).splitlines(keepends=True)
    middle = len(lines) // 2
    times = size // 1000
    return "".join(lines * times), "".join([*lines[middle:], *lines[:middle]] * times)


@pytest.mark.parametrize("both", [same, in_other_order, repeated])
def test_tokens_compared_grow_with_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, both: Callable[[int], tuple[str, str]]
) -> None:
    cut = sources.source_file

    def counted(name: str, text: str, language: Language) -> SourceFile:
        file = cut(name, text, language)
        return replace(file, hashes=file.hashes.view(Counted))

    monkeypatch.setattr(sources, "source_file", counted)
    compared = []
    for size in (SMALL, 4 * SMALL):
        Counted.compared = 0
        two(tmp_path / f"{size}", *both(size), "--json")
        compared.append(Counted.compared)
    assert compared[0] > SMALL / 10
    assert compared[1] < 5 * compared[0]


def test_the_longest_places_are_listed_and_the_others_counted(tmp_path: Path) -> None:
    one, other = in_other_order(3 * SMALL)
    text = text_of(two(tmp_path, one, other, "--json", "--page", tmp_path / "alike.html"))
    assert len(text["places"]) == by_text.MOST_PLACES
    assert text["more"] > 0
    tokens = [place["tokens"] for place in text["places"]]
    assert tokens == sorted(tokens, reverse=True)
    says = f"{text['more']} more place{'s' * (text['more'] > 1)}, no longer than these."
    assert says in (tmp_path / "alike.html").read_text(encoding="utf-8")
    ran = run("alike", tmp_path / "bots", "--positions", 0, cwd=tmp_path)
    assert f"  and {text['more']} more that are no longer, and listed nowhere" in ran.out


def test_fingerprints_beyond_what_is_compared_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = text_of(two(tmp_path / "whole", *in_other_order(SMALL), "--json"))
    monkeypatch.setattr(by_text, "MOST_COMPARED", 200)
    written = tmp_path / "alike.html"
    text = text_of(two(tmp_path / "cut", *in_other_order(SMALL), "--json", "--page", written))
    assert (text["of_one"], text["of_other"]) == (whole["of_one"], whole["of_other"])
    assert whole["not_placed"] == 0 < text["not_placed"]
    assert 0 < len(text["places"]) < len(whole["places"])
    says = f"{text['not_placed']} shared fingerprints were not placed: "
    assert says in written.read_text(encoding="utf-8")
    assert says in run("alike", tmp_path / "cut" / "bots", "--positions", 0, cwd=tmp_path).out


def test_a_long_place_is_shown_as_it_begins(tmp_path: Path) -> None:
    source = library(2 * excerpts.MOST_OF_A_PART)
    written = tmp_path / "alike.html"
    [place, *_] = text_of(two(tmp_path, source, source, "--json", "--page", written))["places"]
    for part in (place["one"], place["other"]):
        assert len(part["text"]) == excerpts.MOST_OF_A_PART
        assert source.startswith(part["text"])
        whole = part["text"].count("\n")
        assert part["more"] == part["last"] - part["first"] + 1 - whole
        assert f"{part['more']} more lines of" in written.read_text(encoding="utf-8")


def test_all_pairs_together_show_so_much_source_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excerpts, "MOST_OF_ALL", SMALL)
    folder = hand_ins(tmp_path / "hand-ins", ["renamed", "reordered"])
    ran = run("alike", folder, "--positions", 0, "--json", cwd=tmp_path)
    pairs = json.loads(ran.out)["pairs"]
    parts = [
        place[side]
        for pair in pairs
        for place in pair["text"]["places"]
        for side in ("one", "other")
    ]
    assert SMALL - len(parts) <= sum(len(part["text"]) for part in parts) <= SMALL
    assert parts[0]["more"] == 0
    assert parts[-1]["more"] == parts[-1]["last"] - parts[-1]["first"] + 1


def test_people_are_shown_the_most_unusual_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "MOST_SHOWN", 1)
    monkeypatch.setattr(page, "MOST_SHOWN", 1)
    folder = hand_ins(tmp_path / "hand-ins", ["renamed", "reordered"])
    written = tmp_path / "alike.html"
    ran = run("alike", folder, "--positions", 0, "--page", written, cwd=tmp_path)
    assert ran.out.startswith("3 of 6 pairs")
    assert "\nand 2 more pairs: --json lists all\n" in ran.out
    assert "reordered" not in ran.out.partition("own")[0]
    text = written.read_text(encoding="utf-8")
    assert "<p>2 more pairs: <code>arena alike --json</code> lists all.</p>" in text
    assert text.count("<section") == 1


@pytest.mark.parametrize("too_large", ["file", "bot"])
def test_source_that_is_not_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, too_large: str
) -> None:
    limit = "MOST_OF_A_FILE" if too_large == "file" else "MOST_OF_A_BOT"
    monkeypatch.setattr(sources, limit, 2 * SMALL)
    folder = hand_ins(tmp_path / "hand-ins", ["renamed"])
    for number in range(4):
        (folder / "original" / f"a{number}.py").write_text(library(3 * SMALL), encoding="utf-8")
    (folder / "original" / "data.json").write_text(library(3 * SMALL), encoding="utf-8")
    written = tmp_path / "alike.html"
    how = ("--positions", 0, "--json", "--page", written)
    found = json.loads(run("alike", folder, *how, cwd=tmp_path).out)
    [bot] = [one for one in found["bots"] if one["name"] == "original"]
    assert bot["not_read"] == ["a0.py", "a1.py", "a2.py", "a3.py"]
    assert bot["files"] == 1
    assert found["pairs"][0]["unusual"] == 1
    says = "a0.py, a1.py, a2.py and 1 more (larger than "
    assert f"Not read of original: {says}" in written.read_text(encoding="utf-8")
    assert f"original: not read: {says}" in run("alike", folder, *how[:2], cwd=tmp_path).err


def test_a_bot_of_two_megabytes_is_read(tmp_path: Path) -> None:
    for number in range(10):
        text = f"# {'-' * 97}\n" * 2000 + library(100)
        (tmp_path / f"part-{number}.py").write_text(text[-200_000:], encoding="utf-8")
    assert sources.read_source(tmp_path, frozenset()).not_read == []


def test_common_source_is_read_however_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MOST_OF_A_BOT", SMALL)
    given = tmp_path / "given"
    given.mkdir()
    (given / "kit.py").write_text(library(SMALL) + library(SMALL, 2), encoding="utf-8")
    folder = hand_ins(tmp_path / "hand-ins", ["renamed"])
    (folder / "original" / "kit.py").write_text(library(SMALL // 4, 2), encoding="utf-8")
    how = ("--positions", 0, "--json", "--common", given)
    bots = json.loads(run("alike", folder, *how, cwd=tmp_path).out)["bots"]
    own = {one["name"]: one["own"] for one in bots}
    assert own["renamed"] <= own["original"] <= own["renamed"] + 4
