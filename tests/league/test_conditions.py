"""The conditions of a league: fixed before the first game, and kept."""

from hashlib import sha256
from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from arena.game.records import MachineInfo
from arena.game.rules.round import ROUNDS_PER_DIE
from arena.io.errors import ArenaError
from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.league.terms import conditions
from arena.league.terms.conditions import conditions_of, cpu_model, this_machine
from tests.league import leagues
from tests.league.leagues import begin, store_all

OTHER = MachineInfo("Zuse Z3", 1, 64 * 22 // 8, "relays", "none")


def test_conditions_are_stored_with_the_hash_of_the_seed(tmp_path: Path) -> None:
    plan = leagues.league(tmp_path, name="Weekly", seed="open sesame")
    with Store(tmp_path / "s", create=True) as store:
        info = begin(plan, "process", store)
        assert store.league == info
    assert info.name == "Weekly"
    assert info.seed == "open sesame"
    assert info.commitment == sha256(b"open sesame").hexdigest()
    assert [bot.name for bot in info.bots] == ["honest", "memory", "random"]
    assert (info.players, info.games, info.sandbox) == ((2, 3), 2, "process")


def test_machine_is_the_one_the_league_began_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = leagues.league(tmp_path)
    with Store(tmp_path / "s", create=True) as store:
        first = begin(plan, "process", store).machine
        assert first == this_machine() != OTHER
        monkeypatch.setattr(conditions, "this_machine", lambda: OTHER)
        assert begin(plan, "process", store).machine == first
    with Store(tmp_path / "other", create=True) as store:
        assert begin(plan, "process", store).machine == OTHER


def test_the_cpu_model_is_read_from_the_kernel() -> None:
    assert cpu_model("processor\t: 0\nmodel name\t: Ada: 2 GHz\n\nprocessor\t: 1\n") == "Ada: 2 GHz"
    assert cpu_model("processor\t: 0\nCPU part\t: 0xd0c\n") == ""


def test_secret_seed_is_drawn_once_and_kept(tmp_path: Path) -> None:
    plan = leagues.league(tmp_path, seed=None)
    seeds = []
    for name in ("s", "s", "other"):
        with Store(tmp_path / name, create=True) as store:
            seeds.append(begin(plan, "process", store).seed)
    assert seeds[0] == seeds[1] != seeds[2]
    assert all(len(seed) == 32 for seed in seeds)


def test_seed_that_was_given_may_be_left_out_later(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store:
        first = begin(leagues.league(tmp_path), "process", store)
        assert begin(leagues.league(tmp_path, seed=None), "process", store) == first


def test_another_name_or_version_is_the_same_league(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(tmp_path / "s", create=True) as store:
        first = begin(leagues.league(tmp_path, name="before"), "process", store)
        monkeypatch.setattr("arena.league.terms.conditions.__version__", "99")
        second = begin(leagues.league(tmp_path, name="after"), "process", store)
        assert replace(second, name="before", arena_version=first.arena_version) == first
        assert store.league == first


def test_another_seed_is_refused_for_good(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store:
        begin(leagues.league(tmp_path), "process", store)
        store_all(store)
        before = store.league
        plan = leagues.league(tmp_path, seed="luckier", games=3)
        with pytest.raises(ArenaError, match="the master seed cannot change") as caught:
            begin(plan, "process", store, accept=True)
        assert store.league == before
    assert sha256(b"luckier").hexdigest()[:8] in caught.value.what
    assert "omit `seed`" in caught.value.hint


def test_no_bot_can_be_struck_before_the_first_game(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store, pytest.raises(ArenaError) as caught:
        begin(leagues.league(tmp_path, struck=["honest"]), "process", store)
    assert caught.value.what == "'honest' cannot be struck: nothing was played yet"


def test_conditions_change_freely_before_the_first_game(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store:
        begin(leagues.league(tmp_path, players=[2]), "process", store)
        said: list[str] = []
        plan = leagues.league(
            tmp_path, bots=leagues.SAMPLES[:2], players=[2], seed="other", games=3
        )
        info = begin(plan, "process", store, notify=said.append)
        assert store.league == info
        assert replace(info, machine=None) == conditions_of(plan, "process", "other")
    what = "'random' left, games is 3, not 2, another seed: nothing was played before"
    assert said == [f"the league changed: {what}"]


def test_limits_are_written_out(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store:
        info = begin(leagues.league(tmp_path), "process", store)
        assert (info.rounds_per_die, info.limits.fixture) == (ROUNDS_PER_DIE, 600 * (2 + 4))
        fixtures = Schedule(info).fixtures
    assert {(len(one.seats), one.max_rounds) for one in fixtures} == {(2, 500), (3, 750)}


def test_paths_that_sandboxes_show_are_conditions(tmp_path: Path) -> None:
    plan = leagues.league(tmp_path)
    shows = replace(plan, sandbox_paths=("/usr/share",))
    with Store(tmp_path / "s", create=True) as store:
        assert begin(plan, "process", store).sandbox_paths is UNSET
        assert begin(shows, "process", store).sandbox_paths == ("/usr/share",)
        store_all(store)
        with pytest.raises(ArenaError, match=r"sandbox_paths is \[\], not \[/usr/share\]"):
            begin(plan, "process", store)
