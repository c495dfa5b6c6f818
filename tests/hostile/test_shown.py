"""Hostile output of bots in a live league is readable everywhere and harmless everywhere."""

import csv
import re
from pathlib import Path

import html5lib
import pytest

from tests.cli.command import READY, bot, league, run
from tests.hostile.attack import NAME
from tests.publish.pages import read, tree

FORMULA = "=1+1"
OUTPUT = "</pre><img src=x>\x1b]0;owned\x07 =2+2"
"""Their output instead of an answer, and their standard error."""
PROGRAM = f"""{READY}
            print({OUTPUT!r}, file=sys.stderr, flush=True)
            print({OUTPUT!r}, flush=True)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which two bots played a league and faulted in every game."""
    folder = tmp_path_factory.mktemp("shown") / "inner"
    for number, name in enumerate((NAME, FORMULA)):
        bot(folder / f"bot{number}", PROGRAM, name=name, author=name, version=name)
    bots = ["bot0", "bot1", "sample:honest"]
    league(folder, bots=bots, variants=["bga"], players=[3], games=1)
    ran = run("run", "league.yaml", cwd=folder)
    assert ran.code == 1, ran
    (folder / "terminal").write_text(ran.out + ran.err, encoding="utf-8")
    return folder


def printable(text: str) -> bool:
    return all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.slow
def test_hostile_output_on_the_terminal(folder: Path) -> None:
    text = (folder / "terminal").read_text(encoding="utf-8")
    assert NAME in text
    assert printable(text)


def test_hostile_output_in_a_transcript(folder: Path) -> None:
    ran = run("check", "bot0", "--transcript", "bga", cwd=folder)
    assert ran.code == 1
    assert r"</pre><img src=x>\x1b]0;owned\x07" in ran.out
    assert printable(ran.out + ran.err)


def test_hostile_output_on_the_pages(folder: Path) -> None:
    pages = list((folder / "site").rglob("*.html"))
    assert any(r"\x1b]0;owned\x07" in page.read_text(encoding="utf-8") for page in pages)
    for page in pages:
        html5lib.HTMLParser(strict=True).parse(page.read_bytes(), transport_encoding="utf-8")
        assert "img" not in {tag for tag, _ in read(page).tags}
        # The narrow space before a percent sign is ours; to a browser, a tab is only space.
        assert printable(re.sub("[\u202f\t]", "", page.read_text(encoding="utf-8")))


def test_hostile_output_in_spreadsheets(folder: Path) -> None:
    cells = []
    for path in (folder / "site" / "data").glob("*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            cells += [cell for row in csv.reader(file) for cell in row]
    assert f"'{FORMULA}" in cells
    assert FORMULA not in cells
    assert all(cell.isprintable() for cell in cells)


def test_hostile_output_in_file_names(folder: Path) -> None:
    assert [path.name for path in folder.parent.iterdir()] == ["inner"]
    for name in tree(folder / "site"):
        plain = name.replace("/", "").replace("-", "").replace("_", "").replace(".", "")
        assert plain.isascii()
        assert plain.isalnum()
        assert ".." not in name
