"""`arena rerun`: a stored fixture, played again by the same bots, by others, and by none."""

import json
import shlex
from pathlib import Path
from re import findall

import pytest

from tests.cli.command import (
    FIELD,
    LOWEST,
    READY,
    TRUSTED,
    bot,
    error_line,
    league,
    opened,
    play_league,
    records,
    run,
)
from tests.league.store.edit import copied

FAULTY = (
    READY.replace("for line", "asks = 0\n    for line")
    + """
            asks += 1
            if asks % 7 == 0:
                print('{"type": oops', flush=True)
                continue
            low = asked["raises"][0] if asked["raises"] else None
            answer = {"id": asked["id"], "action": "dudo"}
            if low:
                answer |= {"action": "bid", "quantity": low["min"], "face": low["face"]}
            print(json.dumps(answer), flush=True)
"""
)
"""A bot that says something odd at every seventh turn."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league in which `odd` faults."""
    folder = tmp_path_factory.mktemp("played")
    bot(folder / "odd", FAULTY)
    return play_league(folder, code=1, bots=["odd", "sample:honest"], games=5)


def test_command_on_a_bot_page_reproduces_its_fault(played: Path) -> None:
    page = (played / "site/bots/odd.html").read_text()
    commands = findall("arena rerun [^<]+", page)
    assert commands
    before = records(played / "league.sqlite")
    for command in commands[:2]:
        words = shlex.split(command)[1:]
        ran = run(*words, *TRUSTED, cwd=played)
        assert (ran.code, ran.err) == (0, f"fixture {words[2]}, 1 game: as stored\n")
        said = ran.out.splitlines()
        assert any(line.endswith('{"type": oops') for line in said)
        games = {json.loads(line[4:]).get("game") for line in said if line.startswith(">>")}
        assert games <= {None, int(words[3])}
        ends = [json.loads(line[4:]) for line in said if '"game_end"' in line]
        places = opened(played / "league.sqlite")[int(words[2])]["games"][int(words[3])]["places"]
        assert ends
        assert all(end["places"] == places for end in ends)
    assert records(played / "league.sqlite") == before


def test_rerun_of_a_whole_fixture_is_the_same(played: Path) -> None:
    ran = run("rerun", "league.yaml", 1, *TRUSTED, cwd=played)
    assert (ran.code, ran.out, ran.err) == (0, "", "fixture 1, 5 games: as stored\n")
    said = json.loads(run("rerun", "league.yaml", 1, 2, *TRUSTED, "--json", cwd=played).out)
    assert (said["fixture"], said["games"], said["differences"]) == (1, 1, [])
    assert sorted(said["seats"]) == ["honest", "odd"]
    assert said["transcript"]


@pytest.mark.slow
def test_fixture_of_an_earlier_variant_is_the_same(tmp_path: Path) -> None:
    for dice in (2, 3):
        rules = {"variant": "bga", "label": "bga", "starting_dice": dice}
        league(tmp_path, bots=FIELD, variants=[rules], games=2, blocks=1)
        run("run", "league.yaml", *TRUSTED, "--accept-changes", cwd=tmp_path)
    stored = records(tmp_path / "league.sqlite")
    assert len(stored) == 6
    for index in (0, len(stored) - 1):
        ran = run("rerun", "league.yaml", index, *TRUSTED, cwd=tmp_path)
        assert (ran.code, ran.err) == (0, f"fixture {index}, 2 games: as stored\n")


def test_changed_bot_is_named_and_differs(tmp_path: Path, played: Path) -> None:
    copied(played / "league.sqlite", tmp_path / "league.sqlite")
    bot(tmp_path / "odd", LOWEST)
    league(tmp_path, bots=["odd", "sample:honest"], games=5)
    ran = run("rerun", "league.yaml", 0, *TRUSTED, cwd=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    first, *lines = ran.err.splitlines()
    assert first == "'odd' has different files now"
    assert lines[0].endswith(" on")
    assert '["fault",' in lines[1]
    ran = run("rerun", "league.yaml", 0, *TRUSTED, "--json", cwd=tmp_path)
    differences = json.loads(ran.out)["differences"]
    assert ran.code == 1
    stored = opened(tmp_path / "league.sqlite")[0]["games"]
    for one in differences:
        events = stored[one["game"]]["events"]
        assert json.loads(one["stored"]) == events[one["step"]]
        assert one["now"] != one["stored"]


def test_missing_fixture_or_game_is_an_error(played: Path, tmp_path: Path) -> None:
    ran = run("rerun", "league.yaml", 99, cwd=played)
    error_line(ran, "fixture 99 is not stored", "league.sqlite")
    ran = run("rerun", "league.yaml", 0, 5, cwd=played)
    error_line(ran, "fixture 0 has no game 5", "its games are 0 to 4")
    league(tmp_path, bots=FIELD)
    error_line(run("rerun", "league.yaml", 0, cwd=tmp_path), "nothing was played yet")
    copied(played / "league.sqlite", tmp_path / "league.sqlite")
    ran = run("rerun", "league.yaml", 0, "--sandbox", "process", cwd=tmp_path)
    error_line(ran, "'odd' played in this fixture, but is not in the league now", "league.yaml")


def test_untrusted_bots_need_a_sandbox_or_trust(played: Path) -> None:
    ran = run("rerun", "league.yaml", 0, "--sandbox", "process", cwd=played)
    error_line(ran, "does not isolate bots", "--trust-bots")
