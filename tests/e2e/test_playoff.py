"""A league with `until: winner`, from its file to its page."""

import json
import re
import shutil
from pathlib import Path

import pytest
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from arena.game.records import PlayoffInfo
from arena.league.store.files import logs_path
from arena.league.store.rows import key_range, pack
from arena.league.store.store import Store
from tests.cli.command import PLAY, Ran, league, records, run
from tests.e2e.live import let_others_in
from tests.league.store.edit import execute
from tests.publish.pages import broken_links
from tests.support.depth import only_in_long
from tests.support.made_once import made_once

pytestmark = pytest.mark.slow

BOTS = ["sample:odds", "sample:honest", "sample:memory", "sample:random"]
TERMS = PlayoffInfo(0.9, 400)
BLOCKS = 12
"""The fixtures before the playoff."""


def _play(folder: Path, *more: str, **keys: object) -> Ran:
    until = {"winner": TERMS.confidence, "games": TERMS.games}
    league(folder, **{"bots": BOTS, "games": 20, "until": until, **keys})
    return run(*PLAY, *more, cwd=folder)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league whose playoff was played to its end."""
    return made_once(tmp_path_factory, "playoff", _play_whole)


def _play_whole(folder: Path) -> None:
    let_others_in(folder)
    ran = _play(folder)
    assert ran.code == 0, ran
    (folder / "said").write_text(ran.err)


@pytest.fixture
def home(whole: Path, tmp_path: Path) -> Path:
    """Return a copy of that folder to go on with."""
    let_others_in(tmp_path)
    return Path(shutil.copytree(whole, tmp_path / "home"))


def test_playoff_is_played_verified_and_shown(home: Path) -> None:
    [said] = re.findall("playoff: .*", (home / "said").read_text())
    store = home / "league.sqlite"
    with Store(store) as stored:
        fixtures = [result.fixture for result in stored.results()]
    assert fixtures[BLOCKS:]
    assert "random" not in {bot for fixture in fixtures[BLOCKS:] for bot in fixture.seats}
    verified = run("verify", "league.yaml", cwd=home)
    assert verified.code == 0, verified
    assert said in run("status", "league.yaml", cwd=home).out
    rows = json.loads((home / "site/data/leaderboard-bga-2p.json").read_bytes())["rows"]
    assert {row["games"] for row in rows} == {120}
    assert 'href="conditions.html#playoff"' in (home / "site/index.html").read_text()
    assert "Where wins are not transitive" in (home / "site/conditions.html").read_text()
    assert broken_links(home / "site") == []
    before = records(store)
    again = run(*PLAY, cwd=home)
    assert (again.code, records(store)) == (0, before)
    assert said in again.err


def test_playoff_may_be_asked_for_once_the_blocks_are_played(whole: Path, tmp_path: Path) -> None:
    """What names the winner is the same as if it had been asked for at once."""
    let_others_in(tmp_path)
    _copy(whole / "league.sqlite", tmp_path / "league.sqlite", BLOCKS, UNSET)
    refused = _play(tmp_path)
    assert refused.code == 2
    assert "playoff is at 0.9 within 400 games, not none" in refused.err
    ran = _play(tmp_path, "--accept-changes")
    assert ran.code == 0, ran
    assert "playoff: " in ran.err
    assert records(tmp_path / "league.sqlite")[:BLOCKS] == records(whole / "league.sqlite")[:BLOCKS]
    assert run("verify", "league.yaml", cwd=tmp_path).code == 0


@pytest.mark.parametrize("more", [(), ("--accept-changes",)])
def test_league_whose_playoff_has_begun_does_not_change(home: Path, more: tuple[str, ...]) -> None:
    before = records(home / "league.sqlite")
    ran = _play(home, *more, blocks=9)
    assert ran.code == 2
    what = "error: the league changed after its playoff had begun: blocks is 9, not 3 / league.yaml"
    assert ran.err.splitlines()[-1].startswith(what)
    assert records(home / "league.sqlite") == before


def _copy(source: Path, target: Path, most: int, playoff: PlayoffInfo | UnsetType) -> None:
    """Copy the first fixtures of a store, under other terms of its playoff."""
    with Store(source) as whole, Store(target, create=True) as part:
        assert whole.league
        part.begin(replace(whole.league, playoff=playoff))
        for stored in [*whole.stored(range(most))]:
            part.add(pack(stored.played()))


@only_in_long
@pytest.mark.parametrize("most", [7, 15])
def test_interrupted_playoff_goes_on_to_the_same_end(
    whole: Path, tmp_path: Path, most: int
) -> None:
    let_others_in(tmp_path)
    _copy(whole / "league.sqlite", tmp_path / "league.sqlite", most, TERMS)
    assert _play(tmp_path).code == 0
    assert records(tmp_path / "league.sqlite") == records(whole / "league.sqlite")


def test_games_after_the_end_of_a_playoff_are_found(whole: Path, tmp_path: Path) -> None:
    shorter = PlayoffInfo(0.9, 100)
    _copy(whole / "league.sqlite", tmp_path / "forged.sqlite", 1000, shorter)
    shutil.copy(whole / "league.yaml", tmp_path)
    ran = run("verify", "league.yaml", "--store", "forged.sqlite", cwd=tmp_path)
    assert ran.code == 1
    assert "the schedule has no such fixture" in ran.out + ran.err


def test_winner_is_on_the_front_page_under_a_pseudonym_too(tmp_path: Path) -> None:
    assert _play(tmp_path, bots=["sample:odds", "sample:random"]).code == 0
    front = (tmp_path / "site/index.html").read_text()
    assert "<bdi>odds</bdi> wins the playoff <small>90&nbsp;%&nbsp;sure</small>" in front
    ran = run("report", "league.yaml", "--anonymous", "--site", "blind", cwd=tmp_path)
    assert ran.code == 0, ran
    blind = (tmp_path / "blind/index.html").read_text()
    assert " wins the playoff" in blind
    assert "odds" not in blind


def test_playoff_is_played_again_from_a_damaged_fixture_on(home: Path, whole: Path) -> None:
    damaged = len(records(home / "league.sqlite")) - 2
    assert damaged > BLOCKS
    logs = logs_path(home / "league.sqlite")
    execute(logs, "UPDATE logs SET log = x'00' WHERE key BETWEEN ? AND ?", *key_range(damaged))
    mended = run("mend", "league.yaml", cwd=home)
    assert mended.code == 0, mended
    assert len(records(home / "league.sqlite")) == damaged
    assert _play(home).code == 0
    assert records(home / "league.sqlite") == records(whole / "league.sqlite")
