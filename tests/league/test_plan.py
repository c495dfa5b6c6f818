"""The conditions of a league: fixed before the first game, and kept."""

from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.league.plan import begin
from arena.store.store import Store
from tests.league import leagues


def test_the_conditions_are_stored_with_the_seed_s_hash(tmp_path: Path) -> None:
    plan = leagues.league(tmp_path, name="Weekly", seed="open sesame")
    with Store(tmp_path / "s", create=True) as store:
        info = begin(plan, "process", store)
        assert store.league == info
    assert info.name == "Weekly"
    assert info.seed == "open sesame"
    assert info.commitment == sha256(b"open sesame").hexdigest()
    assert [bot.name for bot in info.bots] == ["honest", "memory", "random"]
    assert (info.players, info.games, info.sandbox) == ((2, 3), 2, "process")


def test_a_secret_seed_is_drawn_once_and_kept(tmp_path: Path) -> None:
    plan = leagues.league(tmp_path, seed=None)
    seeds = []
    for name in ("s", "s", "other"):
        with Store(tmp_path / name, create=True) as store:
            seeds.append(begin(plan, "process", store).seed)
    assert seeds[0] == seeds[1] != seeds[2]
    assert all(len(seed) == 32 for seed in seeds)


def test_a_seed_that_was_given_may_be_left_out_later(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store:
        first = begin(leagues.league(tmp_path), "process", store)
        assert begin(leagues.league(tmp_path, seed=None), "process", store) == first


def test_another_name_or_version_is_the_same_league(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(tmp_path / "s", create=True) as store:
        first = begin(leagues.league(tmp_path, name="before"), "process", store)
        monkeypatch.setattr("arena.league.plan.__version__", "99")
        second = begin(leagues.league(tmp_path, name="after"), "process", store)
        assert replace(second, name="before", arena_version=first.arena_version) == first
        assert store.league == first


CHANGES: list[tuple[dict[str, object], str]] = [
    ({"limits": {**leagues.PATIENT, "answer": 59}}, "limits"),
    ({"variants": ["classic"]}, "variants"),
    ({"variants": [{"variant": "bga", "calza": True, "label": "bga"}]}, "variants"),
    ({"seed": "others"}, "seed"),
    ({"games": 3}, "games"),
    ({"players": [3, 2]}, "players"),
    ({"shared_dice": False}, "shared_dice"),
    ({"seed": "others", "games": 3, "rounds": 9}, "games, seed"),
]


@pytest.mark.parametrize(("changes", "named"), CHANGES)
def test_what_changed_is_named(tmp_path: Path, changes: dict[str, object], named: str) -> None:
    with Store(tmp_path / "s", create=True) as store:
        begin(leagues.league(tmp_path), "process", store)
        with pytest.raises(ArenaError) as caught:
            begin(leagues.league(tmp_path, **changes), "process", store)
        assert caught.value.what == f"the league changed since its first game: {named}"
        assert caught.value.where == str(tmp_path / "league.yaml")
        assert str(tmp_path / "s") in caught.value.hint


def test_another_sandbox_is_named(tmp_path: Path) -> None:
    plan = leagues.league(tmp_path)
    with Store(tmp_path / "s", create=True) as store:
        begin(plan, "process", store)
        with pytest.raises(ArenaError, match="first game: sandbox /"):
            begin(plan, "bubblewrap", store)
