"""Highlights in words, the upsets among them, and which of them stand on which list."""

import pytest
from msgspec.structs import replace

from arena.game.records import Cause
from arena.game.rules.books import variant
from arena.playstats.highlights import KINDS, Highlight, HighlightKind, order
from arena.publish.pages.watch import (
    TITLES,
    SiteHighlights,
    highlights,
    lists,
    site_highlights,
    view,
)
from arena.publish.replay_steps import CAUSES
from arena.ratings.league_ratings import Favourites, favourites
from tests.support import factory
from tests.support import played_games as games
from tests.support.summaries import league_of, summarize_fixture

NAMES = ("alpha", "beta", "gamma", "delta")
RULES = variant("bga", {}, calza=True)


def highlight(kind: HighlightKind, **changes: object) -> Highlight:
    one = Highlight(
        kind, 9.0, "alpha", "bga", 2, 3, 1, 2, 17, 0, 0.05, 24, own=2, quantity=7, face=6
    )
    return replace(one, **changes)


@pytest.fixture(scope="module")
def found() -> SiteHighlights:
    played = [games.fixture(n, "bga", RULES, NAMES[n % 2 :][:3], 8) for n in range(8)]
    summaries = [summarize_fixture(one, RULES) for one in played]
    boards = factory.ratings(played).boards
    results = [one.result for one in summaries]
    return site_highlights(
        league_of(summaries), results, boards, Favourites(boards), {"bga": RULES}
    )


@pytest.mark.parametrize(
    ("one", "title"),
    [
        (highlight("comeback"), "alpha wins with 2 dice against 22"),
        (highlight("comeback", own=1), "alpha wins with 1 die against 23"),
        (highlight("bluff"), "alpha bids 7 sixes, 5\u202f% likely, and gets away with it"),
        (
            highlight("bluff", chance=0.0),
            "alpha bids 7 sixes, knowing it false, and gets away with it",
        ),
        (highlight("call"), "alpha doubts 7 sixes, 5\u202f% likely, and is right"),
        (highlight("calza"), "alpha calls 7 sixes exact, 5\u202f% likely, and is right"),
        (highlight("upset", opponent="beta"), "alpha wins, only 5\u202f% likely to beat beta"),
        (highlight("fault", cause=Cause.CRASH), "alpha crashes, with 24 dice on the table"),
    ],
)
def test_highlights_in_words(one: Highlight, title: str) -> None:
    shown = view(one)
    assert (shown.title, shown.href) == (title, "replay.html#3.1.17&see=0")
    assert shown.where == "bga, 2 players"


def test_every_cause_and_kind_has_words() -> None:
    assert set(TITLES) == set(KINDS)
    assert list(CAUSES) == list(Cause)
    assert all("_" not in words.name for words in CAUSES.values())
    for cause in Cause:
        assert view(highlight("fault", cause=cause)).title.startswith("alpha ")


def test_upsets_are_wins_of_who_was_expected_to_lose(found: SiteHighlights) -> None:
    [of] = [of for of in lists(found.league, found.games()) if of.kind == "upset"]
    assert all(one.highlight.chance < 0.5 for one in of.highlights)
    assert [one.highlight for one in of.highlights] == sorted(
        (one.highlight for one in of.highlights), key=order
    )
    assert all(one.highlight.opponent not in {"", one.highlight.bot} for one in of.highlights)


def test_chances_of_a_table_with_a_bot_that_is_not_rated_are_unknown() -> None:
    assert favourites(("alpha", "beta"), {}) == [("", 1.0), ("", 1.0)]


def test_lists_have_only_games_that_can_be_watched_and_each_once(found: SiteHighlights) -> None:
    assert lists(found.league, set()) == []
    shown = lists(found.league, found.games())
    assert [of.kind for of in shown] == list(KINDS)
    for of in shown:
        watched = [(one.highlight.index, one.highlight.game) for one in of.highlights]
        assert len(watched) == len(set(watched))


def test_highlights_are_of_different_kinds_and_bots(found: SiteHighlights) -> None:
    shown = highlights(found, found.games(), 3)
    assert len(shown) == 3
    assert (
        len({one.highlight.kind for one in shown}) == len({one.highlight.bot for one in shown}) == 3
    )
    assert all(one.highlight.kind != "fault" for one in shown)
    assert highlights(found, set(), 3) == []
