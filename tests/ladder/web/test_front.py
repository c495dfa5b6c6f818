"""The front page of a door, and the header that all pages have."""

import html
import re
import shutil
from pathlib import Path

import pytest

from arena.ladder.book.book import Book
from arena.ladder.book.tables import State
from arena.ladder.door.access import Scope
from arena.ladder.folder import Folder, locked
from arena.ladder.pages.site import publish_all
from arena.publish.templates import MENU
from tests.e2e.live import wait_until
from tests.ladder.web.doors import Answer, Door, door_of, ladder, uploads
from tests.ladder.web.standings import play, row

HEADER = re.compile(r'<header class="site">.*?</header>', re.DOTALL)
PAGES = ("/", "/welcome", "/site/bots.html", "/site/about.html", "/site/watch.html")


def text(answer: Answer) -> str:
    assert answer.status == 200, answer
    return html.unescape(answer.body.decode())


def header(page: str) -> str:
    """Return the header of a page, whatever item is the current one."""
    [found] = HEADER.findall(page)
    return re.sub(r' aria-current="\w+"', "", found)


@pytest.fixture
def published(copy: Path) -> Path:
    """A ladder with games that is published."""
    publish_all(Folder(copy), 100)
    return copy


def shows(door: Door, said: str) -> None:
    """Wait until the front page says something."""
    wait_until(lambda: said in text(door.ask("/")))


def test_before_the_first_game_the_front_page_says_what_this_is(own_door: Door) -> None:
    page = text(own_door.ask("/"))
    assert "No games have been played yet" in page
    assert 'href="/welcome"' in page
    assert 'http-equiv="refresh"' in page  # without scripts it reloads by itself


def test_the_front_page_has_the_standings_as_the_ladder_wrote_them(own_door: Door) -> None:
    with Book(own_door.folder, writes=True) as book:
        play(book, own_door.folder, row("one@1", 1, 2, 0.7), row("two@1", 1, 2, 0.6))
        shows(own_door, "one@1 leads")
        page = text(own_door.ask("/"))
        for said in ("the standings: one@1, two@1", "1,200 games", "600 a minute", "7\N{EN DASH}3"):
            assert said in page, said
        assert "wins <strong>6 of 10</strong> from <bdi>two@1</bdi>, <bdi>mine@1</bdi>" in page
        play(book, own_door.folder, row("two@1", 1, 1, 0.8), row("one@1", 2, 2, 0.6))
        shows(own_door, "two@1 leads")


@pytest.mark.parametrize(("per_minute", "said"), [(600, "Live"), (0, "Asleep")])
def test_a_chip_says_whether_games_are_played(own_door: Door, per_minute: int, said: str) -> None:
    with Book(own_door.folder, writes=True) as book, locked(own_door.folder):
        play(book, own_door.folder, per_minute=per_minute)
        shows(own_door, f">{said}</span>")
        if not per_minute:
            own_door.put("mine", b"1", own_door.token("ann"))
            shows(own_door, ">Checking</span>")
    shows(own_door, ">Stopped</span>")


def test_a_season_that_goes_on_is_not_finished_and_has_no_winner(published: Path) -> None:
    words = [path.read_text() for path in (published / "site").glob("*.html")]
    assert not [page for page in words if "Finished" in page or "wins</span>" in page]


def test_the_standings_of_an_earlier_season_are_not_those_of_now(own_door: Door) -> None:
    with Book(own_door.folder, writes=True) as book:
        play(book, own_door.folder)
        shows(own_door, "mine@1 leads")
        book.close_season(1, "", "")
        book.open_season(2, b"{}", "1" * 64)
        shows(own_door, "No games have been played yet")
        assert 'href="/site/seasons/1/index.html"' in text(own_door.ask("/"))


def test_the_api_has_the_standings(own_door: Door) -> None:
    answer = own_door.ask("/api/v1/ladder/standings")
    assert (answer.status, answer.problem()["what"]) == (404, "no games have been played yet")
    with Book(own_door.folder, writes=True) as book:
        play(book, own_door.folder)
    wait_until(lambda: own_door.ask("/api/v1/ladder/standings").status == 200)
    told = own_door.ask("/api/v1/ladder/standings").json()
    assert (told["games"], told["games_per_minute"]) == (1_200, 600)
    assert [place["version"] for place in told["rows"]] == ["mine@1"]
    assert told["recent"][0]["seats"][0] == {"version": "one@1", "games": 7}


def test_the_api_has_published_replays(published: Path) -> None:
    [path, *_] = sorted((published / "site/replays").glob("*-0.js"))
    fixture = path.name.partition("-")[0]
    with door_of(Folder(published)) as door:
        told = door.ask(f"/api/v1/ladder/replays/{fixture}/0").json()
        none = door.ask(f"/api/v1/ladder/replays/{fixture}/999999")
    assert told["fixture"] == int(fixture)
    assert len(told["seats"]) == len(told["replay"]["places"])
    assert told["replay"]["steps"][-1]["kind"] == "end"
    assert none.problem()["what"] == "that game has no published replay"


