"""A league with `until: winner`, from its file to its page."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.game.records import PlayoffInfo
from arena.league.store.files import logs_path
from arena.league.store.rows import key_range, pack
from arena.league.store.store import Store
from tests.cli.command import PLAY, Ran, league, records, run
from tests.league.store.edit import execute
from tests.publish.pages import broken_links

BOTS = ["sample:odds", "sample:honest", "sample:memory", "sample:random"]
TERMS = PlayoffInfo(0.9, 800)


def _play(folder: Path, *more: str, **keys: object) -> Ran:
    until = {"winner": TERMS.confidence, "games": TERMS.games}
    league(folder, **{"bots": BOTS, "games": 20, "until": until, **keys})
    return run(*PLAY, *more, cwd=folder)


@pytest.mark.slow
def test_playoff_is_played_verified_and_shown(tmp_path: Path) -> None:
    ran = _play(tmp_path)
    assert ran.code == 0, ran
    [said] = re.findall("playoff: .*", ran.err)
    store = tmp_path / "league.sqlite"
    with Store(store) as stored:
        fixtures = [result.fixture for result in stored.results()]
    assert fixtures[12:]
    assert "random" not in {bot for fixture in fixtures[12:] for bot in fixture.seats}
    verified = run("verify", "league.yaml", cwd=tmp_path)
    assert verified.code == 0, verified
    assert said in run("status", "league.yaml", cwd=tmp_path).out
    rows = json.loads((tmp_path / "site/data/leaderboard-bga-2p.json").read_bytes())["rows"]
    assert {row["games"] for row in rows} == {120}
    assert 'href="conditions.html#playoff"' in (tmp_path / "site/index.html").read_text()
    assert "Where wins are not transitive" in (tmp_path / "site/conditions.html").read_text()
    assert broken_links(tmp_path / "site") == []
    before = records(store)
    again = run(*PLAY, cwd=tmp_path)
    assert (again.code, records(store)) == (0, before)
    assert said in again.err


@pytest.mark.slow
def test_playoff_may_be_asked_for_once_the_blocks_are_played(tmp_path: Path) -> None:
    """What names the winner is the same as if it had been asked for at once."""
    assert _play(tmp_path, until=None).code == 0
    blocks = records(tmp_path / "league.sqlite")
    refused = _play(tmp_path)
    assert refused.code == 2
    assert "playoff is at 0.9 within 800 games, not none" in refused.err
    ran = _play(tmp_path, "--accept-changes")
    assert ran.code == 0, ran
    assert "playoff: " in ran.err
    assert records(tmp_path / "league.sqlite")[: len(blocks)] == blocks
    assert run("verify", "league.yaml", cwd=tmp_path).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--accept-changes",)])
def test_league_whose_playoff_has_begun_does_not_change(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    assert _play(tmp_path).code == 0
    before = records(tmp_path / "league.sqlite")
    ran = _play(tmp_path, *more, blocks=9)
    assert ran.code == 2
    what = "error: the league changed after its playoff had begun: blocks is 9, not 3 / league.yaml"
    assert ran.err.splitlines()[-1].startswith(what)
    assert records(tmp_path / "league.sqlite") == before


def _copy(source: Path, target: Path, most: int, playoff: PlayoffInfo) -> None:
    """Copy the first fixtures of a store, under other terms of its playoff."""
    with Store(source) as whole, Store(target, create=True) as part:
        assert whole.league
        part.begin(replace(whole.league, playoff=playoff))
        for stored in [*whole.stored(0, most - 1)]:
            part.add(pack(stored.played()))


@pytest.mark.slow
@pytest.mark.parametrize("most", [7, 15])
def test_interrupted_playoff_goes_on_to_the_same_end(tmp_path: Path, most: int) -> None:
    assert _play(tmp_path).code == 0
    _copy(tmp_path / "league.sqlite", tmp_path / "part.sqlite", most, TERMS)
    assert _play(tmp_path, "--store", "part.sqlite").code == 0
    assert records(tmp_path / "part.sqlite") == records(tmp_path / "league.sqlite")


@pytest.mark.slow
def test_games_after_the_end_of_a_playoff_are_found(tmp_path: Path) -> None:
    assert _play(tmp_path).code == 0
    shorter = PlayoffInfo(0.9, 100)
    _copy(tmp_path / "league.sqlite", tmp_path / "forged.sqlite", 1000, shorter)
    ran = run("verify", "league.yaml", "--store", "forged.sqlite", cwd=tmp_path)
    assert ran.code == 1
    assert "the schedule has no such fixture" in ran.out + ran.err


@pytest.mark.slow
def test_winner_is_on_the_front_page_under_a_pseudonym_too(tmp_path: Path) -> None:
    assert _play(tmp_path, bots=["sample:odds", "sample:random"], games=40).code == 0
    front = (tmp_path / "site/index.html").read_text()
    assert "<bdi>odds</bdi> wins the playoff <small>90&nbsp;%&nbsp;sure</small>" in front
    ran = run("report", "league.yaml", "--anonymous", "--site", "blind", cwd=tmp_path)
    assert ran.code == 0, ran
    blind = (tmp_path / "blind/index.html").read_text()
    assert " wins the playoff" in blind
    assert "odds" not in blind


@pytest.mark.slow
def test_playoff_is_played_again_from_a_damaged_fixture_on(tmp_path: Path) -> None:
    assert _play(tmp_path).code == 0
    whole = records(tmp_path / "league.sqlite")
    logs = logs_path(tmp_path / "league.sqlite")
    execute(logs, "UPDATE logs SET log = x'00' WHERE key BETWEEN ? AND ?", *key_range(14))
    mended = run("mend", "league.yaml", cwd=tmp_path)
    assert mended.code == 0, mended
    assert len(records(tmp_path / "league.sqlite")) == 14
    assert _play(tmp_path).code == 0
    assert records(tmp_path / "league.sqlite") == whole
