"""The page of faults: like ones together, with the share of games, in words."""

import json
from pathlib import Path

import pytest

from arena.game.records import Cause, Faulted
from arena.playstats import faults as fault_summary
from arena.playstats.league_summary import LeagueSummary
from arena.publish.pages import faults
from arena.publish.text import percent
from tests.publish.in_memory import write_site
from tests.publish.pages import document, table_text
from tests.support import factory
from tests.support.summaries import league_of, summarize_fixture

BGA = factory.league(()).variants["bga"]


def summary(*found: tuple[int, int, Cause, str]) -> LeagueSummary:
    """The games of two bots, four a fixture; each fault by fixture, game, cause and detail."""
    played = [
        factory.fixture(
            index,
            ("alpha", "gamma"),
            faults={
                game: Faulted(1, cause, text) for at, game, cause, text in found if at == index
            },
        )
        for index in range(5)
    ]
    return league_of(summarize_fixture(one, BGA) for one in played)


def test_details_that_differ_in_numbers_and_quotes_are_one_kind() -> None:
    [one] = faults.by_bot(
        summary(
            (0, 1, Cause.TIMEOUT, "no answer within 2 s"),
            (1, 0, Cause.TIMEOUT, "no answer within 3.5 s"),
            (1, 1, Cause.CRASH, "exit status 1"),
            (2, 3, Cause.TIMEOUT, "no answer within 2 s"),
            (3, 0, Cause.MALFORMED_LINE, 'not JSON: "{" (line 17)'),
            (3, 1, Cause.MALFORMED_LINE, 'not JSON: "what now?" (line 2)'),
        )
    )
    assert (one.bot, one.games, one.faulted) == ("gamma", 20, 6)
    assert one.share == pytest.approx(0.3)
    assert [(kind.first.cause, kind.count) for kind in one.kinds] == [
        (Cause.TIMEOUT, 3),
        (Cause.MALFORMED_LINE, 2),
        (Cause.CRASH, 1),
    ]
    assert [(kind.first.index, kind.first.game) for kind in one.kinds] == [(0, 1), (3, 0), (1, 1)]


def test_kinds_that_are_not_shown_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "SHOWN", 1)
    page = faults.faults_page(summary((0, 1, Cause.TIMEOUT, "late"), (1, 0, Cause.CRASH, "gone")))
    assert [len(one.kinds) for one in page.bots] == [1]
    assert (page.left, page.faulty) == (1, 1)


def test_kinds_beyond_a_number_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fault_summary, "KINDS", 2)
    noise = [(at, game, Cause.CRASH, "o" * at + "h" * game) for at in range(5) for game in range(4)]
    [one] = faults.by_bot(summary(*noise, *noise[:1]))
    assert [kind.first.detail for kind in one.kinds] == ["", "h"]
    assert (one.others, one.rows) == (18, 3)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(*factory.sample(), tmp_path_factory.mktemp("site")).parent


def test_faults_are_listed_with_their_place_and_stderr(site: Path) -> None:
    rows = json.loads((site / "data/faults.json").read_bytes())["rows"]
    assert [
        (row["cause"], row["bot"], row["index"], row["game"], row["round"]) for row in rows
    ] == [
        ("crash", "delta", 1, 1, 1),
        ("crash", "delta", 1, 2, 1),
        ("timeout", "Bravo Bot", 2, 0, 1),
    ]
    assert rows[0]["opponents"] == ["gamma"]
    assert [row[-4:-1] for row in table_text(site / "faults.html", "caption")] == [
        ["crashed exit status 1", "2", "bga, 2\u00a0players: " + where(1, 1, 1) + " replay"],
    ]
    said = (site / "faults.html").read_text()
    assert "all of 2" in said
    assert f"{percent(2 / 8)}</span> <small>2 of 8" in said
    page = (site / "bots/delta.html").read_text()
    assert "&lt;b&gt;boom&lt;/b&gt;" in page
    assert f"Faulted in {percent(2 / 8)} of its games</a>: crashed 2." in page
    assert page.count('class="stderr"') == 1
    front = " ".join("".join(document(site / "index.html").itertext()).split())
    assert "3 games were lost by faults, 2 of them by delta, the others by 1 bot." in front


def where(index: int, game: int, round_: int) -> str:
    """A place counted from 1, and the numbers that `arena rerun` takes."""
    place = f"fixture~{index + 1}, game~{game + 1}, round~{round_ + 1} rerun~{index}~{game}"
    return place.replace("~", "\u00a0")


def test_no_faults_is_said(tmp_path: Path) -> None:
    league, _, _ = factory.sample()
    played = [factory.fixture(0, ("alpha", "gamma"))]
    write_site(league, factory.ratings(played), played, tmp_path)
    assert "There are none" in (tmp_path / "faults.html").read_text()
    assert "No bot faulted." in (tmp_path / "index.html").read_text()
    assert (tmp_path / "data/faults.csv").read_text().count("\n") == 1


def test_many_like_faults_are_one_line_and_whole_in_data(tmp_path: Path) -> None:
    names = ("alpha", "gamma")
    always = {game: Faulted(1, Cause.FLOOD, "too long") for game in range(600)}
    played = [factory.fixture(0, names, faults=always, games=600)]
    write_site(factory.league(names), factory.ratings(played), played, tmp_path)
    [line] = table_text(tmp_path / "faults.html", "caption")
    assert line[3] == "600"
    assert "The first 50 of 600 faults." in (tmp_path / "bots/gamma.html").read_text()
    assert len(json.loads((tmp_path / "data/faults.json").read_bytes())["rows"]) == 600
