"""`arena final`: the best of a league in a knock-out or at one table."""

import json
import re
from pathlib import Path
from typing import Any

from arena.league.play.final import read_final
from tests.cli.command import Ran, error_line, league, records, run
from tests.publish.pages import broken_links, tree

FILE = "league.final.jsonl"
NOW = ("final", "league.yaml", "--pace", "0")


def played(home: Path, *more: object) -> Ran:
    ran = run(*NOW, *more, cwd=home)
    assert ran.code == 0, ran
    return ran


def events(home: Path) -> list[Any]:
    """The games of a final, without what differs from one machine to the next."""
    lines = (home / FILE).read_text().splitlines()[1:]
    return [(one["fixture"], one["games"]) for one in map(json.loads, lines)]


def test_a_final_is_told_line_by_line_and_leaves_the_ratings_alone(finished: Path) -> None:
    before = records(finished / "league.sqlite"), tree(finished / "site")
    ran = played(finished, "--seed", "s")
    lines = ran.out.splitlines()
    assert lines[0] == "final of league: a knock-out of 3, 2 games win a match"
    assert lines[1] == "seed: s"
    bids = re.compile(r"\w+ bids \d+ \w+, (over |under )?\d+ % likely(: a bluff)?")
    assert any(map(bids.fullmatch, lines))
    calls = re.compile(r"\w+ calls dudo, .* % likely to be right\. The bid is .*")
    assert any(map(calls.fullmatch, lines))
    assert re.fullmatch(r"(\w+) wins the final of league", lines[-1])
    assert (records(finished / "league.sqlite"), tree(finished / "site")) == before


def test_the_same_seed_gives_the_same_final(finished: Path) -> None:
    data = json.loads(played(finished, "--seed", "s", "--json").out)
    assert [match["round"] for match in data["matches"]] == ["semi-final", "final"]
    assert data["matches"][-1]["winner"] == data["winner"]
    first = events(finished)
    (finished / FILE).unlink()
    assert json.loads(played(finished, "--seed", "s", "--json").out) == data
    assert events(finished) == first


def test_a_final_that_was_killed_goes_on_with_the_same_draw(finished: Path) -> None:
    played(finished)
    whole = (finished / FILE).read_text()
    seats = [fixture for fixture, _ in events(finished)]
    first, second, third, *_ = whole.splitlines(keepends=True)
    (finished / FILE).write_text(first + second + third[: len(third) // 2])
    told = played(finished).out
    assert next(fixture for fixture, _ in events(finished)) == seats[0]
    assert (finished / FILE).read_text().startswith(first + second)
    assert told.count("semi-final, game 1: ") == 1
    # One that is over is told in short, and nothing more is played.
    whole = (finished / FILE).read_text()
    assert "game 1" not in played(finished).out
    assert (finished / FILE).read_text() == whole


def test_one_table_seats_all_of_them(finished: Path) -> None:
    data = json.loads(played(finished, "--table", "--wins", "1", "--json").out)
    [match] = data["matches"]
    assert (match["round"], len(match["score"])) == ("table", 3)
    final = read_final(finished / FILE)
    assert final
    assert len(final.games) == 1
    assert len(final.games[0].fixture.seats) == 3


def test_the_pages_of_a_final_lead_nowhere_else(finished: Path) -> None:
    data = json.loads(played(finished, "--into", "wall", "--wins", "1", "--json").out)
    # The replay takes the place of a game from the address.
    at = re.compile(r"index\.html: #\d+\.0\.0")
    assert [link for link in broken_links(finished / "wall") if not at.fullmatch(link)] == []
    wall = (finished / "wall/index.html").read_text()
    assert all(match["round"] in wall for match in data["matches"])
    winner = (finished / "wall/winner.html").read_text()
    assert f"<bdi>{data['winner']}</bdi> wins the final" in winner
    assert "% likely" in winner.replace("\u202f", " ")


def test_a_final_keeps_its_terms(finished: Path) -> None:
    played(finished, "--seed", "s", "--wins", "1")
    for words in (("--seed", "t"), ("--wins", "2"), ("--bots", "2"), ("--table",)):
        ran = run(*NOW, *words, cwd=finished)
        error_line(ran, f"another {words[0]}", FILE, "remove the file")


def test_a_league_without_games_has_no_final(tmp_path: Path) -> None:
    league(tmp_path)
    error_line(run(*NOW, cwd=tmp_path), "nothing was played yet", "league.sqlite")
    error_line(run("final", "nowhere.yaml", cwd=tmp_path), "no such file", "nowhere.yaml")


def test_fewer_than_two_bots_have_no_final(finished: Path) -> None:
    league(finished, bots=["sample:odds", "sample:memory"])
    error_line(run(*NOW, cwd=finished), "a final needs two rated bots", "only odds", "arena run")


def test_a_file_of_something_else_is_left_alone(finished: Path) -> None:
    (finished / FILE).write_text("notes\n")
    error_line(run(*NOW, cwd=finished), "it is not the file of a final", FILE)
    assert (finished / FILE).read_text() == "notes\n"
