"""What a ladder publishes: complete blocks, always whole."""

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.game.records import Fixture
from arena.ladder.book.book import Book
from arena.ladder.folder import Folder
from arena.ladder.pages import site
from arena.ladder.pages.site import in_complete_blocks, publish_all, publish_closed
from arena.ladder.season.season import STORE
from arena.publish.report import ReportRequest, report
from tests.publish.pages import broken_links
from tests.support import records
from tests.support.drawn_schedules import let_go_before_rating


def fixture(number: int, block: int, variant: str) -> Fixture:
    return records.fixture("ab", id=str(number), index=number, variant=variant, block=block)


BLOCKS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["bga", "classic"])), max_size=20)


@given(BLOCKS, st.sets(st.integers(0, 19)))
def test_a_block_is_shown_when_all_of_it_is_finished(
    places: list[tuple[int, str]], finished: set[int]
) -> None:
    fixtures = [fixture(number, *place) for number, place in enumerate(places)]
    shown = in_complete_blocks(fixtures, {str(number) for number in finished})
    for number, place in enumerate(places):
        block = {other for other, at in enumerate(places) if at == place}
        assert (str(number) in shown) == (block <= finished)


def replays(site: Path) -> list[str]:
    """Return the files with games to watch, one for each fixture that has some."""
    return [path.name for path in site.glob("replays/*.js")]


def test_sites_have_so_many_replays_at_most_and_those_of_old_seasons_none(copy: Path) -> None:
    folder = Folder(copy)
    publish_all(folder, 3)
    assert len(replays(folder.site)) == 2  # with two games and one
    shutil.copytree(folder.season(1), folder.season(2))
    first, second = copy / "sites/seasons/1", copy / "sites/seasons/2"
    publish_closed(folder, 1, 100)
    assert len(replays(first)) > 2
    publish_closed(folder, 2, 100)
    assert (replays(first), len(replays(second)) > 2) == ([], True)
    assert broken_links(first) == broken_links(second) == []


def test_the_schedule_is_let_go_before_games_are_rated(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedules = let_go_before_rating(site, monkeypatch)
    publish_all(Folder(copy), 100)
    assert schedules


def test_publications_take_turns_so_that_readers_keep_a_whole_one(copy: Path) -> None:
    folder, copies = Folder(copy), set[str]()
    for _ in range(2):
        publish_all(folder, 100)
        assert broken_links(folder.site.resolve()) == []
        copies.add(folder.site.readlink().name)
    assert copies == {"a", "b"}


@pytest.mark.slow
def test_ladder_writes_ranks_curves_and_decisions_of_its_versions(copy: Path) -> None:
    publish_all(Folder(copy), 100)
    for author, version in (("ann", "one@1"), ("bob", "two@1")):
        pages = copy / "private" / author
        page = (pages / f"{version}.html").read_text()
        assert re.search(r"Rank [12] of 2, it may be [12].[12]; beats an average bot with ", page)
        assert '<figure class="chart">' in page
        assert "Why it loses" in page
        assert broken_links(pages) == []


@pytest.mark.slow
def test_author_who_left_has_a_pseudonym_on_the_site(copy: Path) -> None:
    folder = Folder(copy)
    with Book(folder, writes=True) as book:
        book.rename_author("ann", "former-1")
    publish_all(folder, 100)
    pages = [
        path.read_text() for path in folder.site.rglob("*") if path.suffix in {".html", ".json"}
    ]
    assert any("former-1" in page for page in pages)
    assert [page for page in pages if re.search(r"\bann\b", page)] == []


def test_a_report_of_an_open_season_says_that_it_goes_on(copy: Path, tmp_path: Path) -> None:
    store = Folder(copy).season(1) / STORE
    page = report(ReportRequest(copy / "league.yaml", store, tmp_path / "site")).front_page
    assert "It goes on" in page.read_text()
    assert "Finished" not in page.read_text()
