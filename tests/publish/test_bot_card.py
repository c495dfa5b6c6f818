"""The card of a bot: how it plays against the field, whom it beats."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.game.records import Division
from arena.playstats.league_summary import DivisionStats, LeagueSummary
from arena.playstats.style import Style
from arena.publish.links import links
from arena.publish.pages.bot import BestPlace, Field, card
from arena.publish.pages.leaderboard import board_standings, verdicts
from tests.publish.crowd import crowd
from tests.publish.in_memory import write_site
from tests.publish.test_front import words
from tests.support import factory


def field(*bluffs: int) -> Field:
    """Bots 0, 1, ... that bluffed in so many of a hundred bids, and doubted in half."""
    styles = [Style(bids=100, openings=50, bluffs=one, dudos=50) for one in bluffs]
    division = Division("bga", 2)
    bots = {str(n): {division: DivisionStats(style=one)} for n, one in enumerate(styles)}
    return Field(LeagueSummary(bots=bots))


def test_trait_is_told_against_the_median_and_the_other_bots() -> None:
    [bluffs, doubts] = [one for one in field(10, 20, 20, 30, 90).traits("4") if "o" in one.of][:2]
    assert (bluffs.value, bluffs.median, bluffs.below) == ("90.0\u202f%", "20.0\u202f%", 1.0)
    assert bluffs.words == "bluffs more than most"
    assert doubts.below == 0.5
    least = field(10, 20, 20, 30, 90).traits("0")[0]
    assert (least.words, least.below) == ("bluffs less than most", 0.0)


def test_only_what_is_far_from_the_middle_is_striking() -> None:
    style = field(10, 20, 20, 30, 90)
    assert [one.name for one in card("4", {}, [], style).striking] == ["Bluffs"]
    assert card("1", {}, [], style).striking == []


def test_rivals_are_named_if_they_are_told_apart() -> None:
    _, ratings, _ = crowd(12, 12)
    [board] = ratings.boards
    stands = {one.bot: one for one in board_standings(board).rows}
    first, last = board.rows[0].bot, board.rows[-1].bot
    best = card(first, {}, [BestPlace(board, stands[first])], field())
    assert len(best.better_than) == 3
    assert best.worse_than == []
    assert best.best == (board, stands[first])
    worst = card(last, {}, [BestPlace(board, stands[last])], field())
    assert worst.better_than == []
    assert worst.worse_than
    for rival in worst.worse_than:
        assert verdicts(board, last, [rival])[rival].words == "worse"


def test_earlier_versions_are_named(tmp_path: Path) -> None:
    league, ratings, played = factory.sample()
    bots = [replace(league.bots[0], name=f"mine@{n}", version="0.9") for n in (10, 9)]
    first = replace(bots[0], name="mine")
    changed = replace(league, bots=(*league.bots, *bots, first), resting=("mine", "mine@9"))
    write_site(changed, ratings, played, tmp_path)
    said = "Earlier versions in this league: mine 0.9"
    pages = {bot.name: words(tmp_path / links(changed, []).bot(bot.name)) for bot in bots}
    assert said in pages["mine@9"]
    assert pages["mine@10"].index(said) < pages["mine@10"].index("mine@9 0.9")
    assert "Earlier versions" not in words(tmp_path / "bots/mine.html")


@pytest.mark.parametrize("bot", ["alpha", "gamma"])
def test_page_has_the_last_fixtures_newest_first(tmp_path: Path, bot: str) -> None:
    league, ratings, played = factory.sample()
    write_site(league, ratings, played, tmp_path)
    page = words(tmp_path / f"bots/{bot}.html")
    numbers = [one.fixture.index for one in played if bot in one.fixture.seats]
    places = [page.index(f"fixture {number + 1}, rerun {number}") for number in numbers]
    assert places == sorted(places, reverse=True)
