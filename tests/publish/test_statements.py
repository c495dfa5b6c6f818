"""No two statements of a league contradict each other, wherever they stand."""

from pathlib import Path

import pytest

from arena.cli.league.standings import print_standings
from arena.game.records import Fixture, RatingsInfo
from arena.league.store.store import Store
from arena.ratings.league_ratings import by_division, rate_results
from tests.cli.command import run
from tests.publish.drawn_leagues import Drawn, store
from tests.publish.statements import contradictions, read


def skills(*values: float) -> dict[str, float]:
    return {f"bot{at:02}": value for at, value in enumerate(values)}


def of_one_half(fixture: Fixture) -> bool:
    """Bots below 4 meet each other, and the others each other."""
    return len({bot < "bot04" for bot in fixture.seats}) == 1


def often(fixture: Fixture) -> bool:
    """Two bots play in the first block alone."""
    return fixture.block < 1 or not {"bot00", "bot03"} & {*fixture.seats}


EQUAL, SPREAD = skills(*[0.0] * 6), skills(1.2, 1.0, 0.8, 0.4, 0.0, 0.0, -0.5, -1.0)
LEAGUES = {
    "two bots, four games": Drawn(skills(0.3, 0.0), 4, 1),
    "tied": Drawn(EQUAL, 4, 5),
    "won": Drawn(skills(2.0, 0.5, 0.4, 0.2, 0.0), 20, 8),
    "hopeless": Drawn(skills(*[0.0] * 5, -6.0, -6.0), 10, 6),
    "clones in front": Drawn(skills(2.0, 2.0, 0.0, -0.2, -0.4, -2.0), 12, 10),
    "many divisions": Drawn(SPREAD, 6, 7, ("bga", "house"), (2, 3)),
    "seldom seen": Drawn(SPREAD, 10, 7, is_played=often),
    "two parts": Drawn(SPREAD, 10, 7, is_played=of_one_half),
    "many bots": Drawn(skills(*(-0.1 * bot for bot in range(33))), 4, 8),
    "anchored, without overall table": Drawn(
        SPREAD,
        8,
        7,
        ("bga", "house"),
        options={"ratings": RatingsInfo(anchor="bot04", overall=False, provisional=100)},
    ),
}


QUICK = {"two bots, four games", "tied", "seldom seen"}


@pytest.mark.parametrize(
    "league",
    [pytest.param(one, marks=[] if one in QUICK else pytest.mark.slow) for one in LEAGUES],
)
def test_no_two_statements_contradict_each_other(
    league: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "league.sqlite"
    store(path, LEAGUES[league])
    ran = run("report", "league.yaml", "--site", "site", "--replays", "none", cwd=tmp_path)
    assert ran.code == 0, ran.err
    with Store(path) as stored:
        assert stored.league
        ratings = rate_results(by_division(stored.results()), stored.league.ratings)
    print_standings(ratings)
    said = read(tmp_path / "site", capsys.readouterr().out)
    assert contradictions(said) == []