@pytest.mark.parametrize("who", ["", "ann", "root"])
def test_every_page_has_the_same_header_for_whoever_asks(published: Path, who: str) -> None:
    (published / "private/ann").mkdir(exist_ok=True)
    (published / "private/ann/index.html").write_text("<head></head>\n<body>\n<main>hers</main>")
    with door_of(Folder(published)) as door:
        scope = Scope.ADMINISTRATOR if who == "root" else Scope.AUTHOR
        headers = door.session(who, scope) if who else {}
        paths = (*PAGES, "/me", *(["/private/ann/"] if who == "ann" else [])) if who else PAGES
        pages = {path: text(door.ask(path, **headers)) for path in paths}
    assert len({header(page) for page in pages.values()}) == 1
    [shown] = {header(page) for page in pages.values()}
    assert ("Log out" in shown) == bool(who)
    assert ('href="/administration"' in shown) == (who == "root")
    for page in pages.values():
        assert 'http-equiv="Content-Security-Policy"' not in page  # else nobody could log out
        assert page.count("front.css") == 1


def test_the_menu_is_that_of_the_published_site(published: Path) -> None:
    with door_of(Folder(published)) as door:
        page = text(door.ask("/site/bots.html"))
    [shown] = HEADER.findall(page)
    for label, (path, *_) in MENU.items():
        href = "/" if path == "index.html" else f"/site/{path}"
        current = ' aria-current="page"' if label == "Bots" else ""
        assert f'<a href="{href}"{current}>{label}</a>' in shown


def test_a_page_that_somebody_has_is_sent_again_when_they_log_in(published: Path) -> None:
    with door_of(Folder(published)) as door:
        first = door.ask("/site/bots.html")
        seen = {"If_None_Match": first.headers["etag"]}
        assert door.ask("/site/bots.html", **seen).status == 304
        assert door.ask("/site/bots.html", **seen, **door.session("ann")).status == 200


def test_sites_of_closed_seasons_keep_their_menu(published: Path) -> None:
    season = published / "sites/seasons/1"
    shutil.copytree(published / "site/", season, symlinks=True)
    with door_of(Folder(published)) as door:
        page = text(door.ask("/site/seasons/1/bots.html"))
    assert '<a href="index.html">Standings</a>' in page
    assert '<a href="/">Standings</a>' in page


def test_an_author_sees_their_own_rank(own_door: Door) -> None:
    session, token = own_door.session("ann"), own_door.token("ann")
    own_door.put("mine", b"1", token)
    with Book(own_door.folder, writes=True) as book:
        book.add(uploads(own_door)[0], State.RATED, "it came")
        play(book, own_door.folder, row("one@1", 1, 1, 0.7), row("mine@1", 2, 3, 0.6))
        wait_until(lambda: "rank 2 to 3 of 2" in text(own_door.ask("/", **session)))
    assert "Yours:" not in text(own_door.ask("/"))


def test_a_door_says_what_it_is_and_invites_whatever_it_shows(tmp_path: Path) -> None:
    with door_of(ladder(tmp_path, guests=1)) as door, Book(door.folder, writes=True) as book:
        for played in (False, True):
            if played:
                play(book, door.folder, row("one@1", 1, 1, 0.7))
                wait_until(lambda: b"one@1 leads" in door.ask("/").body)
            page = text(door.ask("/"))
            said = page.partition('class="introduction"')[2].partition("</section>")[0]
            assert "Programs play Perudo here" in said
            assert 'href="/welcome#title-rules"' in said
            assert re.findall(r'href="([^"]+)">[^<]*</a>', said)[1:] == [
                "/live",
                "/play",
                "/welcome",
            ]
            assert page.index("introduction") < page.index('id="verdict"')


def test_pages_to_share_have_a_title_a_description_and_a_picture(published: Path) -> None:
    with door_of(Folder(published)) as door:
        for path in PAGES:
            page = text(door.ask(path))
            found = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page))
            assert found.keys() >= {"title", "description", "image"}, path
            picture = door.ask(found["image"].removeprefix(door.base))
            assert picture.headers["content-type"] == "image/png"


@pytest.mark.parametrize("searchable", [False, True])
def test_search_engines_list_public_pages_if_the_operator_wants_it(
    tmp_path: Path, searchable: bool
) -> None:
    with door_of(ladder(tmp_path, searchable=searchable)) as door:
        for path in ("/", "/welcome", "/live", "/play", "/site/none"):
            assert robots(door, path) == ("" if searchable else "noindex")
        for path in ("/me", "/link/a", "/api/v1/me"):
            assert robots(door, path) == "noindex"


def robots(door: Door, path: str) -> str:
    return door.ask(path).headers.get("x-robots-tag", "")


def test_the_front_page_says_who_came_last_and_how_they_stand(published: Path) -> None:
    folder = Folder(published)
    with door_of(folder) as door, Book(folder, writes=True) as book:
        play(book, folder, row("one@1", 1, 1, 0.7))
        shows(door, "one@1 leads")
        page = re.sub("<[^>]+>", "", text(door.ask("/")))
        assert "uploaded one@1: rank 1" in page
        assert "uploaded two@1\n" in page
