"""The conditions of a league: fixed before the first game, and kept."""

from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.league.machine import processor, this_machine
from arena.league.plan import begin, conditions
from arena.league.schedule import schedule
from arena.records import LeagueInfo, MachineInfo, PlayedFixture
from arena.store.store import Store
from tests.league import leagues

OTHER = MachineInfo("Zuse Z3", 1, 64 * 22 // 8, "relays", "none")


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


def test_the_machine_is_the_one_the_league_began_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = leagues.league(tmp_path)
    with Store(tmp_path / "s", create=True) as store:
        first = begin(plan, "process", store).machine
        monkeypatch.setattr("arena.league.plan.this_machine", lambda: OTHER)
        assert begin(plan, "process", store).machine == first == this_machine() != OTHER
    with Store(tmp_path / "other", create=True) as store:
        assert begin(plan, "process", store).machine == OTHER


def test_a_processor_is_named_where_the_kernel_does() -> None:
    assert processor("processor\t: 0\nmodel name\t: Ada: 2 GHz\n\nprocessor\t: 1\n") == "Ada: 2 GHz"
    assert processor("processor\t: 0\nCPU part\t: 0xd0c\n") == ""


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


def store_all(store: Store, info: LeagueInfo) -> None:
    """Store the fixtures of a league as if they had been played."""
    for fixture in schedule(info):
        store.add(PlayedFixture(fixture, [], "process", "wall", 0, 0.0))


def changed(
    tmp_path: Path, changes: dict[str, object], *, drop: bool = False
) -> tuple[LeagueInfo, str]:
    """Begin the league, play it, and begin it changed; returns its conditions and what is said."""
    said: list[str] = []
    with Store(tmp_path / "s", create=True) as store:
        store_all(store, begin(leagues.league(tmp_path), "process", store))
        plan = leagues.league(tmp_path, **changes)
        info = begin(plan, "process", store, drop=drop, notify=said.append)
        assert store.league == info
        assert begin(plan, "process", store) == info
    return info, "; ".join(said)


FOUR = [*leagues.SAMPLES, "sample:odds"]
TWO = ["sample:honest", "sample:memory"]


def test_a_bot_may_join(tmp_path: Path) -> None:
    info, said = changed(tmp_path, {"bots": FOUR})
    assert said == "the league changed: 'odds' joined"
    assert [bot.name for bot in info.bots] == ["honest", "memory", "odds", "random"]
    [stage] = info.earlier
    assert [bot.name for bot in stage.bots] == ["honest", "memory", "random"]
    assert (stage.rounds, stage.kept) == (2, (2, 2))


def test_a_bot_leaves_only_where_that_is_accepted(tmp_path: Path) -> None:
    bots = {"bots": TWO, "players": [2]}
    with Store(tmp_path / "s", create=True) as store:
        store_all(store, begin(leagues.league(tmp_path, players=[2]), "process", store))
        before = store.league
        with pytest.raises(ArenaError) as caught:
            begin(leagues.league(tmp_path, **bots), "process", store)
        assert store.league == before
        said: list[str] = []
        plan = leagues.league(tmp_path, **bots)
        info = begin(plan, "process", store, drop=True, notify=said.append)
        assert len(store.finished()) == 6
    what = "the league changed: 'random' left"
    assert caught.value.what == f"{what}: 8 stored games would count no more"
    assert caught.value.where == str(tmp_path / "league.yaml")
    assert caught.value.hint.startswith("--drop-games ")
    assert said == [f"{what}; 8 stored games count no more"]
    assert {bot for one in schedule(info) for bot in one.seats} == {"honest", "memory"}


def test_where_nothing_was_played_the_new_field_is_the_first(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store:
        begin(leagues.league(tmp_path, players=[2]), "process", store)
        plan = leagues.league(tmp_path, bots=TWO, players=[2])
        info = begin(plan, "process", store)
        assert store.league == info
        assert replace(info, machine=None) == conditions(plan, "process", "tests")


@pytest.mark.parametrize("file", ["bot.sh", "data/table.txt", "bot.yaml"])
def test_a_bot_whose_files_changed_is_named(tmp_path: Path, file: str) -> None:
    ann = Path(leagues.write_bot(tmp_path, "ann", "cat"))
    (ann / "data").mkdir()
    (ann / "data" / "table.txt").write_text("1")
    bots = ["ann", "sample:honest", "sample:random"]
    with Store(tmp_path / "s", create=True) as store:
        store_all(store, begin(leagues.league(tmp_path, bots=bots), "process", store))
        with (ann / file).open("a") as written:
            written.write("# mended\n")
        with pytest.raises(ArenaError, match="changed: 'ann' has other files: 20 stored games"):
            begin(leagues.league(tmp_path, bots=bots), "process", store)


def test_all_that_changed_stands_in_one_line(tmp_path: Path) -> None:
    _, said = changed(tmp_path, {"bots": [*TWO, "sample:odds"]}, drop=True)
    assert said == "the league changed: 'odds' joined, 'random' left; 20 stored games count no more"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rounds": 9}, "rounds is 9, not 2"),
        ({"rounds": 1}, "rounds is 1, not 2"),
        ({"rounds": 9, "until": "separated"}, "rounds is 9, not 2, until is 0.95, not None"),
    ],
)
def test_rounds_may_change(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    info, heard = changed(tmp_path, changes)
    assert heard == f"the league changed: {said}"
    assert info.earlier[0].kept == (2, 2)
    assert info.rounds == changes["rounds"]


def test_of_a_league_with_until_what_was_begun_stays(tmp_path: Path) -> None:
    long = {"until": "separated", "rounds": 30}
    with Store(tmp_path / "s", create=True) as store:
        info = begin(leagues.league(tmp_path, **long), "process", store)
        for fixture in schedule(info):
            if fixture.block < 9 or (fixture.block < 12 and len(fixture.seats) == 2):
                store.add(PlayedFixture(fixture, [], "process", "wall", 0, 0.0))
        info = begin(leagues.league(tmp_path, bots=FOUR, **long), "process", store)
    assert info.earlier[0].kept == (12, 9)
