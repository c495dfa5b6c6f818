"""What a person sees: progress on a terminal and elsewhere, and names that try to do harm."""

import io
import json
import re
from pathlib import Path

import pytest

from arena.cli.output import wrapped
from tests.cli.command import FIELD, LOWEST, bot, league, run, told
from tests.e2e.live import Live
from tests.publish.pages import broken_links, read

NAMES = [
    "[red]",
    "[/]{task.description}%s",
    "<b>&amp;<script>alert(1)</script>",
    "{{ 7*7 }}{% x %}",
    "../'\"`$(touch x)",
]
REFUSED = ["\x1b[2J\x1b]0;owned\x07", "\x9b2J", "two\nlines\r\tend", "eman\u202e"]
"""Names with characters that do not show."""
OURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""The sequences that a live progress line is drawn with."""


def _bots(folder: Path) -> list[str]:
    bots = []
    for number, name in enumerate(NAMES):
        # JSON's escapes are YAML's.
        bot(folder / f"bot{number}", LOWEST, name=name, author=name, version=name)
        bots.append(f"bot{number}")
    return bots


def _visible(text: str) -> bool:
    return all(c.isprintable() or c == "\n" for c in text)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_are_broken_between_words_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = "    mend: " + " ".join(["well-known"] * 20)
    assert wrapped(line) == line
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout", Terminal())
    lines = wrapped(line).splitlines()
    assert len(lines) > 3
    assert all(len(part) <= 60 and part.startswith("    ") for part in lines)
    assert " ".join(part.strip() for part in lines) == line.strip()


@pytest.mark.slow
def test_names_do_no_harm(tmp_path: Path) -> None:
    variants = [{"variant": "bga", "label": "[bold]<i>"}]
    league(tmp_path, bots=_bots(tmp_path), variants=variants, games=1, name="<u>[blink]")
    ran = run("run", "league.yaml", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    assert ran.code == 0, ran
    assert _visible(ran.err)
    assert _visible(ran.out)
    assert all(name in ran.out for name in NAMES)
    assert len(re.findall(r"^ *\d+ ", ran.out, re.MULTILINE)) == len(NAMES)
    assert not list(tmp_path.glob("**/x"))
    _check_site(tmp_path / "site")
    ran = run("report", "league.yaml", "--json", "--site", "again", cwd=tmp_path)
    assert _visible(ran.out)
    assert {row["bot"] for row in json.loads(ran.out)["leaderboards"][0]["rows"]} == set(NAMES)


def _check_site(site: Path) -> None:
    assert broken_links(site) == []
    pages = list(site.rglob("*.html"))
    assert {page.parent.relative_to(site).as_posix() for page in pages} == {
        ".",
        "bots",
        "head-to-head",
        "fixtures",
        "tables",
    }
    for page in pages:
        # The narrow space before a per cent sign is ours; a tab is only space to a browser.
        assert _visible(re.sub("[\u202f\t]", "", page.read_text(encoding="utf-8")))
        tags = read(page).tags
        assert not {tag for tag, _ in tags} & {"b", "u"}
        # Arrows are ours.
        assert [a for tag, a in tags if tag == "i" and not a.get("class")] == [], page
        # A script is a file of the site's own, never text on a page.
        assert all(attributes.get("src") for tag, attributes in tags if tag == "script")


@pytest.mark.parametrize("name", [*NAMES, *REFUSED])
def test_an_error_is_one_visible_line_whatever_the_name(tmp_path: Path, name: str) -> None:
    bot(tmp_path / "new", "raise SystemExit('\\x1b[31m')", name=name)
    league(tmp_path, bots=["sample:odds", "new"])
    ran = run("run", "league.yaml", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert _visible(ran.err)
    starts = "does not start: the program ended with exit code 1: "
    assert ("has a character that does not show" if name in REFUSED else starts) in ran.err


def _league_of_samples(folder: Path) -> list[str]:
    league(folder, bots=FIELD[:2], games=2)
    return ["run", "league.yaml", "--sandbox", "process"]


LINE = r"(\d+)/2 fixtures, \d+ games, \d+ games/s, (\d+ s left|starting), faults 0"


def test_progress_on_a_terminal(tmp_path: Path) -> None:
    with Live(*_league_of_samples(tmp_path), cwd=tmp_path, mark="no bot of ours") as live:
        assert live.end() == 0
    drawn = [int(done) for done, _ in re.findall(LINE, OURS.sub("", live.text))]
    assert drawn == sorted(drawn)
    assert (drawn[0], drawn[-1]) == (0, 2)
    assert len(drawn) > 2
    assert "\x1b[" in live.text
    last = told(OURS.sub("", live.text))
    assert re.fullmatch(LINE, last[-2].split("\r")[-1])
    assert last[-1] == "report: site/index.html"


def test_progress_elsewhere_is_plain_lines(tmp_path: Path) -> None:
    ran = run(*_league_of_samples(tmp_path), cwd=tmp_path)
    assert ran.code == 0
    lines = told(ran.err)
    assert re.fullmatch(LINE, lines[-2])
    assert lines[-1] == "report: site/index.html"
    assert "\x1b" not in ran.err + ran.out
    assert "\r" not in ran.err
