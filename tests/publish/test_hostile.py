"""Names, details and standard error written by somebody who means harm."""

import csv
import json
from pathlib import Path

import html5lib
import pytest

from arena.game.records import Cause, Faulted
from arena.io.text import visible
from arena.playstats.fixture_summary import tail
from arena.publish.links import file_stems
from arena.publish.text import clipped, csv_text, fixed, one_line, percent, signed
from tests.publish.in_memory import write_site
from tests.publish.pages import SCRIPTS, broken_links, read, tree
from tests.support import factory

NAMES = ("<script>alert(1)</script>", "=cmd()", "../../x", "\x1b[31mred\u202e\x9b\udc80")
NASTY = '</code></pre><img src=x onerror="alert(1)">\x1b]0;owned\x07\x00 {{ 7 * 7 }}\n<!-- '


@pytest.fixture
def site(tmp_path: Path) -> Path:
    a, b, c, d = NAMES
    faults = {game: Faulted(0, Cause.MALFORMED_LINE, NASTY) for game in range(2)}
    played = [
        factory.fixture(0, (a, b), faults=faults, stderr=(NASTY, "")),
        factory.fixture(1, (c, d), "<b>", faults=faults, stderr=(NASTY, "")),
    ]
    league = factory.league(
        NAMES,
        name=NASTY,
        variants={
            "bga": factory.league(()).variants["bga"],
            "<b>": factory.league(()).variants["bga"],
        },
        bots=tuple(factory.bot(name, author=NASTY, version="=1+1") for name in NAMES),
    )
    return write_site(league, factory.ratings(played), played, tmp_path / "in" / "site").parent


@pytest.mark.slow
def test_pages_show_it_and_do_nothing(site: Path) -> None:
    assert broken_links(site) == []
    for path in site.rglob("*.html"):
        html5lib.HTMLParser(strict=True).parse(path.read_bytes(), transport_encoding="utf-8")
        tags = {tag for tag, _ in read(path).tags}
        assert not tags & {"img", "b"}
        sources = {attributes["src"] for tag, attributes in read(path).tags if tag == "script"}
        assert {Path(source).name for source in sources} <= SCRIPTS
        content = path.read_text(encoding="utf-8")
        assert "49" not in content.partition("<title>")[2].partition("</title>")[0]
        assert not any(char in content for char in "\x1b\x07\x00\u202e\x9b")


def test_escapes_are_spelt_out_in_standard_error(site: Path) -> None:
    page = (site / "bots" / f"{file_stems(NAMES)[NAMES[0]]}.html").read_text()
    assert r"&gt;\x1b]0;owned\x07\x00 {{ 7 * 7 }}" in page


def test_file_names_stay_inside_and_are_plain(site: Path) -> None:
    assert [path.name for path in site.parent.iterdir()] == ["site"]
    for name in tree(site):
        assert all(
            part.strip(".").replace("-", "").replace("_", "").replace(".", "").isalnum()
            for part in name.split("/")
        )


def test_spreadsheets_see_no_formula(site: Path) -> None:
    files = list((site / "data").glob("*.csv"))
    assert files
    for path in files:
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.reader(file):
                assert all(_is_harmless(cell) for cell in row)


def _is_harmless(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return not cell.startswith(("=", "+", "-", "@", "\t", "\r")) and cell.isprintable()
    return True


def test_json_keeps_the_exact_text_in_plain_ascii(site: Path) -> None:
    raw = (site / "data/faults.json").read_bytes()
    assert raw.isascii()
    assert b"\x1b" not in raw
    rows = json.loads(raw)["rows"]
    assert {row["detail"] for row in rows} == {NASTY}
    assert {row["bot"] for row in rows} == {NAMES[0], NAMES[2]}


@pytest.mark.parametrize("lead", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"])
def test_each_formula_lead_is_guarded(lead: str) -> None:
    assert csv_text(f"{lead}1").startswith("'")
    assert csv_text(f"a{lead}1").startswith("a")


def test_visible_keeps_what_people_write() -> None:
    assert visible("Zoë 2.0 \u2013 骰子\n\tµ") == "Zoë 2.0 \u2013 骰子\n\tµ"
    assert visible("a\x00\x7f\x85\u2028\ufffe") == r"a\x00\x7f\x85\u{2028}\u{fffe}"
    assert one_line("a\r\n\tb") == r"a\x0d\n\tb"


def test_stems_are_unique_even_when_forged() -> None:
    first = file_stems(["A"])["A"]
    names = ["a", "A", first, first.upper(), "Ä", "", "x" * 80, "monte-carlo", "expected_value"]
    for order in (names, names[::-1]):
        stems = file_stems(order)
        assert len({stem.lower() for stem in stems.values()}) == len(names)
        assert (stems["a"], stems["monte-carlo"]) == ("a", "monte-carlo")
        assert stems["expected_value"] == "expected_value"


def test_a_forged_clash_gets_a_longer_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    class Digest:
        def __init__(self, content: bytes) -> None:
            self.tail = "1" if content == b"B!" else "2"

        def hexdigest(self) -> str:
            return "0" * 12 + self.tail * 52

    monkeypatch.setattr("arena.publish.links.sha256", Digest)
    assert file_stems(["B!", "B?"]) == {"B!": "b-00000000", "B?": "b-0000000000002222"}


def test_long_text_is_cut_where_it_says_so() -> None:
    assert clipped("abc", 3) == "abc"
    assert clipped("abcd", 3) == "abc…"
    assert tail("one\ntwo\nthree", 7) == "…\nthree"
    assert tail("abcdef", 3) == "…\ndef"
    assert tail("abc", 3) == "abc"


def test_numbers_are_readable() -> None:
    assert [signed(value) for value in (1.234, -1.234, -0.001)] == ["+1.23", "\u22121.23", "0.00"]
    assert (fixed(2.5), percent(1 / 3)) == ("2.50", "33.3\u202f%")
