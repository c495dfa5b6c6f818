"""The published site at the door: before the first publication, kept by browsers, compressed."""

import gzip
from pathlib import Path

import pytest

from tests.ladder.web.doors import Door

PAGE = "<p>" + "the site " * 1_000


@pytest.fixture
def site(own_door: Door) -> Path:
    """The folder of a published site."""
    own_door.folder.site.mkdir()
    for page in ("index.html", "about.html"):
        (own_door.folder.site / page).write_text(PAGE)
    (own_door.folder.site / "font.css").write_text("@font-face {}")
    return own_door.folder.site


@pytest.mark.parametrize("path", ["/site/about.html", "/site/none"])
def test_before_the_first_publication_a_page_says_so(own_door: Door, path: str) -> None:
    answer = own_door.ask(path)
    assert answer.status == 404
    assert b"Nothing is published yet." in answer.body


@pytest.mark.parametrize("path", ["/site", "/site/", "/site/index.html"])
def test_the_front_page_of_the_site_is_that_of_the_door(own_door: Door, path: str) -> None:
    assert clean(own_door, path) == "/"


def clean(door: Door, path: str) -> str:
    """Return where a path leads in the end."""
    while "location" in (headers := door.ask(path).headers):
        path = headers["location"].removeprefix(door.base)
    return path


def test_a_page_that_a_browser_has_is_not_sent_again(own_door: Door, site: Path) -> None:
    first = own_door.ask("/site/about.html", Accept_Encoding="gzip")
    assert first.headers["cache-control"] == "private, no-cache"
    again = own_door.ask("/site/about.html", If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    (site / "about.html").write_text("another")
    assert own_door.ask("/site/about.html", If_None_Match=first.headers["etag"]).status == 200


def test_the_door_says_by_itself_what_its_pages_tell_of_where_they_are(
    own_door: Door, site: Path
) -> None:
    """On plain HTTP their forms need another policy than that of a site elsewhere."""
    (site / "about.html").write_text('<meta name="referrer" content="no-referrer">\n<p>about')
    answer = own_door.ask("/site/about.html")
    assert b'name="referrer"' not in answer.body
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_cards_may_be_shown_by_other_sites_and_pages_may_not(own_door: Door, site: Path) -> None:
    (site / "cards").mkdir()
    (site / "cards/mine.svg").write_text("<svg/>")
    policy = "cross-origin-resource-policy"
    assert own_door.ask("/site/cards/mine.svg").headers[policy] == "cross-origin"
    assert own_door.ask("/site/about.html").headers[policy] == "same-origin"


def test_only_a_replay_may_be_shown_inside_another_page_and_without_the_door(
    own_door: Door, site: Path
) -> None:
    (site / "replay.html").write_text(f'<header class="site"></header>{PAGE}')
    answer = own_door.ask("/site/replay.html?embed", **own_door.session("ann"))
    assert "frame-ancestors *" in answer.headers["content-security-policy"]
    assert "x-frame-options" not in answer.headers
    assert b"<form" not in answer.body
    for path in ("replay.html", "about.html?embed", "none/replay.html?embed", "../?embed"):
        answer = own_door.ask(f"/site/{path}")
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"], path
        assert answer.headers["x-frame-options"] == "DENY"


def test_while_no_game_is_played_the_live_page_shows_highlights(own_door: Door, site: Path) -> None:
    tour = b'src="/site/replay.html?embed"'
    assert tour not in own_door.ask("/live").body
    (site / "replay.html").write_text(PAGE)
    assert tour in own_door.ask("/live").body


def test_pages_of_the_site_are_compressed(own_door: Door, site: Path) -> None:
    answer = own_door.ask("/site/about.html", Accept_Encoding="gzip")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "Cookie, Accept-Encoding"
    assert len(answer.body) < len(PAGE) / 10
    assert gzip.decompress(answer.body).decode() == PAGE
    assert "content-encoding" not in own_door.ask("/site/about.html").headers
    for refused in ("gzip;q=0", "br, gzip ; q=0.0", "GZIP;Q=0, identity"):
        answer = own_door.ask("/site/about.html", Accept_Encoding=refused)
        assert (answer.status, answer.body.decode()) == (200, PAGE)
    for wanted in ("gzip;q=0.5", "gzip;q=0.01, br;q=0"):
        answer = own_door.ask("/site/about.html", Accept_Encoding=wanted)
        assert answer.headers["content-encoding"] == "gzip"


@pytest.mark.parametrize("units", ["lines=1-2", "items=0-", "bytes"])
def test_a_range_in_unknown_units_is_ignored(own_door: Door, site: Path, units: str) -> None:
    answer = own_door.ask("/site/font.css", Range=units)
    assert (answer.status, answer.body) == (200, (site / "font.css").read_bytes())


def test_a_part_of_a_file_is_sent(own_door: Door, site: Path) -> None:
    answer = own_door.ask("/site/font.css", Range="bytes=1-4")
    assert (answer.status, answer.body) == (206, (site / "font.css").read_bytes()[1:5])


def test_the_font_is_there_before_the_site_and_kept_for_ever(own_door: Door) -> None:
    page = own_door.ask("/").body.decode()
    address = page.partition('href="/assets/font.css')[2].partition('"')[0]
    assert address.startswith("?")
    answer = own_door.ask(f"/assets/font.css{address}")
    assert answer.status == 200
    assert "immutable" in answer.headers["cache-control"]


def test_pages_of_the_site_take_the_font_of_the_door(own_door: Door, site: Path) -> None:
    (site / "about.html").write_text('<head><link href="../font.css?1a"></head><body></body>')
    page = own_door.ask("/site/about.html").body.decode()
    assert '<link href="/assets/font.css?1a">' in page


def test_pages_of_the_door_are_kept_in_no_cache(own_door: Door, site: Path) -> None:
    assert own_door.ask("/").headers["cache-control"] == "no-store"
