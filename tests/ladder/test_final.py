"""A final of the rated versions of a ladder."""

import json
from pathlib import Path

from tests.cli.command import error_line, run
from tests.ladder import club as clubs


def test_the_rated_versions_play_while_the_season_goes_on(club: Path) -> None:
    before = clubs.played(clubs.store_of(club))
    ran = run("final", club, "--pace", "0", "--wins", "1", "--json", cwd=club.parent)
    assert ran.code == 0, ran
    data = json.loads(ran.out)
    assert {*data["draw"]} == {"one@1", "two@1"}
    assert data["winner"] in data["draw"]
    assert (club / "final.jsonl").exists()
    assert clubs.played(clubs.store_of(club)) == before


def test_a_ladder_without_games_has_no_final(tmp_path: Path) -> None:
    club = clubs.make(tmp_path)
    ran = run("final", club, cwd=tmp_path)
    error_line(ran, "nothing was played yet", "club", "arena ladder run")
