"""The front page: who is best, how sure that is, what is left to play, what to watch."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import Cause, Faulted
from arena.publish.links import COLOURS, PATTERNS, identities
from arena.publish.pages.front import PlayedShare, description, progress, standings
from arena.publish.pages.leaderboard import (
    StandingRow,
    Standings,
    overall_standings,
)
from arena.ratings.league_ratings import Ratings
from tests.publish.crowd import crowd
from tests.publish.in_memory import write_site
from tests.publish.pages import document, table_text
from tests.support import factory

DONE, HALF = PlayedShare(10, 0, None), PlayedShare(5, 5, 9.0)


def words(path: Path) -> str:
    return " ".join("".join(document(path).itertext()).split())


def table(*ranks: tuple[int, int]) -> Standings:
    rows = [
        StandingRow(f"bot {n}", ends[0] == 1, *ends, 0.4, 0.5, 0.6, 9)
        for n, ends in enumerate(ranks)
    ]
    return Standings(tuple(rows))


@pytest.mark.parametrize(
    ("ranks", "state", "said"),
    [
        ([(1, 1), (2, 2)], DONE, "bot 0 wins (95 %)"),
        ([(1, 1), (2, 2)], HALF, "bot 0 leads (95 %)"),
        ([(1, 1), (2, 2)], replace(DONE, goes_on=True), "bot 0 leads (95 %)"),
        ([(1, 2), (1, 2), (3, 3)], DONE, "No single winner: 2 bots may be first"),
        ([(1, 2), (1, 2)], HALF, "No single leader: all 2 bots may be first"),
        ([], DONE, "No games have been played yet."),
    ],
)
def test_verdict_is_a_sentence(ranks: list[tuple[int, int]], state: PlayedShare, said: str) -> None:
    assert description(state, table(*ranks), len(ranks)) == said


def test_the_main_table_is_the_overall_one_or_the_first() -> None:
    _, plain, _ = factory.sample()
    _, whole, _ = crowd(6, 3, (("bga", 2), ("house", 3)), overall=True)
    assert whole.overall
    assert standings(whole) == overall_standings(whole.overall)
    assert plain.overall
    first = standings(replace(plain, overall=None))
    assert first
    assert first.division == ("bga", 2)
    assert standings(Ratings()) is None


def test_there_is_an_overall_table_of_several_divisions_unless_it_is_not_wanted() -> None:
    divisions = (("bga", 2), ("house", 3))
    for shapes, options, found in (
        (divisions, {}, True),
        (divisions, {"overall": False}, False),
        (divisions[:1], {}, False),
        (divisions[:1], {"overall": True}, True),
    ):
        _, ratings, _ = crowd(6, 3, shapes, **options)
        assert bool(ratings.overall) is found
    strangers = [factory.fixture(0, ("a", "b")), factory.fixture(1, ("c", "d", "e"))]
    assert factory.ratings(strangers).overall is None


def test_score_is_the_mean_share_of_rivals_beaten(tmp_path: Path) -> None:
    league, ratings, played = crowd(6, 6, (("bga", 3),))
    write_site(league, ratings, played, tmp_path)
    [board] = ratings.boards
    shown = table_text(tmp_path / "index.html", "caption")
    assert [cells[1] for cells in shown] == [row.bot for row in board.rows]
    for cells, row in zip(shown, board.rows, strict=True):
        assert float(cells[3].rstrip("\u202f%")) == pytest.approx(
            50 * (3 - row.mean_place), abs=0.06
        )


@pytest.mark.parametrize(("left", "chip", "bar"), [(0, "Finished", 0), (27, "In progress: 57", 1)])
def test_state_says_what_is_left(tmp_path: Path, left: int, chip: str, bar: int) -> None:
    league, ratings, played = crowd(6, 6)
    write_site(league, ratings, played, tmp_path, left=left)
    page = tmp_path / "index.html"
    assert chip in words(page)
    bars = [one for one in document(page).iter() if one.tag.endswith("}progress")]
    assert len(bars) == bar
    if bars:
        assert (bars[0].get("max"), bars[0].get("value")) == ("63", "36")


@pytest.mark.parametrize("left", [0, 27])
def test_a_league_that_goes_on_has_no_winner(tmp_path: Path, left: int) -> None:
    league, ratings, played = crowd(6, 6)
    write_site(league, ratings, played, tmp_path, left=left, goes_on=True)
    text = words(tmp_path / "index.html")
    assert "It goes on" in text
    assert not {"Finished", "wins", "winner:", "In", "progress:"} & {*text.split()}


def test_update_is_when_the_last_fixture_was_stored() -> None:
    played = [factory.fixture(n, ("a", "b")) for n in range(3)]
    stored = [replace(one, stored_at=100.0 * n) for n, one in enumerate(played)]
    assert progress(factory.results(played), 1) == PlayedShare(3, 1, None)
    times = [
        replace(one, stored_at=at.stored_at)
        for one, at in zip(factory.results(played), stored, strict=True)
    ]
    assert progress(times, 0).times == ("1970-01-01T00:03:20Z", "1970-01-01 00:03 UTC")


@pytest.mark.slow
def test_bots_that_may_be_first_are_shaded(tmp_path: Path) -> None:
    league, ratings, played = crowd(12, 12, (("bga", 2), ("house", 3)), overall=True)
    write_site(league, ratings, played, tmp_path)
    assert ratings.overall
    rows = [
        ("first" in (row.get("class") or ""), "".join(row[1].itertext()).strip())
        for row in document(tmp_path / "index.html").iter("{http://www.w3.org/1999/xhtml}tr")
        if len(row) == 4 and row[1].get("scope") == "row"
    ]
    assert rows[: len(ratings.overall.rows)] == [
        (row.may_be_first, row.bot) for row in ratings.overall.rows[: len(rows)]
    ]
    assert {shaded for shaded, _ in rows} == {True, False}


def test_faults_are_one_line(tmp_path: Path) -> None:
    late = Faulted(0, Cause.TIMEOUT, "no answer within 2 s")
    played = [factory.fixture(0, ("alpha", "gamma"), faults={0: late, 2: late})]
    write_site(factory.league(("alpha", "gamma")), factory.ratings(played), played, tmp_path)
    assert "2 games were lost by faults, all by alpha. Faults" in words(tmp_path / "index.html")


@pytest.mark.slow
def test_highlights_lead_to_replays_of_different_bots(tmp_path: Path) -> None:
    from tests.browser.sites import sample

    site = sample(tmp_path)
    highlights = json.loads((site / "data/highlights.json").read_bytes())["rows"]
    known = {
        f"replay.html#{one['index']}.{one['game']}.{one['step']}&see={one['seat']}": one
        for one in highlights
    }
    links = [
        link.attrib["href"]
        for section in document(site / "index.html").iter()
        if section.get("id") == "highlights"
        for link in section.iter("{http://www.w3.org/1999/xhtml}a")
    ]
    shown = [known[link] for link in links]
    assert len({one["bot"] for one in shown}) == len({one["kind"] for one in shown}) == 3


def test_marks_of_many_bots_differ() -> None:
    names = [f"bot {n}" for n in range(COLOURS * PATTERNS)]
    found = [*identities(names).values()]
    assert len(set(found)) == len(names)
    for first in range(0, len(names), COLOURS):
        assert len({mark.colour for mark in found[first : first + COLOURS]}) == COLOURS


@given(st.lists(st.text(max_size=3), max_size=20), st.lists(st.text(max_size=3), max_size=20))
def test_a_mark_is_for_life_whoever_joins_leaves_or_gets_a_version(
    first: list[str], later: list[str]
) -> None:
    marks = identities(first)
    assert {bot: identities([*first, *later])[bot] for bot in first} == marks
    assert identities(first[1:], first) == {bot: marks[bot] for bot in first[1:]}
    versions = identities([f"{bot}@{n}" for n in (1, 22) for bot in first])
    assert all(versions[f"{bot}@1"] == versions[f"{bot}@22"] for bot in first)


@pytest.mark.slow
def test_a_bot_has_the_same_mark_on_every_page(tmp_path: Path) -> None:
    league, ratings, played = crowd(12, 12, overall=True)
    write_site(league, ratings, played, tmp_path)
    for bot, one in identities(info.name for info in league.bots).items():
        mark = f'<i class="h{one.colour} m{one.pattern}"></i>'
        for page in ("bots.html", "tables/bga-2p.html", "tables/overall.html", f"bots/{bot}.html"):
            assert mark in (tmp_path / page).read_text()
        chart = f'<figure class="chart h{one.colour} m{one.pattern}"'
        assert chart in (tmp_path / f"bots/{bot}.html").read_text()


@pytest.mark.slow
def test_a_report_says_what_it_is_and_invites_if_the_league_does(tmp_path: Path) -> None:
    for enter in ("", "https://example.org/enter"):
        page = write_site(*factory.sample(), tmp_path, enter=enter).read_text()
        said = page.partition('class="introduction"')[2].partition("</section>")[0]
        assert "Programs play Perudo here" in said
        assert 'href="about.html#perudo"' in said
        assert ("Enter your bot" in said) == ("example.org" in said) == bool(enter)
        assert page.index("introduction") < page.index('id="verdict"')
